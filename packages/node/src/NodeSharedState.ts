/**
 * One set of limits for a fleet: limiter and circuit breaker keep their state in Redis, so that the processes that use a key
 * share its limits.
 *
 * @since 0.1.0
 */
import * as LanguageServiceConfig from "@effect-lingua/core/client/LanguageServiceConfig"
import * as SharedState from "@effect-lingua/core/resilience/SharedState"
import type * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as RateLimiter from "effect/persistence/RateLimiter"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"

type ClientOptions = NonNullable<Parameters<typeof NodeRedis.layer>[0]>

/**
 * Options besides the address.
 *
 * @category options
 * @since 0.1.0
 */
export interface StoreOptions {
  /**
   * Prefix of every key in Redis. Default `effect-lingua:`. Clients with the same prefix and base address share their limits, so
   * give each API key a prefix of its own.
   */
  readonly prefix?: string | undefined
  /** Time for a response of Redis. After it, limits are local. Default 250 ms. */
  readonly timeout?: SharedState.Options["timeout"]
  /** Time after a failure in which Redis is not tried again. Default 1 s. */
  readonly retryAfter?: SharedState.Options["retryAfter"]
  /**
   * Socket options of the Node Redis client that a URL cannot express: certificates, or the path of a Unix socket.
   * `reconnectStrategy` has no effect.
   */
  readonly socket?: ClientOptions["socket"]
}

/**
 * Address and credentials of Redis. Either `url` or `socket` is required.
 *
 * @category options
 * @since 0.1.0
 */
export interface RedisOptions extends StoreOptions {
  /** The address, `redis://user:password@host:6379/0`, or `rediss:` for TLS. Its host, port and TLS override `socket`. */
  readonly url?: Redacted.Redacted | undefined
  /** The user, if the URL has none. */
  readonly username?: string | undefined
  /** The password, if the URL has none. */
  readonly password?: Redacted.Redacted | undefined
}

const invalid = (setting: string, problem: string) =>
  new LanguageServiceConfig.InvalidConfiguration({ setting, problem })

const shape = "is not a URL such as redis://user:password@host:6379/0"

/** Parses the URL, because the Redis client would quote an invalid one in its error, password included. */
const parseUrl = Effect.fnUntraced(function*(redacted: Redacted.Redacted) {
  const text = Redacted.value(redacted)
  if (!URL.canParse(text)) return yield* invalid("redis.url", shape)
  const url = new URL(text)
  const decode = (part: string) =>
    Effect.mapError(
      Effect.try({ try: () => decodeURIComponent(part), catch: () => undefined }),
      () => invalid("redis.url", "has a user or password that is not percent-encoded")
    )
  if (url.protocol !== "redis:" && url.protocol !== "rediss:") {
    return yield* invalid("redis.url", `has the scheme ${url.protocol} but must be redis: or rediss:`)
  }
  if (url.hostname === "" || !/^\/?\d*$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
    return yield* invalid("redis.url", shape)
  }
  const username = yield* decode(url.username)
  const password = yield* decode(url.password)
  const database = url.pathname.slice(1)
  return {
    ...(username === "" ? undefined : { username }),
    ...(password === "" ? undefined : { password }),
    ...(database === "" ? undefined : { database: Number(database) }),
    address: {
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? 6379 : Number(url.port),
      ...(url.protocol === "rediss:" ? { tls: true } : undefined)
    }
  }
})

const clientOptions = Effect.fnUntraced(function*(options: RedisOptions) {
  const { socket, url } = options
  if (url === undefined && socket === undefined) return yield* invalid("redis", "needs a url or a socket")
  const { address, ...parsed } = url === undefined ? { address: undefined } : yield* parseUrl(url)
  const credentials = {
    ...(options.username === undefined ? undefined : { username: options.username }),
    ...(options.password === undefined ? undefined : { password: Redacted.value(options.password) }),
    ...parsed
  }
  return (signal: AbortSignal): ClientOptions => {
    const socketOptions = Object.assign({}, socket, address, { signal })
    Reflect.deleteProperty(socketOptions, "reconnectStrategy")
    return {
      ...credentials,
      socket: socketOptions,
      // Without a connection a command fails at once, instead of waiting for one.
      disableOfflineQueue: true
    }
  }
})

/** The first word of an error reply is its kind; the rest may quote the command and the password in it. */
const replyKind = /^[A-Z]{2,}\b/

