/**
 * The turns that a rate gives, and those that 429 responses have taught: of one client as plain state, by the rules of Effect's
 * stores, which several processes share. Times are milliseconds of `Monotonic`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Monotonic from "../../client/internal/monotonic.ts"
import * as Pace from "./pace.ts"

/** A turn as far as 429 responses determine it: its delay, and the state of what is learned. */
export interface Learned {
  readonly delay: number
  readonly epoch: number
  /** Whether the turn was counted, and can be given back. */
  readonly isCounted: boolean
}

/** Where turns come from. */
export interface Rates {
  /** Takes a turn, of which there is one per interval, and returns its delay; `-1` gives one back. */
  readonly consume: (interval: number, turns: 1 | -1) => Effect.Effect<number, RateLimiterError>
  /** The same, at the pace that was learned. The limiter learns for `window` at most. */
  readonly adapt: (
    fallback: { readonly limit: number; readonly window: Duration.Duration },
    turns: 1 | -1
  ) => Effect.Effect<Learned, RateLimiterError>
  /** Learns from a response to an attempt that was accepted. */
  readonly accepted: Effect.Effect<void>
  /** Learns from a 429 response to an attempt of an epoch. */
  readonly refused: (epoch: number, retryAfter: Duration.Duration) => Effect.Effect<void, RateLimiterError>
}

const longest = Duration.toMillis(Duration.hours(1))

const at = <A>(work: (now: number) => A): Effect.Effect<A> =>
  Effect.clockWith((clock) => Effect.sync(() => work(Monotonic.nowUnsafe(clock))))

/** The turns of one client. */
export const make = (): Rates => {
  const pace = Pace.make()
  /** The time of the next turn. */
  let next = 0
  return {
    consume: (interval, turns) =>
      at((now) => {
        const turn = Math.max(next, now)
        next = turn + interval * turns
        return turn - now
      }),
    adapt: (_fallback, turns) =>
      at((now) => ({ delay: pace.take(turns, now), epoch: pace.epoch(), isCounted: pace.isPaced() })),
    accepted: at(pace.accepted),
    refused: (epoch, retryAfter) =>
      at((now) => pace.refused(epoch, Math.min(Duration.toMillis(retryAfter), longest), now))
  }
}
