import { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import type { TranslationApi } from "@effect-lingua/core/extension/Resources"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { client, send } from "../../support/client.ts"

const fake = FakeLanguageService.FakeLanguageService

const translate = Effect.fnUntraced(function*(payload: Partial<typeof TranslationApi.TranslateBody.Type>) {
  const { translations } = yield* (yield* client).Translation.translate({
    payload: { text: ["Hello"], targetLanguage: "de", ...payload }
  })
  return translations
})

const refusal = (payload: Partial<typeof TranslationApi.TranslateBody.Type>) =>
  Effect.map(Effect.flip(translate(payload)), ({ _tag }) => _tag)

const onTheWire = (text: string) => ({
  text: `[de] ${text}`,
  detected_source_language: "EN",
  billed_characters: 1,
  model_type_used: "quality_optimized"
})

describe("Translation", () => {
  it.effect("marks each text with its target", () =>
    Effect.gen(function*() {
      const text = ["Das ist ein Haus.", "Hello", ""]
      assert.deepStrictEqual(yield* translate({ text, targetLanguage: "EN-us" }), [
        { text: "[en-US] Das ist ein Haus.", detectedSourceLanguage: "DE" },
        { text: "[en-US] Hello", detectedSourceLanguage: "EN" },
        { text: "", detectedSourceLanguage: "EN" }
      ])
      assert.strictEqual((yield* translate({ sourceLanguage: "fr" }))[0]?.detectedSourceLanguage, "FR")
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("answers with the fields that were asked for", () =>
    Effect.gen(function*() {
      const [translated] = yield* translate({
        text: ["Hi 👋"],
        showBilledCharacters: true,
        modelType: "prefer_quality_optimized",
        tagHandling: "xml"
      })
      assert.deepInclude(translated, {
        billedCharacters: 4,
        modelTypeUsed: "quality_optimized",
        tagHandlingVersion: "v2"
      })
      const [fast] = yield* translate({ modelType: "latency_optimized", tagHandling: "html", tagHandlingVersion: "v1" })
      assert.deepInclude(fast, { modelTypeUsed: "latency_optimized", tagHandlingVersion: "v1" })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes a reporting tag, under the name of any vendor, and refuses what is none", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({ text: ["a"], target_lang: "de" })
      const statuses = yield* Effect.forEach(
        ["help-pages", " Help ", "x".repeat(100), "two words", "x".repeat(101), "é"],
        (tag) => send("POST", "/v2/translate", { body, headers: { "X-Vendor-Reporting-Tag": tag } })
      )
      assert.deepStrictEqual(statuses.map(({ status }) => status), [200, 200, 200, 400, 400, 400])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("refuses values that the service does not take", () =>
    Effect.gen(function*() {
      const long = "x".repeat(301)
      const bodies: ReadonlyArray<Partial<typeof TranslationApi.TranslateBody.Type>> = [
        { text: Array.from({ length: 51 }, () => "a") },
        { targetLanguage: "en" },
        { targetLanguage: "xx" },
        { sourceLanguage: "en-GB" },
        { formality: "very" },
        { targetLanguage: "ko", formality: "more" },
        { splitSentences: "2" },
        { modelType: "best" },
        { tagHandling: "md" },
        { tagHandling: "xml", tagHandlingVersion: "v3" },
        { translationMemoryThreshold: 101 },
        { customInstructions: [long] },
        { customInstructions: Array.from({ length: 11 }, () => "a") }
      ]
      for (const body of bodies) assert.strictEqual(yield* refusal(body), "BadRequest", JSON.stringify(body))
      yield* translate({ targetLanguage: "ko", formality: "prefer_more" })
      yield* translate({ text: Array.from({ length: 50 }, () => "a"), formality: "more", customInstructions: [] })
      assert.strictEqual((yield* send("POST", "/v2/translate", { body: `{"text":["a"]}` })).status, 400)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("needs a glossary that exists and has the pair, and a source with it", () =>
    Effect.gen(function*() {
      const glossaryId = yield* (yield* fake).addGlossary({ sourceLanguage: "en", targetLanguage: "pt" })
      const pair = { sourceLanguage: "EN", targetLanguage: "pt-BR" }
      yield* translate({ ...pair, glossaryId })
      yield* translate({ ...pair, glossaryIds: [glossaryId] })
      assert.strictEqual(yield* refusal({ targetLanguage: "pt-BR", glossaryId }), "BadRequest")
      assert.strictEqual(yield* refusal({ ...pair, targetLanguage: "de", glossaryId }), "BadRequest")
      assert.strictEqual(yield* refusal({ ...pair, glossaryId, glossaryIds: [glossaryId] }), "BadRequest")
      const six = Array.from({ length: 6 }, () => glossaryId)
      assert.strictEqual(yield* refusal({ ...pair, glossaryIds: six }), "BadRequest")
      assert.strictEqual(yield* refusal({ ...pair, glossaryId: GlossaryId.make("none") }), "NotFound")
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("needs a style rule list of the target's language", () =>
    Effect.gen(function*() {
      const { styleId } = yield* (yield* client).StyleRules.create({ payload: { name: "House", language: "en" } })
      yield* translate({ targetLanguage: "en-GB", styleId })
      assert.strictEqual(yield* refusal({ targetLanguage: "de", styleId }), "BadRequest")
      assert.strictEqual(yield* refusal({ styleId: StyleId.make("none") }), "NotFound")
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("does not find a translation memory that is absent or does not cover the pair", () =>
    Effect.gen(function*() {
      const translationMemoryId = yield* (yield* fake).addTranslationMemory({
        sourceLanguage: "en",
        targetLanguages: ["de", "en-gb"]
      })
      yield* translate({ sourceLanguage: "en", translationMemoryId })
      yield* translate({ translationMemoryId, translationMemoryThreshold: 75 })
      yield* translate({ sourceLanguage: "en", targetLanguage: "EN-GB", translationMemoryId })
      assert.strictEqual(yield* refusal({ sourceLanguage: "fr", translationMemoryId }), "NotFound")
      assert.strictEqual(yield* refusal({ targetLanguage: "fr", translationMemoryId }), "NotFound")
      assert.strictEqual(yield* refusal({ translationMemoryId: TranslationMemoryId.make("none") }), "NotFound")
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("replaces the terms of a glossary: whole words, the longest first, for the pair of languages", () =>
    Effect.gen(function*() {
      const entries = new Map([["Artist", "Maler"], ["Artist of the year", "Maler des Jahres"], ["C++", "Zeh plus"]])
      const glossaryId = yield* (yield* fake).addGlossary({ sourceLanguage: "en", targetLanguage: "de", entries })
      const other = yield* (yield* fake).addGlossary({
        sourceLanguage: "en",
        targetLanguage: "de",
        entries: new Map([["Artist", "Künstler"], ["year", "Jahr"]])
      })
      const pair = { sourceLanguage: "EN", targetLanguage: "DE" }
      const text = ["Artist, artist, Artistry, Artist of the year; C++!", "<b title=\"Artist\">Artist</b>"]
      const texts = (options: Partial<typeof TranslationApi.TranslateBody.Type>) =>
        Effect.map(translate({ ...pair, text, ...options }), (all) => all.map((one) => one.text))
      assert.deepStrictEqual(yield* texts({ glossaryId, tagHandling: "xml" }), [
        "[de] Maler, artist, Artistry, Maler des Jahres; Zeh plus!",
        "[de] <b title=\"Artist\">Maler</b>"
      ])
      assert.deepStrictEqual(yield* texts({ glossaryIds: [other, glossaryId], text: ["Artist of the year, C++"] }), [
        "[de] Maler des Jahres, Zeh plus"
      ])
      assert.deepStrictEqual(yield* texts({ glossaryIds: [other, glossaryId], text: ["Artist"] }), ["[de] Künstler"])
      assert.deepStrictEqual(yield* texts({ text: ["Artist"] }), ["[de] Artist"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes a text that a translation memory holds from there", () =>
    Effect.gen(function*() {
      const translationMemoryId = yield* (yield* fake).addTranslationMemory({
        sourceLanguage: "en",
        targetLanguages: ["de", "fr"],
        segments: [{ source: "Good morning", targets: { de: "Moin", fr: "Salut" } }]
      })
      const text = ["Good morning", "Good morning, all"]
      const translated = yield* translate({ text, translationMemoryId })
      assert.deepStrictEqual(translated.map((one) => one.text), ["Moin", "[de] Good morning, all"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("works with a style rule list whatever the model", () =>
    Effect.gen(function*() {
      const { styleId } = yield* (yield* client).StyleRules.create({ payload: { name: "Haus", language: "de" } })
      for (const modelType of ["latency_optimized", "quality_optimized", "prefer_quality_optimized"]) {
        assert.strictEqual((yield* translate({ styleId, modelType })).length, 1)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("uses a glossary for English, Portuguese or Chinese in all their variants", () =>
    Effect.gen(function*() {
      const variants = { en: ["en-GB", "en-US"], pt: ["pt-BR", "PT-pt"], zh: ["zh", "zh-Hans", "ZH-HANT"] }
      for (const [targetLanguage, targets] of Object.entries(variants)) {
        const glossaryId = yield* (yield* fake).addGlossary({ sourceLanguage: "de", targetLanguage })
        for (const target of targets) {
          assert.strictEqual((yield* translate({ targetLanguage: target, sourceLanguage: "DE", glossaryId })).length, 1)
        }
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes formality and custom instructions exactly for the targets that list the feature", () =>
    Effect.gen(function*() {
      const { Languages } = yield* client
      const targets = (yield* Languages.list({ query: { resource: "translate_text" } })).filter((language) =>
        language.usableAsTarget
      )
      for (const { code, features = {} } of targets) {
        for (
          const [feature, payload] of [["formality", { formality: "more" }], ["style_rules", {
            customInstructions: ["a"]
          }]] as const
        ) {
          const { _tag } = yield* Effect.result(translate({ targetLanguage: code, ...payload }))
          assert.strictEqual(_tag, feature in features ? "Success" : "Failure", `${feature} ${code}`)
        }
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes codes in any case", () =>
    Effect.gen(function*() {
      for (const targetLanguage of ["DE", "de", "De", "EN-GB", "en-gb", "zh-HANT", "Es-419"]) {
        const [translated] = yield* translate({ targetLanguage, sourceLanguage: "FR" })
        assert.strictEqual(translated?.detectedSourceLanguage, "FR")
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("has the names of the wire, and one translation for each text in order", () =>
    Effect.gen(function*() {
      const { json, status } = yield* send("POST", "/v2/translate", {
        body: JSON.stringify({
          text: ["b", "a", "b"],
          target_lang: "DE",
          source_lang: "en",
          model_type: "quality_optimized",
          show_billed_characters: true
        })
      })
      assert.deepStrictEqual([status, json], [200, { translations: ["b", "a", "b"].map(onTheWire) }])
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
