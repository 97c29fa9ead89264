/** The wait until a document is translated. */
import * as Effect from "effect/Effect"
import type * as Events from "../../client/Events.ts"
import { trace } from "../../client/internal/currentCall.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import type { DocumentId } from "../../contract/Ids.ts"
import { DocumentFailed, DocumentNotReady } from "../../errors/ServiceError.ts"
import { poll } from "../../jobs/internal/polling.ts"
import type { DocumentStatus } from "../DocumentsApi.ts"

/** The document, its requests, and the limits of the wait. */
export interface Options<E> {
  readonly operation: string
  readonly documentId: DocumentId
  readonly ask: Effect.Effect<DocumentStatus, E>
  readonly policy: ResiliencePolicy
  readonly events: Events.Events["Service"]
  /** Monotonic time at which the last request ends. */
  readonly until: number
  /** An earlier response that the document is not ready, after which the first request waits too. */
  readonly notReady?: DocumentNotReady
}

const failed = (documentId: DocumentId, description: string): Effect.Effect<never, DocumentFailed> =>
  Effect.flatMap(trace, (trace) => new DocumentFailed({ documentId, description, ...trace }))

/** Polls until the document is done, has failed, or the time is over. */
export const untilDone = <E>({ documentId, notReady, policy, ...options }: Options<E>) =>
  poll({
    ...options,
    policy,
    id: documentId,
    stateOf: ({ status }) => status,
    end: (status) =>
      status.status === "done"
        ? Effect.succeed(status)
        : status.status === "error"
        ? failed(documentId, status.errorMessage ?? "")
        : undefined,
    notDone: (state, late) =>
      notReady !== undefined && state === undefined ? notReady : new DocumentNotReady({
        description: [`Its status is ${JSON.stringify(state ?? "")}`, late].filter((part) => part !== "").join(". ")
      }),
    first: notReady === undefined ? undefined : notReady.retryAfter ?? "none",
    secondsLeft: ({ secondsRemaining }) => secondsRemaining,
    billedCharacters: ({ billedCharacters }) => billedCharacters
  })
