import { Documents, Glossaries, Ids, type LanguageService, StyleRules } from "@effect-lingua/core"
import { Detection, Translation, Writing } from "@effect-lingua/core/texts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { Sample, Wire } from "./support/index.ts"

type Call = Effect.Effect<object | void, Sample.AnyFailure, LanguageService.LanguageService>

const { instructionId, styleId } = Sample

const rephrase = (text: ReadonlyArray<string>): Call => Writing.use((writing) => writing.rephrase({ text }))
const correct = (text: ReadonlyArray<string>): Call => Writing.use((writing) => writing.correct({ text }))
const detect = (text: ReadonlyArray<string>): Call => Detection.use((detection) => detection.detect({ text }))
const untyped = (options: object): Partial<Translation.TranslateOptions> => options
const translate = (options: Partial<Translation.TranslateOptions>): Call =>
  Translation.use((translation) => translation.translate({ text: ["a"], targetLanguage: "de", ...options }))
const create = (options: Partial<StyleRules.CreateOptions>): Call =>
  StyleRules.use((rules) => rules.create({ name: "a", language: "en", ...options }))
const page = (options: StyleRules.PageOptions): Call => StyleRules.use((rules) => rules.listPage(options))
const add = (label: string, prompt: string): Call =>
  StyleRules.use((rules) => rules.addInstruction({ styleId, label, prompt }))
const replace = (label: string, prompt: string): Call =>
  StyleRules.use((rules) => rules.replaceInstruction({ styleId, instructionId, label, prompt, sourceLanguage: "de" }))
const rename = (name: string): Call => StyleRules.use((rules) => rules.rename({ styleId, name }))
const glossaries = (count: number) => Array.from({ length: count }, (_, index) => Ids.GlossaryId.make(`g${index}`))
const instructions = (count: number) => Array.from({ length: count }, () => ({ label: "a", prompt: "b" }))

const limit = (parameter: string, unit: string, given: number, allowed: number) => ({
  _tag: "LimitExceeded",
  parameter,
  unit,
  given,
  allowed
})
const invalid = (parameter: string, given: string, allowed: string) => ({
  _tag: "InvalidInput",
  parameter,
  given,
  allowed
})

const eight = "one of de, en, es, fr, it, ja, ko, zh"
// An astral character is one character, two UTF-16 units, and four bytes.
const astral = "😀"

interface Refusal {
  readonly call: Call
  readonly error: { readonly _tag: string; readonly given: string | number; readonly allowed: string | number }
}

