/**
 * Operations of your own, made of several calls, with the span, the metric and the errors of a call.
 *
 * @since 0.3.0
 */
import type * as Effect from "effect/Effect"
import { failureFields } from "../errors/internal/failure.ts"
import { composed, runner as ownRunner } from "./internal/operation.ts"

/**
 * Runs an effect of several calls as an operation with a name of its own.
 *
 * **Details**
 *
 * Gives it a span and the metric `operation.duration`, like a call, with the name of the client of the context. The span ends with the
 * name of the error and not with its message, which has ids and paths in it. An error of this library that names no operation yet gets
 * this one.
 *
 * **Example** (An operation of two calls)
 *
 * ```ts import.meta.vitest
 * import { Detection } from "@effect-lingua/core/texts/Detection"
 * import * as Call from "@effect-lingua/core/call/Call"
 * import { Writing } from "@effect-lingua/core/texts/Writing"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const polish = Effect.fnUntraced(function*(text: string) {
 *   const [detected] = yield* Detection.use((detection) => detection.detect({ text: [text] }))
 *   const [improved] = yield* Writing.use((writing) => writing.correct({ text: [text] }))
 *   return [detected?._tag, improved?.text]
 * })
 * const program = Call.run("Letters.polish", polish("teh letter has arrived in the morning"))
 * const seen = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * seen // => ["Detected", "The letter has arrived in the morning."]
 * ```
 *
 * @category combinators
 * @since 0.3.0
 */
export const run: <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = composed

/**
 * Returns {@link run} for the client of the context, for a service whose methods are called without a client in their context.
 *
 * **Example** (A service over a client)
 *
 * ```ts import.meta.vitest
 * import * as Call from "@effect-lingua/core/call/Call"
 * import { Writing } from "@effect-lingua/core/texts/Writing"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const makeLetters = Effect.gen(function*() {
 *   const run = yield* Call.runner
 *   const { correct } = yield* Writing
 *   return { polish: (text: string) => run("Letters.polish", correct(text)) }
 * })
 * const program = Effect.flatMap(makeLetters, (letters) => letters.polish("teh letter"))
 * const { text } = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * text // => "The letter."
 * ```
 *
 * @category combinators
 * @since 0.3.0
 */
export const runner: Effect.Effect<typeof run> = ownRunner

/**
 * The fields of every error of this library, for errors of custom operations.
 *
 * **Details**
 *
 * `operation`, `description` and `attempts`, by default empty. `texts` and `targetLanguage` are the part of a run that an error is
 * about, `plan` is the progress of a plan, and `document` is the document: present in every error after an upload, and accepted
 * by `Documents.wait` and `Documents.download`.
 *
 * @category schemas
 * @since 0.3.0
 */
export const errorFields = failureFields
