/** The command line as a process. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { bundled } from "../../../../test/support/bundled.ts"
import { type Surroundings, withoutCache } from "./cli.ts"

/** The executable, in a bundle as it is published. */
export const bin = await bundled(new URL("../../src/bin.ts", import.meta.url))

/** Starts a command of a shell, or the executable with arguments, as a process. */
export const start = (
  command: readonly [file: string, ...args: ReadonlyArray<string>],
  { cwd, env, stdin }: Surroundings & { readonly cwd?: string | undefined } = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [file, ...args] = command
      const child = spawn(file, args, { cwd, env: { PATH: "/usr/bin:/bin", ...withoutCache, ...env }, stdio: "pipe" })
      child.stdin.on("error", () => undefined)
      if (stdin !== undefined) child.stdin.end(stdin)
      return { child, out: text(child.stdout), err: text(child.stderr), closed: once(child, "close") }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

export const startCli = (args: ReadonlyArray<string>, surroundings?: Parameters<typeof start>[1]) =>
  start([process.execPath, bin, ...args], surroundings)

/** Waits until a process is over. */
export const ending = Effect.fnUntraced(function*({ closed, err, out }: Effect.Success<ReturnType<typeof start>>) {
  const [code] = yield* Effect.promise(() => closed)
  return { code: Number(code), out: yield* Effect.promise(() => out), err: yield* Effect.promise(() => err) }
})

/** Runs the executable to its end. */
export const asProcess = (args: ReadonlyArray<string>, surroundings: Parameters<typeof start>[1] = {}) =>
  Effect.scoped(Effect.flatMap(startCli(args, { stdin: "", ...surroundings }), ending))
