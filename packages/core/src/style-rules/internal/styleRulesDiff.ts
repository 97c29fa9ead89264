/** Computes the steps from an existing style rule list to the desired list. */
import type { ConfiguredRules } from "../ConfiguredRules.ts"
import { type DesiredList, Step } from "../StyleRulesPlan.ts"
import type { CustomInstruction, InstructionOptions, StyleRuleListEntry } from "./styleRulesApi.ts"

/** Formats rules for comparison, regardless of order and empty categories. */
const ruleLines = (rules: ConfiguredRules): string =>
  Object.entries(rules).flatMap(([category, options]) =>
    Object.entries(options ?? {}).map(([rule, option]) => JSON.stringify([category, rule, option]))
  ).toSorted().join("\n")

/** True for equal instructions. An omitted source language equals any, because the service sets a default. */
const isDesired = (desired: InstructionOptions, found: CustomInstruction): boolean =>
  desired.label === found.label && desired.prompt === found.prompt &&
  (desired.sourceLanguage === undefined ||
    desired.sourceLanguage.toLowerCase() === found.sourceLanguage?.toLowerCase())

const take = <A>(from: Array<A>, fits: (item: A) => boolean): A | undefined => {
  const index = from.findIndex(fits)
  return index === -1 ? undefined : from.splice(index, 1)[0]
}

/**
 * The fewest calls that make a list's instructions equal to `desired`. Replacing a superfluous instruction with a missing one is one call, and safe
 * to retry.
 */
const instructionSteps = (
  list: StyleRuleListEntry,
  language: string,
  desired: ReadonlyArray<InstructionOptions>
): ReadonlyArray<Step> => {
  const others = [...list.customInstructions ?? []]
  const ref = { list: list.name, styleId: list.styleId }
  const steps: Array<Step> = []
  const replace =
    (fits: (instruction: InstructionOptions, found: CustomInstruction) => boolean) =>
    (instruction: InstructionOptions): boolean => {
      const found = take(others, (other) => fits(instruction, other))
      if (found === undefined) return true
      steps.push(Step.ReplaceInstruction({
        ...ref,
        ...instruction,
        instructionId: found.instructionId,
        replaced: found.label,
        sourceLanguage: instruction.sourceLanguage ?? found.sourceLanguage ?? language
      }))
      return false
    }
  const missing = desired
    .filter((instruction) => take(others, (found) => isDesired(instruction, found)) === undefined)
    .filter(replace((instruction, found) => instruction.label === found.label))
    .filter(replace((instruction, found) => instruction.prompt === found.prompt))
    .filter(replace(() => true))
  return [
    ...steps,
    ...missing.map((instruction) => Step.AddInstruction({ ...ref, instruction })),
    ...others.map(({ instructionId, label }) => Step.RemoveInstruction({ ...ref, instructionId, label }))
  ]
}

export const changes = (list: StyleRuleListEntry, desired: DesiredList): ReadonlyArray<Step> => {
  const { configuredRules, customInstructions, language, name } = desired
  const ref = { list: list.name, styleId: list.styleId }
  return [
    ...(name === list.name ? [] : [Step.Rename({ ...ref, name })]),
    ...(configuredRules === undefined ||
        // Unreadable rules count as different.
        (list.configuredRules !== undefined && ruleLines(configuredRules) === ruleLines(list.configuredRules))
      ? []
      : [Step.ReplaceRules({ ...ref, configuredRules })]),
    ...(customInstructions === undefined ? [] : instructionSteps(list, language, customInstructions))
  ]
}
