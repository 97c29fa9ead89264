/** Polling of documents and jobs to their end. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as References from "effect/References"
import { type CallRecord, traceOf, type Wait } from "../../call/internal/callRecord.ts"
import { concerning, runs } from "../../call/internal/operation.ts"
import * as Repeat from "../../call/internal/repeat.ts"
import { Sender } from "../../call/Sender.ts"
import * as Region from "../../config/internal/region.ts"
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
import * as Events from "../../telemetry/Events.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { Progress, report, type WorkId } from "../Progress.ts"

/** Plausibility of the service's estimates of the remaining time. */

/** Multiple of an estimate after which it counts as wrong. */
const patience = 2

/** Tolerance in milliseconds, for short estimates. */
const grace = 10_000

/**
 * Converts an estimate from seconds to milliseconds if it is plausible. The service's estimates are not reliable: they can be
 * zero, or 2^27 seconds. One is plausible within the remaining deadline, until any of them has proved wrong.
 */
const makeRemainingTime = () => {
  let overdue = Number.POSITIVE_INFINITY
  return (seconds: number | undefined, now: number, left: number): number | undefined => {
    const millis = (seconds ?? 0) * 1000
    if (!(millis > 0 && Number.isFinite(millis)) || millis > left) return undefined
    overdue = Math.min(overdue, now + Math.max(patience * millis, grace))
    return now > overdue ? undefined : millis
  }
}

/** The `Retry-After` of the last response. */
export const hint = ({ response }: CallRecord): Effect.Effect<Duration.Duration | undefined> =>
  response === undefined ? Effect.undefined : retryAfterOf(response.headers)

/** The error of a job that ended without a result, in the last response of a call if there is one. `secrets` of the job are removed from its reason. */
export const failed = Effect.fnUntraced(function*(
  record: CallRecord | undefined,
  { description, ...fields }: {
    readonly operation: string
    readonly jobId: WorkId
    readonly state: string
    readonly description: string
    readonly code?: string
  },
  secrets: ReadonlyArray<string> = []
) {
  return yield* new JobFailed({
    ...fields,
    jobId: AnyJobId.make(fields.jobId),
    // The reason was cut before the secrets of the job were known, possibly within one.
    description: Sanitizer.make(secrets).fit(secrets.length === 0 ? description : description.replace(/\S+…/g, "…")),
    ...(record === undefined ? undefined : traceOf(record))
  })
})

/** The error of a job that has no result yet. */
export const notDone = (jobId: WorkId, state = "", description = "") =>
  new JobNotDone({ jobId: AnyJobId.make(jobId), state, description })

/** The events of a client, and its sleep, which the release of the client ends. */
export interface Client {
  readonly events: Events.Events["Service"]
  readonly sleep: (millis: number) => Effect.Effect<void>
}

/** The parts of the client of the context. */
export const clientOf = Effect.map(
  Effect.all([Events.Events, Sender]),
  ([events, { sleep }]): Client => ({ events, sleep })
)

/** The job, its requests, and the limits of the wait. */
export interface Options<Job, A, E, E2, E3> {
  readonly operation: string
  readonly id: WorkId
  /** Sends a request, which a wait preceded. */
  readonly ask: (record: CallRecord, wait: Wait | undefined) => Effect.Effect<Job, E>
  readonly stateOf: (job: Job) => string
  /** The result of a job that has ended; `undefined` until then. */
  readonly end: (job: Job, record: CallRecord) => Effect.Effect<A, E2> | undefined
  /** The error at the deadline; `state` is `undefined` if there was no request. */
  readonly notDone: (state: string | undefined, description: string) => E3
  readonly policy: ResiliencePolicy.ResiliencePolicy
  readonly record: CallRecord
  readonly client: Client
  /** Monotonic time at which the last request ends. Default: the policy's `jobDeadline` from now. */
  readonly until?: number
  /** The service's hint for the first request; `none` if it gave none. Default: the request is sent at once. */
  readonly first?: Duration.Duration | "none" | undefined
  /** The least wait between two requests without a hint of the service. */
  readonly least?: Duration.Duration
  /** The service's estimate of the remaining seconds. */
  readonly secondsLeft?: (job: Job) => number | undefined
  readonly billedCharacters?: (job: Job) => number | undefined
}

