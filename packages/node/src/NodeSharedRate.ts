/**
 * A rate limit that several processes share through Redis.
 *
 * @since 0.1.0
 */
import type { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as SharedRate from "@effect-lingua/core/limits/SharedRate"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type * as Redacted from "effect/Redacted"
import * as Redis from "./internal/redis.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface StoreOptions {
  /**
   * Prefix of every Redis key. Default: `effect-lingua:`. Clients with the same prefix and base URL share a rate, so each
   * API key needs a different prefix.
   */
  readonly prefix?: string | undefined
  /** Time limit for a Redis response, after which the process applies the rate without Redis. Default: 250 ms. */
  readonly timeout?: SharedRate.Options["timeout"]
  /** Pause before Redis is used again after a failure. Default: 1 s. */
  readonly retryAfter?: SharedRate.Options["retryAfter"]
  /** Number of processes that share the rate. While Redis is down, each process has an equal part. Default: 1. */
  readonly processes?: SharedRate.Options["processes"]
  /** Socket options that a URL cannot express: certificates, or a Unix socket's path. */
  readonly socket?: Redis.SocketOptions
}

/**
 * Either `url` or `socket` is required.
 *
 * @category options
 * @since 0.1.0
 */
export interface RedisOptions extends StoreOptions {
  /** `redis://user:password@host:6379/0`, or `rediss:` for TLS. The URL's host, port and TLS override `socket`. */
  readonly url?: Redacted.Redacted | undefined
  /** A user name in `url` takes precedence. */
  readonly username?: string | undefined
  /** A password in `url` takes precedence. */
  readonly password?: Redacted.Redacted | undefined
}

/**
 * Shares a client's configured rate through Redis. Provide this layer to the client:
 *
 *     NodeLanguageService.layer(options).pipe(Layer.provide(NodeSharedRate.layerRedis({ url })))
 *
 * **Details**
 *
 * A slow or unavailable Redis never fails a call: each process then applies the rate without Redis. Outages are logged,
 * and `language_service.client.shared_store.failures` counts failures. The processes' clocks must be synchronized,
 * because the shared rate uses the clocks. Fails with `InvalidConfiguration` if the address is invalid or missing, or
 * the package `redis` is not installed.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRedis = (
  options: RedisOptions
): Layer.Layer<never, LanguageServiceConfig.InvalidConfiguration> =>
  Layer.unwrap(Effect.gen(function*() {
    const connection = yield* Redis.connected(options)
    const prefix = options.prefix ?? "effect-lingua:"
    const store = RateLimiter.layerStoreRedis({ prefix: `${prefix}rate:` }).pipe(Layer.provide(connection))
    return SharedRate.layerWithFallback(store, { ...options, describe: Redis.describe })
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
): Layer.Layer<never, Config.ConfigError | LanguageServiceConfig.InvalidConfiguration> =>
  Layer.unwrap(Effect.map(config, (fromConfig) => layerRedis({ ...options, ...fromConfig })))
