/** What `SharedState` gives to the clients that share limits: rates and circuits in stores. Others have theirs in memory. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Rates } from "./rates.ts"

/** The circuit that clients with a key share. */
export interface SharedCircuit {
  /** Opens it for a time, unless it is open. */
  readonly open: (time: Duration.Duration) => Effect.Effect<void>
  /** The time for which it is open yet; zero if it is not. */
  readonly openFor: Effect.Effect<Duration.Duration>
}

export const SharedLimits = Context.Reference<
  {
    readonly rates: (key: string) => Rates
    readonly circuit: (key: string) => SharedCircuit
  } | undefined
>("@effect-lingua/core/resilience/internal/sharedLimits/SharedLimits", { defaultValue: () => undefined })
