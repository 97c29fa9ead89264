/** The difference between the wanted lists and the existing ones. Pure. */
import type { ConfiguredRules } from "../ConfiguredRules.ts"
import type { InstructionOptions } from "../StyleRules.ts"
import type { CustomInstruction, StyleRuleList } from "../StyleRulesApi.ts"
import { Step, type WantedList } from "../StyleRulesPlan.ts"

/** Rules as lines that can be compared. Order does not matter, and a category without rules is none. */
const ruleLines = (rules: ConfiguredRules): string =>
  Object.entries(rules).flatMap(([category, options]) =>
    Object.entries(options ?? {}).map(([rule, option]) => JSON.stringify([category, rule, option]))
  ).toSorted().join("\n")

/** A source language that is not given may be any: the service fills one in. */
const isAsWanted = (wanted: InstructionOptions, found: CustomInstruction): boolean =>
  wanted.label === found.label && wanted.prompt === found.prompt &&
  (wanted.sourceLanguage === undefined ||
    wanted.sourceLanguage.toLowerCase() === found.sourceLanguage?.toLowerCase())

/** Takes the first that fits out of a list. */
const take = <A>(from: Array<A>, fits: (item: A) => boolean): A | undefined => {
  const index = from.findIndex(fits)
  return index === -1 ? undefined : from.splice(index, 1)[0]
}

/**
 * The fewest calls for the instructions of a list. One that is to go makes room for one that is to come, as a replacement is
 * one call where a removal and an addition are two; it can be repeated, and never makes the list longer.
 */
const instructionSteps = (
  list: StyleRuleList,
  language: string,
  wanted: ReadonlyArray<InstructionOptions>
): ReadonlyArray<Step> => {
  const left = [...list.customInstructions ?? []]
  const differing = wanted.filter((instruction) => take(left, (found) => isAsWanted(instruction, found)) === undefined)
  const about = { list: list.name, styleId: list.styleId }
  const steps: Array<Step> = []
  const replace =
    (fits: (instruction: InstructionOptions, found: CustomInstruction) => boolean) =>
    (instruction: InstructionOptions): boolean => {
      const found = take(left, (other) => fits(instruction, other))
      if (found === undefined) return true
      steps.push(Step.ReplaceInstruction({
        ...about,
        instructionId: found.id,
        replaced: found.label,
        label: instruction.label,
        prompt: instruction.prompt,
        sourceLanguage: instruction.sourceLanguage ?? found.sourceLanguage ?? language
      }))
      return false
    }
  const missing = differing
    .filter(replace((instruction, found) => instruction.label === found.label))
    .filter(replace((instruction, found) => instruction.prompt === found.prompt))
    .filter(replace(() => true))
  return [
    ...steps,
    ...missing.map((instruction) => Step.AddInstruction({ ...about, instruction })),
    ...left.map(({ id, label }) => Step.RemoveInstruction({ ...about, instructionId: id, label }))
  ]
}

/** The calls that make one list as it is wanted. */
export const changes = (list: StyleRuleList, wanted: WantedList): ReadonlyArray<Step> => {
  const { configuredRules, customInstructions, language, name } = wanted
  const about = { list: list.name, styleId: list.styleId }
  return [
    ...(name === list.name ? [] : [Step.Rename({ ...about, name })]),
    ...(configuredRules === undefined ||
        // Rules that are not understood are not those that are wanted.
        (list.configuredRules !== undefined && ruleLines(configuredRules) === ruleLines(list.configuredRules))
      ? []
      : [Step.ReplaceRules({ ...about, configuredRules })]),
    ...(customInstructions === undefined ? [] : instructionSteps(list, language, customInstructions))
  ]
}
