/**
 * How far a document is, as it happens: for a progress bar, a log or a test.
 *
 * **Example** (Watching a translation)
 *
 * ```ts import.meta.vitest
 * import * as DocumentProgress from "@effect-lingua/core/jobs/Progress"
 * import { Documents } from "@effect-lingua/core/documents/Documents"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const documents = yield* Documents
 *   const content = new TextEncoder().encode("Guten Tag")
 *   return yield* documents.translate({ fileName: "letter.txt", content, targetLanguage: "en-US" }).pipe(
 *     DocumentProgress.stream,
 *     Stream.map((event) => event._tag),
 *     Stream.runCollect
 *   )
 * })
 * const seen = await program.pipe(
 *   Effect.provide(FakeLanguageService.layerServices({ readyAfter: "10 millis" })),
 *   Effect.runPromise
 * )
 * seen.at(-1) // => "Finished"
 * ```
 *
 * @since 0.2.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DocumentId } from "../client/Ids.ts"
import type { DocumentState } from "../documents/DocumentsApi.ts"
import * as Progress from "./internal/progress.ts"

/**
 * One thing that happened to a document.
 *
 * **Details**
 *
 * - `Sent`: so many bytes of the file, of `total` where it is known, have been sent.
 * - `Uploaded`: the service has the file.
 * - `Queued`: it waits for its translation.
 * - `Translating`: it is being translated; `remaining` is the service's estimate, where that can be believed.
 * - `Waiting`: it is in a state that this version does not know.
 * - `Ready`: it can be downloaded; `billedCharacters` are what that will cost.
 * - `Received`: so many bytes of the translation, of `total` where it is known, have come.
 * - `Saved`: the translation is in its file.
 *
 * @category models
 * @since 0.2.0
 */
export type DocumentProgress = Data.TaggedEnum<{
  Sent: { readonly fileName: string; readonly bytes: number; readonly total?: number }
  Uploaded: { readonly documentId: DocumentId }
  Queued: { readonly documentId: DocumentId }
  Translating: { readonly documentId: DocumentId; readonly remaining?: Duration.Duration }
  Waiting: { readonly documentId: DocumentId; readonly state: DocumentState }
  Ready: { readonly documentId: DocumentId; readonly billedCharacters?: number }
  Received: { readonly documentId: DocumentId; readonly bytes: number; readonly total?: number }
  Saved: { readonly documentId: DocumentId; readonly path: string; readonly bytes: number }
}>

/**
 * Constructors and guards of progress.
 *
 * @category constructors
 * @since 0.2.0
 */
export const DocumentProgress = Data.taggedEnum<DocumentProgress>()

/**
 * The last event of {@link stream}: the value of the effect.
 *
 * @category models
 * @since 0.2.0
 */
export interface Finished<out A> {
  readonly _tag: "Finished"
  readonly value: A
}

/**
 * Receives what happens to the documents of a region of a program, as it happens. Absent by default, which costs nothing.
 *
 * @category services
 * @since 0.2.0
 */
export const Reporter = Context.Reference<((event: DocumentProgress) => void) | undefined>(
  "@effect-lingua/core/DocumentProgress/Reporter",
  { defaultValue: () => undefined }
)

/**
 * Tells the reporter, if there is one. The event is made only then.
 *
 * @category combinators
 * @since 0.2.0
 */
export const report = (event: () => DocumentProgress): Effect.Effect<void> =>
  Effect.map(Reporter, (reporter) => reporter?.(event()))

/**
 * Runs an effect that works at documents, such as `Documents.translate`, and gives what happens, with the value as the
 * last event. Byte counts are left out when they are read more slowly than they come; nothing waits for the reader. A
 * stream that is ended early interrupts the effect.
 *
 * @category combinators
 * @since 0.2.0
 */
export const stream: <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Stream.Stream<DocumentProgress | Finished<A>, E, R> = Progress.stream(Reporter)
