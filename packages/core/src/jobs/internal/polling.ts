/** Waiting for jobs of the service. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { JobNotDone } from "../../client/CallError.ts"
import * as Events from "../../client/Events.ts"
import { retryAfterOf } from "../../client/internal/answerCodec.ts"
import { CurrentCall, sleep } from "../../client/internal/currentCall.ts"
import * as Durations from "../../client/internal/duration.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import * as Words from "../../client/internal/words.ts"
import type { ResiliencePolicy } from "../../client/ResiliencePolicy.ts"
import { JobFailed } from "../../client/ServiceError.ts"
import * as Repeat from "../../resilience/internal/repeat.ts"
import { JobProgress, report } from "../JobProgress.ts"

type JobId = JobProgress["jobId"]

/** When the service asks to be asked again, by its last answer. */
export const hint: Effect.Effect<Duration.Duration | undefined> = Effect.flatMap(
  CurrentCall,
  (current) => current?.response === undefined ? Effect.undefined : retryAfterOf(current.response.headers)
)

/** The error of a job that ended without a result. `secrets` of the job are removed from its reason. */
export const failed = Effect.fnUntraced(function*(
  { description, ...fields }: {
    readonly operation: string
    readonly jobId: JobId
    readonly state: string
    readonly description: string
    readonly code?: string
  },
  secrets: ReadonlyArray<string> = []
) {
  const current = yield* CurrentCall
  return yield* new JobFailed({
    ...fields,
    description: Words.make(secrets).fit(description),
    ...(current?.response === undefined ? undefined : Words.traceOf(current.response, current.words))
  })
})

/** What a wait needs to know. */
export interface Options<Job, A, E, E2> {
  readonly operation: string
  readonly jobId: JobId
  readonly ask: Effect.Effect<Job, E>
  readonly stateOf: (job: Job) => string
  /** What comes of a job that has ended; nothing as long as it goes on. */
  readonly end: (job: Job) => Effect.Effect<A, E2> | undefined
  readonly policy: ResiliencePolicy
  readonly events: Events.Events["Service"]
  /** The wait before the first question, where it is not asked at once. */
  readonly first?: Duration.Duration | undefined
  /** The least wait between two questions for which the service gives no hint. */
  readonly least?: Duration.Duration
}

/** Asks until a job has ended or the time is over. A state that is not known is not the end. */
export const untilEnded = Effect.fnUntraced(function*<Job, A, E, E2>(
  { ask, end, events, first, jobId, least = Duration.zero, operation, policy, stateOf }: Options<Job, A, E, E2>
) {
  const context = yield* Effect.context()
  const current = yield* CurrentCall
  const until = (yield* Monotonic.now) + Duration.toMillis(policy.documentDeadline)
  const nextPoll = Repeat.polls(policy)
  let state = ""
  let wait = first

  for (;;) {
    if (wait !== undefined) {
      const millis: number = Math.ceil(Duration.toMillis(wait))
      if (!policy.polling || (yield* Monotonic.now) + millis >= until) {
        return yield* new JobNotDone({
          jobId,
          state,
          description: policy.polling
            ? `The next question is due in ${Durations.format(wait)}, after the deadline of ${
              Durations.format(policy.documentDeadline)
            }`
            : ""
        })
      }
      publish(events, () => Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause: "poll" }))
      Telemetry.update("waitDuration", millis / 1000, { operation, cause: "poll" }, context)
      if (current !== undefined) current.wait = { millis, cause: "poll" }
      yield* sleep(millis)
    }
    const job = yield* ask
    const result = end(job)
    if (result !== undefined) return yield* result
    state = stateOf(job)
    Telemetry.update("polls", 1, { operation }, context)
    yield* report(() => JobProgress.Waiting({ jobId, state }))
    const asked = yield* hint
    wait = asked === undefined
      ? Duration.max(Duration.millis(yield* nextPoll), least)
      // A hint of no time at all would have the service asked without a pause.
      : Duration.max(asked, policy.pollBase)
  }
})
