import { Glossaries, Ids, type LanguageServiceConfig, type Limits, StyleRules } from "@effect-lingua/core"
import { Detection, Translation, Writing } from "@effect-lingua/core/texts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Sample, Wire } from "../support/index.ts"

const { instructionId, styleId } = Sample
const astral = "😀"
const instruction = { label: astral.repeat(100), prompt: astral.repeat(300) }

const many = (count: number) => Array.from({ length: count }, () => "a")

/** A limit of another plan, with a refused value, and an accepted one that the default limit refuses. */
interface Plan {
  readonly limits: Partial<Limits.Limits>
  readonly refused: Sample.Operation["call"]
  readonly message: string
}

const plans: ReadonlyArray<Plan> = [
  {
    limits: { improvementBytes: 20 },
    refused: Writing.use((writing) => writing.correct({ text: ["12345678"] })),
    message: "request body: given 21 bytes, allowed 20"
  },
  {
    limits: { detectionTexts: 1 },
    refused: Detection.use((detection) => detection.detect({ text: many(2) })),
    message: "text: given 2 texts, allowed 1"
  },
  {
    limits: { translationTexts: 1 },
    refused: Translation.use((translation) => translation.translate({ text: many(2), targetLanguage: "de" })),
    message: "text: given 2 texts, allowed 1"
  },
  {
    limits: { translationBytes: 10 },
    refused: Translation.use((translation) => translation.translate({ text: many(1), targetLanguage: "de" })),
    message: "request body: given 33 bytes, allowed 10"
  },
  {
    limits: { translationInstructions: 0 },
    refused: Translation.use((translation) =>
      translation.translate({ text: many(1), targetLanguage: "de", customInstructions: many(1) })
    ),
    message: "customInstructions: given 1 instructions, allowed 0"
  },
  {
    limits: { glossaryIds: 1 },
    refused: Translation.use((translation) =>
      translation.translate({
        text: many(1),
        targetLanguage: "de",
        sourceLanguage: "en",
        glossaryIds: [Ids.GlossaryId.make("a"), Ids.GlossaryId.make("b")]
      })
    ),
    message: "glossaryIds: given 2 items, allowed 1"
  },
  {
    limits: { promptCharacters: 1 },
    refused: StyleRules.use((rules) => rules.addInstruction({ styleId, label: "a", prompt: "bb" })),
    message: "prompt: given 2 characters, allowed 1"
  },
  {
    limits: { labelCharacters: 1 },
    refused: StyleRules.use((rules) => rules.addInstruction({ styleId, label: "aa", prompt: "b" })),
    message: "label: given 2 characters, allowed 1"
  },
  {
    limits: { styleRuleListNameCharacters: 1 },
    refused: StyleRules.use((rules) => rules.rename({ styleId, name: "aa" })),
    message: "name: given 2 characters, allowed 1"
  },
  {
    limits: { instructionsPerList: 0 },
    refused: StyleRules.use((rules) =>
      rules.create({ name: "a", language: "en", customInstructions: [{ label: "a", prompt: "b" }] })
    ),
    message: "customInstructions: given 1 instructions, allowed 0"
  },
  {
    limits: { styleRuleLanguages: ["nl"] },
    refused: StyleRules.use((rules) => rules.create({ name: "a", language: "en" })),
    message: "language: given \"en\", allowed one of nl"
  },
  {
    limits: { glossaryBytes: 5 },
    refused: Glossaries.use((glossaries) =>
      glossaries.create({
        name: "a",
        dictionaries: ["de", "fr"].map((targetLanguage) => ({
          sourceLanguage: "en",
          targetLanguage,
          entries: { tsv: "a\tb" }
        }))
      })
    ),
    message: "dictionaries: given 6 bytes, allowed 5"
  },
  {
    limits: { pageSize: 3 },
    refused: StyleRules.use((rules) => rules.listPage({ pageSize: 4 })),
    message: "pageSize: given 4, allowed an integer from 1 to 3"
  }
]

const freeOptions: ReadonlyArray<readonly [how: string, options: Partial<LanguageServiceConfig.Options>]> = [
  ["that is said to be free", { tier: "free" }],
  ["whose key ends with :fx", { key: Redacted.make("a-key:fx") }]
]

const paid = Object.keys(Sample.operations).filter((name) => /^(Writing|StyleRules)\./.test(name))
const free = Object.keys(Sample.operations).filter((name) => !paid.includes(name))

