/** The wait until a document is translated: the status is asked for until it is done. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { DocumentProgress, report } from "../DocumentProgress.ts"
import type { DocumentStatus } from "../DocumentsApi.ts"
import * as Events from "../Events.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import { DocumentFailed, DocumentNotReady } from "../ServiceError.ts"
import { readable } from "./answer.ts"
import { CurrentCall } from "./currentCall.ts"
import * as Estimate from "./estimate.ts"
import * as Repeat from "./repeat.ts"
import * as Telemetry from "./telemetry.ts"

/** Milliseconds of a clock that is never set. */
export const monotonic: Effect.Effect<number> = Effect.map(
  Clock.currentTimeNanos,
  (nanos) => Number(nanos / 1_000_000n)
)

const progressOf = (
  { documentId, status }: DocumentStatus,
  remaining: number | undefined
): DocumentProgress => {
  switch (status) {
    case "queued":
      return DocumentProgress.Queued({ documentId })
    case "translating":
      return DocumentProgress.Translating({
        documentId,
        ...(remaining === undefined ? undefined : { remaining: Duration.millis(remaining) })
      })
    default:
      return DocumentProgress.Waiting({ documentId, state: status })
  }
}

const failed = ({ documentId, errorMessage = "" }: DocumentStatus, response: CurrentCall["response"]) => {
  const traceId = response?.headers["x-trace-id"]
  return new DocumentFailed({
    documentId,
    description: readable(errorMessage),
    ...(traceId === undefined ? undefined : { traceId })
  })
}

/** What the wait needs to know. */
export interface Options<E> {
  /** The operation that waits. */
  readonly operation: string
  readonly ask: Effect.Effect<DocumentStatus, E>
  readonly policy: ResiliencePolicy
  readonly events: Events.Events["Service"]
  /** The time on the monotonic clock by which the last question must have been asked. */
  readonly end: number
  /** Milliseconds to wait before the first question, or none to ask at once. */
  readonly after?: number
}

/** Asks until the document is done, has failed, or the time is over. */
export const untilDone = Effect.fnUntraced(function*<E>({ after, ask, end, events, operation, policy }: Options<E>) {
  const context = yield* Effect.context()
  const current = yield* CurrentCall
  const nextPoll = Repeat.polls(policy)
  const believable = Estimate.make()
  let last = "not ready"
  let wait: number | undefined = after

  for (;;) {
    if (wait !== undefined) {
      const now = yield* monotonic
      if (!policy.polling || now + wait >= end) {
        return yield* new DocumentNotReady({
          description: `Its status is ${JSON.stringify(readable(last))}${
            policy.polling ? `, and the deadline of ${Duration.format(policy.documentDeadline)} is over` : ""
          }`
        })
      }
      const millis: number = wait
      events.publish(() => Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause: "poll" }))
      Telemetry.update("waitDuration", millis / 1000, { operation, cause: "poll" }, context)
      if (current !== undefined) current.wait = { millis, cause: "poll" }
      yield* Effect.sleep(millis)
    }
    const status = yield* ask
    if (status.status === "done") {
      yield* report(() =>
        DocumentProgress.Ready({
          documentId: status.documentId,
          ...(status.billedCharacters === undefined ? undefined : { billedCharacters: status.billedCharacters })
        })
      )
      return status
    }
    if (status.status === "error") return yield* failed(status, current?.response)
    last = status.status
    Telemetry.update("polls", 1, { operation }, context)
    const now = yield* monotonic
    const remaining = believable(status.secondsRemaining, now, end - now)
    yield* report(() => progressOf(status, remaining))
    const own = Duration.toMillis(yield* nextPoll(now))
    const { pollBase, pollCap } = policy
    wait = Math.ceil(
      remaining === undefined
        ? own
        // Not all that were promised for the same moment come at once.
        : Math.min(Math.max(remaining, Duration.toMillis(pollBase)), Duration.toMillis(pollCap)) *
          (1 + 0.2 * (yield* Random.next))
    )
  }
})
