/**
 * The progress of documents and jobs, as it happens: for a progress bar, a log or a test.
 *
 * **Example** (Watching a translation)
 *
 * ```ts import.meta.vitest
 * import * as Progress from "@effect-lingua/core/jobs/Progress"
 * import { Documents } from "@effect-lingua/core/documents/Documents"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const documents = yield* Documents
 *   const content = new TextEncoder().encode("Guten Tag")
 *   return yield* documents.translate({ fileName: "letter.txt", content, targetLanguage: "en-US" }).pipe(
 *     Progress.stream,
 *     Stream.map((event) => event._tag),
 *     Stream.runCollect
 *   )
 * })
 * const seen = await program.pipe(
 *   Effect.provide(FakeLanguageService.layerServices({ readyAfter: "10 millis" })),
 *   Effect.runPromise
 * )
 * seen.at(0) // => "Started"
 * seen.at(-1) // => "Finished"
 * ```
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
 * One event in the progress of a document or job.
 *
 * **Details**
 *
 * - `Started`: the service has a document or job under this id.
 * - `Sent`: the number of `bytes` of the file sent so far, of `total` if it is known. A document has no id before its file was
 *   sent, so its event has the `fileName` instead.
 * - `Waiting`: the service is not done. `state` is the reported state, such as `queued` or `processing`; `remaining` the
 *   estimate of the remaining time, if plausible.
 * - `Completed`: the service is done. `billedCharacters` is the price of a document, due with its download.
 * - `Received`: the number of `bytes` of the result received so far, of `total` if it is known.
 * - `Saved`: the result is in its file.
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
 * Constructors and guards of progress.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Progress = Data.taggedEnum<Progress>()

/**
 * The last event of {@link stream}: the value of the effect.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finished<out A> {
  readonly _tag: "Finished"
  readonly value: A
}

/**
 * Receives the progress of a region of a program. Absent by default, at no cost.
 *
 * @category services
 * @since 0.1.0
 */
export const Reporter = Context.Reference<((event: Progress) => void) | undefined>(
  "@effect-lingua/core/jobs/Progress/Reporter",
  { defaultValue: () => undefined }
)

/**
 * Passes an event to the reporter, if there is one; otherwise the event is not created.
 *
 * @category combinators
 * @since 0.1.0
 */
export const report = (event: () => Progress): Effect.Effect<void> =>
  Effect.map(Reporter, (reporter) => reporter?.(event()))

/** Number of unread events from which on counts of bytes are dropped. */
const backlog = 256

const isCount = ({ _tag }: Progress): boolean => _tag === "Received" || _tag === "Sent"

/**
 * Runs an effect, such as `Documents.translate` or `TranslationMemories.importTmx`, and emits its progress, with its value as the
 * last event. Counts of bytes are dropped when they are read too slowly: the effect never waits for its reader. Ending the stream
 * early interrupts the effect.
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
