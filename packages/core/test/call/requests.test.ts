import { DocumentId, GlossaryId, InstructionId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import * as Sample from "../support/operations.ts"
import * as Wire from "../support/Wire.ts"

const styleId = StyleId.make("s1")

/** The body of the only request. */
const theBody = Effect.map(Wire.sent, (sent) => {
  assert.strictEqual(sent.length, 1)
  return sent[0]?.body
})

/** The address of the only request. */
const theUrl = Effect.map(Wire.sent, (sent) => {
  assert.strictEqual(sent.length, 1)
  return sent[0]?.url
})

const improved = Wire.layer([Wire.answer(200, Sample.improvements)])
const translated = Wire.layer([Wire.answer(200, Sample.translations)])

describe("requests", () => {
  it.effect("a tone is sent, and a style with the value default is not", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      yield* writing.rephrase({ text: ["a"], tone: "prefer_friendly", writingStyle: "default" })
      assert.strictEqual(yield* theBody, `{"text":["a"],"tone":"prefer_friendly"}`)
    }).pipe(Effect.provide(improved)))

  it.effect("a writing style is sent, and a tone with the value default is not", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      yield* writing.rephrase({ text: ["a"], targetLanguage: "de", tone: "default", writingStyle: "business" })
      assert.strictEqual(yield* theBody, `{"text":["a"],"target_lang":"de","writing_style":"business"}`)
    }).pipe(Effect.provide(improved)))

  it.effect("undefined options are omitted", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      yield* writing.rephrase({ text: ["a"], targetLanguage: undefined, tone: undefined, writingStyle: undefined })
      assert.strictEqual(yield* theBody, `{"text":["a"]}`)
    }).pipe(Effect.provide(improved)))

  it.effect("text is sent as UTF-8, unescaped, with its length in bytes", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      yield* writing.correct({ text: ["größer \u2028 😀 \"\\\n"] })
      const [sent] = yield* Wire.sent
      assert.strictEqual(sent?.body, `{"text":["größer \u2028 😀 \\"\\\\\\n"]}`)
      assert.strictEqual(sent?.headers["content-length"], "37")
    }).pipe(Effect.provide(improved)))

  it.effect("a list is created with its rules and instructions", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      yield* rules.create({
        name: "House style",
        language: "EN",
        configuredRules: { punctuation: { periods_in_academic_degrees: "do_not_use" }, newer: { rule: "option" } },
        customInstructions: [
          { label: "a", prompt: "b", sourceLanguage: "de" },
          { label: "c", prompt: "d", sourceLanguage: undefined }
        ]
      })
      assert.strictEqual(
        yield* theBody,
        `{"name":"House style","language":"en",` +
          `"configured_rules":{"punctuation":{"periods_in_academic_degrees":"do_not_use"},"newer":{"rule":"option"}},` +
          `"custom_instructions":[{"label":"a","prompt":"b","source_language":"de"},{"label":"c","prompt":"d"}]}`
      )
    }).pipe(Effect.provide(Wire.layer([Wire.answer(201, Sample.list)]))))

  it.effect("rules are cleared by an empty object", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      yield* rules.replaceConfiguredRules({ styleId, configuredRules: {} })
      assert.strictEqual(yield* theBody, "{}")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { ...Sample.list, style_id: styleId })]))))

  it.effect("an added instruction is sent with its language", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      yield* rules.addInstruction({ styleId, label: "a", prompt: "b", sourceLanguage: "de" })
      assert.strictEqual(yield* theBody, `{"label":"a","prompt":"b","source_language":"de"}`)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(201, Sample.instruction)]))))

  it.effect("a page is requested in the query", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      yield* rules.listPage({ page: 0, pageSize: 25, detailed: true })
      assert.strictEqual(yield* theUrl, "https://service.test/v3/style_rules?page=0&page_size=25&detailed=true")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { style_rules: [] })]))))

  it.effect("languages are listed without unrequested features", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      yield* Stream.runCollect(languages.list({ resource: "voice", include: [] }))
      yield* Stream.runCollect(languages.list({ resource: "write", include: undefined }))
      yield* Stream.runCollect(languages.listV2())
      assert.deepStrictEqual((yield* Wire.sent).map(({ url }) => url), [
        "https://service.test/v3/languages?resource=voice",
        "https://service.test/v3/languages?resource=write",
        "https://service.test/v2/languages"
      ])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(200, [])))))

  it.effect("every option of a translation is sent under its wire name", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      yield* translation.translate({
        text: ["Good day"],
        targetLanguage: "de",
        sourceLanguage: "en",
        context: "a letter",
        showBilledCharacters: true,
        splitSentences: "nonewlines",
        preserveFormatting: false,
        formality: "prefer_more",
        modelType: "quality_optimized",
        glossaryIds: [GlossaryId.make("g1"), GlossaryId.make("g2")],
        styleId,
        translationMemoryId: TranslationMemoryId.make("m1"),
        translationMemoryThreshold: 75,
        customInstructions: ["Be brief."],
        tagHandling: "xml",
        tagHandlingVersion: "v2",
        outlineDetection: false,
        splittingTags: ["p"],
        nonSplittingTags: ["b"],
        ignoreTags: ["code"],
        enableBetaLanguages: true
      })
      assert.deepStrictEqual(JSON.parse((yield* theBody) ?? ""), {
        text: ["Good day"],
        target_lang: "de",
        source_lang: "en",
        context: "a letter",
        show_billed_characters: true,
        split_sentences: "nonewlines",
        preserve_formatting: false,
        formality: "prefer_more",
        model_type: "quality_optimized",
        glossary_ids: ["g1", "g2"],
        style_id: "s1",
        translation_memory_id: "m1",
        translation_memory_threshold: 75,
        custom_instructions: ["Be brief."],
        tag_handling: "xml",
        tag_handling_version: "v2",
        outline_detection: false,
        splitting_tags: ["p"],
        non_splitting_tags: ["b"],
        ignore_tags: ["code"],
        enable_beta_languages: true
      })
    }).pipe(Effect.provide(translated)))

  it.effect("one glossary is sent as glossary_id", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      yield* translation.translate({
        text: ["a"],
        targetLanguage: "de",
        sourceLanguage: "en",
        glossaryId: GlossaryId.make("g1"),
        context: undefined
      })
      assert.strictEqual(
        yield* theBody,
        `{"text":["a"],"target_lang":"de","source_lang":"en","glossary_id":"g1"}`
      )
    }).pipe(Effect.provide(translated)))

  const odd = "ab?c=d#e%2F..;ü 😀"

  it.effect("an id is one segment of the path, whatever it contains", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const documents = yield* Documents
      yield* rules.get({ styleId: StyleId.make(odd) })
      yield* rules.getInstruction({ styleId: StyleId.make("..."), instructionId: InstructionId.make(odd) })
      yield* documents.download({ documentId: DocumentId.make(odd), documentKey: Redacted.make("k") })
      const escaped = "ab%3Fc%3Dd%23e%252F..%3B%C3%BC%20%F0%9F%98%80"
      assert.deepStrictEqual((yield* Wire.sent).map(({ url }) => url), [
        `https://service.test/v3/style_rules/${escaped}`,
        `https://service.test/v3/style_rules/.../custom_instructions/${escaped}`,
        `https://service.test/v2/document/${escaped}/result`
      ])
    }).pipe(
      Effect.provide(
        Wire.layer([
          Wire.answer(200, { ...Sample.list, style_id: odd }),
          Wire.answer(200, { ...Sample.instruction, id: odd }),
          Wire.answer(200)
        ])
      )
    ))

  it.effect("the base address may have a path, with or without slashes at its end", () =>
    Effect.forEach(
      ["", "/", "//"].map((end) => `https://host.test:8443/some/prefix${end}`),
      (baseUrl) =>
        Effect.gen(function*() {
          const languages = yield* Languages
          yield* languages.resources
          assert.strictEqual(yield* theUrl, "https://host.test:8443/some/prefix/v3/languages/resources")
        }).pipe(Effect.provide(Wire.layer([Wire.answer(200, [])], { baseUrl })))
    ))

  it.effect("scheme word, user agent and headers are those of the configuration", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      yield* detection.detect({ text: ["a"] })
      const [sent] = yield* Wire.sent
      assert.deepStrictEqual(sent?.headers, {
        "content-type": "application/json",
        "content-length": "14",
        "x-reporting-tag": "nightly",
        "user-agent": "app/1.2.3",
        authorization: "Bearer a-key"
      })
    }).pipe(
      Effect.provide(
        Wire.layer([Wire.answer(200, { results: [{ detection_status: "success", detected_language: "en" }] })], {
          key: Redacted.make("a-key"),
          authScheme: "Bearer",
          userAgent: "app/1.2.3",
          headers: { "X-Reporting-Tag": "nightly" }
        })
      )
    ))
})
