/**
 * The policy of retries, waits and timeouts, as a value.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Rules from "./internal/options.ts"
import { CurrentPolicy, setting } from "./internal/region.ts"
import * as Settings from "./internal/settings.ts"
import type { RateLimit } from "./internal/settings.ts"

export type { RateLimit } from "./internal/settings.ts"

/**
 * The policy of a client or region. All calls of a client share `rate`, `concurrency` and `openStreams`: a region can only switch them off.
 * Use a `Tenant` for other limits.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResiliencePolicy {
  /**
   * Consecutive attempts that may fail, the first included. Default 5, as in the service's clients: at most 7.5 s of backoff, or 15 s if the
   * service throttles.
   */
  readonly attempts: number
  /**
   * Upper bound of the first wait; it doubles with each wait, and a wait is a random part of it (full jitter). Default 500 ms: broken
   * connections usually recover within it.
   */
  readonly backoffBase: Duration.Duration
  /**
   * `backoffBase` after a 429 or 529, with half of each bound fixed (equal jitter). Default 1 s: limits count over seconds, and immediate
   * retries count too.
   */
  readonly throttleBase: Duration.Duration
  /** Upper limit of a wait's bound. Default 20 s: recovery is noticed that soon. */
  readonly backoffCap: Duration.Duration
  /**
   * Longest `Retry-After` to wait for; a longer one fails the call at once. Default 60 s, the longest usual window of a rate limit.
   */
  readonly retryAfterCap: Duration.Duration
  /**
   * Time for one attempt, from its connection to the response headers. Default 45 s: a busy service may take that long, and may bill
   * attempts that timed out.
   */
  readonly attemptTimeout: Duration.Duration
  /**
   * `attemptTimeout` of a document's upload or download; for the upload of a stream from the last bytes sent. Default 2 min: an abandoned
   * response may have consumed the document.
   */
  readonly documentTimeout: Duration.Duration
  /**
   * Longest pause in a body; for a small body with a `Content-Length` the time for all of it. Also ends downloads that are not read, or that
   * are below 100 bytes a second over a minute, because they hold a connection. Default 30 s: networks recover within it.
   */
  readonly bodyIdleTimeout: Duration.Duration
  /** Time for a whole call: attempts, waits and queues. Default 100 s: two attempts of 45 s and their waits. */
  readonly deadline: Duration.Duration
  /**
   * Time for a document's upload, and for a document or job to become ready. Default 30 min: large files take that long.
   */
  readonly jobDeadline: Duration.Duration
  /** Polls a document that is not ready instead of failing at once. Default true. */
  readonly polling: boolean
  /** First wait between polls, half longer with each poll. Default 1 s: a short document takes that long. */
  readonly pollBase: Duration.Duration
  /** Upper limit of the waits between polls, which are jittered by a fifth. Default 15 s: four polls a minute. */
  readonly pollCap: Duration.Duration
  /**
   * Retries of a metered call (it counts characters) after an attempt that may have been counted: `never`; `once` after a lost response
   * (broken connection, timeout, garbled body), and up to `attempts` after a 5xx; or `always`. Default `once`: after a 5xx most likely
   * nothing was counted, after a lost response everything.
   */
  readonly repeatMetered: "never" | "once" | "always"
  /**
   * Maximum size of a body read into memory; downloads are streamed. Default 32 MiB: 10 MiB of glossary entries can be that long in JSON.
   */
  readonly maxBodyBytes: number
  /**
   * A known limit of requests, which avoids refusals. Default none: the client learns the service's limits from 429 and 529 responses.
   * Processes with one key share it (`SharedRate`) or get a part each.
   */
  readonly rate: RateLimit | undefined
  /**
   * Maximum requests in flight. Default 100: more than a process usually needs. Below it the client learns what the service bears: it starts at 2,
   * doubles as responses arrive, and halves after three consecutive signs of overload. At one in flight, further signs pause the client for 1 s to 20
   * s: its circuit breaker. From 429 and 529 responses that are not slow it learns a rate instead. `Infinity` switches all of this off.
   */
  readonly concurrency: number
  /**
   * While the circuit breaker is open, calls `wait` for the next probe, or `fail` at once with `CircuitOpen`. Default `wait`: most outages
   * are shorter than the deadline.
   *
   * @since 0.3.0
   */
  readonly whenUnavailable: "wait" | "fail"
  /**
   * Maximum open downloads, in addition to `concurrency`; further ones queue. Default 64: each holds a connection and about 128
   * KiB of memory, and more only share the bandwidth.
   */
  readonly openStreams: number
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const defaults: ResiliencePolicy = {
  attempts: 5,
  backoffBase: Duration.millis(500),
  throttleBase: Duration.seconds(1),
  backoffCap: Duration.seconds(20),
  retryAfterCap: Duration.seconds(60),
  attemptTimeout: Duration.seconds(45),
  documentTimeout: Duration.minutes(2),
  bodyIdleTimeout: Duration.seconds(30),
  deadline: Duration.seconds(100),
  jobDeadline: Duration.minutes(30),
  polling: true,
  pollBase: Duration.seconds(1),
  pollCap: Duration.seconds(15),
  repeatMetered: "once",
  maxBodyBytes: 32 * 1024 * 1024,
  rate: undefined,
  concurrency: 100,
  whenUnavailable: "wait",
  openStreams: 64
}

