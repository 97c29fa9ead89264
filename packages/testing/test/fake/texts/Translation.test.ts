import type { TranslationApi } from "@effect-lingua/core/extension/Resources"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "../../support/client.ts"

const fake = FakeLanguageService

const translate = Effect.fnUntraced(function*(payload: Partial<typeof TranslationApi.TranslateBody.Type>) {
  const { translations } = yield* (yield* client).Translation.translate({
    payload: { text: ["Hello"], targetLanguage: "de", ...payload }
  })
  return translations
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

  it.effect("uses a translation memory of a root language for its variants", () =>
    Effect.gen(function*() {
      const segments = [{ source: "Hello", targets: { pt: "Bom dia" } }]
      const memory = { sourceLanguage: "en", targetLanguages: ["pt"], segments }
      const translationMemoryId = yield* (yield* fake).addTranslationMemory(memory)
      const [translated] = yield* translate({ sourceLanguage: "en", targetLanguage: "pt-BR", translationMemoryId })
      assert.strictEqual(translated?.text, "Bom dia")
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
})
