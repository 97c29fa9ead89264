import { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import { type TranslateOptions, Translation } from "@effect-lingua/core/texts/Translation"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { charactersOf, check, fakeCheck, nothing, paidCheck, refused, same, that } from "../check.ts"
import { altered, padded, read, refusedBodies, sendForm } from "../host.ts"
import { aGlossary, aList } from "../lists.ts"
import type { Check } from "../model.ts"

const translate = (options: TranslateOptions) => Translation.use((translation) => translation.translate(options))

/** Options that translate one character to German. */
const small = { text: ["a"], targetLanguage: "de" }

/** A message with placeholders, which is sent as XML; XML tags are not counted. */
const message = "Hello {name}, you have {count} new letters & a bill."

const texts = ["The train to Berlin is late.", "The children are playing in the gardens of Hamburg."]
const marks = [/Berlin/, /Hamburg/]

export const translation: ReadonlyArray<Check> = [
  check("Translation: each text is translated, in order, with its language found", {
    source: "Translation requests",
    characters: charactersOf(...texts)
  }, function*() {
    const translations = yield* translate({ text: texts, targetLanguage: "de" })
    yield* same("the number of translations", translations.length, texts.length)
    yield* that(
      translations.every(({ text }, index) => marks[index]?.test(text) === true),
      "translations in the order of the texts",
      translations
    )
    yield* same(
      "the languages",
      translations.map(({ detectedSourceLanguage }) => detectedSourceLanguage?.toUpperCase()),
      ["EN", "EN"]
    )
  }),
  check("Translation: billed characters and the model are returned on request", {
    characters: charactersOf("Good 😀")
  }, function*() {
    const [translated] = yield* translate({
      text: ["Good 😀"],
      targetLanguage: "DE",
      sourceLanguage: "EN",
      showBilledCharacters: true,
      modelType: "latency_optimized"
    })
    yield* same("the billed characters", translated?.billedCharacters, 6)
    yield* that(translated?.modelTypeUsed !== undefined, "the model that was used", translated)
  }),
  paidCheck("Translation: a style rule list is used with any model when its language is the target's", {
    source: "Translation requests",
    characters: 3
  }, function*() {
    const { styleId } = yield* aList({ language: "de" })
    yield* Effect.forEach(
      ["latency_optimized", "quality_optimized", "prefer_quality_optimized"],
      (modelType) => translate({ ...small, styleId, modelType })
    )
  }),
  paidCheck(
    "Translation: a style rule list of another language is refused",
    { source: "Translation requests" },
    () =>
      Effect.flatMap(
        aList({ language: "fr" }),
        ({ styleId }) => refused(translate({ ...small, styleId }), "BadRequest")
      )
  ),
  check("Translation: an unknown translation memory is refused with 404, and so is an unknown list or glossary", {
    source: "Errors"
  }, function*() {
    yield* refused(translate({ ...small, translationMemoryId: TranslationMemoryId.make(nothing) }), "NotFound")
    // Either error is correct, because only the status for translation memories is specified.
    yield* refused(translate({ ...small, styleId: StyleId.make(nothing) }), "NotFound", "BadRequest")
    yield* refused(
      translate({ ...small, sourceLanguage: "en", glossaryId: GlossaryId.make(nothing) }),
      "NotFound",
      "BadRequest"
    )
  }),
  check("Translation: a requested glossary takes effect", {
    characters: charactersOf("Artist")
  }, function*() {
    const { glossaryId } = yield* aGlossary(new Map([["Artist", "Maler"]]))
    const [translated] = yield* translate({ text: ["Artist"], targetLanguage: "de", sourceLanguage: "en", glossaryId })
    yield* that(/Maler/.test(translated?.text ?? ""), "a text with Maler", translated?.text)
  }),
  fakeCheck("Translation: a glossary replaces whole words of its pair, the longest term first", {
    characters: 2 * charactersOf("The Artist Manager likes Artists.")
  }, function*({ fake }) {
    const entries = new Map([["Artist", "Maler"], ["Artist Manager", "Künstlermanager"]])
    const glossaryId = yield* fake.addGlossary({ sourceLanguage: "en", targetLanguage: "de", entries })
    const text = ["The Artist Manager likes Artists."]
    const [named] = yield* translate({ text, targetLanguage: "de", sourceLanguage: "en", glossaryId })
    yield* same("the text", named?.text, "[de] The Künstlermanager likes Artists.")
    const [plain] = yield* translate({ text, targetLanguage: "de", sourceLanguage: "en" })
    yield* same("the text without a glossary", plain?.text, "[de] The Artist Manager likes Artists.")
  }),
  fakeCheck("Translation: a text of a translation memory gets its translation", {
    characters: charactersOf("Screw", "Screws")
  }, function*({ fake }) {
    const translationMemoryId = yield* fake.addTranslationMemory({
      sourceLanguage: "en",
      targetLanguages: ["de"],
      segments: [{ source: "Screw", targets: { de: "Schraube" } }]
    })
    const text = ["Screw", "Screws"]
    const translated = yield* translate({ text, targetLanguage: "de", sourceLanguage: "en", translationMemoryId })
    yield* same("the texts", translated.map(({ text }) => text), ["Schraube", "[de] Screws"])
  }),
  check("Translation: a form may repeat any field", { characters: charactersOf("a") }, function*() {
    const answer = yield* sendForm("/v2/translate", [["text", "a"], ["target_lang", "de"], ["target_lang", "de"]])
    yield* read(Schema.Struct({ translations: Schema.Tuple([Schema.Struct({ text: Schema.String })]) }), answer)
  }),
  check("Translation: a translation memory or glossary that does not cover the pair is refused", {
    source: "Errors",
    needs: ["fake"]
  }, function*({ fake }) {
    const translationMemoryId = yield* fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["fr"] })
    yield* refused(translate({ ...small, translationMemoryId }), "NotFound")
    const glossaryId = yield* fake.addGlossary({ sourceLanguage: "en", targetLanguage: "fr" })
    yield* refused(translate({ ...small, sourceLanguage: "en", glossaryId }), "BadRequest", "NotFound")
  }),
  check("Translation: translateInto returns the texts of each language", {
    source: "Translation requests",
    characters: 2 * charactersOf(...texts)
  }, function*() {
    const { de, fr } = yield* Translation.use((translation) =>
      translation.translateInto({ text: texts, targetLanguages: ["de", "fr"] })
    )
    for (const translations of [de, fr]) {
      yield* same(
        "texts",
        translations.map(({ text }, index) => marks[index]?.test(text)),
        [true, true]
      )
    }
    yield* that(de[0]?.text !== fr[0]?.text, "another text for another language", de[0]?.text)
  }),
  check("Translation: placeholders are returned unchanged", {
    characters: charactersOf(message.replace("&", "&amp;"))
  }, function*() {
    const [translated] = yield* Placeholders.translate({
      text: [message],
      targetLanguage: "de",
      placeholders: "icu"
    })
    yield* that(
      /^(?=.*\{name\})(?=.*\{count\})(?!.*<x)(?!.*&amp;).*$/.test(translated?.text ?? ""),
      "a text with {name} and {count}, without markup",
      translated?.text
    )
  }),
  check(
    "Translation: a reporting tag is accepted, and one of 101 characters is refused",
    { characters: 1 },
    function*() {
      const tagged = translate({ ...small, reportingTag: "conformance" })
      yield* tagged
      yield* altered({
        request: (request) =>
          Object.keys(request.headers).filter((name) => name.endsWith("-reporting-tag")).reduce(
            (altered, name) => HttpClientRequest.setHeader(altered, name, "a".repeat(101)),
            request
          )
      }, refused(tagged, "BadRequest"))
    }
  ),
  check("Translation: invalid values are refused", { source: "Errors" }, () =>
    Effect.forEach([
      { targetLanguage: "xx" },
      { sourceLanguage: "xx" },
      { formality: "no-such-formality" },
      { targetLanguage: "en-US", formality: "more" },
      { modelType: "no-such-model" },
      { splitSentences: "no-such-way" },
      { tagHandling: "no-such-markup" }
    ], (wrong) => refused(translate({ ...small, ...wrong }), "BadRequest"))),
  check("Translation: a glossary without a source language is refused", {
    source: "Translation requests",
    only: "spec"
  }, () => refusedBodies("/v2/translate", [{ text: ["a"], target_lang: "de", glossary_id: nothing }], 400, 404)),
  check("Translation: a request without texts or target, or that is no JSON, is refused", {
    source: "Errors"
  }, () => refusedBodies("/v2/translate", [{ target_lang: "de" }, { text: ["a"] }, `{"text": ["a`], 400)),
  check("Translation: more than 50 texts, and a body over 128 KiB, are refused", {}, function*() {
    yield* altered(
      { settings: { limits: { translationTexts: Infinity } } },
      refused(translate({ ...small, text: Array.from({ length: 51 }, () => "a") }), "BadRequest")
    )
    yield* altered({ request: padded(128 * 1024) }, refused(translate(small), "PayloadTooLarge", "BadRequest"))
  })
]
