/** The slots of a configured rate: in memory for one client, or in the store that `SharedRate` provides. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Monotonic from "../../contract/internal/monotonic.ts"

/** Takes a slot, of which there is one per interval in milliseconds, and returns its delay; `-1` gives one back. */
export type Slots = (interval: number, slots: 1 | -1) => Effect.Effect<number, RateLimiterError>

/** The slots of one client. */
export const makeSlots = (): Slots => {
  let next = 0
  return (interval, slots) =>
    Effect.map(Monotonic.now, (now) => {
      const slot = Math.max(next, now)
      next = slot + interval * slots
      return slot - now
    })
}

/** The slots that all clients with a key share. */
export const SharedRates = Context.Reference<((key: string) => Slots) | undefined>(
  "@effect-lingua/core/limits/internal/sharedRates/SharedRates",
  { defaultValue: () => undefined }
)
