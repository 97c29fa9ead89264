/** Effect's in-memory stores of rates and circuits, on monotonic time. Each client has its own. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as RateLimiter from "effect/persistence/RateLimiter"
import { measured } from "../../client/internal/monotonic.ts"

export const rates: Layer.Layer<RateLimiter.RateLimiterStore> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.map(RateLimiter.RateLimiterStore, (store) =>
    RateLimiter.RateLimiterStore.of({
      fixedWindow: (options) => measured(store.fixedWindow(options)),
      tokenBucket: (options) => measured(store.tokenBucket(options)),
      adaptiveConsume: (options) => measured(store.adaptiveConsume(options)),
      adaptiveFeedback: (options) => measured(store.adaptiveFeedback(options))
    }))
).pipe(Layer.provide(RateLimiter.layerStoreMemory), Layer.fresh)

export const circuits: Layer.Layer<CircuitBreaker.CircuitBreakerStore> = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  Effect.map(CircuitBreaker.CircuitBreakerStore, (store) =>
    CircuitBreaker.CircuitBreakerStore.of({
      admit: (key) => measured(store.admit(key)),
      record: (options) => measured(store.record(options)),
      state: (key) => measured(store.state(key))
    }))
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()), Layer.fresh)
