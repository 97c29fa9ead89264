/**
 * The policy of retries, waits and timeouts, as a value.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Rules from "./internal/options.ts"
import * as Settings from "./internal/settings.ts"
import type { RateLimit } from "./internal/settings.ts"

export type { RateLimit } from "./internal/settings.ts"

/**
 * The policy of a client or of a region of a program.
 *
 * **Details**
 *
 * Rate, concurrency and open streams are shared by all calls of a client. A region can switch them off for its calls.
 * Other numbers are refused with `InvalidInput`; for limits of its own use a `Tenant`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResiliencePolicy {
  /**
   * Consecutive attempts of a call that may fail, including the first. Default 5, as in the service's own clients: at most 7.5 s of
   * backoff, or 15 s if the service throttles.
   */
  readonly attempts: number
  /**
   * Upper bound of the first wait, doubled from wait to wait; each wait is a random part of its bound (full jitter), so that clients
   * that failed together do not retry together. Default 500 ms, within which a broken connection or a replaced process is usually available again.
   */
  readonly backoffBase: Duration.Duration
  /**
   * The same after a 429 or 529, where half of each bound is fixed and half random (equal jitter). Default 1 s, so that five
   * attempts span 7.5 to 15 s: limits count requests over seconds, and an immediate retry counts against them.
   */
  readonly throttleBase: Duration.Duration
  /** Upper limit of both bounds. Default 20 s: with more than five attempts, a recovered service is noticed that soon. */
  readonly backoffCap: Duration.Duration
  /**
   * Longest `Retry-After` that is waited for; a longer one fails the call at once with the hint in its error. Default 60 s, the
   * longest usual window of a rate limit.
   */
  readonly retryAfterCap: Duration.Duration
  /**
   * Time for one attempt, from the connection of its request to the headers of the response. Default 45 s: a busy service may take that
   * long, and continues the work of an attempt that timed out, which may be billed.
   */
  readonly attemptTimeout: Duration.Duration
  /**
   * The same for the upload or download of a document. Default 2 min: an abandoned response may have consumed the document. For
   * the upload of a stream it counts from the last bytes sent, so that a large file is not cut off.
   */
  readonly documentTimeout: Duration.Duration
  /**
   * Time without a byte after which a body counts as broken; for a small body with a `Content-Length` the time for all of it. A
   * download that is not read for that time is ended, as it holds a connection, and so is one of fewer than 100 bytes a second, on
   * average over a minute. Default 30 s: networks recover within it, and a response whose headers arrived is already paid for.
   */
  readonly bodyIdleTimeout: Duration.Duration
  /**
   * Time for a whole call: attempts, waits and queues. Default 100 s: two attempts of 45 s and their waits, or a minute in a queue and
   * most of another.
   */
  readonly deadline: Duration.Duration
  /**
   * Time for the upload of a document with its attempts and waits, and for a document, or a job, to become ready. Default 30 min,
   * because large files take that long.
   */
  readonly jobDeadline: Duration.Duration
  /** Polls a document that is not ready, instead of failing at once. Default true, as that is the usual case. */
  readonly polling: boolean
  /**
   * First wait between two polls for something that is not ready, from poll to poll half as long again. Default 1 s, in which a short
   * document is translated.
   */
  readonly pollBase: Duration.Duration
  /**
   * Upper limit of the wait between polls; each is jittered by a fifth. Default 15 s: four polls a minute for a slow document,
   * which leaves the limits of the service to other calls.
   */
  readonly pollCap: Duration.Duration
  /**
   * Retries of a metered call (one that counts characters) after an attempt that may have been counted. `never`; `once` after a
   * lost response (a broken connection, a timeout, a garbled body), and as often as `attempts` allows after a 5xx response; or
   * `always`, as often as `attempts` allows after either. Default `once`: after a 5xx most likely nothing was counted, after a
   * lost response most likely all was, so a call is counted at most twice instead of five times.
   */
  readonly repeatMetered: "never" | "once" | "always"
  /**
   * Bytes of a body that is read into memory; a larger one is an error. Default 32 MiB: 10 MiB of glossary entries can be as
   * long in JSON. Downloads are streamed.
   */
  readonly maxBodyBytes: number
  /**
   * A limit of requests, or none, the default: the service's own limits are not published, so that the client learns them from 429
   * and 529 responses. A limit that is known is better: no request is refused. If several processes use one key, share it (`SharedRate`), or give
   * each its part.
   */
  readonly rate: RateLimit | undefined
  /**
   * Most requests in flight. Default 100: more than a process usually needs, and few enough that a program with thousands of
   * concurrent calls does not flood the service. Polls and calls are admitted in fair order. Up to that number the client learns how
   * many requests the service bears: it begins with 2, doubles them as responses arrive, and halves them after three signs of overload in
   * a row. With one in flight and further signs it pauses, 1 s at first and 20 s at most: its circuit breaker. 429 and 529 responses of a
   * service that is as fast as before teach it a rate instead. `Infinity` switches all of this off.
   */
  readonly concurrency: number
  /**
   * What a call does while the circuit breaker is open: `wait` for the next probe, as long as its deadline allows, or `fail` at once with
   * `CircuitOpen`, for a program that has another place to call. Default `wait`: most outages are shorter than the deadline.
   *
   * @since 0.3.0
   */
  readonly whenUnavailable: "wait" | "fail"
  /**
   * Most response streams open at once, besides the requests in flight: downloads of documents and of the files of jobs. Each
   * holds a connection until its last byte is received, its reader stops, or it was not read for `bodyIdleTimeout`; further
   * downloads queue. Default 64: each holds about 128 KiB of memory, and more of them only share the bandwidth.
   */
  readonly openStreams: number
}

