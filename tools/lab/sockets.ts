/**
 * Runs two scenarios with real sockets and clocks for three minutes, and prints the share of useful calls for each ten seconds.
 *
 *     node tools/lab/sockets.ts
 */
import * as Deadline from "@effect-lingua/core/config/Deadline"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer, type ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"

const body = JSON.stringify({ improvements: [{ text: "Good." }] })

const reply = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(status === 200 ? body : "{}")
}

type Serve = (response: ServerResponse, millis: number) => void

/** An unbounded queue, which processes 25 requests a second, and 10 in the second minute. */
const queue = (): Serve => {
  let free = 0
  return (response, millis) => {
    free = Math.max(free, millis) + 1000 / (millis >= 60_000 && millis < 120_000 ? 10 : 25)
    void setTimeout(free - millis).then(() => reply(response, 200))
  }
}

/** A rate limit of 30 requests a second, and of 3 in the second minute. */
const limit = (): Serve => {
  let [tokens, filledAt] = [30, 0]
  return (response, millis) => {
    const perSecond = millis >= 60_000 && millis < 120_000 ? 3 : 30
    tokens = Math.min(perSecond, tokens + (millis - filledAt) * perSecond / 1000)
    filledAt = millis
    reply(response, tokens < 1 ? 429 : 200)
    if (tokens >= 1) tokens--
  }
}

const measure = Effect.fnUntraced(
  function*(name: string, serve: Serve, clients: number, load: number, patience: number) {
    const start = performance.now()
    const server = createServer((request, response) => {
      request.resume().on("end", () => serve(response, performance.now() - start))
    })
    yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
    const address = server.address()
    const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
    const layer = NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl, journal: "memory" })
    const services = yield* Effect.replicateEffect(Layer.build(Layer.fresh(layer)), clients)
    const counts = Array.from({ length: 18 }, () => ({ calls: 0, useful: 0 }))
    let begun = 0
    const call = Effect.suspend(() => {
      const count = counts[Math.floor((performance.now() - start) / 10_000)]
      const client = services[begun++ % clients]
      if (count === undefined || client === undefined) return Effect.void
      count.calls++
      return Writing.use((writing) => writing.rephrase({ text: ["Good."] })).pipe(
        Deadline.within(patience),
        Effect.exit,
        Effect.map((exit) => Exit.isSuccess(exit) ? count.useful++ : 0),
        Effect.provideContext(client)
      )
    })
    const begin = Effect.andThen(Effect.forkScoped(call), Effect.sleep(1000 / load))
    yield* Effect.repeat(begin, { while: () => performance.now() - start < 180_000 })
    yield* Effect.sleep(patience)
    process.stdout.write(`${name}: ${counts.map(({ calls, useful }) => (useful / calls).toFixed(2)).join(" ")}\n`)
  },
  Effect.scoped
)

await Effect.runPromise(Effect.all([
  measure("queue, 24 calls/s of 1 client, callers of 5 s", queue(), 1, 24, 5000),
  measure("limit, 20 calls/s of 20 clients, callers of 20 s", limit(), 20, 20, 20_000)
], { concurrency: "unbounded" }))
