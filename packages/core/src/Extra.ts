/**
 * What the service has and this version of the library does not know yet: fields of requests and of responses.
 *
 * **When to use**
 *
 * For a parameter that is newer than this version, with the checks, retries and errors of its operation as they are. A whole operation that
 * this version does not have is a request of `Requests`.
 *
 * **Example** (A parameter of next year, and a field of its response)
 *
 * ```ts import.meta.vitest
 * import * as Extra from "@effect-lingua/core/Extra"
 * import { Writing } from "@effect-lingua/core/texts/Writing"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Writing.use(({ correct }) => correct("teh letter")).pipe(
 *   Extra.fields({ "Writing.correct": { audience: "children" } }),
 *   Extra.raw,
 *   Effect.provide(FakeLanguageService.layerServices({ dialect: { unknownFields: true } }))
 * )
 * const [{ text }, bodies] = await Effect.runPromise(program)
 * text // => "The letter."
 * bodies.map(({ operation }) => operation) // => ["Writing.correct"]
 * ```
 *
 * @since 0.3.0
 */
import * as Effect from "effect/Effect"
import { type Body, Current, type Fields, invalidFields, Receiver } from "./client/internal/extra.ts"
import { isJsonValue } from "./errors/internal/checks.ts"
import type { OperationName } from "./LanguageServiceApi.ts"

/**
 * Fields by their names on the wire, such as `new_option`, and the body of a response with the operation of its request. A body is `Redacted`, as it
 * has texts, and what the service issues once: keys, tokens, signed addresses.
 *
 * @category models
 * @since 0.3.0
 */
export type { Body, Fields } from "./client/internal/extra.ts"

/**
 * Fields by operation, such as `Translation.translate`.
 *
 * @category models
 * @since 0.3.0
 */
export type ByOperation = { readonly [Name in OperationName]?: Fields }

/**
 * Adds fields to the requests of operations: to the body, or to the query of a request without one.
 *
 * **Details**
 *
 * They are sent as they are, and belong to what decides a result: calls share results of a cache only with calls that have the
 * same fields. A field that the operation has by itself fails with `InvalidInput` before anything is sent, as it is an option of the method, and so
 * do values that are not JSON or are deeper than 100 levels. The
 * checks of sizes do not count them. An upload of a document sends each as a part of its form.
 *
 * @category combinators
 * @since 0.3.0
 */
export const fields = (added: ByOperation) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(effect, Current, (outer) => {
    const all: Record<string, Fields | undefined> = { ...outer }
    for (const [operation, fields] of Object.entries(added)) {
      const values = Object.values({ ...fields }).filter((value: unknown) => value !== undefined)
      const isValid = all[operation] !== invalidFields && isJsonValue(values)
      all[operation] = isValid ? { ...all[operation], ...fields } : invalidFields
    }
    return all
  })

/**
 * Returns the value of an effect with the bodies of its responses in their order, as the service sent them: with the fields that this
 * version does not know.
 *
 * **Details**
 *
 * Of successes in JSON only: a download stays a stream. Its single texts share no request with other calls, and its texts are bought, not taken from a cache.
 *
 * @category combinators
 * @since 0.3.0
 */
export const raw = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<[A, ReadonlyArray<Body>], E, R> =>
  Effect.suspend(() => {
    const bodies: Array<Body> = []
    return effect.pipe(
      Effect.provideService(Receiver, (body) => bodies.push(body)),
      Effect.map((value): [A, ReadonlyArray<Body>] => [value, [...bodies]])
    )
  })
