/** Rates in a store that several processes share: that of Effect's `RateLimiter`. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as RateLimiter from "effect/persistence/RateLimiter"
import type { Rates } from "./rates.ts"

/** Makes the turns of the clients with a key. */
export const make = (store: RateLimiter.RateLimiterStore["Service"]) => (key: string): Rates => ({
  consume: (interval, turns) =>
    Effect.map(
      store.tokenBucket({ key, tokens: turns, limit: 1, refillRate: Duration.millis(interval), allowOverflow: true }),
      ([left, elapsed]) => Math.max(0, Math.ceil(-left) * interval - elapsed)
    ),
  adapt: ({ limit, window }, turns) =>
    Effect.map(
      store.adaptiveConsume({ key, tokens: turns, fallbackLimit: limit, fallbackWindow: window }),
      ({ delay, epoch, phase }) => ({ delay: Duration.toMillis(delay), epoch, isCounted: phase === "learned" })
    ),
  // The store counts by itself.
  accepted: Effect.void,
  refused: (epoch, retryAfter) => store.adaptiveFeedback({ key, epoch, tokens: 1, status: 429, retryAfter })
})
