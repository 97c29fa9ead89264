import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import type { TranslateTextOptions } from "deepl-node"
import { Effect } from "effect"
import { call, layer, make } from "./client.ts"

/** The fields of the form that the client sent last. */
const sent = Effect.flatMap(
  FakeLanguageService,
  ({ requests }) =>
    Effect.map(requests, (all) => {
      const fields: Record<string, ReadonlyArray<string>> = {}
      for (const [name, value] of new URLSearchParams(all.at(-1)?.body)) fields[name] = [...fields[name] ?? [], value]
      return fields
    })
)

describe("translation by deepl-node, against the fake on a socket", () => {
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
})
