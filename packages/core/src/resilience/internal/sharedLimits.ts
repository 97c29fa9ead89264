/** What `SharedState` gives to the clients that share limits: rates, what they learn together, and circuits in stores. Others have theirs in memory. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Monotonic from "../../contract/internal/monotonic.ts"

/** Takes a turn, of which there is one per interval in milliseconds, and returns its delay; `-1` gives one back. */
export type Rates = (interval: number, turns: 1 | -1) => Effect.Effect<number, RateLimiterError>

/** The turns of one client. */
export const makeRates = (): Rates => {
  let next = 0
  return (interval, turns) =>
    Effect.map(Monotonic.now, (now) => {
      const turn = Math.max(next, now)
      next = turn + interval * turns
      return turn - now
    })
}

/** The circuit that clients with a key share. */
export interface SharedCircuit {
  /** Opens it for a time, unless it is open. */
  readonly open: (time: Duration.Duration) => Effect.Effect<void>
  /** The time for which it is open yet; zero if it is not. */
  readonly openFor: Effect.Effect<Duration.Duration>
}

/** The stores of the clients that share limits. */
export interface Shared {
  readonly rates: (key: string) => Rates
  /** Takes a turn that is due, of which there is one per interval; else returns the milliseconds until the next one. `-1` gives one back. */
  readonly turn: (key: string) => (interval: number, turns: 1 | -1) => Effect.Effect<number, RateLimiterError>
  /**
   * Adds to a number, which is `most` at first, and returns the sum; `undefined` while the store is down. Below `most` it grows by one in each
   * `growth`, by default in ten minutes.
   */
  readonly sum: (key: string, most: number, growth?: Duration.Duration) => (
    by: number
  ) => Effect.Effect<number | undefined>
  readonly circuit: (key: string) => SharedCircuit
}

export const SharedLimits = Context.Reference<Shared | undefined>(
  "@effect-lingua/core/resilience/internal/sharedLimits/SharedLimits",
  { defaultValue: () => undefined }
)