/**
 * No resilience: one attempt, no timeouts, no limits, no polling. Bodies still have a size limit.
 *
 * @category constructors
 * @since 0.1.0
 */
export const none: ResiliencePolicy = {
  ...defaults,
  attempts: 1,
  attemptTimeout: Duration.infinity,
  documentTimeout: Duration.infinity,
  bodyIdleTimeout: Duration.infinity,
  deadline: Duration.infinity,
  jobDeadline: Duration.infinity,
  polling: false,
  repeatMetered: "never",
  concurrency: Number.POSITIVE_INFINITY,
  openStreams: Number.POSITIVE_INFINITY
}

// Not an alias of `Duration.Input`, whose name in messages would be `Input`.
/**
 * A duration: milliseconds, a text such as `"2 seconds"` or `"500 millis"` (not `"2s"`), an object such as `{ minutes: 1 }`, or another
 * `Duration.Input`.
 *
 * @category options
 * @since 0.3.0
 */
export type DurationInput = Exclude<Duration.Input, "Infinity"> | "Infinity"

type Input<A> = A extends Duration.Duration ? DurationInput
  : A extends object ? { readonly [K in keyof A]: Input<A[K]> }
  : A

/**
 * Some fields of a policy, with durations such as `"5 seconds"`.
 *
 * @category options
 * @since 0.1.0
 */
export type Options = { readonly [K in keyof ResiliencePolicy]?: Input<ResiliencePolicy[K]> }

const backoffFactor = 2

/** Growth of the wait between polls: a result is noticed late by at most about half of its time. */
const pollFactor = 1.5

/** The upper bound of a wait, in milliseconds; `index` counts from 0. */
const bound = (base: Duration.Duration, factor: number, cap: Duration.Duration, index: number): number =>
  Math.min(Duration.toMillis(base) * factor ** index, Duration.toMillis(cap))

const growing = (
  millis: (index: number, input: unknown, part: number) => number
): Schedule.Schedule<Duration.Duration> =>
  Schedule.fromStepWithMetadata(Effect.succeed(({ attempt, input }) =>
    Effect.map(Random.next, (part) => {
      const wait = Duration.millis(millis(attempt - 1, input, part))
      return [wait, wait]
    })
  ))

const isThrottled = (failure: unknown): boolean =>
  Predicate.hasProperty(failure, "status") && (failure.status === 429 || failure.status === 529)

/**
 * The waits of a policy between attempts, without end: to see or test them, or for `Effect.retry` of something else. Each wait is a random
 * part of a bound that doubles from `backoffBase` to `backoffCap`; after a failure with `status` 429 or 529 at least half of a bound from
 * `throttleBase` on.
 *
 * @category schedules
 * @since 0.2.0
 */
export const backoff = (policy: ResiliencePolicy): Schedule.Schedule<Duration.Duration> =>
  growing((index, failure, part) =>
    isThrottled(failure)
      ? bound(policy.throttleBase, backoffFactor, policy.backoffCap, index) * (1 + part) / 2
      : bound(policy.backoffBase, backoffFactor, policy.backoffCap, index) * part
  )

/**
 * The waits of a policy between polls without a hint of the service: from `pollBase` to `pollCap`, each half longer than the previous one,
 * with 20 % jitter.
 *
 * @category schedules
 * @since 0.2.0
 */
export const polls = ({ pollBase, pollCap }: ResiliencePolicy): Schedule.Schedule<Duration.Duration> =>
  growing((index, _, part) => bound(pollBase, pollFactor, pollCap, index) * (0.8 + 0.4 * part))

/**
 * The failure of an attempt, as a schedule sees it.
 *
 * @category models
 * @since 0.2.0
 */
export interface Failed {
  readonly _tag: string
  readonly status?: number | undefined
}

/**
 * Schedules that replace the policy's waits: after a 429 or 529 (`throttled`), after other transient failures, and between polls. Each call
 * begins them anew. A longer `Retry-After`, `attempts` and the deadline still apply. A schedule that ends also ends the call, with the
 * `stopCause` `attempts`, or the wait for a job.
 *
 * @category models
 * @since 0.2.0
 */
