import { Detection, Documents, Glossaries, Ids, Languages, StyleRules, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { Sample, Wire } from "../support/index.ts"

const styleId = Ids.StyleId.make("s1")
const glossaryId = Ids.GlossaryId.make("g1")
const pair = { sourceLanguage: "EN", targetLanguage: "De" }
const entries = new Map([["a", "b"]])
const configuredRules = { punctuation: { periods_in_academic_degrees: "do_not_use" }, newer: { rule: "option" } }
const sentRules = `{"punctuation":{"periods_in_academic_degrees":"do_not_use"},"newer":{"rule":"option"}}`
const sentDictionary = `"source_lang":"en","target_lang":"de","entries":"a\\tb","entries_format":"tsv"`

const rephrase = (options: Partial<Writing.RephraseOptions>) =>
  Writing.use((all) => all.rephrase({ text: ["a"], ...options }))
const translate = (options: Partial<Translation.TranslateOptions>) =>
  Translation.use((all) => all.translate({ text: ["a"], targetLanguage: "de", ...options }))

/** Calls, and the body that each sends; without one, the end of its address. Codes have the case of BCP 47, because some hosts compare it. */
const requests: ReadonlyArray<readonly [what: string, call: Sample.Operation["call"], sent: string]> = [
  [
    "a tone, and no style with the value default",
    rephrase({ tone: "prefer_friendly", writingStyle: "default" }),
    `{"text":["a"],"tone":"prefer_friendly"}`
  ],
  [
    "a writing style, and no tone with the value default",
    rephrase({ targetLanguage: "de", tone: "default", writingStyle: "business" }),
    `{"text":["a"],"target_lang":"de","writing_style":"business"}`
  ],
  [
    "no undefined option",
    rephrase({ targetLanguage: undefined, tone: undefined, writingStyle: undefined }),
    `{"text":["a"]}`
  ],
  ["the code of a rephrased text", rephrase({ targetLanguage: "zh-hans" }), `{"text":["a"],"target_lang":"zh-Hans"}`],
  [
    "the code of a correction",
    Writing.use(({ correct }) => correct({ text: ["a"], targetLanguage: "EN-gb" })),
    `{"text":["a"],"target_lang":"en-GB"}`
  ],
  [
    "a list with its rules and instructions",
    StyleRules.use(({ create }) =>
      create({
        name: "House style",
        language: "EN",
        configuredRules,
        customInstructions: [
          { label: "a", prompt: "b", sourceLanguage: "de" },
          { label: "c", prompt: "d", sourceLanguage: undefined }
        ]
      })
    ),
    `{"name":"House style","language":"en","configured_rules":${sentRules},` +
    `"custom_instructions":[{"label":"a","prompt":"b","source_language":"de"},{"label":"c","prompt":"d"}]}`
  ],
  [
    "an empty object that clears rules",
    StyleRules.use((rules) => rules.replaceConfiguredRules({ styleId, configuredRules: {} })),
    "{}"
  ],
  [
    "an added instruction with its language",
    StyleRules.use((rules) => rules.addInstruction({ styleId, label: "a", prompt: "b", sourceLanguage: "de" })),
    `{"label":"a","prompt":"b","source_language":"de"}`
  ],
  [
    "a page in the query",
    StyleRules.use(({ listPage }) => listPage({ page: 0, pageSize: 25, detailed: true })),
    "/v3/style_rules?page=0&page_size=25&detailed=true"
  ],
  [
    "no list of features that is empty",
    Languages.use(({ list }) => Stream.runCollect(list({ resource: "voice", include: [] }))),
    "/v3/languages?resource=voice"
  ],
  [
    "no list of features that is undefined",
    Languages.use(({ list }) => Stream.runCollect(list({ resource: "write", include: undefined }))),
    "/v3/languages?resource=write"
  ],
  ["no absent type", Languages.use(({ listV2 }) => Stream.runCollect(listV2())), "/v2/languages"],
  [
    "one glossary as glossary_id",
    translate({ sourceLanguage: "en", glossaryId, context: undefined }),
    `{"text":["a"],"target_lang":"de","source_lang":"en","glossary_id":"g1"}`
  ],
  [
    "the codes of a new glossary",
    Glossaries.use(({ create }) => create({ name: "a", dictionaries: [{ ...pair, entries }] })),
    `{"name":"a","dictionaries":[{${sentDictionary}}]}`
  ],
  [
    "the codes of a replaced dictionary",
    Glossaries.use(({ replaceDictionary }) => replaceDictionary({ glossaryId, ...pair, entries })),
    `{${sentDictionary}}`
  ],
  [
    "the codes of entries",
    Glossaries.use((all) => all.entries({ glossaryId, ...pair })),
    "/v3/glossaries/g1/entries?source_lang=en&target_lang=de"
  ],
  [
    "the codes of a removed dictionary",
    Glossaries.use(({ removeDictionary }) => removeDictionary({ glossaryId, ...pair })),
    "/v3/glossaries/g1/dictionaries?source_lang=en&target_lang=de"
  ]
]

/** The address of the only request. */
const theUrl = Effect.map(Wire.sent, (sent) => {
  assert.strictEqual(sent.length, 1)
  return sent[0]?.url
})

/** The name on the wire of an option of a translation. */
const wireName = (name: string) =>
  name.replace(/Language$/, "Lang").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

describe("requests", () => {
  it.effect.each(requests)("have %s", ([, call, sent]) =>
    Effect.gen(function*() {
      yield* Effect.exit(call)
      assert.deepStrictEqual((yield* Wire.sent).map(({ body, url }) => body || url.replace(Wire.baseUrl, "")), [sent])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400)))))

  it.effect("text is sent as UTF-8, unescaped, with its length in bytes", () =>
    Effect.gen(function*() {
      yield* Writing.use((writing) => writing.correct({ text: ["größer \u2028 😀 \"\\\n"] }))
      const [sent] = yield* Wire.sent
      assert.strictEqual(sent?.body, `{"text":["größer \u2028 😀 \\"\\\\\\n"]}`)
      assert.strictEqual(sent?.headers["content-length"], "37")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, Sample.improvements)]))))

  it.effect("every option of a translation is sent under its wire name", () =>
    Effect.gen(function*() {
      const options: Translation.TranslateOptions = {
        text: ["Good day"],
        targetLanguage: "de",
        sourceLanguage: "en",
        context: "a letter",
        showBilledCharacters: true,
        splitSentences: "nonewlines",
        preserveFormatting: false,
        formality: "prefer_more",
        modelType: "quality_optimized",
        glossaryIds: [glossaryId, Ids.GlossaryId.make("g2")],
        styleId,
        translationMemoryId: Ids.TranslationMemoryId.make("m1"),
        translationMemoryThreshold: 75,
        customInstructions: ["Be brief."],
        tagHandling: "xml",
        tagHandlingVersion: "v2",
        outlineDetection: false,
        splittingTags: ["p"],
        nonSplittingTags: ["b"],
        ignoreTags: ["code"],
        enableBetaLanguages: true
      }
      yield* Translation.use((translation) => translation.translate(options))
      const [sent] = yield* Wire.sent
      const expected = Object.entries(options).map(([name, value]) => [wireName(name), value])
      assert.deepStrictEqual(JSON.parse(sent?.body ?? ""), Object.fromEntries(expected))
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, Sample.translations)]))))

  const odd = "ab?c=d#e%2F..;ü 😀"

  it.effect("an id is one segment of the path, whatever it contains", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const documents = yield* Documents
      yield* rules.get({ styleId: Ids.StyleId.make(odd) })
      yield* rules.getInstruction({ styleId: Ids.StyleId.make("..."), instructionId: Ids.InstructionId.make(odd) })
      yield* documents.download({ documentId: Ids.DocumentId.make(odd), documentKey: Redacted.make("k") })
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
