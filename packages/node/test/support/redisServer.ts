import { Effect, Scope } from "effect"
import { kill, prints, type Process, start } from "../../../../test/support/processes.ts"
import { folder } from "./documents.ts"
import { freePort } from "./listen.ts"

/** A redis-server without persistence, which is killed with the scope. */
export const redisServer = Effect.fnUntraced(function*(options: ReadonlyArray<string> = []) {
  const scope = yield* Effect.scope
  const directory = yield* folder
  const port = yield* freePort
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"]
  let server: Process | undefined
  const signal = (name: NodeJS.Signals) => Effect.sync(() => server?.child.kill(name))
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    start: Effect.gen(function*() {
      server = yield* start("redis-server", [...args, ...options])
      yield* prints(server, "Ready to accept connections")
    }).pipe(Scope.provide(scope)),
    kill: Effect.suspend(() => server === undefined ? Effect.void : kill(server)),
    /** Stops the process without ending it. */
    pause: signal("SIGSTOP"),
    resume: signal("SIGCONT")
  }
})
