/**
 * Progress events of documents and jobs, for a progress bar, a log or a test.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { DocumentId, EvaluationId, JobId, VoiceJobId } from "../contract/Ids.ts"

/**
 * The id of a document, an import or export, an evaluation, or a translation of speech.
 *
 * @category models
 * @since 0.1.0
 */
export type WorkId = DocumentId | JobId | EvaluationId | VoiceJobId

/**
 * A progress event. `bytes` is the number of bytes so far; `total` is absent if unknown.
 *
 * **Details**
 *
 * - `Started`: the service has accepted the document or job.
 * - `Sent`: bytes of the file were sent. A document has no id yet, but a `fileName`.
 * - `Waiting`: the service has reported this `state`. `remaining` is the service's estimate, if plausible.
 * - `Completed`: the service has finished.
 * - `Received`: bytes of the result were received.
 * - `Saved`: the result was written to the file.
 *
 * @category models
 * @since 0.1.0
 */
export type Progress = Data.TaggedEnum<{
  Started: { readonly id: WorkId }
  Sent: { readonly id?: WorkId; readonly fileName?: string; readonly bytes: number; readonly total?: number }
  Waiting: { readonly id: WorkId; readonly state: string; readonly remaining?: Duration.Duration }
  Completed: { readonly id: WorkId; readonly billedCharacters?: number }
  Received: { readonly id: WorkId; readonly bytes: number; readonly total?: number }
  Saved: { readonly id: WorkId; readonly path: string; readonly bytes: number }
}>

/**
 * Constructors, and guards such as `$is`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Progress = Data.taggedEnum<Progress>()

/**
 * The last event of {@link stream}, with the effect's value.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finished<out A> {
  readonly _tag: "Finished"
  readonly value: A
}

/**
 * The function that receives an effect's progress events. Default: no reports.
 *
 * @category services
 * @since 0.1.0
 */
export const Reporter = Context.Reference<((event: Progress) => void) | undefined>(
  "@effect-lingua/core/jobs/Progress/Reporter",
  { defaultValue: () => undefined }
)

/**
 * Passes an event to the reporter. Without a reporter the event is not created.
 *
 * @category combinators
 * @since 0.1.0
 */
export const report = (event: () => Progress): Effect.Effect<void> =>
  Effect.map(Reporter, (reporter) => reporter?.(event()))

/** Number of unread events from which further events with byte counts are dropped. */
const backlog = 256

const isCount = ({ _tag }: Progress): boolean => _tag === "Received" || _tag === "Sent"

/**
 * Runs an effect, such as `Documents.translate`, and emits its progress, then its value. A slow consumer misses byte counts. Ending the stream early
 * interrupts the effect.
 *
 * @category combinators
 * @since 0.1.0
 */
export const stream = <A, E, R>(effect: Effect.Effect<A, E, R>): Stream.Stream<Progress | Finished<A>, E, R> =>
  Stream.callback<Progress | Finished<A>, E, R>((queue) =>
    effect.pipe(
      Effect.provideService(Reporter, (event) => {
        if (!isCount(event) || Queue.sizeUnsafe(queue) < backlog) Queue.offerUnsafe(queue, event)
      }),
      Effect.onExit((exit) => {
        if (Exit.isFailure(exit)) return Queue.failCause(queue, exit.cause)
        Queue.offerUnsafe(queue, { _tag: "Finished", value: exit.value })
        return Queue.end(queue)
      })
    ), { bufferSize: Number.POSITIVE_INFINITY })