/** Input that never leaves the client, and what the error says of it. */
const refusals: Readonly<Record<string, Refusal>> = {
  "51 texts to detect": { call: detect(Array(51).fill("a")), error: limit("text", "texts", 51, 50) },
  "a glossary name of 1025 bytes": {
    call: Glossaries.use((glossaries) => glossaries.create({ name: `${"é".repeat(512)}a`, dictionaries: [] })),
    error: limit("name", "bytes", 1025, 1024)
  },
  "51 texts to translate": { call: translate({ text: Array(51).fill("a") }), error: limit("text", "texts", 51, 50) },
  "a rephrase body of one byte too many": {
    call: rephrase(["a".repeat(10_228)]),
    error: limit("request body", "bytes", 10_241, 10_240)
  },
  "a correct body that is too large in bytes, not in characters": {
    call: correct(["b", "ü".repeat(5200)]),
    error: limit("request body", "bytes", 10_417, 10_240)
  },
  "a correct body that is too large by its escapes": {
    call: correct(["\n".repeat(5200)]),
    error: limit("request body", "bytes", 10_413, 10_240)
  },
  "a translation body over 128 KiB": {
    call: translate({ text: ["a"], context: "c".repeat(131_072) }),
    error: limit("request body", "bytes", 131_118, 131_072)
  },
  "11 instructions of a translation": {
    call: translate({ customInstructions: Array(11).fill("a") }),
    error: limit("customInstructions", "instructions", 11, 10)
  },
  "a long instruction of a translation": {
    call: translate({ customInstructions: ["a", astral.repeat(301)] }),
    error: limit("customInstructions[1]", "characters", 301, 300)
  },
  "6 glossaries": {
    call: translate({ sourceLanguage: "en", glossaryIds: glossaries(6) }),
    error: limit("glossaryIds", "items", 6, 5)
  },
  "a glossary without source language": {
    call: translate({ glossaryId: Ids.GlossaryId.make("g") }),
    error: invalid("sourceLanguage", "absent", "a language, because a glossary cannot be used with detection")
  },
  "glossaries without source language": {
    call: translate({ glossaryIds: glossaries(1) }),
    error: invalid("sourceLanguage", "absent", "a language, because a glossary cannot be used with detection")
  },
  "one glossary and several": {
    call: translate({ sourceLanguage: "en", glossaryId: Ids.GlossaryId.make("g"), glossaryIds: glossaries(1) }),
    error: invalid("glossaryId and glossaryIds", "both", "one of them")
  },
  ...Object.fromEntries([-1, 101, 75.5, Number.NaN].map((threshold) => [
    `the threshold ${threshold}`,
    {
      call: translate({ translationMemoryThreshold: threshold }),
      error: invalid("translationMemoryThreshold", String(threshold), "an integer from 0 to 100")
    }
  ])),
  "a target that is no code": {
    call: translate({ targetLanguage: "german" }),
    error: invalid("targetLanguage", "\"german\"", "a code such as \"de\" or \"en-GB\"")
  },
  "a source with an underscore": {
    call: translate({ sourceLanguage: "en_GB" }),
    error: invalid("sourceLanguage", "\"en_GB\"", "a code such as \"de\" or \"en-GB\"; the nearest is \"en-GB\"")
  },
  "a text in place of one of several targets": {
    call: Translation.use(({ translateInto }) =>
      translateInto({ text: ["a"], targetLanguages: ["de", "Good day, all"] })
    ),
    error: invalid("targetLanguages[1]", "a text of 13 characters", "a code such as \"de\" or \"en-GB\"")
  },
  "a correction in a language that is no code": {
    call: Writing.use((writing) => writing.correct({ text: ["a"], targetLanguage: "english" })),
    error: invalid("targetLanguage", "\"english\"", "a code such as \"de\" or \"en-GB\"")
  },
  "a list in Dutch": {
    call: create({ language: "nl" }),
    error: invalid("language", "\"nl\"", `${eight}; the option limits.styleRuleLanguages can allow others, or "any"`)
  },
  "a list in a variant": {
    call: create({ language: "en_GB" }),
    error: invalid("language", "\"en_GB\"", `${eight}; the nearest is "en"`)
  },
  "a long name of a new list": {
    call: create({ name: astral.repeat(1025) }),
    error: limit("name", "characters", 1025, 1024)
  },
  "a long name of a list": { call: rename("a".repeat(1025)), error: limit("name", "characters", 1025, 1024) },
  "201 instructions": {
    call: create({ customInstructions: instructions(201) }),
    error: limit("customInstructions", "instructions", 201, 200)
  },
  "a long label in a new list": {
    call: create({ customInstructions: [...instructions(2), { label: astral.repeat(101), prompt: "b" }] }),
    error: limit("customInstructions[2].label", "characters", 101, 100)
  },
  "a long prompt in a new list": {
    call: create({ customInstructions: [...instructions(2), { label: "a", prompt: astral.repeat(301) }] }),
    error: limit("customInstructions[2].prompt", "characters", 301, 300)
  },
  "a long label to add": { call: add("a".repeat(101), "b"), error: limit("label", "characters", 101, 100) },
  "a long prompt to add": { call: add("a", "b".repeat(301)), error: limit("prompt", "characters", 301, 300) },
  "a long label to replace": { call: replace("a".repeat(101), "b"), error: limit("label", "characters", 101, 100) },
  "a long prompt to replace": { call: replace("a", "b".repeat(301)), error: limit("prompt", "characters", 301, 300) },
  ...Object.fromEntries([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map((number) => [
    `page ${number}`,
    { call: page({ page: number }), error: invalid("page", String(number), "an integer from 0") }
  ])),
  ...Object.fromEntries([0, 26, -1, 2.5].map((pageSize) => [
    `page size ${pageSize}`,
    { call: page({ pageSize }), error: invalid("pageSize", String(pageSize), "an integer from 1 to 25") }
  ])),
  ...Object.fromEntries(
    Object.entries({ rephrase, correct, detect }).map(([name, call]) => [
      `an unpaired surrogate to ${name}`,
      {
        call: call(["fine", `half a pair ${astral[0]}`]),
        error: invalid("text[1]", "a text with an unpaired surrogate", "text that UTF-8 can carry")
      }
    ])
  ),
  ...Object.fromEntries(
    [[" ", "no name"], ["a/b.txt", "a name with a folder or control characters"]].map(([fileName = "", given = ""]) => [
      `a file with the name "${fileName}"`,
      {
        call: Documents.use((documents) => documents.upload({ ...Sample.upload, fileName })),
        error: invalid("fileName", given, "the name of a file, without a folder")
      }
    ])
  ),
  "a text of another type": {
    call: translate(untyped({ text: [5] })),
    error: invalid("text[0]", "number", "a string")
  },
  "a call without a target": {
    call: translate(untyped({ targetLanguage: undefined })),
    error: invalid("input", `an invalid value (Missing key at ["targetLanguage"])`, "values of the declared types")
  },
  "an unpaired surrogate to translate": {
    call: translate({ text: [`${astral[1]} the other half`] }),
    error: invalid("text[0]", "a text with an unpaired surrogate", "text that UTF-8 can carry")
  }
}

/** The error of a call that sends nothing. */
const refused = Effect.fnUntraced(function*(call: Call) {
  const error = yield* Effect.flip(call)
  assert.strictEqual(yield* Wire.count, 0)
  assert.deepInclude<object>(error, { outcome: "refused", isTransient: false, attempts: [] })
  return error
})

describe("refusals", () => {
  it.effect.each(Object.entries(refusals))(
    "%s is refused before anything is sent",
    ([, { call, error: expected }]) =>
      Effect.gen(function*() {
        const error = yield* refused(call)
        assert.deepInclude<object>(error, expected)
        assert.notStrictEqual(error.operation, "")
        assert.include(error.message, String(expected.given))
        assert.include(error.message, String(expected.allowed))
        assert.include(error.message, "Nothing was sent")
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("a tone with a writing style is refused", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      // @ts-expect-error the types refuse it too
      const call = writing.rephrase({ text: ["a"], tone: "friendly", writingStyle: "business" })
      const error = yield* refused(call)
      assert.deepInclude<object>(error, invalid("tone and writingStyle", "both", "one of them"))
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each<readonly [given: string, value: unknown]>([
    ["null", null],
    ["number", 42],
    ["bigint", 1n],
    ["string", "de"],
    ["an array", []]
  ])("options that are no object are refused: %s", ([given, value]) =>
    Effect.gen(function*() {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers in JavaScript may pass any value
      const options = value as Translation.TranslateOptions
      for (const text of ["a", ["a"]]) {
        const error = yield* refused(Translation.use(({ translate }) => translate(text, options)))
        assert.deepInclude<object>(error, invalid("options", given, "an object"))
      }
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each([null, 42, {}])("options that are no lists are refused: %o", (value) =>
    Effect.gen(function*() {
      for (const option of ["customInstructions", "glossaryIds"]) {
        const error = yield* refused(translate({ sourceLanguage: "en", [option]: value }))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: option })
      }
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("the largest text of a body that is too large is named", () =>
    Effect.gen(function*() {
      const error = yield* refused(correct(["a", "b".repeat(9000), "ü".repeat(4600)]))
      assert.include(error.message, "The largest text is text[2].")
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("a body near the limit is encoded once, and one far over it not at all", () => {
    const stringify = vi.spyOn(JSON, "stringify")
    const encoded = () => stringify.mock.results.filter(({ value }) => String(value).includes("near the limit")).length
    const near = "near the limit ".repeat(680)
    return Effect.gen(function*() {
      const far = near.repeat(10_000)
      const allowed = { _tag: "LimitExceeded", unit: "bytes", allowed: 10_240 }
      assert.deepInclude<object>(yield* refused(correct([far])), { ...allowed, parameter: "request body" })
      assert.deepInclude<object>(yield* refused(Writing.use((writing) => writing.correct(far))), {
        ...allowed,
        parameter: "request body",
        description: ""
      })
      assert.strictEqual(encoded(), 0)
      yield* correct([near])
      assert.strictEqual(encoded(), 1)
      yield* Writing.use((writing) => writing.correct(near))
      assert.strictEqual(encoded(), 2)
    }).pipe(
      Effect.ensuring(Effect.sync(() => stringify.mockRestore())),
      Effect.provide(Wire.layer(
        Wire.answer(200, { improvements: [{ text: "a", detected_source_language: "en", target_language: "en" }] })
      ))
    )
  })

  it.effect("an empty list of texts gives an empty result without a call", () =>
    Effect.gen(function*() {
      for (const call of [rephrase([]), correct([]), detect([]), translate({ text: [] })]) {
        assert.deepStrictEqual(yield* call, [])
      }
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))
})
