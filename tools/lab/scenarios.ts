/** The setting of a simulation: clients with their load, a service with its limits, and its weather over time. */
import type { Weather } from "@effect-lingua/testing/faults/Weather"
import type * as Duration from "effect/Duration"

/** An operation that clients call. */
export type Operation = "Translation.translate" | "Writing.rephrase"

/** Calls that arrive at random, at this rate on average, regardless of earlier ones: calls per second of all clients, or steps of a rate. */
export interface OpenLoad {
  readonly rate: number | ReadonlyArray<{ readonly from: Duration.Input; readonly rate: number }>
}

/** Workers of each client that call again when their last call has ended, after a pause of a millisecond or more. */
export interface ClosedLoad {
  readonly inFlight: number
  readonly pause?: Duration.Input
}

interface Limits {
  /** Time for a request that does not wait, 100 ms by default. */
  readonly latency?: Duration.Input
  /** Requests that the service works off in a second, also those whose client has given up. Unlimited by default. */
  readonly capacity?: number
  /** Requests that are admitted in a second, from a bucket of as many tokens; others are refused with 429. Unlimited by default. */
  readonly limit?: number
}

/** A change from `from` to `to`. `weather` has the rates of faults. */
interface Phase extends Limits {
  readonly from: Duration.Input
  readonly to: Duration.Input
  readonly weather?: Pick<
    Weather,
    "rate429" | "rate500" | "rate503" | "rateReset" | "rateSlow" | "slowBy" | "operations"
  >
}

/** Clients of one kind: `share` of the calls that arrive are theirs, in relation to those of other groups, and by default as many as they are. */
export interface Group {
  readonly count: number
  readonly share?: number
  readonly patience?: Duration.Input
}

/** `duration` is the time in which calls begin; the simulation ends with the last of them. Later phases precede earlier ones. */
export interface Scenario extends Limits {
  readonly name: string
  readonly duration: Duration.Input
  /** How many there are, or groups of them. 100 by default. */
  readonly clients?: number | ReadonlyArray<Group>
  readonly load: OpenLoad | ClosedLoad
  /** The time after which a caller needs no result, 100 seconds by default. Clients of this library know it as their deadline. */
  readonly patience?: Duration.Input
  /** The operations of the calls, each as often as the others. `Translation.translate` by default. */
  readonly operations?: ReadonlyArray<Operation>
  /** How requests beyond the capacity wait: in a `queue`, by default, or `sharing` it, so that each takes longer. */
  readonly waiting?: "queue" | "sharing"
  /** The longest wait for the capacity, 5 seconds by default. Requests beyond it are refused with 503. */
  readonly longestQueue?: Duration.Input
  /** The `Retry-After` of what `limit` refuses, 1 second by default. Zero is none. */
  readonly retryAfter?: Duration.Input
  readonly phases?: ReadonlyArray<Phase>
}

const minute = (number: number): Duration.Input => `${number} minutes`

/** The service answers nothing but 503 for five minutes, and breaks every fourth connection. */
const outage: Scenario = {
  name: "outage",
  duration: minute(12),
  clients: 100,
  load: { rate: 20 },
  capacity: 40,
  phases: [{ from: minute(2), to: minute(7), weather: { rate503: 0.75, rateReset: 0.25 } }]
}

/** More calls than the limit admits: 40 workers against 20 requests per second. */
export const throttle: Scenario = {
  name: "throttle",
  duration: minute(2),
  clients: 10,
  load: { inFlight: 4, pause: "100 millis" },
  limit: 20
}

/** The service has a third of its capacity for three minutes, less than is asked of it, so that requests queue until clients give up. */
const brownout: Scenario = {
  name: "brownout",
  duration: minute(10),
  clients: 100,
  load: { rate: 20 },
  capacity: 30,
  phases: [{ from: minute(2), to: minute(5), capacity: 10 }]
}

/** A burst of six times the usual calls for half a minute, above the capacity of the service. */
const burst: Scenario = {
  name: "burst",
  duration: minute(5),
  clients: 100,
  load: {
    rate: [{ from: 0, rate: 15 }, { from: "90 seconds", rate: 90 }, { from: "2 minutes", rate: 15 }]
  },
  capacity: 30,
  limit: 45
}

/** One request in ten fails by chance, all the time. */
const flaky: Scenario = {
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

/** A limit below the load, whose refusals do not say when to come again. */
const limit: Scenario = {
  name: "limit",
  duration: minute(8),
  load: { rate: 20 },
  limit: 15,
  retryAfter: 0
}

/** A service that queues without end and has less than half of its capacity for three minutes: it works for callers that have given up. */
export const queue: Scenario = {
  name: "queue",
  duration: minute(11),
  load: { rate: 20 },
  capacity: 25,
  longestQueue: "1 day",
  phases: [{ from: minute(1), to: minute(4), capacity: 10 }]
}

/** As {@link queue}, with callers of whom half need no result after 15 seconds. */
export const impatient: Scenario = {
  ...queue,
  name: "impatient",
  clients: [{ count: 50, patience: "15 seconds" }, { count: 50 }]
}

/** As {@link queue}, where one client makes half of the calls, and fifty the other half. */
const mixed: Scenario = {
  ...queue,
  name: "mixed",
  clients: [{ count: 1, share: 1 }, { count: 50, share: 1 }]
}

/** As {@link queue}, but all requests are worked on at once, each the slower the more there are. */
export const sharing: Scenario = { ...queue, name: "sharing", waiting: "sharing" }

/** The service accepts requests for three minutes and does not answer them. */
const hanging: Scenario = {
  name: "hanging",
  duration: minute(11),
  load: { rate: 20 },
  phases: [{ from: minute(1), to: minute(4), weather: { rateSlow: 1, slowBy: "1 day" } }]
}

/** The service is down for a minute, and then has its capacity again step by step in two. */
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

/** Responses take 12 seconds instead of one for five minutes, and are as many as before. */
const slow: Scenario = {
  name: "slow",
  duration: minute(12),
  load: { rate: 20 },
  latency: "1 second",
  phases: [{ from: minute(1), to: minute(6), latency: "12 seconds" }]
}

/** One of two operations fails for three minutes. */
const partial: Scenario = {
  name: "partial",
  duration: minute(11),
  load: { rate: 20 },
  operations: ["Translation.translate", "Writing.rephrase"],
  phases: [{ from: minute(1), to: minute(4), weather: { rate500: 1, operations: ["Writing.rephrase"] } }]
}

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
