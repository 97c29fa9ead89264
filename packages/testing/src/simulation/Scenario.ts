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
 * Calls that arrive regardless of earlier ones, as from users: `rate` per second of all clients together, or steps of a rate,
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
 * Workers that call again when their last call has ended, after a pause of a millisecond or more: `inFlight` in each client.
 *
 * @category schemas
 * @since 0.2.0
 */
export const ClosedLoad = struct({ inFlight: Positive, pause: Schema.optionalKey(FiniteWait) })

const limits = {
  /** Time for a request that does not wait, 100 ms by default. */
  latency: Schema.optionalKey(FiniteWait),
  /** Requests that the service works off in a second, also those whose client has given up. Unlimited by default. */
  capacity: Schema.optionalKey(More),
  /** Requests that are admitted in a second, from a bucket of as many tokens; others are refused with 429. Unlimited by default. */
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
 * Clients of one kind: `share` of the calls that arrive are theirs, in relation to those of other groups, and by default as many as they are.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Group = struct({
  count: Positive,
  share: Schema.optionalKey(More),
  patience: Schema.optionalKey(FiniteWait)
})

/**
 * Schema of a scenario. Durations are strings such as `"5 minutes"`, or milliseconds. Unknown keys are refused.
 *
 * **Details**
 *
 * `duration` is the time in which calls begin; the simulation ends with the last of them. Later phases precede earlier ones where they overlap.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Scenario = struct({
  name: Schema.String,
  duration: FiniteWait,
  /** How many there are, or groups of them. 100 by default. */
  clients: Schema.optionalKey(Schema.Union([Positive, Schema.NonEmptyArray(Group)])),
  load: Schema.Union([OpenLoad, ClosedLoad]),
  /** The time after which a caller needs no result, 100 seconds by default. Clients of this library know it as their deadline. */
  patience: Schema.optionalKey(FiniteWait),
  /** The operations of the calls, each as often as the others. `Translation.translate` by default. */
  operations: Schema.optionalKey(Schema.NonEmptyArray(Schema.Literals(["Translation.translate", "Writing.rephrase"]))),
  ...limits,
  /** How requests beyond the capacity wait: in a `queue`, by default, or `sharing` it, so that each takes longer. */
  waiting: Schema.optionalKey(Schema.Literals(["queue", "sharing"])),
  /** The longest wait for the capacity, 5 seconds by default. Requests beyond it are refused with `overflow`. */
  longestQueue: Schema.optionalKey(FiniteWait),
  /** The status of requests beyond the queue, 503 by default. */
  overflow: Schema.optionalKey(Schema.Literals([503, 429])),
  /** The `Retry-After` of what `limit` refuses, 1 second by default. Zero is none. */
  retryAfter: Schema.optionalKey(FiniteWait),
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
 * A limit below the load, whose refusals do not say when to come again.
 *
 * @category constructors
 * @since 0.2.0
 */
export const limit: Scenario = {
  name: "limit",
  duration: minute(8),
  load: { rate: 20 },
  limit: 15,
  retryAfter: 0
}

/**
 * A service that queues without end and has less than half of its capacity for three minutes: it works for callers that have given up.
 *
 * @category constructors
 * @since 0.2.0
 */
export const queue: Scenario = {
  name: "queue",
  duration: minute(11),
  load: { rate: 20 },
  capacity: 25,
  longestQueue: "1 day",
  phases: [{ from: minute(1), to: minute(4), capacity: 10 }]
}

/**
 * As {@link queue}, with callers of whom half need no result after 15 seconds.
 *
 * @category constructors
 * @since 0.2.0
 */
export const impatient: Scenario = {
  ...queue,
  name: "impatient",
  clients: [{ count: 50, patience: "15 seconds" }, { count: 50 }]
}

/**
 * As {@link queue}, where one client makes half of the calls, and fifty the other half.
 *
 * @category constructors
 * @since 0.2.0
 */
export const mixed: Scenario = {
  ...queue,
  name: "mixed",
  clients: [{ count: 1, share: 1 }, { count: 50, share: 1 }]
}

/**
 * As {@link queue}, but all requests are worked on at once, each the slower the more there are.
 *
 * @category constructors
 * @since 0.2.0
 */
export const sharing: Scenario = { ...queue, name: "sharing", waiting: "sharing" }

/**
 * The service accepts requests for three minutes and does not answer them.
 *
 * @category constructors
 * @since 0.2.0
 */
export const hanging: Scenario = {
  name: "hanging",
  duration: minute(11),
  load: { rate: 20 },
  phases: [{ from: minute(1), to: minute(4), weather: { rateSlow: 1, slowBy: "1 day" } }]
}

/**
 * The service is down for a minute, and then has its capacity again step by step in two.
 *
 * @category constructors
 * @since 0.2.0
 */
export const restart: Scenario = {
  name: "restart",
  duration: minute(8),
  load: { rate: 20 },
  capacity: 30,
  longestQueue: "1 day",
  phases: [
    { from: minute(1), to: minute(2), weather: { rateReset: 1 } },
    ...[6, 12, 18, 24].map((capacity, step) => ({
      from: 120_000 + 30_000 * step,
      to: 150_000 + 30_000 * step,
      capacity
    }))
  ]
}

/**
 * Responses take 12 seconds instead of one for five minutes, and are as many as before.
 *
 * @category constructors
 * @since 0.2.0
 */
export const slow: Scenario = {
  name: "slow",
  duration: minute(12),
  load: { rate: 20 },
  latency: "1 second",
  phases: [{ from: minute(1), to: minute(6), latency: "12 seconds" }]
}

/**
 * One of two operations fails for three minutes.
 *
 * @category constructors
 * @since 0.2.0
 */
export const partial: Scenario = {
  name: "partial",
  duration: minute(11),
  load: { rate: 20 },
  operations: ["Translation.translate", "Writing.rephrase"],
  phases: [{ from: minute(1), to: minute(4), weather: { rate500: 1, operations: ["Writing.rephrase"] } }]
}

/**
 * The scenarios of this module by their names.
 *
 * @category constructors
 * @since 0.2.0
 */
export const all: ReadonlyArray<Scenario> = [
  outage,
  throttle,
  limit,
  brownout,
  queue,
  impatient,
  mixed,
  sharing,
  hanging,
  restart,
  slow,
  partial,
  burst,
  flaky
]
