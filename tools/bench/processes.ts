/** Child processes, which end with their scope. */
import { Data, type Duration, Effect, type Scope } from "effect"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { createServer } from "node:net"
import type { Message } from "./protocol.ts"

/** A process ended early, did not respond, or did its work wrongly. */
export class ProcessFailed extends Data.TaggedError("ProcessFailed")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

type Tagged<Tag extends Message["tag"]> = Extract<Message, { readonly tag: Tag }>

/** A child process of the benchmark. */
export interface Worker {
  readonly send: (message: Message) => Effect.Effect<void>
  /** Waits for the next message with a tag. */
  readonly receive: <Tag extends Message["tag"]>(
    tag: Tag,
    within?: Duration.Input
  ) => Effect.Effect<Tagged<Tag>, ProcessFailed>
}

const hasTag = <Tag extends Message["tag"]>(tag: Tag) => (message: Message): message is Tagged<Tag> =>
  message.tag === tag

const ended = (child: ChildProcess) => child.pid === undefined || child.exitCode !== null || child.signalCode !== null

const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (ended(child)) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** Starts a module of this folder in a new process. */
export const launch = (
  module: string,
  args: ReadonlyArray<string>,
  execArgv: ReadonlyArray<string> = []
): Effect.Effect<Worker, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        fork(new URL(module, import.meta.url), args, {
          execArgv: [...execArgv],
          stdio: ["ignore", "inherit", "inherit", "ipc"]
        })
      ),
      kill
    ),
    (child): Worker => ({
      send: (message) => Effect.sync(() => void child.send(message)),
      receive: <Tag extends Message["tag"]>(tag: Tag, within: Duration.Input = "2 minutes") =>
        Effect.callback<Tagged<Tag>, ProcessFailed>((resume) => {
          const onMessage = (message: Message) => {
            if (!hasTag(tag)(message)) return
            leave()
            resume(Effect.succeed(message))
          }
          const onExit = () => {
            leave()
            resume(Effect.fail(new ProcessFailed({ reason: `${module} ended early` })))
          }
          const leave = () => {
            child.off("message", onMessage)
            child.off("exit", onExit)
          }
          child.on("message", onMessage)
          child.once("exit", onExit)
          return Effect.sync(leave)
        }).pipe(
          Effect.timeout(within),
          Effect.catchTag("TimeoutError", () => Effect.fail(new ProcessFailed({ reason: `${module} did not respond` })))
        )
    })
  )

/** Starts a module of this folder in a new process, and waits until it is ready. Returns the URLs of the process's servers. */
export const start = Effect.fnUntraced(function*(...args: Parameters<typeof launch>) {
  const worker = yield* launch(...args)
  const { calmUrl = "", url = "" } = yield* worker.receive("ready")
  return { ...worker, calmUrl, url }
})

/** Runs work of a size in a process and returns the measurements. */
export const run = Effect.fnUntraced(function*(worker: Worker, size: number) {
  yield* worker.send({ tag: "run", size })
  const { result } = yield* worker.receive("ran", "10 minutes")
  return result
})

/** Finds an unused port. */
export const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0)))
  })
})

/** Starts a Redis without persistence and returns its URL, or `undefined` if `redis-server` is not installed. */
export const startRedis = Effect.gen(function*() {
  const port = yield* freePort
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
    ),
    kill
  )
  return yield* Effect.callback<string | undefined>((resume) => {
    child.once("error", () => resume(Effect.succeed(undefined)))
    child.stdout.on("data", (data) => {
      if (String(data).includes("Ready to accept connections")) {
        resume(Effect.succeed(`redis://127.0.0.1:${port}`))
      }
    })
  })
})
