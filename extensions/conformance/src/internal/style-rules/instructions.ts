import { InstructionId } from "@effect-lingua/core/contract/Ids"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { nothing, paidCheck, present, refused, same } from "../check.ts"
import { altered, read, refusal, send, status } from "../host.ts"
import { aList } from "../lists.ts"
import { type Check, NotOffered } from "../model.ts"
import { current, uuid, whole } from "./styleLists.ts"

const texts = [
  { label: "Currency", prompt: "Put the currency sign before the amount.", sourceLanguage: "de" },
  { label: "Dates", prompt: "Write months out.", sourceLanguage: "de" },
  { label: "Numbers", prompt: "Use digits from ten on.", sourceLanguage: "de" }
]

/** Creates a list with three instructions. */
const threeInstructions = Effect.gen(function*() {
  const list = yield* whole(yield* aList({ customInstructions: texts }))
  const middle = yield* present("a second instruction", list.customInstructions[1])
  return { list, middle, item: { styleId: list.styleId, instructionId: middle.instructionId } }
})

const pathOf = ({ instructionId, styleId }: { readonly styleId: string; readonly instructionId: string }): string =>
  `/v3/style_rules/${styleId}/custom_instructions/${instructionId}`

const replacedWithoutSource = Effect.flatMap(
  threeInstructions,
  ({ item }) => send("PUT", pathOf(item), { body: { label: "Months", prompt: "Write months as numbers." } })
)

export const instructions: ReadonlyArray<Check> = [
  paidCheck("StyleRules: an instruction is added at the end, with a new id, and raises the version by one", {
    source: "Style rules; Style rule list"
  }, function*() {
    const { list } = yield* threeInstructions
    const { styleId } = list
    const service = yield* StyleRules
    const text = { label: "Names", prompt: "Keep names as they are.", sourceLanguage: "en" }
    const added = yield* service.addInstruction({ styleId, ...text })
    yield* same("the instruction", added, { instructionId: added.instructionId, ...text })
    const now = yield* current(list)
    yield* same("the instructions", now.customInstructions, [...list.customInstructions, added])
    yield* same("the version", now.version, list.version + 1)
    yield* same("it", yield* service.getInstruction({ styleId, instructionId: added.instructionId }), added)
    const wire = yield* send("GET", pathOf({ styleId, instructionId: added.instructionId }))
    yield* read(Schema.Struct({ id: uuid, label: Schema.String, prompt: Schema.String }), wire)
  }),
  paidCheck("StyleRules: an instruction is replaced in its place, which raises the version by one", {
    source: "Style rules"
  }, function*() {
    const { item, list, middle } = yield* threeInstructions
    const text = { label: "Months", prompt: "Write months as numbers.", sourceLanguage: "fr" }
    const replaced = yield* StyleRules.use((service) => service.replaceInstruction({ ...item, ...text }))
    yield* same("the instruction", replaced, { instructionId: middle.instructionId, ...text })
    const now = yield* current(list)
    yield* same(
      "the instructions",
      now.customInstructions,
      list.customInstructions.map((other) => other.instructionId === middle.instructionId ? replaced : other)
    )
    yield* same("the version", now.version, list.version + 1)
  }),
  paidCheck("StyleRules: the replacement of an instruction without its source language is refused", {
    source: "Style rules",
    only: "spec"
  }, function*() {
    yield* refusal(yield* replacedWithoutSource, 400)
  }),
  paidCheck("StyleRules: an instruction is replaced without a source language", { only: "2026-07" }, function*() {
    yield* status(yield* replacedWithoutSource, 200)
  }),
  paidCheck("StyleRules: a removed instruction is gone, the others stay, and the version rises by one", {
    source: "Style rules"
  }, function*() {
    const { item, list, middle } = yield* threeInstructions
    const service = yield* StyleRules
    yield* service.removeInstruction(item)
    const now = yield* current(list)
    yield* same(
      "the instructions",
      now.customInstructions,
      list.customInstructions.filter(({ instructionId }) => instructionId !== middle.instructionId)
    )
    yield* same("the version", now.version, list.version + 1)
    yield* refused(service.getInstruction(item), "NotFound")
    yield* refused(service.removeInstruction(item), "NotFound")
  }),
  paidCheck("StyleRules: an unknown instruction of a list is refused with 404", {}, function*() {
    const { styleId } = yield* aList()
    const service = yield* StyleRules
    const item = { styleId, instructionId: InstructionId.make(nothing) }
    const text = { label: "a", prompt: "b", sourceLanguage: "en" }
    yield* refused(service.getInstruction(item), "NotFound")
    yield* refused(service.replaceInstruction({ ...item, ...text }), "NotFound")
    yield* refused(service.removeInstruction(item), "NotFound")
  }),
  paidCheck("StyleRules: an instruction over the limits, or without a prompt, is refused and changes nothing", {
    source: "Limits; Custom instruction"
  }, function*() {
    const { item, list } = yield* threeInstructions
    const tooLong = { label: "a", prompt: "b".repeat(301), sourceLanguage: "en" }
    yield* altered(
      { settings: { limits: { promptCharacters: Infinity } } },
      Effect.gen(function*() {
        const service = yield* StyleRules
        yield* refused(service.addInstruction({ styleId: list.styleId, ...tooLong }), "BadRequest")
        yield* refused(service.replaceInstruction({ ...item, ...tooLong }), "BadRequest")
      })
    )
    const body = { label: "a", source_language: "en" }
    yield* refusal(yield* send("POST", `/v3/style_rules/${list.styleId}/custom_instructions`, { body }), 400)
    yield* refusal(yield* send("PUT", pathOf(item), { body }), 400)
    yield* same("the list", yield* current(list), list)
  }),
  paidCheck("StyleRules: a list takes as many instructions as its plan allows", { source: "Limits" }, function*() {
    const instructions = Array.from({ length: 200 }, (_, index) => ({ label: `${index}`, prompt: "b" }))
    const { customInstructions, styleId } = yield* whole(yield* aList({ customInstructions: instructions }))
    yield* same("the number of instructions", customInstructions.length, instructions.length)
    const oneMore = StyleRules.use((service) => service.addInstruction({ styleId, label: "a", prompt: "b" }))
    const result = yield* Effect.result(oneMore)
    if (Result.isSuccess(result)) {
      return yield* new NotOffered({ need: "paidTier", reason: "the plan allows more instructions than 200" })
    }
    yield* refused(Effect.fromResult(result), "QuotaExceeded", "BadRequest")
  })
]
