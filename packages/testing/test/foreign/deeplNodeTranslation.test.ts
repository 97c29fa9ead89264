import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DeepLError, GlossaryEntries, QuotaExceededError, type TranslateTextOptions } from "deepl-node"
import { Effect } from "effect"
import { call, effectCounts, layer, make, record, refused } from "./client.ts"

const unknown = "00000000-0000-4000-8000-000000000000"

/** The fields of the form that the client sent last. */
const sent = Effect.flatMap(
  FakeLanguageService,
  ({ requests }) =>
    Effect.map(requests(), (all) => {
      const fields: Record<string, ReadonlyArray<string>> = {}
      for (const [name, value] of new URLSearchParams(all.at(-1)?.body)) fields[name] = [...fields[name] ?? [], value]
      return fields
    })
)

describe("translation by deepl-node, against the fake on a socket", () => {
  it.effect("gives one result for one text, and several in their order for several", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { quota } = yield* FakeLanguageService
      const one = yield* call(() => client.translateText("Good day", null, "de"))
      assert.deepInclude(one, { text: "[de] Good day", detectedSourceLang: "en", billedCharacters: 8 })
      const several = yield* call(() => client.translateText(["one & two", "три=3"], "en", "pt-BR"))
      assert.deepStrictEqual(several.map(({ text }) => text), ["[pt-BR] one & two", "[pt-BR] три=3"])
      // The client writes scripts in capitals. The specification takes codes in any case.
      const script = yield* call(() => client.translateText("one", "en", "zh-HANS"))
      assert.strictEqual(script.text, "[zh-Hans] one")
      assert.strictEqual((yield* quota()).used, 8 + 9 + 5 + 3)
      assert.deepStrictEqual(yield* effectCounts, { "Translation.translate": 3 })
    }).pipe(Effect.provide(layer())))

  it.effect("uses the terms of a glossary that it has made, of either version", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const entries = new GlossaryEntries({ entries: { Artist: "Maler" } })
      const old = yield* call(() => client.createGlossary("Old", "en", "de", entries))
      const dictionary = { sourceLangCode: "en", targetLangCode: "de", entries } as const
      const made = yield* call(() => client.createMultilingualGlossary("New", [dictionary]))
      const texts = ["The Artist.", "Artists"]
      for (const glossary of [old, made]) {
        const translated = yield* call(() => client.translateText(texts, "en", "de", { glossary }))
        assert.deepStrictEqual(translated.map(({ text }) => text), ["[de] The Maler.", "[de] Artists"])
      }
      const without = yield* call(() => client.translateText("The Artist.", "en", "de"))
      assert.strictEqual(without.text, "[de] The Artist.")
    }).pipe(Effect.provide(layer())))

  it.effect("can send each of its options, and each is taken", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { addGlossary, addTranslationMemory } = yield* FakeLanguageService
      const pair = { sourceLanguage: "en", targetLanguage: "de" }
      const [glossary, other] = [yield* addGlossary(pair), yield* addGlossary(pair)]
      const memory = yield* addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
      const list = yield* call(() => client.createStyleRule({ name: "Haus", language: "de" }))
      const options: ReadonlyArray<readonly [TranslateTextOptions, Readonly<Record<string, ReadonlyArray<string>>>]> = [
        [{ splitSentences: "on" }, { split_sentences: ["1"] }],
        [{ splitSentences: "default" }, { split_sentences: ["1"] }],
        [{ splitSentences: "off" }, { split_sentences: ["0"] }],
        [{ splitSentences: "nonewlines" }, { split_sentences: ["nonewlines"] }],
        [{ preserveFormatting: true }, { preserve_formatting: ["1"] }],
        [{ preserveFormatting: false }, { preserve_formatting: ["0"] }],
        [{ formality: "less" }, { formality: ["less"] }],
        [{ formality: "prefer_more" }, { formality: ["prefer_more"] }],
        [{ context: "About tea, a+b & c." }, { context: ["About tea, a+b & c."] }],
        [{ modelType: "latency_optimized" }, { model_type: ["latency_optimized"] }],
        [{ glossary }, { glossary_id: [glossary] }],
        [{ glossaryIds: [glossary, other] }, { glossary_ids: [`${glossary},${other}`] }],
        [{ styleRule: list }, { style_id: [list.styleId] }],
        [{ styleRule: list.styleId }, { style_id: [list.styleId] }],
        [{ translationMemory: memory, translationMemoryThreshold: 80 }, {
          translation_memory_id: [memory],
          translation_memory_threshold: ["80"]
        }],
        [{ customInstructions: ["Be brief.", "Say you, not one."] }, {
          custom_instructions: ["Be brief.", "Say you, not one."]
        }],
        [{ tagHandling: "html" }, { tag_handling: ["html"] }],
        [{
          tagHandling: "xml",
          tagHandlingVersion: "v2",
          outlineDetection: false,
          splittingTags: ["p", "li"],
          nonSplittingTags: "b",
          ignoreTags: ["code", "pre"]
        }, {
          tag_handling: ["xml"],
          tag_handling_version: ["v2"],
          outline_detection: ["0"],
          splitting_tags: ["p,li"],
          non_splitting_tags: ["b"],
          ignore_tags: ["code,pre"]
        }],
        [{ outlineDetection: true, tagHandling: "xml" }, { outline_detection: ["1"], tag_handling: ["xml"] }],
        [{ extraRequestParameters: { enable_beta_languages: "1" } }, { enable_beta_languages: ["1"] }]
      ]
      for (const [option, fields] of options) {
        const { text } = yield* call(() => client.translateText("tea", "en", "de", option))
        assert.strictEqual(text, "[de] tea")
        assert.deepStrictEqual(yield* sent, {
          target_lang: ["de"],
          source_lang: ["en"],
          show_billed_characters: ["1"],
          text: ["tea"],
          ...fields
        })
      }
      const { modelTypeUsed } = yield* call(() =>
        client.translateText("tea", "en", "de", { modelType: "prefer_quality_optimized" })
      )
      assert.strictEqual(modelTypeUsed, "quality_optimized")
    }).pipe(Effect.provide(layer())))

  it.effect("is refused in the words of the service for what a request refers to", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { addGlossary, addTranslationMemory } = yield* FakeLanguageService
      const glossary = yield* addGlossary({ sourceLanguage: "en", targetLanguage: "fr" })
      const fitting = yield* addGlossary({ sourceLanguage: "en", targetLanguage: "de" })
      const memory = yield* addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["fr"] })
      const french = yield* call(() => client.createStyleRule({ name: "Maison", language: "fr" }))
      const translate = (options: TranslateTextOptions) => () => client.translateText("tea", "en", "de", options)
      const refusals: ReadonlyArray<readonly [TranslateTextOptions, string]> = [
        [{ glossary: unknown }, "Not found, message: Glossary not found"],
        [{ glossary }, "Bad request, message: The glossary has no dictionary for the language pair."],
        [{ glossaryIds: [fitting, glossary] }, "The glossary has no dictionary for the language pair."],
        [{ glossaryIds: [fitting, unknown] }, "Not found, message: Glossary not found"],
        [{ styleRule: unknown }, "Not found, message: Style rule list not found"],
        [{ styleRule: french }, "The language of the style rule list does not match the target language."],
        // The specification has 404 where other descriptions have 400 for a memory that does not fit.
        [{ translationMemory: unknown }, "Not found, message: Translation memory not found"],
        [{ translationMemory: memory }, "Not found, message: Translation memory does not cover the language pair"],
        [{ customInstructions: Array.from({ length: 11 }, () => "Be brief.") }, "custom_instructions"],
        [{ extraRequestParameters: { translation_memory_threshold: "101" } }, "translation_memory_threshold"],
        [{ extraRequestParameters: { formality: "grand" } }, "Value for 'formality' not supported."],
        [{ extraRequestParameters: { target_lang: "xx" } }, "Value for 'target_lang' not supported."]
      ]
      for (const [options, words] of refusals) yield* refused(translate(options), DeepLError, words)
      yield* refused(
        () => client.translateText("tea", "en", "ko", { formality: "more" }),
        DeepLError,
        "Target language 'KO' doesn't support formality."
      )
      yield* refused(
        () => client.translateText(Array.from({ length: 51 }, () => "tea"), "en", "de"),
        DeepLError,
        "more than 50 texts"
      )
      yield* refused(() => client.translateText("tea".repeat(50), "en", "de"), QuotaExceededError, "Quota Exceeded")
      const translations = (yield* record).filter(([operation]) => operation === "Translation.translate")
      assert.isTrue(translations.every(([, status]) => Number(status) >= 400))
      assert.deepStrictEqual(yield* effectCounts, { "StyleRules.create": 1 })
    }).pipe(Effect.provide(layer({ quota: { characters: 100 } }))))

  it.effect("is refused before it is sent for `en` and `pt` as targets, which are sources only, and a glossary without a source", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { requests } = yield* FakeLanguageService
      // The specification has both as sources only; so the fake, asked past the client's check, refuses them too.
      // @ts-expect-error -- its types say so too
      yield* refused(() => client.translateText("tea", null, "en"), DeepLError, "'en' is deprecated")
      // @ts-expect-error -- its types say so too
      yield* refused(() => client.translateText("tea", null, "pt"), DeepLError, "'pt' is deprecated")
      for (const target_lang of ["en", "pt"]) {
        yield* refused(
          () => client.translateText("tea", null, "de", { extraRequestParameters: { target_lang } }),
          DeepLError,
          "Value for 'target_lang' not supported."
        )
      }
      yield* refused(
        () => client.translateText("tea", null, "de", { glossary: unknown }),
        DeepLError,
        "sourceLang is required"
      )
      assert.strictEqual((yield* requests()).length, 2)
    }).pipe(Effect.provide(layer())))
})
