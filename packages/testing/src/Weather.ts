/**
 * Weather: faults that come by chance, at given rates, from a seeded generator. The same seed and the same order of
 * requests give the same faults.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { OperationName } from "./Fault.ts"

/**
 * The rates of a weather, each a share of all requests between 0 and 1. Their sum is at most 1.
 *
 * **Details**
 *
 * `retryAfter` goes with 429, 503 and 529. `operations` limits the weather to some operations. `afterEffect` is the share,
 * between 0 and 1, of the faults with an unknown outcome (500, 502, 504, reset) that hit after the work was done; 0 by
 * default.
 *
 * @category models
 * @since 0.1.0
 */
export interface Weather {
  readonly rate429?: number | undefined
  readonly rate500?: number | undefined
  readonly rate502?: number | undefined
  readonly rate503?: number | undefined
  readonly rate504?: number | undefined
  readonly rate529?: number | undefined
  readonly rateReset?: number | undefined
  readonly retryAfter?: Duration.Input | undefined
  readonly operations?: ReadonlyArray<OperationName> | undefined
  readonly afterEffect?: number | undefined
}

/**
 * Calm weather: no faults.
 *
 * @category constructors
 * @since 0.1.0
 */
export const calm: Weather = {}
