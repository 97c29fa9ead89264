/**
 * The `HttpClient` of this package: undici with a pool of connections. It comes without services, for a program that needs a few of
 * them (`LanguageServiceClient.layerOf`) or administration.
 *
 * @since 0.1.0
 */
import "../internal/supported.ts"

import * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
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
 * The pool of connections to the service. They use HTTP/1.1, even if the service offers HTTP/2.
 *
 * @category options
 * @since 0.1.0
 */
export interface PoolOptions {
  /**
   * The highest number of connections to each host. Default: the sum of the policy's `concurrency` and `openStreams`, 164 with
   * their defaults. A given number determines those of the two fields that are not set: a quarter for open streams, the rest for
   * requests in flight. A number below their sum is rejected, as downloads could occupy all connections.
   */
  readonly connections?: number | undefined
  /**
   * Time to open a connection, including name look-up and TLS handshake. Default 5 s: a lost packet is sent again after 1 s
   * and after 3 s.
   */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * Time after which an idle connection is closed; sooner if the service announces it (`Keep-Alive: timeout`). Default 30 s:
   * longer than the pauses of a busy program, shorter than most load balancers keep connections.
   */
  readonly keepAlive?: Duration.Input | undefined
  /**
   * The proxy for all requests: an address, `Redacted` if it has a user and a password; or `environment` to follow `HTTPS_PROXY`,
   * `HTTP_PROXY` and `NO_PROXY`. Default: `environment` for `layerConfig`, otherwise `none`.
   */
  readonly proxy?: "environment" | "none" | URL | Redacted.Redacted | undefined
  /** The authorities to trust and the certificate to present, for `https:`. */
  readonly tls?: TlsOptions | undefined
}

/** Milliseconds that a timer of Node.js can take: 2^31 - 1, almost 25 days. */
const longestTimer = 2_147_483_647

/** Loads undici on demand, because that takes time. In a bundle without `require` its modules throw. */
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
): Effect.Effect<number, LanguageServiceConfig.InvalidConfiguration> =>
  // Effect takes NaN for zero.
  Option.match(Number.isNaN(given) ? Option.none() : Duration.fromInput(given), {
    onNone: () =>
      new LanguageServiceConfig.InvalidConfiguration({
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

/**
 * Bun has no dispatcher of undici. Its `fetch` has a pool for the process, and follows the variables of a proxy.
 */
const makeBunClient = Effect.fnUntraced(function*(pool: PoolOptions) {
  for (const setting of ["tls", "proxy"] as const) {
    const given = pool[setting]
    if (given === undefined || given === "environment") continue
    return yield* new LanguageServiceConfig.InvalidConfiguration({
      setting: `pool.${setting}`,
      problem: setting === "tls"
        ? "has no effect on Bun: set NODE_EXTRA_CA_CERTS, or run the program on Node.js"
        : "has no effect on Bun: set or unset HTTPS_PROXY, or run the program on Node.js"
    })
  }
  return yield* HttpClient.HttpClient
}, Effect.provide(FetchHttpClient.layer))

/**
 * An `HttpClient` over undici with a pool of its own, which is closed with the layer. Fails with `InvalidConfiguration` if the
 * address of a proxy or a certificate is invalid. On Bun it is an `HttpClient` over `fetch`, without the options of a pool; there
 * `tls` is invalid, as is a `proxy` other than `environment`.
 *
 * **Gotchas**
 *
 * `HttpClient.withScope` has no effect on a request for which `HttpClient.TracerDisabledWhen` is true. Its connection is released
 * when the body was read, the reader is interrupted or the response is garbage-collected.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHttpClient = (
  pool: PoolOptions = {}
): Layer.Layer<HttpClient.HttpClient, LanguageServiceConfig.InvalidConfiguration> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.andThen(known("pool", pool, names), "bun" in process.versions ? makeBunClient(pool) : makeClient(pool))
  )