/** The error inside an error of the stores, or of the Redis client after its last attempt to connect. */
const innerCause = (error: unknown): unknown =>
  hasProperty(error, "reason")
    ? error.reason
    : hasProperty(error, "originalError")
    ? error.originalError
    : hasProperty(error, "cause")
    ? error.cause
    : undefined

/** The reason of a failure, without secrets. */
const describe = (failure: unknown): string => {
  let cause = failure
  for (let inner = innerCause(cause); inner !== undefined; inner = innerCause(cause)) cause = inner
  if (Cause.isTimeoutError(cause)) return "no response in time"
  if (!(cause instanceof Error)) return "unknown failure"
  return hasProperty(cause, "code") && typeof cause.code === "string"
    ? cause.code
    : replyKind.exec(cause.message)?.[0] ?? cause.constructor.name
}

/**
 * A connection that ends at once with its scope. The Redis client waits on close for responses that may never arrive, so it is
 * built and closed in detached fibers, and aborting the socket ends that wait.
 */
const connection = (redis: typeof NodeRedis, options: (signal: AbortSignal) => ClientOptions) =>
  Layer.effectContext(Effect.gen(function*() {
    const abort = new AbortController()
    const scope = yield* Scope.make()
    const building = yield* Effect.forkDetach(Layer.buildWithScope(redis.layer(options(abort.signal)), scope))
    yield* Effect.addFinalizer((exit) =>
      Effect.andThen(
        Effect.sync(() => abort.abort()),
        Effect.forkDetach(Effect.andThen(Fiber.await(building), Scope.close(scope, exit)))
      )
    )
    const context = yield* Fiber.join(building)
    yield* Effect.addFinalizer(() => Effect.sync(() => Context.get(context, redis.NodeRedis).client.destroy()))
    return context
  })).pipe(
    // The client logs each error of the connection verbatim, password included. The fallback logs a failure once, without secrets.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )

/**
 * Limiter and breaker state in Redis, for `Layer.provide` to a client:
 *
 *     NodeLanguageService.layer(options).pipe(Layer.provide(NodeSharedState.layerRedis({ url })))
 *
 * **Details**
 *
 * A Redis that is slow or down, at the start or later, never fails a call: limits are local meanwhile. The beginning is logged as
 * a warning and the end as information, and each failure counts in the metric `language_service.client.shared_store.failures`.
 * Fails with `InvalidConfiguration` if the address is invalid or missing, or the package `redis` is not installed.
 *
 * **Gotchas**
 *
 * The rate limit of Effect's Redis store uses the clocks of the processes, so these must be synchronized.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRedis = (
  options: RedisOptions
): Layer.Layer<SharedState.Stores, LanguageServiceConfig.InvalidConfiguration> =>
  Layer.unwrap(Effect.gen(function*() {
    const client = yield* clientOptions(options)
    // Loaded here, so that a program that does not share its limits does not load the Redis client.
    const redis = yield* Effect.tryPromise({
      try: () => import("@effect/platform-node/NodeRedis"),
      catch: () => invalid("redis", "cannot be used, because the package redis is not installed")
    })
    const prefix = options.prefix ?? "effect-lingua:"
    const stores = Layer.merge(
      RateLimiter.layerStoreRedis({ prefix: `${prefix}rate:` }),
      CircuitBreaker.layerStoreRedis({ prefix: `${prefix}breaker:` })
    ).pipe(Layer.provide(connection(redis, client)))
    return SharedState.layerWithFallback(stores, { timeout: options.timeout, retryAfter: options.retryAfter, describe })
  }))

/**
 * Reads the address of Redis from `LANGUAGE_SERVICE_REDIS_URL` (secret, required).
 *
 * @category configuration
 * @since 0.1.0
 */
export const config: Config.Config<RedisOptions> = Config.map(
  Config.Redacted("LANGUAGE_SERVICE_REDIS_URL"),
  (url) => ({ url })
)

/**
 * {@link layerRedis} with the address from `LANGUAGE_SERVICE_REDIS_URL`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRedisConfig = (
  options?: StoreOptions
): Layer.Layer<SharedState.Stores, Config.ConfigError | LanguageServiceConfig.InvalidConfiguration> =>
  Layer.unwrap(Effect.map(config, (fromConfig) => layerRedis({ ...options, ...fromConfig })))
