import { Documents, Glossaries, LanguageService, LanguageServiceConfig, Limits, StyleRules } from "@effect-lingua/core"
import { Admin, Usage } from "@effect-lingua/core/account"
import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation"
import { Detection, Translation, Writing } from "@effect-lingua/core/texts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { inspect } from "node:util"
import { Sample, Wire } from "../support/index.ts"

type Call = Sample.Operation["call"]

/** Any value, as from a caller without types. */
// oxlint-disable-next-line typescript/no-explicit-any, typescript/no-unsafe-type-assertion
const untyped = (value: unknown) => value as any

const key = Redacted.make("a-key")

describe("input of callers without types", () => {
  const texts: ReadonlyArray<readonly [name: string, call: (text: unknown) => Call]> = [
    ["Writing.correct", (text) => Writing.use((writing) => writing.correct({ text: untyped(text) }))],
    ["Writing.rephrase", (text) => Writing.use((writing) => writing.rephrase({ text: untyped(text) }))],
    ["Detection.detect", (text) => Detection.use((detection) => detection.detect({ text: untyped(text) }))],
    [
      "Translation.translate",
      (text) => Translation.use((translation) => translation.translate({ text: untyped(text), targetLanguage: "de" }))
    ]
  ]
  const given: ReadonlyArray<readonly [what: string, text: unknown, error: object]> = [
    ["null", null, { parameter: "text", given: "null" }],
    ["nothing", undefined, { parameter: "text", given: "undefined" }],
    ["a list with null in it", ["a", null], { parameter: "text[1]", given: "null" }],
    ["a list with a number in it", ["a", "b", 3], { parameter: "text[2]", given: "number" }],
    ["a list with a list in it", [["a PRIVATE text"]], { parameter: "text[0]", given: "an array" }]
  ]

  for (const [name, call] of texts) {
    it.effect.each(given)(`${name} refuses %s for a list of texts`, ([, text, expected]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(call(text))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", operation: name, outcome: "refused", ...expected })
        assert.notInclude(error.message, "PRIVATE")
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([]))))
  }

  it.effect.each<readonly [name: string, call: Call, parameter: string, nearest: string]>([
    [
      "Translation.translate",
      Translation.use(({ translate }) => translate("a", untyped({ targetLanguage: "de", formalty: "more" }))),
      "formalty",
      "formality"
    ],
    [
      "Translation.translate",
      Translation.use(({ translate }) => translate(untyped({ text: ["a"], target_language: "de" }))),
      "target_language",
      "targetLanguage"
    ],
    [
      "Translation.translate",
      Translation.use(({ translateAll }) =>
        Stream.runDrain(translateAll(["a"], untyped({ targetLanguage: "de", onerror: 1 })))
      ),
      "onerror",
      "onError"
    ],
    [
      "Writing.correct",
      Writing.use(({ correct }) => correct("a", untyped({ writingStyle: "simple" }))),
      "writingStyle",
      "the options are targetLanguage"
    ],
    ["Writing.rephrase", Writing.use(({ rephrase }) => rephrase("a", untyped({ Tone: "friendly" }))), "Tone", "tone"],
    ["Detection.detect", Detection.use((all) => untyped(all).detect("a", { split: "x", texts: 1 })), "texts", "text"],
    [
      "Documents.upload",
      Documents.use(({ upload }) =>
        upload(untyped({ content: new Uint8Array(1), fileName: "a.txt", targetLanguage: "de", fomality: "more" }))
      ),
      "fomality",
      "formality"
    ]
  ])(
    "%s refuses an option that it does not have, and names the nearest",
    ([operation, call, parameter, nearest]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(call)
        assert.deepInclude<object>(error, { _tag: "InvalidInput", operation, parameter })
        assert.match(error.message, new RegExp(`there is no such option; (the nearest is )?${nearest}\\b`))
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  const nothing = untyped(undefined)
  const refs: ReadonlyArray<readonly [name: string, parameter: string, call: Call]> = [
    ["create", "language", StyleRules.use((rules) => rules.create({ name: "a", language: nothing }))],
    ["create", "language", StyleRules.use((rules) => rules.create({ name: "a", language: untyped(null) }))],
    ["create", "name", StyleRules.use((rules) => rules.create({ name: nothing, language: "en" }))],
    ["rename", "name", StyleRules.use((rules) => rules.rename({ styleId: Sample.styleId, name: nothing }))],
    [
      "addInstruction",
      "label",
      StyleRules.use((rules) => rules.addInstruction({ styleId: Sample.styleId, label: nothing, prompt: "b" }))
    ],
    [
      "addInstruction",
      "prompt",
      StyleRules.use((rules) => rules.addInstruction({ styleId: Sample.styleId, label: "a", prompt: nothing }))
    ]
  ]

  it.effect.each(refs)(
    "StyleRules.%s refuses an invalid %s (%#)",
    ([name, parameter, call]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(call)
        assert.deepInclude<object>(error, { _tag: "InvalidInput", operation: `StyleRules.${name}`, parameter })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  const pair = { sourceLanguage: "en", targetLanguage: "de" }
  const lists: ReadonlyArray<readonly [name: string, parameter: string, call: (list: unknown) => Call]> = [
    [
      "Glossaries.create",
      "dictionaries",
      (list) => Glossaries.use((service) => service.create({ name: "a", dictionaries: untyped(list) }))
    ],
    [
      "Glossaries.sync",
      "glossaries",
      (list) => Glossaries.use((service) => service.sync({ glossaries: untyped(list) }))
    ],
    ["StyleRules.sync", "lists", (list) => StyleRules.use((rules) => rules.sync({ lists: untyped(list) }))],
    [
      "QualityEvaluation.start",
      "segments",
      (list) => QualityEvaluation.use((quality) => quality.start({ ...pair, segments: untyped(list) }))
    ]
  ]
  it.effect.each(lists)(
    "%s refuses %s that are no list of objects, with the place",
    ([operation, parameter, call]) =>
      Effect.gen(function*() {
        const refused = yield* Effect.forEach(["a", null, {}, [null], [5]], (list) => Effect.flip(call(list)))
        assert.deepStrictEqual(
          refused.map((error) => error._tag === "InvalidInput" ? [error.operation, error.parameter, error.given] : []),
          [
            [operation, parameter, "string"],
            [operation, parameter, "null"],
            [operation, parameter, "object"],
            [operation, `${parameter}[0]`, "null"],
            [operation, `${parameter}[0]`, "number"]
          ]
        )
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("the value given for a number is in no error", () =>
    Effect.gen(function*() {
      const text = untyped("a PRIVATE text")
      const admin = yield* Admin
      const errors = yield* Effect.all([
        Effect.flip(admin.setKeyLimits({ keyId: Sample.keyId, characters: text })),
        Effect.flip(admin.listCustomTagUsagePage({ ...Sample.range, page: text })),
        Effect.flip(StyleRules.use((rules) => rules.listPage({ page: text }))),
        Effect.flip(Stream.runDrain(Stream.unwrap(Usage.useSync((usage) => usage.thresholds({ at: [text] }))))),
        Effect.flip(
          Translation.use((translation) =>
            translation.translate({ text: ["a"], targetLanguage: "de", translationMemoryThreshold: text })
          )
        )
      ])
      for (const { _tag, message } of errors) {
        assert.strictEqual(_tag, "InvalidInput")
        assert.include(message, "given string")
        assert.notInclude(message, "PRIVATE")
      }
    }).pipe(Effect.provide(Wire.layer([]))))
})

describe("an empty list of glossaries", () => {
  const glossaryId = GlossaryId.make("g")

  it.effect("needs no source language", () =>
    Effect.gen(function*() {
      yield* Translation.use((translation) =>
        translation.translate({ text: ["a"], targetLanguage: "de", glossaryIds: [] })
      )
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Sample.operation("Translation.translate").success]))))

  it.effect("may be combined with one glossary", () =>
    Effect.gen(function*() {
      yield* Translation.use((translation) =>
        translation.translate({ text: ["a"], sourceLanguage: "en", targetLanguage: "de", glossaryId, glossaryIds: [] })
      )
      const [sent] = yield* Wire.sent
      assert.include(sent?.body, "\"glossary_id\":\"g\"")
    }).pipe(Effect.provide(Wire.layer([Sample.operation("Translation.translate").success]))))
})

describe("configuration", () => {
  it.effect.each([
    "user:PASSWORD@host.test",
    "//user:PASSWORD@host.test",
    "https://user:PASSWORD@host.test:port",
    "https://user:PASSWORD@",
    "https://user:PASSWORD@host.test"
  ])("does not show the password of an address that is refused (%#)", (baseUrl) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(LanguageServiceConfig.make({ key, baseUrl }))
      assert.strictEqual(error.setting, "baseUrl")
      for (const printed of [error.message, String(error), JSON.stringify(error), inspect(error, { depth: null })]) {
        assert.notInclude(printed, "PASSWORD")
      }
    }))

  const names = Object.entries(Limits.defaults).flatMap(([name, limit]) => typeof limit === "number" ? [name] : [])

  it.effect.each(names)("refuses a limit %s that is not a number, by its name", (name) =>
    Effect.gen(function*() {
      for (const limit of [Number.NaN, -1, 1.5]) {
        const error = yield* Effect.flip(
          LanguageServiceConfig.make({ key, baseUrl: "https://host.test", limits: { [name]: limit } })
        )
        assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting: `limits.${name}` })
      }
      yield* LanguageServiceConfig.make({
        key,
        baseUrl: "https://host.test",
        limits: { [name]: Number.POSITIVE_INFINITY }
      })
    }))

  const noEnvironment = ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))
  const given = { key, baseUrl: "https://host.test" }

  it.effect("does not read the environment for all services either", () =>
    Effect.asVoid(Layer.build(
      LanguageService.layerConfig(given).pipe(Layer.provide([noEnvironment, FetchHttpClient.layer]))
    )))
})
