/**
 * The fake on a loopback socket of Node.js.
 *
 * @since 0.1.0
 */
import { Failure } from "@effect-lingua/core/extension/Service"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import { hasProperty } from "effect/Predicate"
import { createServer } from "node:http"
import { FakeLanguageService } from "./FakeLanguageService.ts"

/**
 * @category errors
 * @since 0.1.0
 */
export class PortInUse extends Failure.messageFirst(Data.TaggedError("PortInUse"))<{ readonly port: number }> {
  override get message(): string {
    return `Port ${this.port} is in use. Choose another, or 0 for any that is free.`
  }
}

/**
 * @category options
 * @since 0.1.0
 */
export interface Options extends FakeLanguageService.ServerOptions {
  /** Default: a free port. */
  readonly port?: number | undefined
  /** Default: `127.0.0.1`, reachable only from this machine. */
  readonly host?: string | undefined
}

const portInUse = (error: ServeError): boolean => hasProperty(error.cause, "code") && error.cause.code === "EADDRINUSE"

/**
 * A local HTTP server of Node.js, for `FakeLanguageService.layerServer` with additional middleware.
 *
 * **Example** (A gateway in front of the fake)
 *
 * ```ts import.meta.vitest
 * import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient, HttpClient, HttpServer, HttpServerResponse } from "effect/http"
 *
 * const gateway = Layer.effect(
 *   HttpServer.HttpServer,
 *   HttpServer.HttpServer.use(({ address, serve }) =>
 *     Effect.succeed(HttpServer.make({
 *       address,
 *       serve: <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
 *         serve(Effect.map(app, HttpServerResponse.setHeader("via", "gateway")))
 *     }))
 *   )
 * )
 * const layer = FakeLanguageService.layerServer().pipe(
 *   Layer.provide(gateway),
 *   Layer.provide(NodeFakeLanguageService.layerHttpServer())
 * )
 *
 * const via = await FakeLanguageService.use(({ url }) => HttpClient.get(url)).pipe(
 *   Effect.map(({ headers }) => headers["via"]),
 *   Effect.provide([layer, FetchHttpClient.layer]),
 *   Effect.runPromise
 * )
 * via // => "gateway"
 * ```
 *
 * @category layers
 * @since 0.3.0
 */
export const layerHttpServer = (
  { host = "127.0.0.1", port = 0 }: Pick<Options, "host" | "port"> = {}
): Layer.Layer<HttpServer.HttpServer, PortInUse | ServeError> =>
  NodeHttpServer.layerServer(createServer, { port, host, gracefulShutdownTimeout: "1 second" }).pipe(
    Layer.catchTag(
      "ServeError",
      (error) => Layer.effect(HttpServer.HttpServer, Effect.fail(portInUse(error) ? new PortInUse({ port }) : error))
    )
  )

/**
 * The fake on a local socket, with its control endpoint and the contract's OpenAPI document.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  { host, port, ...options }: Options = {}
): Layer.Layer<FakeLanguageService, PortInUse | ServeError> =>
  Layer.provide(FakeLanguageService.layerServer(options), layerHttpServer({ host, port }))
