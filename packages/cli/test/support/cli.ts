import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeServices from "@effect/platform-node/NodeServices"
import {
  Cause,
  ConfigProvider,
  Console,
  Effect,
  Exit,
  type FileSystem,
  Layer,
  Runtime,
  Sink,
  Stdio,
  Stream,
  Terminal
} from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { bundled } from "../../../../test/support/bundled.ts"
import { run } from "../../src/main.ts"

/** What a run said and how it ended. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** What a run finds around it. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly stdin?: string | Uint8Array | undefined
  /** Files, where they are not those of the machine. */
  readonly files?: Layer.Layer<FileSystem.FileSystem> | undefined
  /** Which of its streams are terminals. None by default. */
  readonly terminal?: { readonly [Name in "stdin" | "stdout" | "stderr"]?: boolean } | undefined
  /** Interrupts the run before this write to standard output, counted from 1. */
  readonly interruptedAt?: number | undefined
  /** The columns of the terminal. */
  readonly columns?: number | undefined
}

/** No test uses the results of another, or those of the user. */
export const withoutCache = { LANGUAGE_SERVICE_CACHE: "false" }

const encoder = new TextEncoder()

/** Runs the command line in this process, with streams of its own. */
export const inProcess = (
  args: ReadonlyArray<string>,
  { columns, env = {}, files = NodeFileSystem.layer, interruptedAt, stdin, terminal = {} }: Surroundings = {}
): Effect.Effect<Ran> =>
  Effect.suspend(() => {
    const said = { out: "", err: "" }
    const decoder = new TextDecoder()
    let writes = 0
    const into = (stream: "out" | "err") => () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => {
          said[stream] += typeof chunk === "string" ? chunk : decoder.decode(chunk)
        })
      )
    const stdio = Stdio.layerTest({
      args: Effect.succeed(args),
      stdinIsTerminal: Effect.succeed(terminal.stdin ?? false),
      stdoutIsTerminal: Effect.succeed(terminal.stdout ?? false),
      stderrIsTerminal: Effect.succeed(terminal.stderr ?? false),
      stdout: () => ++writes === interruptedAt ? Sink.fromEffect(Effect.interrupt) : into("out")(),
      stderr: into("err"),
      stdin: stdin === undefined
        ? Stream.empty
        : Stream.succeed(typeof stdin === "string" ? encoder.encode(stdin) : stdin)
    })
    const print = (stream: "out" | "err") => (...words: ReadonlyArray<unknown>) => {
      said[stream] += `${words.join(" ")}\n`
    }
    const sized = Effect.updateService(Terminal.Terminal, (terminal) =>
      columns === undefined ? terminal : Terminal.make({ ...terminal, columns: Effect.succeed(columns) }))
    return run(args).pipe(
      sized,
      Effect.provide(Layer.mergeAll(NodeServices.layer, stdio, files)),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: { ...withoutCache, ...env } })
      ),
      Effect.provideService(Console.Console, {
        ...globalThis.console,
        log: print("out"),
        error: print("err")
      }),
      Effect.exit,
      Effect.map((exit) => ({
        code: Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause)),
        ...said
      }))
    )
  })

/** Makes a folder the current one until the scope ends. */
export const workIn = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.cwd()
      process.chdir(directory)
      return before
    }),
    (before) => Effect.sync(() => process.chdir(before))
  )

/** The executable, in a bundle as it is published. */
export const bin = await bundled(new URL("../../src/bin.ts", import.meta.url))

/** A process takes a second to start, and more on a machine that has other things to do. */
export const timeout = 120_000

/** Starts a command of a shell, or the executable with arguments, as a process. */
export const start = (
  command: readonly [file: string, ...args: ReadonlyArray<string>],
  { cwd, env, stdin }: Surroundings & { readonly cwd?: string | undefined } = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [file, ...args] = command
      const child = spawn(file, args, {
        cwd,
        env: { PATH: "/usr/bin:/bin", ...withoutCache, ...env },
        stdio: "pipe"
      })
      child.stdin.on("error", () => undefined)
      if (stdin !== undefined) child.stdin.end(stdin)
      return { child, out: text(child.stdout), err: text(child.stderr), closed: once(child, "close") }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Starts the executable. */
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
