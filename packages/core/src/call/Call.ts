/**
 * Custom operations that make several calls, with the span, metric and errors of one call.
 *
 * @since 0.3.0
 */
import type * as Effect from "effect/Effect"
import { failureFields } from "../errors/internal/failure.ts"
import { composed, runner as ownRunner } from "./internal/operation.ts"

/**
 * Runs an effect that makes several calls as one named operation.
 *
 * **Details**
 *
 * Like a call, the operation has a span and the metric `operation.duration`, with the name of the context's client. A failed span has the error's
 * name but not its message, which may contain ids and paths. An error of this library without `operation` receives this operation's name.
 *
 * @param operation The name, such as `"Letters.polish"`.
 *
 * @category combinators
 * @since 0.3.0
 */
export const run: <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = composed

/**
 * Returns {@link run} bound to the context's client, for services whose methods run outside of the client's context.
 *
 * **Example** (A service over a client)
 *
 * ```ts import.meta.vitest
 * import { Call, Writing } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
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
 * `operation`, `description` and `attempts` are empty by default. `texts` and `targetLanguage` are the failed part of a bulk run, `plan` has the
 * progress of a plan's `apply`, and `document` is an uploaded document for `Documents.wait` and `Documents.download`.
 *
 * @category schemas
 * @since 0.3.0
 */
export const errorFields = failureFields
