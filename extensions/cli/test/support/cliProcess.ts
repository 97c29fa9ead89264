/** The command line as a process. */
import { Effect } from "effect"
import { bundled } from "../../../../test/support/bundled.ts"
import { ending, type Options, start as startProcess } from "../../../../test/support/processes.ts"
import { withoutCache } from "./cli.ts"

export { ending }

/** The executable, in a bundle as it is published. */
export const bin = await bundled(new URL("../../src/bin.ts", import.meta.url))

/** Starts a command of a shell, with few variables. */
export const start = (
  [file, ...args]: readonly [file: string, ...args: ReadonlyArray<string>],
  options: Options = {}
) => startProcess(file, args, { ...options, env: { PATH: "/usr/bin:/bin", ...withoutCache, ...options.env } })

export const startCli = (args: ReadonlyArray<string>, options?: Options) =>
  start([process.execPath, bin, ...args], options)

/** Runs the executable to its end. */
export const asProcess = (args: ReadonlyArray<string>, options: Options = {}) =>
  Effect.scoped(Effect.flatMap(startCli(args, { stdin: "", ...options }), ending))
