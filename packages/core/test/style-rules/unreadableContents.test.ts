import { Glossaries, Languages, QualityEvaluation, StyleRules } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Sample, Wire } from "../support/index.ts"

const { list, styleId, summary } = Sample
const page = (...lists: ReadonlyArray<object>) => Wire.answer(200, { style_rules: lists })
const wanted = { name: summary.name, language: "en" } as const
type Wanted = Parameters<StyleRules["Service"]["plan"]>[0]
const plan = (options: Wanted) => StyleRules.use((rules) => rules.plan(options))

describe("a style rule list of which something is not understood", () => {
  it.effect("is in the list of all lists, which stay as they are", () =>
    Effect.gen(function*() {
      const lists = yield* StyleRules.use((rules) => rules.listPage({ detailed: true }))
      assert.deepStrictEqual(
        lists.map(({ configuredRules, customInstructions }) => [configuredRules, customInstructions?.length]),
        [
          [{ punctuation: { periods_in_academic_degrees: "do_not_use" } }, 1],
          [undefined, 1],
          [{ punctuation: {} }, undefined]
        ]
      )
    }).pipe(Effect.provide(Wire.layer([page(
      list,
      { ...list, style_id: "b", configured_rules: { punctuation: { periods_in_academic_degrees: { option: "any" } } } },
      // A rule and a category that are null are off.
      { ...list, style_id: "c", configured_rules: { punctuation: { a: null }, dates: null }, custom_instructions: [{}] }
    )]))))

  it.effect("has its rules replaced by those that are wanted, as they are not known to be the same", () =>
    Effect.gen(function*() {
      const { steps } = yield* plan({ lists: [{ ...wanted, configuredRules: {} }] })
      assert.deepStrictEqual(steps.map(({ _tag }) => _tag), ["ReplaceRules"])
    }).pipe(Effect.provide(Wire.layer([
      page({ ...list, configured_rules: [] }),
      Wire.answer(200, { ...list, configured_rules: [] })
    ]))))

  it.effect("is not added to, as what is wanted may be there", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        plan({ lists: [{ ...wanted, customInstructions: [{ label: "Currency", prompt: "Put the sign first." }] }] })
      )
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", operation: "StyleRules.get", outcome: "refused" })
      assert.include(error.message, `the custom_instructions of the list ${styleId} are unreadable`)
    }).pipe(Effect.provide(Wire.layer([
      page({ ...list, custom_instructions: [{ label: "no id" }] }),
      Wire.answer(200, { ...list, custom_instructions: [{ label: "no id" }] })
    ]))))

  it.effect("is read alone, as the page of all lists may lack its instructions", () =>
    Effect.gen(function*() {
      const { steps } = yield* plan({ lists: [{ ...wanted, customInstructions: [] }] })
      assert.deepStrictEqual(steps.map(({ _tag }) => _tag), ["RemoveInstruction"])
    }).pipe(Effect.provide(Wire.layer([page({ ...list, custom_instructions: undefined }), Wire.answer(200, list)]))))

  const anonymous = page({ ...list, name: null }, { ...list, style_id: "b", name: "Other" })

  it.effect.each<readonly [what: string, options: Wanted]>([
    ["made a second time", { lists: [wanted] }],
    ["deleted with the others", { lists: [], removeOthers: true }]
  ])("is not %s when its name is missing", ([, options]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(plan(options))
      assert.deepInclude<object>(error, {
        _tag: "UnexpectedResponse",
        operation: "StyleRules.listPage",
        outcome: "refused"
      })
      assert.include(error.message, `the list ${styleId} has no readable name and language`)
    }).pipe(Effect.provide(Wire.layer([anonymous]))))

  it.effect("does not concern the lists that are found", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* plan({ lists: [{ ...wanted, name: "Other" }] })).steps, [])
    }).pipe(Effect.provide(Wire.layer([anonymous]))))
})

const glossaries = (...all: ReadonlyArray<object>) => Wire.answer(200, { glossaries: all })

