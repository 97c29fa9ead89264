/** The server: routes, clients and jobs. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { Clients } from "./Clients.ts"
import * as DocumentJobs from "./DocumentJobs.ts"
import * as Routes from "./Routes.ts"
import * as Tenants from "./Tenants.ts"

/** Ends in order: no new requests, the ones in flight, the documents (which the next start resumes), the clients. */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const port = yield* Config.Port("PORT").pipe(Config.withDefault(3000))
  return HttpRouter.serve(Routes.layer).pipe(
    Layer.provide([
      NodeHttpServer.layer(createServer, { port, gracefulShutdownTimeout: "10 seconds" }),
      Layer.provideMerge(DocumentJobs.layer, Tenants.layer)
    ]),
    Layer.provide([Clients.layer, NodeServices.layer])
  )
}))
