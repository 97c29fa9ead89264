/**
 * The setting of a simulation: clients with their load, a service with its limits, and its weather over time.
 *
 * @since 0.2.0
 */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { FiniteWait, Positive, struct } from "../faults/internal/schema.ts"
import { Weather } from "../faults/Weather.ts"

const More = Schema.Finite.check(Schema.isGreaterThan(0))

/**
 * Calls that arrive whatever becomes of those before them, as from users: `rate` per second of all clients together, or steps of a rate,
 * each from a time on. Arrivals are random, at that rate on average.
 *
 * @category schemas
 * @since 0.2.0
 */
export const OpenLoad = struct({
  rate: Schema.Union([
    More,
    Schema.NonEmptyArray(struct({ from: FiniteWait, rate: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)) }))
  ])
})

/**
 * Workers that call again when their last call has ended, after a pause: `inFlight` in each client.
 *
 * @category schemas
 * @since 0.2.0
 */
export const ClosedLoad = struct({ inFlight: Positive, pause: Schema.optionalKey(FiniteWait) })

const limits = {
  /** Time for a request that does not wait, 100 ms by default. */
  latency: Schema.optionalKey(FiniteWait),
  /**
   * Requests that the service works off in a second. Others wait, also when their client has given up, up to `longestQueue`; requests
   * beyond that are refused with 503. Unlimited by default.
   */
  capacity: Schema.optionalKey(More),
  /** Requests that are admitted in each second; others are refused with 429 and `Retry-After`. Unlimited by default. */
  limit: Schema.optionalKey(More)
}

/**
 * A change of the weather from `from` to `to`. `weather` has the rates of faults.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Phase = struct({
  from: FiniteWait,
  to: FiniteWait,
  ...limits,
  weather: Schema.optionalKey(Weather)
})

/**
 * Schema of a scenario. Durations are strings such as `"5 minutes"`, or milliseconds. Unknown keys are refused.
 *
 * **Details**
 *
 * `duration` is the time in which calls begin; the simulation ends with the last of them. `clients` is 100 by default, `longestQueue` 5
 * seconds. Later phases precede earlier ones where they overlap.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Scenario = struct({
  name: Schema.String,
  duration: FiniteWait,
  clients: Schema.optionalKey(Positive),
  load: Schema.Union([OpenLoad, ClosedLoad]),
  ...limits,
  longestQueue: Schema.optionalKey(FiniteWait),
  phases: Schema.optionalKey(Schema.Array(Phase))
})

/**
 * A scenario.
 *
 * @category models
 * @since 0.2.0
 */
export type Scenario = typeof Scenario.Type

const minute = (number: number): Duration.Input => `${number} minutes`

/**
 * The service answers nothing but 503 for five minutes, and breaks every fourth connection.
 *
 * @category constructors
 * @since 0.2.0
 */
export const outage: Scenario = {
  name: "outage",
  duration: minute(12),
  clients: 100,
  load: { rate: 20 },
  capacity: 40,
  phases: [{ from: minute(2), to: minute(7), weather: { rate503: 0.75, rateReset: 0.25 } }]
}

/**
 * More calls than the limit admits: 40 workers against 20 requests per second.
 *
 * @category constructors
 * @since 0.2.0
 */
export const throttle: Scenario = {
  name: "throttle",
  duration: minute(2),
  clients: 10,
  load: { inFlight: 4, pause: "100 millis" },
  limit: 20
}

/**
 * The service has a third of its capacity for three minutes, less than is asked of it, so that requests queue until clients give up.
 *
 * @category constructors
 * @since 0.2.0
 */
export const brownout: Scenario = {
  name: "brownout",
  duration: minute(10),
  clients: 100,
  load: { rate: 20 },
  capacity: 30,
  phases: [{ from: minute(2), to: minute(5), capacity: 10 }]
}

/**
 * A burst of six times the usual calls for half a minute, above the capacity of the service.
 *
 * @category constructors
 * @since 0.2.0
 */
export const burst: Scenario = {
  name: "burst",
  duration: minute(5),
  clients: 100,
  load: {
    rate: [{ from: 0, rate: 15 }, { from: "90 seconds", rate: 90 }, { from: "2 minutes", rate: 15 }]
  },
  capacity: 30,
  limit: 45
}

/**
 * One request in ten fails by chance, all the time.
 *
 * @category constructors
 * @since 0.2.0
 */
export const flaky: Scenario = {
  name: "flaky",
  duration: minute(5),
  clients: 100,
  load: { rate: 50 },
  capacity: 100,
  phases: [{
    from: 0,
    to: minute(5),
    weather: { rate503: 0.05, rate429: 0.02, rateReset: 0.02, rateSlow: 0.01, slowBy: "15 seconds" }
  }]
}

/**
 * The scenarios of this module by their names.
 *
 * @category constructors
 * @since 0.2.0
 */
export const all: ReadonlyArray<Scenario> = [outage, throttle, brownout, burst, flaky]
