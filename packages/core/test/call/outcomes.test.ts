import { StyleRules, Translation, Writing } from "@effect-lingua/core"
import type { RateLimited } from "@effect-lingua/core/errors/ServiceError"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { errorOverTime, Sample, Wire } from "../support/index.ts"

/** Nine characters. */
const text = "Good day!"
const translate = Translation.use((translation) => translation.translate({ text: [text], targetLanguage: "de" }))
const correct = Writing.use((writing) => writing.correct({ text: [text, "ok"] }))
const rename = StyleRules.use((rules) => rules.rename({ styleId: Sample.styleId, name: "a" }))

/** Calls that have an effect or count characters. */
const effective: ReadonlyArray<Sample.Operation["call"]> = [translate, correct, rename]

const lost = Wire.broken("ECONNRESET")

/** Errors that end a call and exclude an effect of the last attempt. */
const refusals: ReadonlyArray<readonly [what: string, reply: Wire.Reply]> = [
  ...[302, 400, 401, 403, 404, 413, 414, 418, 456].map((status) => [String(status), Wire.answer(status)] as const),
  ["429 with a long Retry-After", Wire.answer(429, "", { "retry-after": "3600" })],
  ["503 with a long Retry-After", Wire.answer(503, "", { "retry-after": "3600" })],
  ["529 with a long Retry-After", Wire.answer(529, "", { "retry-after": "3600" })],
  ["a bad certificate", Wire.broken("CERT_HAS_EXPIRED")],
  ["an unknown host", Wire.broken("ENOTFOUND")]
]

describe("outcomes", () => {
  it.effect.each(refusals)(
    "the outcome of the call is unknown if %s follows a lost response",
    ([, reply]) =>
      Effect.gen(function*() {
        for (const call of effective) {
          const error = yield* errorOverTime(call)
          assert.strictEqual(error.outcome, "unknown")
          assert.strictEqual(error.attempts.length, 2)
          assert.include(error.message, "The outcome of an earlier attempt is not known.")
        }
      }).pipe(Effect.provide(Wire.layer([lost, reply, lost, reply, lost, reply])))
  )

  it.effect.each(refusals)(
    "the outcome of the call is refused if %s follows another refusal",
    ([, reply]) =>
      Effect.gen(function*() {
        for (const call of effective) {
          const error = yield* errorOverTime(call)
          assert.strictEqual(error.outcome, "refused")
          assert.notInclude(error.message, "earlier attempt")
        }
      }).pipe(Effect.provide(Wire.layer([429, 503, 529].flatMap((status) => [Wire.answer(status), reply]))))
  )

  it.effect("a worker that puts refused calls back into its queue does not pay twice", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(translate)
      assert.strictEqual(error._tag, "RateLimited")
      assert.isTrue(error.isTransient)
      assert.strictEqual(error.outcome, "unknown")
    }).pipe(Effect.provide(Wire.layer([lost, ...Array.from({ length: 4 }, () => Wire.answer(429))]))))

  it("a class with either outcome has both in its type", () => {
    expectTypeOf<RateLimited["outcome"]>().toEqualTypeOf<"refused" | "unknown">()
  })

  describe("characters", () => {
    it.effect("an error has the number possibly counted: those of every attempt without a known outcome", () =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(translate)
        assert.strictEqual(error.possiblyCountedCharacters, 18)
        assert.include(error.message, "Up to 18 characters may have been counted for this request.")
      }).pipe(Effect.provide(Wire.layer([lost, Wire.answer(429), Wire.silent]))))

    it.effect("an error has no such number if all attempts were refused", () =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(translate)
        assert.isUndefined(error.possiblyCountedCharacters)
        assert.notInclude(error.message, "counted")
      }).pipe(Effect.provide(Wire.layer([Wire.answer(429), Wire.answer(456)]))))

    it.effect("a redirect, which is not followed, adds none", () =>
      Effect.gen(function*() {
        assert.isUndefined((yield* errorOverTime(translate)).possiblyCountedCharacters)
      }).pipe(Effect.provide(Wire.layer([Wire.answer(302)]))))

    it.effect("an unexpected answer adds those of its attempt", () =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(correct)
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.strictEqual(error.possiblyCountedCharacters, 11)
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { improvements: [] })]))))

    it.effect("the error of a run has the number of its request", () =>
      Effect.gen(function*() {
        const translation = yield* Translation
        const error = yield* errorOverTime(Stream.runDrain(translation.translateAll([text], { targetLanguage: "de" })))
        assert.strictEqual(error.possiblyCountedCharacters, 18)
      }).pipe(Effect.provide(Wire.layer(lost))))
  })
})
