/** The simulated scenarios, each with a temporary disturbance. By default, 100 clients together make 20 calls a second. */
import type { Options } from "@effect-lingua/core/config/ResiliencePolicy"

/** Shares of requests that are affected by a fault, from 0 to 1. */
interface Faults {
  /** The connection is refused. */
  readonly unreachable?: number
  /** The request is never answered. */
  readonly silent?: number
  readonly status429?: number
  readonly status500?: number
  readonly status503?: number
  /** The connection breaks, before the work (`reset`) or after the work (`lost`). */
  readonly reset?: number
  readonly lost?: number
  /** The response is 15 s late. */
  readonly slow15?: number
  /** True if one of the four operations always responds with 500. */
  readonly oneOperation?: boolean
}

/** The state of the service. */
export interface Terms {
  /** Requests per second that the service processes. */
  readonly capacity?: number
  /** Milliseconds of a response in addition to the work. */
  readonly latency?: number
  /** Rate limit in requests per second, a token bucket of the same size; other requests are refused with 429. */
  readonly limit?: number
  /** Maximum number of waiting requests; further requests get `status`. */
  readonly waiting?: number
  /** The `Retry-After` of refusals in seconds; 0 omits the header. */
  readonly retryAfter?: number
  readonly faults?: Faults
  /** Factor by which the rate of calls is multiplied. */
  readonly surge?: number
}

interface Group {
  readonly clients: number
  /** Calls per second of all clients together. */
  readonly rate: number
  /** Milliseconds after which a caller gives up. */
  readonly patience: number
}

/** A scenario, with times in milliseconds. */
export interface Scenario extends Terms {
  readonly name: string
  readonly about: string
  readonly groups: ReadonlyArray<Group>
  /** Number of workers per client, which call again after a pause, instead of calls that arrive at random. */
  readonly workers?: { readonly each: number; readonly pause: number }
  readonly duration: number
  /** Start of the disturbance, which ends at `to`. */
  readonly from: number
  readonly to: number
  readonly cause?: Terms
  /** Time after the disturbance during which the capacity grows from a fifth to its normal value. */
  readonly warmUp?: number
  readonly isSharing?: boolean
  readonly status?: 429 | 503
  /** Resilience policy of this library's client. */
  readonly policy?: Options
}

interface Short extends Omit<Partial<Scenario>, "name" | "about" | "groups" | "duration" | "from" | "to" | "warmUp"> {
  readonly clients?: number
  readonly load?: number
  /** In seconds, like `from`, `for`, `after` and `warmUp`. */
  readonly patience?: number
  readonly groups?: ReadonlyArray<Group>
  readonly from?: number
  readonly for?: number
  readonly after?: number
  readonly warmUp?: number
}

const scenario = (name: string, about: string, short: Short): Scenario => {
  const { after = 360, clients = 100, for: length = 60, from = 60, groups, load = 20, patience = 100, warmUp } = short
  return {
    ...short,
    name,
    about,
    groups: groups ?? [{ clients, rate: load, patience: patience * 1000 }],
    from: from * 1000,
    to: (from + length) * 1000,
    duration: (from + length + after) * 1000,
    warmUp: (warmUp ?? 0) * 1000
  }
}

/** An unbounded queue: the service also processes requests whose callers have given up. */
const queue: Short = { capacity: 25, cause: { capacity: 10 } }
const queue3: Short = { ...queue, for: 180, after: 420 }
const bounded: Short = { ...queue3, waiting: 50 }
const sharing: Short = { ...queue3, isSharing: true }
const limited: Short = { limit: 15, from: 0, for: 0, after: 480 }
const falling: Short = { limit: 30, cause: { limit: 1 }, for: 180, after: 300 }
const unreachable: Short = { capacity: 25, cause: { faults: { unreachable: 1 } } }
const silent: Short = { capacity: 25, cause: { faults: { silent: 1 } } }
const cold: Short = { ...unreachable, capacity: 30, warmUp: 120 }
const always: Short = { from: 0, for: 0, after: 480 }
const flaky: Short = {
  ...always,
  faults: { status503: 0.05, status429: 0.02, reset: 0.02, slow15: 0.01 }
}
const oneOperation: Short = { capacity: 25, cause: { faults: { oneOperation: true } }, for: 180, after: 420 }
const slow: Short = { latency: 1000, cause: { latency: 12_000 }, for: 300 }
const hot: Short = { ...queue, load: 24, after: 480 }

