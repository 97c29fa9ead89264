/** Processes that tests start. They are killed with their scope. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

export interface Options {
  readonly cwd?: string | undefined
  /** All of its environment. Default: that of the tests. */
  readonly env?: NodeJS.ProcessEnv | undefined
  /** Its input, which stays open without. */
  readonly stdin?: string | Uint8Array | undefined
}

const launch = (command: string, args: ReadonlyArray<string>, { cwd, env, stdin }: Options) => {
  const child = spawn(command, args, { cwd, env, stdio: "pipe" })
  child.stdin.on("error", () => undefined)
  if (stdin !== undefined) child.stdin.end(stdin)
  const said = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (said.out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (said.err += text))
  return { child, said, exited: once(child, "exit"), closed: once(child, "close") }
}

/** A process, and what it has printed so far. */
export type Process = ReturnType<typeof launch>

/** Kills a process, and waits until it is gone. */
export const kill = ({ child, exited }: Process) =>
  Effect.promise(() => {
    child.kill("SIGKILL")
    return exited
  })

export const start = (command: string, args: ReadonlyArray<string>, options: Options = {}) =>
  Effect.acquireRelease(Effect.sync(() => launch(command, args, options)), kill)

/** Starts a program for Node.js with variables in addition to those of the tests. */
export const startNode = (script: string, args: ReadonlyArray<string> = [], variables: NodeJS.ProcessEnv = {}) =>
  start(process.execPath, [script, ...args], { env: { ...process.env, NODE_NO_WARNINGS: "1", ...variables } })

/** Waits until a process has printed a text. */
export const prints = ({ child, said }: Process, text: string) =>
  Effect.callback<void>((resume) => {
    const check = () => {
      if (said.out.includes(text) || said.err.includes(text)) resume(Effect.void)
    }
    child.stdout.on("data", check)
    child.stderr.on("data", check)
    child.once("close", () => resume(Effect.die(new Error(`it ended without "${text}": ${said.err}`))))
    check()
  })

/** The exit code of a process and all that it printed, once it has ended. */
export const ending = ({ closed, said }: Process) =>
  Effect.map(Effect.promise(() => closed), ([code]) => ({ code: Number(code), ...said }))

/** Runs a program for Node.js to its end. */
export const runNode = (...start: Parameters<typeof startNode>) =>
  Effect.scoped(Effect.flatMap(startNode(...start), ending))

/** The variables of a client of the fake. */
export const variablesOf = ({ url }: { readonly url: string }) => ({
  LANGUAGE_SERVICE_KEY: "fake-key",
  LANGUAGE_SERVICE_BASE_URL: url
})
