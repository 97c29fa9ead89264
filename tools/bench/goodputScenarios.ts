/** Scenarios of the simulator over sockets and in real time: each client calls a server that plays the simulated service. */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { layerHttpClient } from "@effect-lingua/node/http/NodePool"
import { Console, Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { deeplNode } from "../lab/otherClients.ts"
import type { Report } from "../lab/recorder.ts"
import * as Scenario from "../lab/scenarios.ts"
import * as Simulation from "../lab/simulation.ts"

const scenarios = [Scenario.queue, Scenario.impatient, Scenario.sharing, Scenario.restart]

const clients = [
  Simulation.client("this client", ResiliencePolicy.defaults),
  Simulation.client("without a policy", ResiliencePolicy.none),
  deeplNode
]

/** Serves a simulated service. It goes on with the work of a client that has given up, as most servers do. */
const serve = Effect.fnUntraced(function*(service: HttpClient.HttpClient) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    const answered = Effect.gen(function*() {
      const { headers, status, text } = yield* service.execute(HttpClientRequest.post(`http://localhost${request.url}`))
      const body = yield* text
      response.writeHead(status, { ...headers })
      response.end(body)
    })
    const reset = Effect.sync(() => void request.socket.destroy())
    return run(Effect.catchIf(answered, ({ reason }) => reason._tag === "TransportError", () => reset))
  }
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => void answer(request, response))
  return yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", 10_000, () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" ? address?.port ?? 0 : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
})

const connect = Effect.fnUntraced(function*(service: HttpClient.HttpClient) {
  const port = yield* serve(service)
  // A pool for all clients of a cell, which so waits for none of them.
  const pool = yield* Layer.build(layerHttpClient({ connections: Number.POSITIVE_INFINITY }))
  return HttpClient.mapRequest(
    Context.get(pool, HttpClient.HttpClient),
    (request) => HttpClientRequest.setUrl(request, `http://127.0.0.1:${port}${new URL(request.url).pathname}`)
  )
})

const shown = ({ amplification, best, recovery, useful }: Report): string =>
  `${Math.min(1, useful / best).toFixed(2)}, ${amplification.toFixed(2)}, ${
    recovery === undefined ? "never" : `${recovery} s`
  }`

/** The rows of a table: a scenario and a client, over sockets and in virtual time. */
export const rows = Effect.gen(function*() {
  const cells = scenarios.flatMap((scenario) => clients.map((client) => ({ scenario, client })))
  // All at once, as each takes eight or eleven minutes and little work.
  const live = yield* Effect.forEach(cells, (cell) => Simulation.runLive({ ...cell, connect }), {
    concurrency: "unbounded"
  })
  yield* Console.error(live.map((report) => `${report.scenario} ${report.client}: ${shown(report)}`).join("\n"))
  const simulated = yield* Effect.forEach(cells, Simulation.run)
  return live.map((report, index) => {
    const other = simulated[index]
    return [report.scenario, report.client, shown(report), other === undefined ? "" : shown(other)]
  })
})