describe("a glossary of which something is not understood", () => {
  const pair = { source_lang: "en", target_lang: "de" }
  const dictionary = { sourceLanguage: "en", targetLanguage: "de", entries: new Map([["screw", "Schraube"]]) } as const
  type DesiredGlossaries = Parameters<Glossaries["Service"]["plan"]>[0]
  const plan = (options: DesiredGlossaries) => Glossaries.use((all) => all.plan(options))

  it.effect("has no dictionaries rather than some of them, and is not synced", () =>
    Effect.gen(function*() {
      const [glossary] = yield* Glossaries.use((all) => Stream.runCollect(all.list))
      assert.notProperty(glossary, "dictionaries")
      const error = yield* Effect.flip(plan({ glossaries: [{ name: "Terms", dictionaries: [dictionary] }] }))
      assert.deepInclude<object>(error, {
        _tag: "UnexpectedResponse",
        operation: "Glossaries.list",
        outcome: "refused"
      })
      assert.include(error.message, "the dictionaries of the glossary a are unreadable")
    }).pipe(Effect.provide(Wire.layer(
      glossaries({ glossary_id: "a", name: "Terms", dictionaries: [pair, { languages: ["en", "fr"] }] })
    ))))

  it.effect.each<readonly [what: string, options: DesiredGlossaries]>([
    ["made a second time", { glossaries: [{ name: "Terms", dictionaries: [dictionary] }] }],
    ["deleted with the others", { glossaries: [], removeOthers: true }]
  ])("is not %s when its name is missing", ([, options]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(plan(options))
      assert.include(error.message, "the glossary a has no readable name")
    }).pipe(Effect.provide(Wire.layer([glossaries({ glossary_id: "a", dictionaries: [pair] })]))))

  it.effect("gives the entries of a dictionary that does not repeat its languages", () =>
    Effect.gen(function*() {
      const entries = yield* Glossaries.use((all) =>
        all.entries({ glossaryId: Sample.glossaryId, sourceLanguage: "en", targetLanguage: "de" })
      )
      assert.deepStrictEqual(entries, new Map([["screw", "Schraube"]]))
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { dictionaries: [{ entries: "screw\tSchraube" }] })]))))
})

describe("a language of which something is not understood", () => {
  const { languages } = Sample
  const lists = [
    Wire.answer(200, [
      { ...languages[0], features: { formality: {}, glossary: true } },
      { lang: "de", name: null, features: ["formality"] }
    ]),
    Wire.answer(200, [{ name: "translate_text", features: [{ name: "formality", needs_target_support: true }] }])
  ]

  it.effect("has the features that it names, whatever is said of them", () =>
    Effect.gen(function*() {
      const [first, second] = yield* Languages.use((all) => Stream.runCollect(all.list({ resource: "translate_text" })))
      assert.deepStrictEqual(first?.features, { formality: {}, glossary: {} })
      assert.deepStrictEqual<unknown>(second, { code: "de", name: "" })
    }).pipe(Effect.provide(Wire.layer(lists))))

  it.effect("is among those that are usable on either side, and stable", () =>
    Effect.gen(function*() {
      const service = yield* Languages
      const options = { resource: "translate_text" } as const
      assert.deepStrictEqual((yield* service.sources(options)).map(({ code }) => code), ["de"])
      assert.deepStrictEqual((yield* service.targets(options)).map(({ code }) => code), ["pt-BR", "de"])
    }).pipe(Effect.provide(Wire.layer(lists))))
})

describe("the result of an evaluation", () => {
  it.effect("keeps the score and other segments when the errors of one are not understood", () =>
    Effect.gen(function*() {
      const { segments, summary } = yield* QualityEvaluation.use((all) => all.status({ jobId: Sample.evaluationId }))
      assert.deepStrictEqual(segments.map(({ errors }) => errors?.length), [undefined, 0])
      assert.strictEqual(summary?.overallScore, 38.5)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, {
      ...Sample.evaluation,
      segments: [{ segment_index: 0, errors: { count: 1 } }, { segment_index: 1, errors: null }]
    })]))))
})