export interface Schedules {
  readonly throttled?: Schedule.Schedule<unknown, Failed>
  readonly transient?: Schedule.Schedule<unknown, Failed>
  readonly polls?: Schedule.Schedule<unknown>
}

/**
 * Some fields of a policy, and schedules that replace its waits.
 *
 * @category options
 * @since 0.3.0
 */
export interface RegionOptions extends Options {
  readonly schedules?: Schedules
}

// Not a type guard, which would narrow the value.
const isObject = (value: unknown): boolean => Predicate.isObject(value)

/** Merges nested regions. A deadline of one region cuts the attempt timeout of the other. Values that are not objects stay: calls refuse them. */
const merge = (outer: RegionOptions, inner: RegionOptions): RegionOptions => {
  if (!isObject(outer)) return outer
  if (!isObject(inner)) return inner
  const schedules = isObject(inner.schedules) && { schedules: { ...outer.schedules, ...inner.schedules } }
  const merged: RegionOptions = { ...outer, ...inner, ...schedules }
  const { attemptTimeout, deadline } = merged
  const isMixed = inner.attemptTimeout === undefined || inner.deadline === undefined
  if (!isMixed || attemptTimeout === undefined || deadline === undefined) return merged
  const cut = Option.zipWith(Duration.fromInput(attemptTimeout), Duration.fromInput(deadline), Duration.min)
  return Option.isSome(cut) ? { ...merged, attemptTimeout: cut.value } : merged
}

/**
 * Runs an effect with some fields and schedules of the policy replaced. Fields of outer regions still hold; an attempt timeout is cut to a
 * deadline from another region. Calls fail with `DeadlineExceeded` after a deadline of zero or less, and with `InvalidInput` for fields that
 * {@link override} refuses; nothing is sent.
 *
 * **Example** (A shorter deadline, and three attempts with a second between them)
 *
 * ```ts import.meta.vitest
 * import { Languages, ResiliencePolicy } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Schedule } from "effect"
 *
 * const transient = Schedule.upTo(Schedule.spaced("1 second"), { times: 2 })
 * const program = Languages.use((languages) => languages.resources).pipe(
 *   ResiliencePolicy.within({ deadline: "5 seconds", schedules: { transient } })
 * )
 * const resources = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * resources.some(({ name }) => name === "translate_text") // => true
 * ```
 *
 * @category combinators
 * @since 0.3.0
 */
export const within = setting(CurrentPolicy, merge)

const decode = Rules.struct<ResiliencePolicy>({
  attempts: Settings.count,
  backoffBase: Rules.positive,
  throttleBase: Rules.positive,
  backoffCap: Rules.positive,
  retryAfterCap: Settings.notNegative,
  attemptTimeout: Rules.positive,
  documentTimeout: Rules.positive,
  bodyIdleTimeout: Rules.positive,
  deadline: Rules.positive,
  jobDeadline: Rules.positive,
  polling: Rules.flag,
  pollBase: Rules.positive,
  pollCap: Rules.positive,
  repeatMetered: Rules.oneOf("never", "once", "always"),
  maxBodyBytes: Rules.number((value) => value > 0, "must be more than 0"),
  rate: Rules.optional(Settings.rate),
  concurrency: Settings.countOrInfinity,
  whenUnavailable: Rules.oneOf("wait", "fail"),
  openStreams: Settings.countOrInfinity
})

/**
 * Replaces fields of a policy and checks the result. Attempt timeouts that are not among the fields are cut to the deadlines. Fails with the
 * name of the wrong field and a predicate such as `must be more than 0`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const override = (
  base: ResiliencePolicy,
  fields: Options
): Result.Result<ResiliencePolicy, { readonly field: string; readonly problem: string }> =>
  Result.gen(function*() {
    yield* Rules.record(fields, "")
    const decoded = yield* decode({ ...base, ...fields }, "")
    const { attemptTimeout, deadline, documentTimeout, jobDeadline } = decoded
    const policy = {
      ...decoded,
      attemptTimeout: fields.attemptTimeout === undefined ? Duration.min(attemptTimeout, deadline) : attemptTimeout,
      documentTimeout: fields.documentTimeout === undefined
        ? Duration.min(documentTimeout, jobDeadline)
        : documentTimeout
    }
    yield* Rules.none([
      [Duration.isLessThan(policy.backoffCap, policy.backoffBase), "backoffCap", "is below backoffBase"],
      [Duration.isLessThan(deadline, policy.attemptTimeout), "deadline", "is below attemptTimeout"],
      [Duration.isLessThan(policy.pollCap, policy.pollBase), "pollCap", "is below pollBase"]
    ])
    return policy
  })