describe("limits", () => {
  it.effect.each(plans)(
    "another plan may have the limits $limits",
    ({ limits, message, refused }) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(refused)
        assert.include(error.message, message)
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([], { limits })))
  )

  it.effect("a raised limit accepts more", () =>
    Effect.gen(function*() {
      yield* StyleRules.use((rules) => rules.create({ name: "a", language: "nl" }))
      yield* StyleRules.use((rules) => rules.listPage({ pageSize: 100 }))
      yield* Writing.use((writing) => writing.correct({ text: ["a".repeat(20_000)] }))
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(
      Effect.provide(
        Wire.layer([
          Wire.answer(201, Sample.list),
          Wire.answer(200, { style_rules: [] }),
          Wire.answer(200, Sample.improvements)
        ], { limits: { styleRuleLanguages: ["nl"], pageSize: 100, improvementBytes: 100_000 } })
      )
    ))

  it.effect("the languages of style rule lists may be left to the service", () =>
    Effect.gen(function*() {
      yield* StyleRules.use((rules) => rules.create({ name: "a", language: "pt" }))
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(201, Sample.list)], { limits: { styleRuleLanguages: "any" } }))))

  it.effect.each([
    ["a".repeat(10_227)],
    [`${"ü".repeat(5113)}a`],
    [`${astral.repeat(2556)}abc`],
    ["\n".repeat(5113) + "a"]
  ])("a body of exactly 10240 bytes passes (%#)", ([text = ""]) =>
    Effect.gen(function*() {
      yield* Writing.use((writing) => writing.correct({ text: [text] }))
      const [sent] = yield* Wire.sent
      assert.strictEqual(sent?.headers["content-length"], "10240")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, Sample.improvements)]))))

  it.effect("names, labels and prompts are counted in characters, not in units of UTF-16", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const name = astral.repeat(1024)
      yield* rules.create({ name, language: "En", customInstructions: Array.from({ length: 200 }, () => instruction) })
      yield* rules.rename({ styleId, name })
      yield* rules.addInstruction({ styleId, ...instruction })
      yield* rules.replaceInstruction({ styleId, instructionId, ...instruction, sourceLanguage: "de" })
      yield* rules.listPage({ page: 0, pageSize: 1 })
      yield* rules.listPage({ page: 1_000_000, pageSize: 25 })
      assert.strictEqual(yield* Wire.count, 6)
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(201, Sample.list),
      Wire.answer(200, Sample.list),
      Wire.answer(201, Sample.instruction),
      Wire.answer(200, Sample.instruction),
      Wire.answer(200, { style_rules: [] }),
      Wire.answer(200, { style_rules: [] })
    ]))))

  it.effect("50 texts, 10 instructions and 5 glossaries are accepted", () =>
    Effect.gen(function*() {
      yield* Detection.use((detection) => detection.detect({ text: many(50) }))
      yield* Translation.use((translation) =>
        translation.translate({
          text: many(50),
          targetLanguage: "de",
          sourceLanguage: "en",
          customInstructions: Array.from({ length: 10 }, () => astral.repeat(300)),
          glossaryIds: many(5).map((id) => Ids.GlossaryId.make(id)),
          translationMemoryThreshold: 0
        })
      )
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { results: many(50).map(() => ({ detection_status: "no_language_detected" })) }),
      Wire.answer(200, { translations: many(50).map((text) => ({ text, detected_source_language: "EN" })) })
    ]))))

  for (const [how, options] of freeOptions) {
    it.effect.each(paid)(`%s is refused to a client ${how}`, (operation) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Sample.operation(operation).call)
        assert.deepInclude<object>(error, { _tag: "WrongTier", operation, attempts: [], outcome: "refused" })
        assert.notProperty(error, "status")
        assert.include(error.message, "needs the paid tier")
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([], options))))

    it.effect.each(free)(`%s is open to a client ${how}`, (operation) => {
      const { call, success } = Sample.operation(operation)
      return Effect.gen(function*() {
        yield* call
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(Wire.layer([success], options)))
    })
  }

  it.effect("the configured tier overrides the suffix of the key", () =>
    Effect.gen(function*() {
      yield* Writing.use((writing) => writing.correct({ text: ["a"] }))
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(
      Effect.provide(
        Wire.layer([Wire.answer(200, Sample.improvements)], { key: Redacted.make("a-key:fx"), tier: "paid" })
      )
    ))
})
