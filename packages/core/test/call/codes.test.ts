import { Documents, Ids, Language, Translation } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Sample, Wire } from "../support/index.ts"

const glossaryId = Ids.GlossaryId.make("g")

describe("codes", () => {
  it.effect.prop("keep their meaning and are stable", [Schema.String], ([code]) =>
    Effect.sync(() => {
      assert.strictEqual(Language.canonical(code).toLowerCase(), code.toLowerCase())
      assert.strictEqual(Language.canonical(Language.canonical(code)), Language.canonical(code))
    }))

  describe("of a text with a glossary", () => {
    const translate = Translation.use(({ translate }) => translate(["a"], { targetLanguage: "de", glossaryId }))

    it.effect("may be detected where the client is set so, and not of a document", () =>
      Effect.gen(function*() {
        yield* translate
        assert.deepStrictEqual(JSON.parse((yield* Wire.sent)[0]?.body ?? ""), {
          text: ["a"],
          target_lang: "de",
          glossary_id: "g"
        })
        const error = yield* Effect.flip(Documents.use(({ upload }) =>
          upload({ content: new Uint8Array(1), fileName: "a.txt", targetLanguage: "de", glossaryId })
        ))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "sourceLanguage" })
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(
        Wire.layer(Wire.answer(200, { translations: [{ text: "b" }] }), { languages: { glossaryDetection: true } })
      )))

    it.effect("is needed otherwise", () =>
      Effect.gen(function*() {
        assert.deepInclude<object>(yield* Effect.flip(translate), { _tag: "InvalidInput", parameter: "sourceLanguage" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer(Wire.answer(200, Sample.developerKey)))))
  })
})
