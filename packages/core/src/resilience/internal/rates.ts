/** The turns that the rate of a policy gives: of one client as plain state, as here, or of several processes by a store. */
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Monotonic from "../../contract/internal/monotonic.ts"

/** Takes a turn, of which there is one per interval in milliseconds, and returns its delay; `-1` gives one back. */
export type Rates = (interval: number, turns: 1 | -1) => Effect.Effect<number, RateLimiterError>

/** The turns of one client. */
export const make = (): Rates => {
  let next = 0
  return (interval, turns) =>
    Effect.map(Monotonic.now, (now) => {
      const turn = Math.max(next, now)
      next = turn + interval * turns
      return turn - now
    })
}
