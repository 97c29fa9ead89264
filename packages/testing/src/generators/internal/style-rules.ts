/** Style rules. */
import type { InstructionOptions } from "@effect-lingua/core/style-rules/StyleRules"
import * as StyleRulesApi from "@effect-lingua/core/style-rules/StyleRulesApi"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import { canonicalCode } from "../../fake/internal/text.ts"
import { answerOf, derive, params } from "./derive.ts"
import { type Breach, limits, pageBreaches, type Records, tooLong, tooMany } from "./record.ts"

type List = typeof StyleRulesApi.StyleRuleList.Type
type Entry = typeof StyleRulesApi.StyleRuleListEntry.Type

const ofList = params(StyleRulesApi.get)
const newList = derive(StyleRulesApi.NewStyleRuleList)

/** A list is not updated before it was created. */
const inOrder = <A extends Pick<List, "creationTime" | "updatedTime">>(list: A): A =>
  list.creationTime === undefined || list.updatedTime === undefined
    ? list
    : { ...list, updatedTime: DateTime.max(list.creationTime, list.updatedTime) }

const list = Arbitrary.map(answerOf(StyleRulesApi.StyleRuleList), inOrder)
const instruction = answerOf(StyleRulesApi.CustomInstruction)

const instructionOf = ({ label, prompt }: InstructionOptions) =>
  Arbitrary.map(instruction, (answer) => ({ ...answer, label, prompt }))

const page = Arbitrary.map(answerOf(StyleRulesApi.StyleRuleListPage), (answer) => ({
  ...answer,
  styleRules: answer.styleRules
    .filter(({ styleId }, index, all) => all.findIndex((other) => other.styleId === styleId) === index)
    .map(inOrder)
}))

/** An entry with details or without. */
const withDetails =
  (detailed: boolean) => ({ configuredRules = {}, customInstructions = [], ...summary }: Entry): Entry =>
    detailed ? { ...summary, configuredRules, customInstructions } : summary

const ofInstruction: ReadonlyArray<Breach> = [
  ["a label has at most 100 characters", "LimitExceeded", { label: tooLong(limits.labelCharacters) }],
  ["a prompt has at most 300 characters", "LimitExceeded", { prompt: tooLong(limits.promptCharacters) }],
  ["a prompt has no unpaired surrogate", "InvalidInput", { prompt: "\udc00" }]
]

const ofName: Breach = ["a name has at most 1024 characters", "LimitExceeded", {
  name: tooLong(limits.styleRuleListNameCharacters)
}]

export const styleRules = {
  "StyleRules.addInstruction": {
    response: instruction,
    responseTo: instructionOf,
    breaches: ofInstruction,
    errors: { OutcomeUnknown: true, LimitExceeded: true }
  },
  "StyleRules.create": {
    response: list,
    responseTo: ({ configuredRules = {}, customInstructions = [], language, name }) =>
      Arbitrary.map(
        Arbitrary.all([list, Arbitrary.all(customInstructions.map(instructionOf))]),
        ([{ updatedTime: _updated, ...answer }, instructions]): List => ({
          ...answer,
          name,
          language: language.toLowerCase(),
          version: 1,
          ...(answer.creationTime === undefined ? undefined : { updatedTime: answer.creationTime }),
          configuredRules,
          customInstructions: instructions
        })
      ),
    breaches: [
      ofName,
      ["the language is one of eight", "InvalidInput", { language: "en-GB" }],
      ["there are at most 200 instructions", "LimitExceeded", {
        customInstructions: tooMany({ label: "a", prompt: "a" }, limits.instructionsPerList)
      }],
      ...ofInstruction.map(([rule, error, fields]): Breach => [rule, error, {
        customInstructions: [{ label: "a", prompt: "a", ...fields }]
      }])
    ],
    errors: { OutcomeUnknown: true, LimitExceeded: true }
  },
  "StyleRules.get": { response: list },
  "StyleRules.getInstruction": {
    responseTo: ({ instructionId }) => Arbitrary.map(instruction, (answer) => ({ ...answer, id: instructionId }))
  },
  "StyleRules.list": {
    response: page,
    responseTo: ({ detailed = false, pageSize = 10 }) =>
      Arbitrary.map(page, (answer) => ({
        ...answer,
        styleRules: answer.styleRules.slice(0, pageSize).map(withDetails(detailed))
      })),
    breaches: pageBreaches("list")
  },
  "StyleRules.remove": {},
  "StyleRules.removeInstruction": {},
  "StyleRules.rename": {
    request: Arbitrary.map(
      Arbitrary.all([ofList, derive(StyleRulesApi.StyleRuleListPatch), newList]),
      ([list, patch, { name }]) => ({ ...list, name, ...patch })
    ),
    response: list,
    breaches: [ofName],
    errors: { LimitExceeded: true }
  },
  "StyleRules.replaceConfiguredRules": {
    request: Arbitrary.map(
      Arbitrary.all([ofList, newList]),
      ([list, { configuredRules = {} }]) => ({ ...list, configuredRules })
    ),
    response: list
  },
  "StyleRules.replaceInstruction": {
    responseTo: ({ instructionId, sourceLanguage, ...instruction }) =>
      Arbitrary.map(instructionOf(instruction), (answer) => ({
        ...answer,
        id: instructionId,
        sourceLanguage: canonicalCode(sourceLanguage)
      })),
    breaches: ofInstruction,
    errors: { LimitExceeded: true }
  }
} satisfies Records<"StyleRules">
