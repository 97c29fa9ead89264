/** The server: routes, clients and jobs. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { Clients } from "./Clients.ts"
import * as DocumentJobs from "./DocumentJobs.ts"
import * as Routes from "./Routes.ts"
import * as Stopping from "./Stopping.ts"
import * as Tenants from "./Tenants.ts"

const services = Layer.provideMerge(
  DocumentJobs.layer,
  Layer.mergeAll(Clients.layer, Tenants.layer, Stopping.layer, NodeServices.layer)
)

/** Listens after all services are built, because Node.js accepts requests at once and requests without a handler would hang. */
const http = Layer.unwrap(Effect.gen(function*() {
  yield* DocumentJobs.DocumentJobs
  const port = yield* Config.Port("PORT").pipe(Config.withDefault(3000))
  return NodeHttpServer.layer(createServer, { port, gracefulShutdownTimeout: "10 seconds" })
}))

/**
 * Shuts down in this order: refuses new connections, finishes requests in flight, stops documents (which the next start resumes), and closes the
 * clients.
 */
export const layer = Stopping.layerFlag.pipe(
  Layer.provideMerge(HttpRouter.serve(Routes.layer)),
  Layer.provide(http),
  Layer.provide(services)
)
