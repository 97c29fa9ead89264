/** What `SharedState` gives to the clients that share limits: rates, what they learn together, and circuits in stores. Others have theirs in memory. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import type * as Scope from "effect/Scope"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import type { FleetRate } from "./fleetRate.ts"

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
  /** The rate that the clients with a key learn together; `onChange` is told of it. */
  readonly fleet: (key: string, scope: Scope.Scope, onChange: (rate: number) => void) => FleetRate
  readonly circuit: (key: string) => SharedCircuit
}

export const SharedLimits = Context.Reference<Shared | undefined>(
  "@effect-lingua/core/resilience/internal/sharedLimits/SharedLimits",
  { defaultValue: () => undefined }
)
