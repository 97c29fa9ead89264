import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { errorOverTime, Sample, Wire } from "../support/index.ts"

const { styleId } = Sample
const other = "00000000-0000-4000-8000-000000000000"

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
      assert.deepInclude<object>(yield* add, { instructionId: "wanted", label: "Currency", prompt: added.prompt })
    }).pipe(Effect.provide(answered(first, { ...added, id: "wanted" }, last))))

  it.effect("gives the last of several that are alike", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* add).instructionId, "newer")
    }).pipe(Effect.provide(answered({ ...added, id: "older" }, { ...added, id: "newer" }, last))))

  for (
    const [what, instructions] of [
      ["no instruction", []],
      ["other instructions", [first, last]],
      ["one with the label alone", [{ ...added, id: "label", prompt: "Another one." }]],
      ["one with the prompt alone", [{ ...added, id: "prompt", label: "Other" }]]
    ] as const
  ) {
    it.effect(`fails with an unknown outcome when the list has ${what}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(add)
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "UnexpectedResponse", outcome: "unknown" })
        assert.include(error.message, "does not have the instruction")
      }).pipe(Effect.provide(answered(...instructions))))
  }
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

  it.effect.each([[2, { pageSize: 1 }, "2 lists for a page of 1"], [11, {}, "11 lists for a page of 10"]] as const)(
    "is unexpected when a page has more lists than asked: %d",
    ([length, options, description]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(StyleRules.use((rules) => rules.listPage(options)))
        assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", operation: "StyleRules.listPage", status: 200 })
        assert.include(error.message, description)
      }).pipe(Effect.provide(Wire.layer([
        Wire.answer(200, { style_rules: Array.from({ length }, () => Sample.summary) })
      ])))
  )
})
