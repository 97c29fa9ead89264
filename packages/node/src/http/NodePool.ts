/**
 * An `HttpClient` over undici with a connection pool, for programs that need only some services
 * (`LanguageServiceClient.layerOf`) or administration.
 *
 * @since 0.1.0
 */
import "../internal/supported.ts"

import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Connections from "./internal/connections.ts"
import * as Connector from "./internal/connector.ts"
import type { TlsOptions } from "./internal/connector.ts"
import { known } from "./internal/known.ts"
import * as UndiciClient from "./internal/undiciClient.ts"
import * as NodeProxy from "./NodeProxy.ts"

export type { TlsOptions } from "./internal/connector.ts"

/**
 * Options of the connection pool, which uses HTTP/1.1 even if the service offers HTTP/2.
 *
 * @category options
 * @since 0.1.0
 */
export interface PoolOptions {
  /**
   * Maximum connections per host. Default: the resilience policy's `concurrency` plus `openStreams`, by default 164. A
   * number sets omitted policy fields: `openStreams` to a quarter, `concurrency` to the rest, both at most their
   * defaults. A number below their sum is rejected, because downloads could occupy all connections.
   */
  readonly connections?: number | undefined
  /**
   * Time limit to open a connection, including DNS lookup and TLS handshake. Default: 5 s, because TCP resends a lost
   * packet after 1 s and 3 s.
   */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * Idle time after which a connection is closed, unless the service announces a shorter time. Default: 30 s, which most
   * load balancers allow.
   */
  readonly keepAlive?: Duration.Input | undefined
  /**
   * The proxy for all requests: a URL, `Redacted` if it has a password, or `environment` to read `HTTPS_PROXY`,
   * `HTTP_PROXY` and `NO_PROXY`. Default: `environment` for `layerConfig`, otherwise `none`.
   */
  readonly proxy?: "environment" | "none" | URL | Redacted.Redacted | undefined
  /** Trusted certificate authorities and the client certificate, for `https:`. */
  readonly tls?: TlsOptions | undefined
}

/** Maximum milliseconds of a Node.js timer, almost 25 days. */
const longestTimer = 2_147_483_647

/** Loads undici on demand, because loading takes time. */
const loadDispatcher = Effect.promise(() =>
  import("./internal/dispatcher.ts").catch((cause: unknown) => {
    throw new Error(
      "undici cannot be loaded. A bundle of ES modules needs a banner that defines `require`: see docs/servers.md#bundles",
      { cause }
    )
  })
)

const millisOf = (
  name: "connectTimeout" | "keepAlive",
  given: Duration.Input
): Effect.Effect<number, InvalidConfiguration> =>
  // NaN is rejected, because Effect reads NaN as zero.
  Option.match(Number.isNaN(given) ? Option.none() : Duration.fromInput(given), {
    onNone: () =>
      new InvalidConfiguration({
        setting: `pool.${name}`,
        problem: "is not a duration such as \"5 seconds\""
      }),
    onSome: (duration) => Effect.succeed(Duration.toMillis(duration))
  })

const names: Readonly<Record<keyof PoolOptions, true>> = {
  connections: true,
  connectTimeout: true,
  keepAlive: true,
  proxy: true,
  tls: true
}

const makeClient = Effect.fnUntraced(function*(pool: PoolOptions) {
  const connections = pool.connections ?? Connections.neededBy({})
  const proxies = yield* NodeProxy.make(pool.proxy)
  const keepAlive = yield* millisOf("keepAlive", pool.keepAlive ?? "30 seconds")
  const connect = yield* Connector.make(yield* millisOf("connectTimeout", pool.connectTimeout ?? "5 seconds"), pool.tls)
  const Dispatcher = yield* loadDispatcher
  const dispatcher = yield* Dispatcher.make(proxies, {
    connections: Number.isFinite(connections) ? connections : null,
    connect,
    keepAliveTimeout: Math.min(Math.max(keepAlive, 1), longestTimer)
  })
  return UndiciClient.make(dispatcher, Dispatcher.signalled)
})

/** Makes a client over `fetch` for Bun, which has no undici dispatcher. Bun's `fetch` reads the proxy variables. */
const makeBunClient = Effect.fnUntraced(function*(pool: PoolOptions) {
  for (const setting of ["tls", "proxy"] as const) {
    const option = pool[setting]
    if (option === undefined || option === "environment") continue
    return yield* new InvalidConfiguration({
      setting: `pool.${setting}`,
      problem: setting === "tls"
        ? "has no effect on Bun: set NODE_EXTRA_CA_CERTS, or run the program on Node.js"
        : "has no effect on Bun: set or unset HTTPS_PROXY, or run the program on Node.js"
    })
  }
  return yield* HttpClient.HttpClient
}, Effect.provide(FetchHttpClient.layer))

/**
 * An `HttpClient` over undici with a connection pool, which the layer closes. Fails with `InvalidConfiguration` if a
 * proxy address or a certificate is invalid. On Bun, the client uses `fetch`, and `tls` or any `proxy` other than
 * `environment` is invalid.
 *
 * **Gotchas**
 *
 * `HttpClient.withScope` has no effect on a request for which `HttpClient.TracerDisabledWhen` is true. The request's
 * connection is released once the body was read, the reader is interrupted or the response is garbage-collected.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHttpClient = (
  pool: PoolOptions = {}
): Layer.Layer<HttpClient.HttpClient, InvalidConfiguration> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.andThen(known("pool", pool, names), "bun" in process.versions ? makeBunClient(pool) : makeClient(pool))
  )
