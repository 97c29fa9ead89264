/**
 * Limiter and breaker state that several processes share. They keep it in memory unless the stores of this module's layer
 * are provided to the client.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Telemetry from "./internal/telemetry.ts"

/**
 * The two stores that a client looks for: of its rate limiter and of its circuit breaker.
 *
 * @category models
 * @since 0.1.0
 */
export type Stores = RateLimiter.RateLimiterStore | CircuitBreaker.CircuitBreakerStore

/**
 * How the shared stores are used.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** A store that takes longer counts as down. Default 250 ms. */
  readonly timeout?: Duration.Input | undefined
  /** How long a store that is down is not asked again. Default 1 s. */
  readonly retryAfter?: Duration.Input | undefined
}

const local = Layer.merge(RateLimiter.layerStoreMemory, CircuitBreaker.layerStoreMemory())

/** Marks permits of the local breaker, so that their outcomes go back to it; its own inverse. */
const localGeneration = (generation: number): number => -1 - generation

const isRejection = <E>(error: E): error is Extract<E, CircuitBreaker.CircuitBreakerError> =>
  error instanceof CircuitBreaker.CircuitBreakerError && error.reason._tag !== "CircuitBreakerStoreError"

const storesWithFallback = Effect.fnUntraced(function*(
  shared: Context.Context<Stores>,
  fallback: Context.Context<Stores>,
  options: Options
) {
  const { retryAfter = "1 second", timeout = "250 millis" } = options
  const pause = Duration.toMillis(retryAfter)
  const context = yield* Effect.context<never>()
  let downUntil: number | undefined

  /** Asks the shared store, and the local one when that fails. */
  const ask = <A, E, R, A2, E2, R2>(
    remote: Effect.Effect<A, E, R>,
    locally: Effect.Effect<A2, E2, R2>
  ) =>
    Effect.clockWith((clock) => {
      if (downUntil !== undefined && clock.currentTimeMillisUnsafe() < downUntil) return locally
      return remote.pipe(
        Effect.timeout(timeout),
        Effect.tap(() => {
          if (downUntil === undefined) return Effect.void
          downUntil = undefined
          return Effect.logInfo("The store of shared limits answers again")
        }),
        Effect.catch((error): Effect.Effect<A2, E2 | Extract<E, CircuitBreaker.CircuitBreakerError>, R2> => {
          if (isRejection(error)) return Effect.fail(error)
          const known = downUntil !== undefined
          downUntil = clock.currentTimeMillisUnsafe() + pause
          Telemetry.update("sharedStoreFailures", 1, {}, context)
          return (known
            ? Effect.void
            : Effect.logWarning("The store of shared limits does not answer; limits are local"))
            .pipe(Effect.andThen(locally))
        })
      )
    })

  const rates = Context.get(shared, RateLimiter.RateLimiterStore)
  const localRates = Context.get(fallback, RateLimiter.RateLimiterStore)
  const circuits = Context.get(shared, CircuitBreaker.CircuitBreakerStore)
  const localCircuits = Context.get(fallback, CircuitBreaker.CircuitBreakerStore)

  return Context.make(RateLimiter.RateLimiterStore, {
    fixedWindow: (options) => ask(rates.fixedWindow(options), localRates.fixedWindow(options)),
    tokenBucket: (options) => ask(rates.tokenBucket(options), localRates.tokenBucket(options)),
    adaptiveConsume: (options) => ask(rates.adaptiveConsume(options), localRates.adaptiveConsume(options)),
    adaptiveFeedback: (options) => ask(rates.adaptiveFeedback(options), localRates.adaptiveFeedback(options))
  }).pipe(Context.add(CircuitBreaker.CircuitBreakerStore, {
    admit: (key) =>
      ask(
        circuits.admit(key),
        Effect.map(localCircuits.admit(key), (admission) => ({
          ...admission,
          generation: localGeneration(admission.generation)
        }))
      ),
    record: (options) =>
      options.generation < 0
        ? localCircuits.record({ ...options, generation: localGeneration(options.generation) })
        : ask(circuits.record(options), Effect.succeed(undefined)),
    state: (key) => ask(circuits.state(key), localCircuits.state(key))
  }))
})

/**
 * Stores that are shared, with local ones in their place while they do not answer: a shared store that is down or slow
 * never fails a call. Going over to local limits is logged as a warning and coming back as information; each failure
 * is counted in the metric `language_service.client.shared_store.failures`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWithFallback = <E, R>(
  shared: Layer.Layer<Stores, E, R>,
  options: Options = {}
): Layer.Layer<Stores, E, R> =>
  Layer.effectContext(Effect.gen(function*() {
    return yield* storesWithFallback(yield* Layer.build(shared), yield* Layer.build(local), options)
  }))
