import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as References from "effect/References"
import { type CallRecord, traceOf, type Wait } from "../../call/internal/callRecord.ts"
import { concerning, runs } from "../../call/internal/operation.ts"
import * as Repeat from "../../call/internal/repeat.ts"
import { Sender } from "../../call/Sender.ts"
import * as Override from "../../config/internal/override.ts"
import { CurrentEnd, CurrentPolicy } from "../../config/internal/region.ts"
import { LanguageServiceConfig, type ServiceName } from "../../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import { AnyJobId } from "../../contract/Ids.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import { defined } from "../../contract/internal/values.ts"
import { formatDuration } from "../../errors/Attempt.ts"
import { DeadlineExceeded, JobNotDone } from "../../errors/CallError.ts"
import { retryAfterOf } from "../../errors/internal/answerCodec.ts"
import { JobFailed } from "../../errors/ServiceError.ts"
import { Event, Events } from "../../telemetry/Events.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { Progress, report, type WorkId } from "../Progress.ts"

/** An estimate counts as wrong after twice its time, but not before this many milliseconds. */
const graceMillis = 10_000

/** The `Retry-After` of the record's last response. */
export const hint = ({ response }: CallRecord): Effect.Effect<Duration.Duration | undefined> =>
  response === undefined ? Effect.undefined : retryAfterOf(response.headers)

/** Fails with `JobFailed` for a job that ended without a result, with the trace id of `record`. Removes `secrets` from the description. */
export const failed = (
  record: CallRecord | undefined,
  { description, jobId, ...fields }: {
    readonly operation: string
    readonly jobId: WorkId
    readonly state: string
    readonly description: string
    readonly code?: string
  },
  secrets: ReadonlyArray<string> = []
): Effect.Effect<never, JobFailed> =>
  Effect.fail(
    new JobFailed({
      ...fields,
      jobId: AnyJobId.make(jobId),
      // Removes a truncated word, which may be a part of a secret.
      description: Sanitizer.make(secrets).fit(secrets.length === 0 ? description : description.replace(/\S+…/g, "…")),
      ...(record === undefined ? undefined : traceOf(record))
    })
  )

export const notDone = (jobId: WorkId, state = "", description = "") =>
  new JobNotDone({ jobId: AnyJobId.make(jobId), state, description })

/** A reported state. `result` is present after the job's end. */
interface Answer<A> {
  readonly state: string
  readonly result?: A | undefined
  readonly secondsRemaining?: number | undefined
  readonly billedCharacters?: number | undefined
}

/** Requests the state of a job; fails if the job has failed. */
type Ask<A, E> = (record: CallRecord, wait?: Wait) => Effect.Effect<Answer<A>, E>

interface Options<A, E, E2> {
  /** The `Retry-After` to wait for before the first request, or `none` for the schedule's first wait. Default: no wait. */
  readonly first?: Duration.Duration | "none" | undefined
  /** Minimum interval between requests, unless the service sends a `Retry-After` or an estimate. */
  readonly minInterval?: Duration.Duration
  readonly operation: string
  readonly id: WorkId
  readonly record: CallRecord
  readonly ask: Ask<A, E>
  /** Makes the error at the deadline. `state` is `undefined` before the first response. */
  readonly notDone: (state: string | undefined, description: string) => E2
  /** The deadline in milliseconds of `Monotonic`. Default: the policy's `jobDeadline`. */
  readonly until?: number
}