/**
 * The defaults.
 *
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
 * No resilience: one attempt, no timeouts, no limits. A document that is not ready is an error at once. Bodies still have a
 * limit of size.
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
 * A duration: milliseconds as a number, a number and a unit in words with a space between them (`"2 seconds"`, `"500 millis"`, never
 * `"2s"`), an object such as `{ minutes: 1 }`, or any other `Duration.Input`.
 *
 * @category options
 * @since 0.3.0
 */
export type DurationInput = Exclude<Duration.Input, "Infinity"> | "Infinity"

type Input<A> = A extends Duration.Duration ? DurationInput
  : A extends object ? { readonly [K in keyof A]: Input<A[K]> }
  : A

/**
 * Some fields of a policy, with durations in any form that `Duration` accepts, such as `"5 seconds"`.
 *
 * @category options
 * @since 0.1.0
 */
export type Options = { readonly [K in keyof ResiliencePolicy]?: Input<ResiliencePolicy[K]> }

/**
 * The fields that differ from the client's policy in a region of a program, which {@link within} sets. With a deadline of zero or less its
 * calls fail with `DeadlineExceeded` before anything is sent; with any other field that {@link override} refuses, with `InvalidInput`.
 *
 * @category services
 * @since 0.1.0
 */
export const Override = Context.Reference<Options>("@effect-lingua/core/config/ResiliencePolicy/Override", {
  defaultValue: () => ({})
})

/** Growth of the bound of backoff from wait to wait: each is about the sum of all before it. */
const backoffFactor = 2

/** Growth of the wait from poll to poll: a poll is late by about half of the time waited so far. */
const pollFactor = 1.5

/** The upper bound of a wait, which grows from one to the next; `index` counts from 0. */
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

/** True for a failure of a service that throttles: clients that were refused together should retry neither together nor soon. */
const isThrottled = (failure: unknown): boolean =>
  Predicate.hasProperty(failure, "status") && (failure.status === 429 || failure.status === 529)

/**
 * The waits of a policy between attempts: to see them, to test them, or to retry something else in the same way with `Effect.retry`. The
 * schedule is infinite; the policy's `attempts` and deadlines are not in it.
 *
 * **Details**
 *
 * Each wait is a random part of a bound that doubles from `backoffBase` up to `backoffCap`, or, after a failure with the `status` 429 or 529, at
 * least half of one from `throttleBase` on.
 *
 * **Example** (The bounds of five attempts)
 *
 * ```ts import.meta.vitest
 * import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
 * import { Duration, Effect, Schedule } from "effect"
 *
 * const schedule = ResiliencePolicy.backoff(ResiliencePolicy.defaults)
 * const program = Effect.gen(function*() {
 *   const step = yield* Schedule.toStep(schedule)
 *   const waits = yield* Effect.forEach([0, 1, 2, 3], (now) => step(now, { status: 429 }))
 *   return waits.map(([, wait], index) => Duration.toMillis(wait) <= 1000 * 2 ** index)
 * })
 * await Effect.runPromise(program) // => [true, true, true, true]
 * ```
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
 * The waits of a policy between polls of a job without a hint of the service: from `pollBase` up to `pollCap`, each half longer than the one
 * before it, with 20 % of jitter.
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
  /** The name of the error, such as `ServiceUnavailable`. */
  readonly _tag: string
  /** The HTTP status, absent without a response. */
  readonly status?: number | undefined
}

/**
 * Schedules of a program's own in place of the policy's waits: after a 429 or 529 (`throttled`), after other transient failures, and between
 * polls.
 *
 * **Details**
 *
 * The rules of the policy remain: a schedule decides neither whether a call may be sent again nor for how long. A `Retry-After` that is longer
 * is waited for, `attempts` and the deadline end the call, and so does a schedule that ends, with the `stopCause` `attempts`. A poll schedule that
 * ends ends the wait for a job. Each call begins them anew.
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
 * The schedules of a region of a program, which {@link within} sets, or, as a layer, of all of it. None by default.
 *
 * @category services
 * @since 0.2.0
 */
