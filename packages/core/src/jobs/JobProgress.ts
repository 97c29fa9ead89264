/**
 * How far a job of the service is, as it happens: the import or export of a translation memory, an evaluation of translations,
 * a translation of speech.
 *
 * **Example** (Following an import)
 *
 * ```ts import.meta.vitest
 * import * as JobProgress from "@effect-lingua/core/jobs/JobProgress"
 * import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Stream } from "effect"
 *
 * const content = new TextEncoder().encode(
 *   `<tmx version="1.4"><header srclang="en"/><body><tu>
 *     <tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv>
 *   </tu></body></tmx>`
 * )
 * const program = Effect.gen(function*() {
 *   const memories = yield* TranslationMemories
 *   return yield* memories.importTmx({ content, fileName: "manuals.tmx" }).pipe(
 *     JobProgress.stream,
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
 * @since 0.2.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { EvaluationId, VoiceJobId } from "../client/Ids.ts"

import type * as TranslationMemoriesApi from "../translation-memories/TranslationMemoriesApi.ts"

import type { Finished } from "./Progress.ts"
import * as Progress from "./internal/progress.ts"

type JobId = TranslationMemoriesApi.JobId | EvaluationId | VoiceJobId

/**
 * One thing that happened to a job.
 *
 * **Details**
 *
 * - `Started`: the service has a job for it. `id` is what the journal knows it by, where that has it.
 * - `Sent`: so many bytes of the file, of `total`, have been sent.
 * - `Waiting`: the job was asked for and is not done; `state` is where it is.
 * - `Completed`: the job is done.
 * - `Received`: so many bytes of the file, of `total` where it is known, have come.
 * - `Saved`: the file is in its place.
 *
 * @category models
 * @since 0.2.0
 */
export type JobProgress = Data.TaggedEnum<{
  Started: { readonly jobId: JobId; readonly id?: string }
  Sent: { readonly jobId: JobId; readonly bytes: number; readonly total: number }
  Waiting: { readonly jobId: JobId; readonly state: string }
  Completed: { readonly jobId: JobId }
  Received: { readonly jobId: JobId; readonly bytes: number; readonly total?: number }
  Saved: { readonly jobId: JobId; readonly path: string; readonly bytes: number }
}>

/**
 * Constructors and guards of progress.
 *
 * @category constructors
 * @since 0.2.0
 */
export const JobProgress = Data.taggedEnum<JobProgress>()

/**
 * Receives what happens to the jobs of a region of a program, as it happens. Absent by default, which costs
 * nothing.
 *
 * @category services
 * @since 0.2.0
 */
export const Reporter = Context.Reference<((event: JobProgress) => void) | undefined>(
  "@effect-lingua/core/JobProgress/Reporter",
  { defaultValue: () => undefined }
)

/**
 * Tells the reporter, if there is one. The event is made only then.
 *
 * @category combinators
 * @since 0.2.0
 */
export const report = (event: () => JobProgress): Effect.Effect<void> =>
  Effect.map(Reporter, (reporter) => reporter?.(event()))

/**
 * Runs an effect that waits for jobs, such as `TranslationMemories.importTmx`, and gives what happens, with the value as
 * the last event. It is to jobs what `DocumentProgress.stream` is to documents.
 *
 * @category combinators
 * @since 0.2.0
 */
export const stream: <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Stream.Stream<JobProgress | Finished<A>, E, R> = Progress.stream(Reporter)
