/**
 * Plans of `StyleRules.plan`, `apply` and `sync`.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type { InstructionId, StyleId } from "../contract/Ids.ts"
import type { LanguageCode } from "../contract/Language.ts"
import type { ConfiguredRules } from "./ConfiguredRules.ts"
import type { CreateOptions, InstructionOptions } from "./internal/styleRulesApi.ts"

export type { CreateOptions, InstructionOptions } from "./internal/styleRulesApi.ts"

/**
 * A desired list. Omitted rules and instructions are unchanged; `{}` and `[]` remove all.
 *
 * @category options
 * @since 0.1.0
 */
export interface DesiredList extends CreateOptions {
  /** The id of an existing list, to rename it. Default: the existing list with this name and language. */
  readonly styleId?: StyleId | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface PlanOptions {
  readonly lists: ReadonlyArray<DesiredList>
  /** Deletes all lists that are not in `lists`, which cannot be undone. Default: false. */
  readonly removeOthers?: boolean | undefined
}

interface Existing {
  readonly list: string
  readonly styleId: StyleId
}

/**
 * One API call of a plan. `list` is a list's name.
 *
 * @category models
 * @since 0.1.0
 */
export type Step = Data.TaggedEnum<{
  Create: { readonly list: string; readonly desired: CreateOptions }
  Rename: Existing & { readonly name: string }
  ReplaceRules: Existing & { readonly configuredRules: ConfiguredRules }
  ReplaceInstruction: Existing & {
    readonly instructionId: InstructionId
    /** The current label. */
    readonly replaced: string
    readonly label: string
    readonly prompt: string
    readonly sourceLanguage: LanguageCode
  }
  AddInstruction: Existing & { readonly instruction: InstructionOptions }
  RemoveInstruction: Existing & { readonly instructionId: InstructionId; readonly label: string }
  Remove: Existing & { readonly language: string }
}>

/**
 * @category constructors
 * @since 0.1.0
 */
export const Step = Data.taggedEnum<Step>()

/**
 * A desired list in a plan, with its id unless the plan creates it.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlannedList {
  readonly name: string
  readonly language: string
  readonly styleId?: StyleId
}

/**
 * The calls that reach the desired state: creations first, deletions last. Empty if nothing differs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly steps: ReadonlyArray<Step>
  /** The desired lists, in order. */
  readonly lists: ReadonlyArray<PlannedList>
}

/**
 * An applied plan, with every list's id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Synced extends Plan {
  /** In the order of the desired lists. */
  readonly lists: ReadonlyArray<Required<PlannedList>>
}

const quoted = (text: string): string => JSON.stringify(text)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const countRules = (rules: ConfiguredRules | undefined): string =>
  counted(Object.values(rules ?? {}).flatMap((options) => Object.keys(options ?? {})).length, "rule")

const line = Step.$match({
  Create: ({ list, desired: { configuredRules, customInstructions = [], language } }) =>
    `create ${quoted(list)} (${language}) with ${countRules(configuredRules)} and ${
      counted(customInstructions.length, "instruction")
    }`,
  Rename: ({ list, name, styleId }) => `rename ${quoted(list)} to ${quoted(name)} (${styleId})`,
  ReplaceRules: ({ configuredRules, list }) => `replace the rules of ${quoted(list)} by ${countRules(configuredRules)}`,
  ReplaceInstruction: ({ label, list, replaced }) =>
    `replace instruction ${quoted(replaced)} of ${quoted(list)}${replaced === label ? "" : ` by ${quoted(label)}`}`,
  AddInstruction: ({ instruction, list }) => `add instruction ${quoted(instruction.label)} to ${quoted(list)}`,
  RemoveInstruction: ({ label, list }) => `remove instruction ${quoted(label)} from ${quoted(list)}`,
  Remove: ({ language, list, styleId }) => `delete ${quoted(list)} (${language}, ${styleId})`
})

/**
 * Formats a plan, one line per call.
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = ({ steps }: Pick<Plan, "steps">): ReadonlyArray<string> => steps.map((step) => line(step))
