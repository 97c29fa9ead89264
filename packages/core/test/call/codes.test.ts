import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import { canonical } from "@effect-lingua/core/contract/Language"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Sample from "../support/operations.ts"
import * as Wire from "../support/Wire.ts"

const glossaryId = GlossaryId.make("g")
const entries = new Map([["a", "b"]])
const pair = { sourceLanguage: "EN", targetLanguage: "De" }

describe("codes", () => {
  it.effect.each<
    readonly [
      what: string,
      call: Effect.Effect<unknown, { readonly _tag: string }, Glossaries | StyleRules | Writing>,
      sent: ReadonlyArray<string>
    ]
  >([
    [
      "of a new glossary",
      Glossaries.use(({ create }) => create({ name: "a", dictionaries: [{ ...pair, entries }] })),
      [`"source_lang":"en","target_lang":"de"`]
    ],
    [
      "of a replaced dictionary",
      Glossaries.use(({ replaceDictionary }) => replaceDictionary({ glossaryId, ...pair, entries })),
      [`"source_lang":"en","target_lang":"de"`]
    ],
    ["of entries", Glossaries.use((all) => all.entries({ glossaryId, ...pair })), ["source_lang=en&target_lang=de"]],
    [
      "of a removed dictionary",
      Glossaries.use(({ removeDictionary }) => removeDictionary({ glossaryId, ...pair })),
      ["source_lang=en&target_lang=de"]
    ],
    ["of a style rule list", StyleRules.use(({ create }) => create({ name: "a", language: "EN" })), [
      `"language":"en"`
    ]],
    ["of a correction", Writing.use(({ correct }) => correct("a", { targetLanguage: "EN-gb" })), [
      `"target_lang":"en-GB"`,
      `"target_language":"en-GB"`
    ]],
    ["of a rephrased list", Writing.use(({ rephrase }) => rephrase(["a"], { targetLanguage: "zh-hans" })), [
      `"target_lang":"zh-Hans"`,
      `"target_language":"zh-Hans"`
    ]]
  ])("%s are sent in the case of BCP 47, as some hosts compare it", ([, call, sent]) =>
    Effect.gen(function*() {
      yield* Effect.exit(call)
      const [request] = yield* Wire.sent
      const whole = `${request?.url} ${request?.body}`
      assert.isTrue(sent.some((part) => whole.includes(part)), whole)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400)))))

  it.effect.prop("keep their meaning and are stable", [Schema.String], ([code]) =>
    Effect.sync(() => {
      assert.strictEqual(canonical(code).toLowerCase(), code.toLowerCase())
      assert.strictEqual(canonical(canonical(code)), canonical(code))
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
