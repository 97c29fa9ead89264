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
import type * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { resultFn } from "../contract/internal/values.ts"
import * as Rules from "./internal/options.ts"
import { CurrentPolicy, setting } from "./internal/region.ts"
import * as Settings from "./internal/settings.ts"
import type { RateLimit } from "./internal/settings.ts"

export type { RateLimit } from "./internal/settings.ts"

/**
 * The policy of a client or a region: the calls in {@link within}. All calls of a client share `rate`, `concurrency` and
 * `openStreams`; a region can only switch them off. For separate limits, use a `Tenant`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResiliencePolicy {
  /**
   * Maximum consecutive failed attempts, including the first. Default 5, like the service's clients: at most 7.5 s of backoff, or 15 s if the service
   * throttles.
   */
  readonly attempts: number
  /**
   * Upper bound of the first wait. The bound doubles with each wait, and a wait is a random part of the bound (full jitter). Default 500 ms: broken
   * connections usually recover within this time.
   */
  readonly backoffBase: Duration.Duration
  /**
   * `backoffBase` after a 429 or 529. A wait is at least half of its bound (equal jitter). Default 1 s: rate limits count requests over seconds,
   * including immediate retries.
   */
  readonly throttleBase: Duration.Duration
  /** Maximum of the bound of a wait. Default 20 s: calls notice a recovery within this time. */
  readonly backoffCap: Duration.Duration
  /**
   * Longest `Retry-After` to wait for. A longer `Retry-After` fails the call at once. Default 60 s, the longest usual window of a rate limit.
   */
  readonly retryAfterCap: Duration.Duration
  /**
   * Time limit of one attempt, from its connection to the response headers. Default 45 s: a busy service may take this long, and may bill
   * attempts that timed out.
   */
  readonly attemptTimeout: Duration.Duration
  /**
   * `attemptTimeout` of a document's upload or download. For the upload of a stream, the time starts with the last bytes sent. Default 2 min: an
   * abandoned download may have consumed the document.
   */
  readonly documentTimeout: Duration.Duration
  /**
   * Longest pause in a response body; for a small body with a `Content-Length`, the time limit of the whole body. Also ends downloads that are not
   * read or receive fewer than 100 bytes a second for a minute, because they hold a connection. Default 30 s: networks recover within this time.
   */
  readonly bodyIdleTimeout: Duration.Duration
  /** Time limit of a whole call: attempts, waits and queues. Default 100 s: two attempts of 45 s and their waits. */
  readonly deadline: Duration.Duration
  /**
   * Time limit of a document's upload, and of the wait until a document or job is ready. Default 30 min: large files may take this long.
   */
  readonly jobDeadline: Duration.Duration
  /** Polls a document that is not ready instead of failing at once. Default true. */
  readonly polling: boolean
  /** First wait between polls. Each wait is half longer than the previous wait. Default 1 s: a short document takes this long. */
  readonly pollBase: Duration.Duration
  /** Longest wait between polls, plus or minus a jitter of a fifth. Default 15 s: four polls a minute. */
  readonly pollCap: Duration.Duration
  /**
   * Retries of a call that uses up characters, after an attempt that may have been counted: `never`, `always`, or `once` after a lost response
   * (broken connection, timeout, garbled body) and up to `attempts` after a 5xx. Default `once`: the service most likely counts the characters of a
   * lost response, but not of a 5xx.
   */
  readonly repeatMetered: "never" | "once" | "always"
  /**
   * Maximum size of a body read into memory; downloads are streamed. Default 32 MiB: 10 MiB of glossary entries can have this size in JSON.
   */
  readonly maxBodyBytes: number
  /**
   * A known rate limit of the service, to avoid refusals. Default `undefined`: the client learns the limit from 429 and 529 responses.
   * Processes with the same key must share the limit (`SharedRate`) or divide the limit.
   */
  readonly rate: RateLimit | undefined
  /**
   * Maximum requests in flight. Default 100: more than a process usually needs. Up to this maximum, the client adapts its limit, which starts at 2,
   * doubles as responses arrive, and halves after three consecutive signs of overload. At a limit of one, further signs open the circuit breaker for
   * 1 s to 20 s. From 429 and 529 responses that are not slow, the client learns a rate instead. `Infinity` disables these limits.
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
   * Maximum open downloads, in addition to `concurrency`; further downloads queue. Default 64: each holds a connection and about 128 KiB of memory,
   * and more downloads would only share the bandwidth.
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

// An alias of `Duration.Input` would have the name `Input` in compiler messages.
/**
 * A duration: milliseconds, a string such as `"2 seconds"` or `"500 millis"` (not `"2s"`), an object such as `{ minutes: 1 }`, or another
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

/** Growth factor of the wait between polls. A result is noticed late by at most about half of the job's duration. */
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
 * An endless schedule of a policy's waits between attempts, for tests or `Effect.retry` of other effects. Each wait is a random part of a bound
 * that doubles from `backoffBase` to `backoffCap`; after a failure with `status` 429 or 529, at least half of a bound that starts at `throttleBase`.
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
 * A schedule of a policy's waits between polls if the service sends no `Retry-After`: from `pollBase` to `pollCap`, each half longer than the
 * previous wait, with 20 % jitter.
 *
 * @category schedules
 * @since 0.2.0
 */
export const polls = ({ pollBase, pollCap }: ResiliencePolicy): Schedule.Schedule<Duration.Duration> =>
  growing((index, _, part) => bound(pollBase, pollFactor, pollCap, index) * (0.8 + 0.4 * part))

/**
 * The input of a schedule: an attempt's failure.
 *
 * @category models
 * @since 0.2.0
 */
export interface Failed {
  readonly _tag: string
  readonly status?: number | undefined
}

/**
 * Schedules that replace the policy's waits: after a 429 or 529 (`throttled`), after other transient failures, and between polls. Each call restarts
 * the schedules. A longer `Retry-After`, `attempts` and the deadline still apply. When a schedule ends, the call or the wait for a job fails; a call
 * has the `stopCause` `attempts`.
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

// Not a type guard: a guard would narrow the value.
const isObject = (value: unknown): boolean => Predicate.isObject(value)

/**
 * Merges the options of nested `within`. A deadline of one `within` limits the attempt timeout of the other. An argument that is not an object is
 * returned; calls then refuse the argument.
 */
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
 * Runs an effect with some fields and schedules of the policy replaced. Other fields of an outer `within` still apply; a deadline of one `within`
 * limits the attempt timeout of the other. Before anything is sent, calls fail with `DeadlineExceeded` for a deadline of zero or less, and with
 * `InvalidInput` for fields that {@link override} refuses.
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
 * Replaces fields of a policy and checks the result. Attempt timeouts that are not among the fields are limited to the deadlines. Fails with the
 * invalid field's name and the problem, such as `must be more than 0`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const override: (
  base: ResiliencePolicy,
  fields: Options
) => Result.Result<ResiliencePolicy, { readonly field: string; readonly problem: string }> = resultFn(
  function*(base: ResiliencePolicy, fields: Options) {
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
  }
)