export const CurrentSchedules = Context.Reference<Schedules>(
  "@effect-lingua/core/config/ResiliencePolicy/CurrentSchedules",
  { defaultValue: () => ({}) }
)

/**
 * Some fields of a policy, and schedules in place of its waits.
 *
 * @category options
 * @since 0.3.0
 */
export interface RegionOptions extends Options {
  readonly schedules?: Schedules
}

const isSchedules = (schedules: unknown): schedules is Schedules =>
  Predicate.isObject(schedules) &&
  Object.entries(schedules).every(([name, schedule]) =>
    ["throttled", "transient", "polls"].includes(name) && (schedule === undefined || Schedule.isSchedule(schedule))
  )

/** Fields of a region and of one inside it. Where only one of them sets a deadline, the attempt timeout of the other is cut to it. */
const merge = (outer: Options, inner: Options): Options => {
  const merged = { ...outer, ...inner }
  const { attemptTimeout, deadline } = merged
  const isMixed = inner.attemptTimeout === undefined || inner.deadline === undefined
  if (!isMixed || attemptTimeout === undefined || deadline === undefined) return merged
  const cut = Option.zipWith(Duration.fromInput(attemptTimeout), Duration.fromInput(deadline), Duration.min)
  return Option.isSome(cut) ? { ...merged, attemptTimeout: cut.value } : merged
}

/**
 * Runs an effect with some fields of the policy replaced, and with schedules in place of its waits. Fields of the regions around it that it does not
 * name still hold; an attempt timeout is cut to a deadline from another region.
 *
 * **Example** (A shorter deadline, and three attempts with a second between them)
 *
 * ```ts import.meta.vitest
 * import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
 * import { Languages } from "@effect-lingua/core/languages/Languages"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Schedule } from "effect"
 *
 * const transient = Schedule.upTo(Schedule.spaced("1 second"), { times: 2 })
 * const program = Languages.use((languages) => languages.resources()).pipe(
 *   ResiliencePolicy.within({ deadline: "5 seconds", schedules: { transient } })
 * )
 * const resources = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * resources.some(({ name }) => name === "translate_text") // => true
 * ```
 *
 * @category combinators
 * @since 0.3.0
 */
export const within: {
  (fields: RegionOptions): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, fields: RegionOptions): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(self: Effect.Effect<A, E, R>, fields: RegionOptions): Effect.Effect<A, E, R> => {
  // The calls refuse what is no object, and schedules among the options.
  if (!Predicate.isObject(fields)) return Effect.provideService(self, Override, fields)
  const { schedules = {}, ...options }: RegionOptions = fields
  const inner = isSchedules(schedules) ? options : fields
  return self.pipe(
    Effect.updateService(Override, (outer) => Predicate.isObject(outer) ? merge(outer, inner) : outer),
    Effect.updateService(CurrentSchedules, (outer) => ({ ...outer, ...schedules }))
  )
})

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

/** Checks the fields of a policy that depend on each other. */
const check = (policy: ResiliencePolicy): Result.Result<ResiliencePolicy, Rules.Problem> => {
  const problems: ReadonlyArray<readonly [field: string, isBroken: boolean, problem: string]> = [
    ["backoffCap", Duration.isLessThan(policy.backoffCap, policy.backoffBase), "is below backoffBase"],
    ["deadline", Duration.isLessThan(policy.deadline, policy.attemptTimeout), "is below attemptTimeout"],
    ["pollCap", Duration.isLessThan(policy.pollCap, policy.pollBase), "is below pollBase"]
  ]
  const broken = problems.find(([, isBroken]) => isBroken)
  return broken === undefined ? Result.succeed(policy) : Result.fail({ field: broken[0], problem: broken[2] })
}

/**
 * Replaces fields of a policy, and checks the result. Timeouts of attempts that are not among the fields are cut to the deadlines,
 * so that a shorter deadline can be set by itself. Fails with the name of the field that is wrong, and a predicate such as "must be
 * more than 0".
 *
 * **Example** (A problem)
 *
 * ```ts import.meta.vitest
 * import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
 * import { Result } from "effect"
 *
 * const policy = ResiliencePolicy.override(ResiliencePolicy.defaults, { backoffCap: "100 millis" })
 * Result.isFailure(policy) && policy.failure // => { field: "backoffCap", problem: "is below backoffBase" }
 * ```
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
    const policy = yield* decode({ ...base, ...fields }, "")
    return yield* check({
      ...policy,
      ...(fields.attemptTimeout === undefined
        ? { attemptTimeout: Duration.min(policy.attemptTimeout, policy.deadline) }
        : undefined),
      ...(fields.documentTimeout === undefined
        ? { documentTimeout: Duration.min(policy.documentTimeout, policy.jobDeadline) }
        : undefined)
    })
  })
