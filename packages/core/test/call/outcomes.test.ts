import { type ServiceError, StyleRules, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { errorOverTime, Sample, Wire } from "../support/index.ts"

/** Nine characters. */
const text = "Good day!"
const translate = Translation.use((translation) => translation.translate({ text: [text], targetLanguage: "de" }))
const run = Translation.use((translation) =>
  Stream.runDrain(translation.translateAll([text], { targetLanguage: "de" }))
)
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
    expectTypeOf<ServiceError.RateLimited["outcome"]>().toEqualTypeOf<"refused" | "unknown">()
  })

  it.effect.each<readonly [what: string, Wire.Script, characters: number | undefined, call?: Sample.Operation["call"]]>(
    [
      ["those of every attempt without a known outcome", [lost, Wire.answer(429), Wire.silent], 18],
      ["none of attempts that were refused", [Wire.answer(429), Wire.answer(456)], undefined],
      ["none of a redirect, which is not followed", [Wire.answer(302)], undefined],
      ["those of an unexpected answer", [Wire.answer(200, { improvements: [] })], 11, correct],
      ["those of the request of a run", lost, 18, run]
    ]
  )(
    "an error has the number of characters possibly counted: %s",
    ([, script, characters, call = translate]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(call)
        assert.strictEqual(error.possiblyCountedCharacters, characters)
        assert.strictEqual(
          error.message.includes(`Up to ${characters} characters may have been counted for this request.`),
          characters !== undefined
        )
      }).pipe(Effect.provide(Wire.layer(script)))
  )
})
