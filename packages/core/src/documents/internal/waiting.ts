/** The wait until a document is translated. */
import * as Effect from "effect/Effect"
import { type CallRecord, traceOf, type Wait } from "../../call/internal/callRecord.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import type { DocumentId } from "../../contract/Ids.ts"
import { DocumentFailed, DocumentNotReady } from "../../errors/ServiceError.ts"
import { type Client, poll } from "../../jobs/internal/polling.ts"
import type { DocumentStatus } from "../DocumentsApi.ts"

/** The document, its requests, and the limits of the wait. */
export interface Options<E> {
  readonly operation: string
  readonly documentId: DocumentId
  readonly ask: (record: CallRecord, wait: Wait | undefined) => Effect.Effect<DocumentStatus, E>
  readonly policy: ResiliencePolicy
  readonly record: CallRecord
  readonly client: Client
  /** Monotonic time at which the last request ends. */
  readonly until: number
  /** An earlier response that the document is not ready, after which the first request waits too. */
  readonly notReady?: DocumentNotReady
}

const failed = (
  record: CallRecord,
  documentId: DocumentId,
  description: string
): Effect.Effect<never, DocumentFailed> =>
  Effect.fail(new DocumentFailed({ documentId, description, ...traceOf(record) }))

/** Polls until the document is done, has failed, or the time is over. */
export const untilDone = <E>({ documentId, notReady, policy, ...options }: Options<E>) =>
  poll({
    ...options,
    policy,
    id: documentId,
    stateOf: ({ status }) => status,
    end: (status, record) =>
      status.status === "done"
        ? Effect.succeed(status)
        : status.status === "error"
        ? failed(record, documentId, status.errorMessage ?? "")
        : undefined,
    notDone: (state, late) =>
      notReady !== undefined && state === undefined ? notReady : new DocumentNotReady({
        description: [`Its status is ${JSON.stringify(state ?? "")}`, late].filter((part) => part !== "").join(". ")
      }),
    first: notReady === undefined ? undefined : notReady.retryAfter ?? "none",
    secondsLeft: ({ secondsRemaining }) => secondsRemaining,
    billedCharacters: ({ billedCharacters }) => billedCharacters
  })
