import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Redacted, Stream } from "effect"
import { inspect } from "node:util"
import * as Sample from "./support/operations.ts"
import { errorOverTime } from "./support/time.ts"
import * as Wire from "./support/Wire.ts"

const { styleId } = Sample
const other = "00000000-0000-4000-8000-000000000000"
const read = Languages.use((languages) => languages.resources())

describe("list of a service that does not page", () => {
  const page = Wire.answer(200, {
    style_rules: Array.from({ length: 25 }, (_, index) => ({ ...Sample.summary, style_id: `s${index}` }))
  })

  it.effect("ends when a full page has nothing new, and gives each list once", () =>
    Effect.gen(function*() {
      const all = yield* StyleRules.use((rules) => Stream.runCollect(Stream.take(rules.list(), 100)))
      assert.strictEqual(all.length, 25)
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([page, page]))))
})

describe("a list of glossaries of version 2", () => {
  it.effect("can have one that version 3 made", () =>
    Effect.gen(function*() {
      const glossaries = yield* GlossariesV2.use((service) => Stream.runCollect(service.list()))
      assert.deepStrictEqual(glossaries.map(({ name, sourceLanguage }) => [name, sourceLanguage]), [
        ["Old", "en"],
        ["New", undefined]
      ])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, {
        glossaries: [
          { glossary_id: "a", name: "Old", source_lang: "en", target_lang: "de", ready: true, entry_count: 1 },
          { glossary_id: "b", name: "New", source_lang: null, dictionaries: [] }
        ]
      })
    ]))))
})

const answered = (...instructions: ReadonlyArray<object>) =>
  Wire.layer([Wire.answer(201, { ...Sample.list, custom_instructions: instructions })])

describe("addInstruction that is answered with the whole list", () => {
  const { id: _, ...added } = Sample.instruction
  const add = StyleRules.use((rules) =>
    rules.addInstruction({ styleId, label: Sample.instruction.label, prompt: Sample.instruction.prompt })
  )
  const first = { ...added, id: "first", label: "Other", prompt: "Another one." }
  const last = { ...first, id: "last" }

  it.effect("gives what was added even when another is last", () =>
    Effect.gen(function*() {
      assert.deepInclude<object>(yield* add, { id: "wanted", label: "Currency", prompt: added.prompt })
    }).pipe(Effect.provide(answered(first, { ...added, id: "wanted" }, last))))

  it.effect("gives the last of several that are alike", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* add).id, "newer")
    }).pipe(Effect.provide(answered({ ...added, id: "older" }, { ...added, id: "newer" }, last))))

  for (
    const [what, instructions] of [
      ["no instruction", []],
      ["other instructions", [first, last]],
      ["one with the label alone", [{ ...added, id: "label", prompt: "Another one." }]],
      ["one with the prompt alone", [{ ...added, id: "prompt", label: "Other" }]]
    ] as const
  ) {
    it.effect(`does not know what became of it when the list has ${what}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(add)
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "UnexpectedResponse", outcome: "unknown" })
        assert.include(error.message, "does not have the instruction")
      }).pipe(Effect.provide(answered(...instructions))))
  }
})

describe("a service that repeats the key", () => {
  const echoes: ReadonlyArray<readonly [status: number, tag: string, body: unknown]> = [
    [400, "BadRequest", { message: `The header was Service-Auth-Key ${Wire.key}` }],
    [400, "BadRequest", { message: "No", detail: `key=${Wire.key}, ${Wire.key}` }],
    [400, "BadRequest", `plain ${Wire.key}`],
    [403, "AccessDenied", { message: `Who is ${Wire.key}?` }],
    [403, "InvalidKey", { message: `Invalid api key: ${Wire.key}` }],
    [403, "MissingScope", { message: `Missing required scope(s): ${Wire.key}` }],
    [418, "UnexpectedResponse", { message: `A teapot for ${Wire.key}` }],
    [418, "UnexpectedResponse", `A teapot for ${Wire.key}`],
    [520, "UnexpectedResponse", { message: `Unknown error of ${Wire.key}` }]
  ]

  it.effect.each(echoes)(
    "does not get it into the error of a %d, %s (%#)",
    ([status, tag, body]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(read)
        assert.deepInclude<object>(error, { _tag: tag, status })
        const printed = {
          message: error.message,
          description: error.description,
          text: String(error),
          JSON: JSON.stringify(error),
          inspect: inspect(error, { depth: null, showHidden: true }),
          cause: Cause.pretty(Cause.fail(error))
        }
        for (const [name, said] of Object.entries(printed)) assert.notInclude(said, Wire.key, name)
        if (error._tag === "UnexpectedResponse" && error.body !== undefined) {
          assert.include(Redacted.value(error.body), "[redacted]")
          assert.notInclude(Redacted.value(error.body), Wire.key)
        }
      }).pipe(Effect.provide(Wire.layer(Wire.answer(status, body))))
  )

  // The body of an unknown status that is no JSON is not shown at all.
  it.effect.each(echoes.filter(([status, , body]) => status < 418 || typeof body === "object"))(
    "leaves [redacted] in its place in a %d, %s (%#)",
    ([status, , body]) =>
      Effect.gen(function*() {
        const { message } = yield* errorOverTime(read)
        assert.include(message, "[redacted]")
      }).pipe(Effect.provide(Wire.layer(Wire.answer(status, body))))
  )
})

describe("an answer that does not fit the question", () => {
  const another = Wire.answer(200, { ...Sample.list, style_id: other })

  it.effect.each(["StyleRules.get", "StyleRules.rename", "StyleRules.replaceConfiguredRules"])(
    "is unexpected when %s gives another list than asked",
    (operation) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(Sample.operation(operation).call)
        assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", operation, status: 200, outcome: "unknown" })
        assert.include(error.message, "another styleId")
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(Wire.layer([another])))
  )

  it.effect("fits when the id comes in upper case", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* StyleRules.use((rules) => rules.get({ styleId }))).styleId, styleId.toUpperCase())
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { ...Sample.list, style_id: styleId.toUpperCase() })]))))

  it.effect("is unexpected when a page has more lists than asked", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(StyleRules.use((rules) => rules.listPage({ pageSize: 1 })))
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", operation: "StyleRules.listPage", status: 200 })
      assert.include(error.message, "2 lists for a page of 1")
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { style_rules: [Sample.summary, { ...Sample.summary, style_id: other }] })
    ]))))

  it.effect.each<readonly [how: string, features: object]>([
    ["absent", {}],
    ["null", { features: null }]
  ])("a language whose features are %s has none", ([, features]) =>
    Effect.gen(function*() {
      const [language] = yield* Languages.use((languages) =>
        Stream.runCollect(languages.list({ resource: "translate_text" }))
      )
      assert.deepStrictEqual<unknown>(language?.features, {})
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, [{
        lang: "de",
        name: "German",
        usable_as_source: true,
        usable_as_target: true,
        status: "stable",
        ...features
      }])
    ]))))
})
