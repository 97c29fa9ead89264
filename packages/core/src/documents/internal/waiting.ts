/** The wait until a document is translated: the status is asked for until it is done. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Events from "../../client/Events.ts"
import type { DocumentId } from "../../client/Ids.ts"
import { CurrentCall, sleep } from "../../client/internal/currentCall.ts"
import * as Durations from "../../client/internal/duration.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import { traceOf } from "../../client/internal/words.ts"
import type { ResiliencePolicy } from "../../client/ResiliencePolicy.ts"
import { DocumentFailed, DocumentNotReady } from "../../client/ServiceError.ts"
import { DocumentProgress, report } from "../../jobs/Progress.ts"
import * as Repeat from "../../resilience/internal/repeat.ts"
import type { DocumentStatus } from "../DocumentsApi.ts"
import * as Estimate from "./remainingTime.ts"

const progressOf = (
  documentId: DocumentId,
  { status }: DocumentStatus,
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

/** What the wait needs to know. */
export interface Options<E> {
  /** The operation that waits. */
  readonly operation: string
  readonly documentId: DocumentId
  readonly ask: Effect.Effect<DocumentStatus, E>
  readonly policy: ResiliencePolicy
  readonly events: Events.Events["Service"]
  /** The time on the monotonic clock by which the last question must have been asked. */
  readonly end: number
  /** That the document is not ready, where it is known already: then the first question waits too. */
  readonly notReady?: DocumentNotReady
}

/** Asks until the document is done, has failed, or the time is over. */
export const untilDone = Effect.fnUntraced(function*<E>(
  { ask, documentId, end, events, notReady, operation, policy }: Options<E>
) {
  const context = yield* Effect.context()
  const current = yield* CurrentCall
  const nextPoll = Repeat.polls(policy)
  const believable = Estimate.make()
  let last: DocumentStatus | undefined
  let wait: number | undefined = notReady === undefined
    ? undefined
    : Math.ceil(Math.max(Duration.toMillis(notReady.retryAfter ?? Duration.zero), yield* nextPoll))

  for (;;) {
    if (wait !== undefined) {
      const now = yield* Monotonic.now
      if (!policy.polling || now + wait >= end) {
        return yield* notReady !== undefined && last === undefined ? notReady : new DocumentNotReady({
          description: `Its status is ${JSON.stringify(last?.status ?? "")}${
            policy.polling ? `, and the deadline of ${Durations.format(policy.documentDeadline)} is over` : ""
          }`
        })
      }
      const millis: number = wait
      events.publish(() => Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause: "poll" }))
      Telemetry.update("waitDuration", millis / 1000, { operation, cause: "poll" }, context)
      if (current !== undefined) current.wait = { millis, cause: "poll" }
      yield* sleep(millis)
    }
    const status = yield* ask
    if (status.status === "done") {
      yield* report(() =>
        DocumentProgress.Ready({
          documentId,
          ...(status.billedCharacters === undefined ? undefined : { billedCharacters: status.billedCharacters })
        })
      )
      return status
    }
    if (status.status === "error") {
      return yield* new DocumentFailed({
        documentId,
        description: status.errorMessage ?? "",
        ...(current?.response === undefined ? undefined : traceOf(current.response, current.words))
      })
    }
    last = status
    Telemetry.update("polls", 1, { operation }, context)
    const now = yield* Monotonic.now
    const remaining = believable(status.secondsRemaining, now, end - now)
    yield* report(() => progressOf(documentId, status, remaining))
    const { pollBase, pollCap } = policy
    const next = yield* nextPoll
    wait = Math.ceil(
      remaining === undefined
        ? next
        // Not all that were promised for the same moment come at once.
        : Math.min(Math.max(remaining, Duration.toMillis(pollBase)), Duration.toMillis(pollCap)) *
          (1 + 0.2 * (yield* Random.next))
    )
  }
})
