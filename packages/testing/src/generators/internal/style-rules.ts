/** Style rules. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import { StyleRulesApi } from "@effect-lingua/core/extension/Resources"
import type { InstructionOptions } from "@effect-lingua/core/style-rules/StyleRules"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import type { ServiceState } from "../../fake/internal/model.ts"
import { canonicalCode } from "../../fake/internal/text.ts"
import { answerOf, derive, joined, params } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import { type Breach, limits, longer, more, pageBreaches, type Records, within } from "./record.ts"

type List = typeof StyleRulesApi.StyleRuleList.Type
type Entry = typeof StyleRulesApi.StyleRuleListEntry.Type

const ofList = params(StyleRulesApi.get)
/** Other names are limited by their bytes. */
const listName = Arbitrary.map(
  Arbitrary.schema(Leaves.textUpTo(limits.styleRuleListNameCharacters)),
  (name) => ({ name })
)
const newList = joined(derive(StyleRulesApi.NewStyleRuleList), listName)

/** A list is not updated before it was created. */
const inOrder = <A extends Pick<List, "creationTime" | "updatedTime">>(list: A): A =>
  list.creationTime === undefined || list.updatedTime === undefined
    ? list
    : { ...list, updatedTime: DateTime.max(list.creationTime, list.updatedTime) }

const list = Arbitrary.map(answerOf(StyleRulesApi.StyleRuleList), inOrder)
const instruction = answerOf(StyleRulesApi.CustomInstruction)

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
  longer("label", limits.labelCharacters),
  longer("prompt", limits.promptCharacters),
  ["a prompt has no unpaired surrogate", "InvalidInput", { prompt: "\udc00" }]
]

const ofName = longer("name", limits.styleRuleListNameCharacters)

/** The service writes the code of a language in its own case. */
const canonical = ({ sourceLanguage }: InstructionOptions) =>
  sourceLanguage === undefined ? {} : { sourceLanguage: canonicalCode(sourceLanguage) }

const lists = ({ styleRuleLists }: Pick<ServiceState, "styleRuleLists">) =>
  styleRuleLists.map(({ styleId }) => ({ styleId }))

const instructions = ({ styleRuleLists }: ServiceState) =>
  styleRuleLists.flatMap(({ customInstructions, styleId }) =>
    customInstructions.map(({ instructionId }) => ({ styleId, instructionId }))
  )

export const styleRules = {
  "StyleRules.addInstruction": {
    existing: ({ styleRuleLists }) =>
      lists({
        styleRuleLists: styleRuleLists.filter(({ customInstructions }) =>
          customInstructions.length < limits.instructionsPerList
        )
      }),
    response: instruction,
    answers: canonical,
    breaches: ofInstruction
  },
  "StyleRules.create": {
    response: list,
    responseTo: ({ configuredRules = {}, customInstructions = [], language, name }) =>
      Arbitrary.map(
        Arbitrary.all([
          list,
          Arbitrary.all(customInstructions.map(({ label, prompt }) =>
            Arbitrary.map(instruction, (answer) => ({ ...answer, label, prompt }))
          ))
        ]),
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
      more("customInstructions", limits.instructionsPerList, { label: "a", prompt: "a" }),
      ...within(ofInstruction, (fields) => ({ customInstructions: [{ label: "a", prompt: "a", ...fields }] }))
    ]
  },
  "StyleRules.get": { existing: lists, response: list },
  "StyleRules.getInstruction": { existing: instructions },
  "StyleRules.listPage": {
    response: page,
    answers: ({ detailed = false, pageSize = 10 }, { styleRules }) => ({
      styleRules: styleRules.slice(0, pageSize).map(withDetails(detailed))
    }),
    breaches: pageBreaches("list")
  },
  "StyleRules.remove": { existing: lists },
  "StyleRules.removeInstruction": { existing: instructions },
  "StyleRules.rename": {
    existing: lists,
    request: joined(ofList, Arbitrary.map(newList, ({ name }) => ({ name }))),
    response: list,
    breaches: [ofName]
  },
  "StyleRules.replaceConfiguredRules": {
    existing: lists,
    request: joined(ofList, Arbitrary.map(newList, ({ configuredRules = {} }) => ({ configuredRules }))),
    response: list
  },
  "StyleRules.replaceInstruction": {
    existing: instructions,
    answers: canonical,
    breaches: ofInstruction
  }
} satisfies Records<"StyleRules">
