/** What `SharedState` gives to the clients that share limits: rates and circuits in stores. Others have theirs in memory. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BreakerState } from "../../client/Events.ts"
import type { Breaker } from "../../config/ResiliencePolicy.ts"
import type { Ending } from "./ending.ts"
import type { Rates } from "./rates.ts"

/** Runs attempts through a circuit. */
export interface Execution {
  readonly execute: (attempt: Effect.Effect<Ending>) => Effect.Effect<Ending>
  /** The time of `Monotonic` until which the circuit is known to be open. */
  readonly openUntil: () => number
}

export const SharedLimits = Context.Reference<
  {
    readonly rates: (key: string) => Rates
    readonly circuit: (policy: Breaker, key: string, show: (to: BreakerState) => void) => Execution
  } | undefined
>("@effect-lingua/core/resilience/internal/sharedLimits/SharedLimits", { defaultValue: () => undefined })