/** Polls a job until it has ended or the time is over. An unknown state does not end it. */
export const poll = Effect.fnUntraced(function*<Job, A, E, E2, E3>(options: Options<Job, A, E, E2, E3>) {
  const { client: { events, sleep }, id, operation, policy, record } = options
  const context = yield* Effect.context()
  const clock = yield* Clock.Clock
  const until = options.until ?? (yield* Monotonic.now) + Duration.toMillis(policy.jobDeadline)
  const { polls = ResiliencePolicy.polls(policy) } = yield* ResiliencePolicy.CurrentSchedules
  const nextPoll = Repeat.waitsOf(polls)
  const plausible = makeRemainingTime()
  const [base, cap] = [Duration.toMillis(policy.pollBase), Duration.toMillis(policy.pollCap)]
  let state: string | undefined
  // A hint of zero would mean requests without a pause.
  const hinted = (retryAfter: Duration.Duration): number => Math.max(Duration.toMillis(retryAfter), base)
  const { first } = options
  let wait = first === undefined ? undefined : first === "none" ? yield* nextPoll(undefined) : hinted(first)

  const late = () =>
    options.notDone(
      state,
      `The last request had no response by the deadline of ${formatDuration(policy.jobDeadline)}`
    )
  /** A request in the time that is left. A region that ends no later than the wait cuts it itself. */
  const asked = Effect.fnUntraced(function*(wait: Wait | undefined) {
    const left = until - (yield* Monotonic.now)
    if (left >= Duration.toMillis(policy.deadline) || (yield* Region.CurrentEnd) <= until) {
      return yield* options.ask(record, wait)
    }
    return yield* options.ask(record, wait).pipe(
      ResiliencePolicy.within({ deadline: Math.max(1, left) }),
      Effect.mapError((error) => error instanceof DeadlineExceeded ? late() : error)
    )
  })

  for (;;) {
    let waited: Wait | undefined
    if (wait !== undefined) {
      const millis: number = Math.ceil(wait)
      if (!policy.polling || (yield* Monotonic.now) + millis >= until) {
        const due = formatDuration(Duration.millis(millis))
        const deadline = formatDuration(policy.jobDeadline)
        const why = Number.isFinite(millis)
          ? `The next request is due in ${due}, after the deadline of ${deadline}`
          : "The schedule of polls has ended"
        return yield* Effect.fail(
          options.notDone(
            state,
            policy.polling ? why : ""
          )
        )
      }
      const annotations = yield* References.CurrentLogAnnotations
      Telemetry.publisherOf(events)?.publish(() =>
        Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause: "poll", annotations })
      )
      Telemetry.waited({ operation, cause: "poll", millis, ago: 0 }, Telemetry.spanOf(context), clock, context)
      waited = { millis, cause: "poll" }
      yield* sleep(millis)
    }
    const job = yield* asked(waited)
    const end = options.end(job, record)
    if (end !== undefined) {
      const result = yield* end
      const billedCharacters = options.billedCharacters?.(job)
      yield* report(() => Progress.Completed(defined({ id, billedCharacters })))
      return result
    }
    const known = options.stateOf(job)
    state = known
    Telemetry.update("polls", 1, { operation }, context)
    const now = yield* Monotonic.now
    const remaining = plausible(options.secondsLeft?.(job), now, until - now)
    yield* report(() =>
      Progress.Waiting(
        defined({ id, state: known, remaining: remaining === undefined ? undefined : Duration.millis(remaining) })
      )
    )
    const retryAfter = yield* hint(record)
    if (retryAfter !== undefined) {
      wait = hinted(retryAfter)
      continue
    }
    const next = yield* nextPoll(undefined)
    wait = remaining === undefined
      ? Math.max(next, Duration.toMillis(options.least ?? Duration.zero))
      // Jitter: jobs with the same hint are not all requested at once.
      : Math.min(Math.max(remaining, base), cap) * (1 + 0.2 * (yield* Random.next))
  }
})

/** Reports the start of a job, and adds the job to each error of the effect that continues it. */
export const started = <A, E, R>(id: WorkId, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.andThen(
    report(() => Progress.Started({ id })),
    Effect.mapError(effect, (error) => concerning(error, { job: id }))
  )

/** The policy of the jobs of a service, and their method `wait`. */
export const make = Effect.fnUntraced(function*(service: ServiceName) {
  const config = yield* LanguageServiceConfig
  const client = yield* clientOf
  const { call } = yield* runs
  const operation = `${service}.wait`
  const policyHere = Region.policyOf(config, service)
  const wait = <Job, A, E, E2>(
    id: WorkId,
    job: Pick<Options<Job, A, E, E2, JobNotDone>, "ask" | "stateOf" | "end" | "first" | "least">
  ) =>
    call(operation, (record) =>
      Effect.flatMap(policyHere, (policy) =>
        poll({
          ...job,
          operation,
          id,
          notDone: (state, description) => notDone(id, state, description),
          policy,
          record,
          client
        })))
  return { policy: policyHere, wait }
})