/** Reports the start of a job, and adds its id to each error. */
export const started = <A, E, R>(id: WorkId, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.andThen(
    report(() => Progress.Started({ id })),
    Effect.mapError(effect, (error) => concerning(error, { job: id }))
  )

export const make = Effect.fnUntraced(function*(service: ServiceName) {
  const policyHere = Override.policyOf(yield* LanguageServiceConfig, service)
  const events = yield* Events
  const { lifetime: { sleep } } = yield* Sender
  const { call } = yield* runs

  /** Polls until the job ends or the deadline passes. An unknown state is not an end. */
  const poll = Effect.fnUntraced(function*<A, E, E2>(options: Options<A, E, E2>) {
    const { ask, first, id, minInterval = Duration.zero, operation, record } = options
    const policy = yield* policyHere
    const context = yield* Effect.context()
    const clock = yield* Clock.Clock
    const until = options.until ?? (yield* Monotonic.now) + Duration.toMillis(policy.jobDeadline)
    const { polls = ResiliencePolicy.polls(policy) }: ResiliencePolicy.Schedules = (yield* CurrentPolicy).schedules ??
      {}
    const nextPoll = Repeat.waitsOf(polls)
    const [base, cap] = [Duration.toMillis(policy.pollBase), Duration.toMillis(policy.pollCap)]
    const deadline = formatDuration(policy.jobDeadline)
    const waitOf = Effect.fnUntraced(function*(retryAfter: Duration.Duration | undefined, remaining?: number) {
      // At least `base`, because `Retry-After` may be zero.
      if (retryAfter !== undefined) return Math.max(Duration.toMillis(retryAfter), base)
      const next = yield* nextPoll(undefined)
      return remaining === undefined
        ? Math.max(next, Duration.toMillis(minInterval))
        // Jitter, because several jobs may have the same estimate.
        : Math.min(Math.max(remaining, base), cap) * (1 + 0.2 * (yield* Random.next))
    })
    let wait = first === undefined ? undefined : yield* waitOf(first === "none" ? undefined : first)
    let state: string | undefined
    /** Time after which estimates are ignored, because an earlier estimate was wrong. */
    let overdue = Number.POSITIVE_INFINITY

    /** Requests the state within the remaining time. */
    const requestState = Effect.fnUntraced(function*(waited: Wait | undefined) {
      const left = until - (yield* Monotonic.now)
      const request = ask(record, waited)
      if (left >= Duration.toMillis(policy.deadline) || (yield* CurrentEnd) <= until) return yield* request
      return yield* request.pipe(
        ResiliencePolicy.within({ deadline: Math.max(1, left) }),
        Effect.mapError((error) =>
          error instanceof DeadlineExceeded
            ? options.notDone(state, `The last request had no response by the deadline of ${deadline}`)
            : error
        )
      )
    })

    for (;;) {
      let waited: Wait | undefined
      if (wait !== undefined) {
        const millis: number = Math.ceil(wait)
        if (!policy.polling || (yield* Monotonic.now) + millis >= until) {
          const why = !policy.polling
            ? ""
            : Number.isFinite(millis)
            ? `The next request is due in ${formatDuration(Duration.millis(millis))}, after the deadline of ${deadline}`
            : "The schedule of polls has ended"
          return yield* Effect.fail(options.notDone(state, why))
        }
        const annotations = yield* References.CurrentLogAnnotations
        Telemetry.publisherOf(events)?.publish(() =>
          Event.Waiting({ operation, wait: Duration.millis(millis), cause: "poll", annotations })
        )
        Telemetry.waited({ operation, cause: "poll", millis, ago: 0 }, Telemetry.spanOf(context), clock, context)
        waited = { millis, cause: "poll" }
        yield* sleep(millis)
      }
      const { billedCharacters, result, secondsRemaining, ...answer } = yield* requestState(waited)
      if (result !== undefined) {
        yield* report(() => Progress.Completed(defined({ id, billedCharacters })))
        return result
      }
      state = answer.state
      Telemetry.update("polls", 1, { operation }, context)
      const now = yield* Monotonic.now
      const estimate = (secondsRemaining ?? 0) * 1000
      // The service's estimates can be 0 or 2^27 seconds.
      const isPlausible = estimate > 0 && Number.isFinite(estimate) && estimate <= until - now
      if (isPlausible) overdue = Math.min(overdue, now + Math.max(2 * estimate, graceMillis))
      const remaining = isPlausible && now <= overdue ? estimate : undefined
      yield* report(() =>
        Progress.Waiting({
          id,
          state: answer.state,
          ...(remaining === undefined ? undefined : { remaining: Duration.millis(remaining) })
        })
      )
      wait = yield* waitOf(yield* hint(record), remaining)
    }
  })

  return {
    policy: policyHere,
    poll,
    wait: <A, E>(id: WorkId, ask: Ask<A, E>, intervals?: Pick<Options<A, E, never>, "first" | "minInterval">) => {
      const operation = `${service}.wait`
      return call(operation, (record) =>
        poll({
          ...intervals,
          operation,
          id,
          record,
          ask,
          notDone: (state, description) => notDone(id, state, description)
        }))
    }
  }
})
