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
import { type Added, run } from "../../src/main.ts"

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
  /** Commands from outside. */
  readonly added?: Added | undefined
  /** The columns of the terminal. */
  readonly columns?: number | undefined
}

/** No test uses the results of another, or those of the user. */
export const withoutCache = { LANGUAGE_SERVICE_CACHE: "false" }

const encoder = new TextEncoder()

/** A command line as an array, or as text, in which double quotes surround an argument with spaces. */
export type Args = string | ReadonlyArray<string>

export const argsOf = (args: Args): ReadonlyArray<string> =>
  typeof args === "string" ? Array.from(args.matchAll(/"([^"]*)"|\S+/g), ([word, quoted = word]) => quoted) : args

/** Runs the command line in this process, with streams of its own. */
export const inProcess = (
  args: Args,
  { added, columns, env = {}, files = NodeFileSystem.layer, interruptedAt, stdin, terminal = {} }: Surroundings = {}
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
      args: Effect.succeed(argsOf(args)),
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
    return run(argsOf(args), added).pipe(
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