export const all: ReadonlyArray<Scenario> = [
  scenario("calm", "no disturbance", { ...always, capacity: 25 }),
  scenario("q1-100", "queue without end, 10/s of 25/s for 1 min", queue),
  scenario("q1-4", "same, 4 clients", { ...queue, clients: 4 }),
  scenario("q1-100-d15", "same, callers of 15 s", { ...queue, patience: 15 }),
  scenario("q3-100", "same queue for 3 min", queue3),
  scenario("q3-300", "same, 300 clients", { ...queue3, clients: 300 }),
  scenario("q3-1", "same, 1 client", { ...queue3, clients: 1 }),
  scenario("q3-mixed", "same, 1 client has half of the calls", {
    ...queue3,
    groups: [{ clients: 1, rate: 10, patience: 100_000 }, { clients: 50, rate: 10, patience: 100_000 }]
  }),
  scenario("q3-100-d15", "same, callers of 15 s", { ...queue3, patience: 15 }),
  scenario("q3-300-d15", "same, 300 clients", { ...queue3, clients: 300, patience: 15 }),
  scenario("q3-1-d15", "same, 1 client", { ...queue3, clients: 1, patience: 15 }),
  scenario("q10-100", "same queue for 10 min", { ...queue, for: 600, after: 420 }),
  scenario("q1-1-d10-hot", "1 min, load 24/s, 1 client, callers of 10 s", { ...hot, clients: 1, patience: 10 }),
  scenario("q1-1-d5-hot", "same, callers of 5 s", { ...hot, clients: 1, patience: 5 }),
  scenario("q1-1-d2-hot", "same, callers of 2 s", { ...hot, clients: 1, patience: 2 }),
  scenario("q1-1-d1-hot", "same, callers of 1 s", { ...hot, clients: 1, patience: 1 }),
  scenario("q1-20-d5-hot", "same, 20 clients, callers of 5 s", { ...hot, clients: 20, patience: 5 }),
  scenario("q1-100-d5-hot", "same, 100 clients", { ...hot, patience: 5 }),
  scenario("q1-100-d1-hot", "same, callers of 1 s", { ...hot, patience: 1 }),
  scenario("q1-100-d5", "same, load 20/s, callers of 5 s", { ...queue, patience: 5 }),
  scenario("tiny", "same, 1,000 clients, callers of 100 s", { ...queue, clients: 1000 }),
  scenario("mixed-d", "3 min, callers of 1, 10 and 100 s", {
    ...queue3,
    groups: [1, 10, 100].map((patience) => ({ clients: 33, rate: 20 / 3, patience: patience * 1000 }))
  }),
  scenario("b429", "queue of 50, then 429, for 3 min", { ...bounded, status: 429 }),
  scenario("b429ra", "same, `Retry-After: 5`", { ...bounded, status: 429, retryAfter: 5 }),
  scenario("b503", "queue of 50, then 503", bounded),
  scenario("b503ra", "same, `Retry-After: 5`", { ...bounded, retryAfter: 5 }),
  scenario("b503-1", "same, 1 client, no hint", { ...bounded, clients: 1 }),
  scenario("b503-d15", "same, 100 clients, callers of 15 s", { ...bounded, patience: 15 }),
  scenario("ps3-100", "processor sharing, 10/s for 3 min", sharing),
  scenario("ps3-1", "same, 1 client", { ...sharing, clients: 1 }),
  scenario("ps3-100-d15", "same, 100 clients, callers of 15 s", { ...sharing, patience: 15 }),
  scenario("limit-100", "limit of 15/s", limited),
  scenario("limit-1", "same, 1 client", { ...limited, clients: 1 }),
  scenario("limit-100-d15", "same, 100 clients, callers of 15 s", { ...limited, patience: 15 }),
  scenario("limit-10x", "limit of 30/s, 3/s for 5 min", { limit: 30, cause: { limit: 3 }, for: 300, after: 420 }),
  scenario("limit-20x-1", "30/s, 1/s for 3 min, 1 client, callers of 5 s", { ...falling, clients: 1, patience: 5 }),
  scenario("limit-20x-5", "same, 5 clients, callers of 15 s", { ...falling, clients: 5, patience: 15 }),
  scenario("limit-10x-20", "10/s, 1/s for 5 min, load 8/s, 20 clients", {
    limit: 10,
    cause: { limit: 1 },
    load: 8,
    clients: 20,
    for: 300,
    after: 420
  }),
  scenario("noisy", "limit of 25/s, another user takes 22/s for 3 min", {
    limit: 25,
    cause: { limit: 3 },
    for: 180,
    after: 300
  }),
  scenario("ra-long", "limit of 15/s, `Retry-After: 60`", { ...limited, retryAfter: 60 }),
  scenario("ra-long-1", "same, 1 client", { ...limited, retryAfter: 60, clients: 1 }),
  scenario("out1", "unreachable for 1 min", unreachable),
  scenario("out1-1", "same, 1 client", { ...unreachable, clients: 1 }),
  scenario("out1-d15", "same, 100 clients, callers of 15 s", { ...unreachable, patience: 15 }),
  scenario("out5", "unreachable for 5 min", { ...unreachable, for: 300 }),
  scenario("out503", "503 for 5 min", { capacity: 25, cause: { faults: { status503: 1 } }, for: 300 }),
  scenario("hang1", "silent for 1 min", silent),
  scenario("hang1-d15", "same, callers of 15 s", { ...silent, patience: 15 }),
  scenario("hang3", "silent for 3 min", { ...silent, for: 180, after: 420 }),
  scenario("hang3-1", "same, 1 client", { ...silent, for: 180, after: 420, clients: 1 }),
  scenario("cold", "unreachable for 1 min, capacity returns in 2 min", cold),
  scenario("cold-d15", "same, callers of 15 s", { ...cold, patience: 15 }),
  scenario("rnd500", "500 for 5 %", { ...always, faults: { status500: 0.05 } }),
  scenario("rnd500-1", "same, 1 client, responses take 1 s", {
    ...always,
    faults: { status500: 0.05 },
    latency: 1000,
    clients: 1
  }),
  scenario("rnd429", "429 for 8 %", { ...always, faults: { status429: 0.08 } }),
  scenario("loss20", "responses lost for 20 %", { ...always, faults: { lost: 0.2 }, clients: 10 }),
  scenario("half503-1", "503 for 50 % for 3 min, 1 client", {
    capacity: 25,
    cause: { faults: { status503: 0.5 } },
    for: 180,
    after: 300,
    clients: 1
  }),
  scenario("half503-1-always", "same, all the time", { ...always, faults: { status503: 0.5 }, clients: 1 }),
  scenario("bimodal-1", "5 % take 15 s, 1 client, callers of 5 s", {
    ...always,
    faults: { slow15: 0.05 },
    clients: 1,
    patience: 5
  }),
  scenario("flaky", "10 % fail in four ways, load 50/s", { ...flaky, load: 50 }),
  scenario("flaky-1", "same, load 20/s, 1 client, responses take 1 s", { ...flaky, latency: 1000, clients: 1 }),
  scenario("third", "33 % fail, 10 clients", {
    ...always,
    faults: { status503: 0.2, reset: 0.13 },
    capacity: 60,
    clients: 10
  }),
  scenario("one-op", "one operation of four fails for 3 min", oneOperation),
  scenario("one-op-1", "same, 1 client", { ...oneOperation, clients: 1 }),
  scenario("slow-100", "responses take 12 s for 5 min", slow),
  scenario("slow-1", "same, 1 client", { ...slow, clients: 1 }),
  scenario("slow-1-c300", "same, with `concurrency: 300`", { ...slow, clients: 1, policy: { concurrency: 300 } }),
  scenario("doc-outage", "75 % 503, 25 % broken connections for 5 min", {
    capacity: 40,
    cause: { faults: { status503: 0.75, reset: 0.25 } },
    from: 120,
    for: 300,
    after: 300
  }),
  scenario("doc-throttle", "40 workers, limit of 20/s, `Retry-After: 1`", {
    limit: 20,
    retryAfter: 1,
    workers: { each: 4, pause: 100 },
    clients: 10,
    from: 0,
    for: 0,
    after: 120
  }),
  scenario("doc-burst", "load 90/s for 30 s of 15/s; 30/s, limit 45/s", {
    capacity: 30,
    limit: 45,
    retryAfter: 1,
    waiting: 150,
    load: 15,
    cause: { surge: 6 },
    from: 90,
    for: 30,
    after: 180
  })
]
