/** `style-rules instructions`. */
import { InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { CustomInstruction, StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as Effect from "effect/Effect"
import { call, calling } from "../../client/client.ts"
import { styleListRef } from "../../client/names.ts"
import * as Sample from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import type { Columns } from "../../screen/table.ts"
import { misuse } from "../../settings/errors.ts"
import { idArgument, optional, required, sourceLanguage as from, text } from "../../settings/flags.ts"
import { group, showing, withResults } from "../command.ts"

const { labelCharacters, promptCharacters } = Limits.defaults

/** Calls the service of style rules. */
export const withStyleRules = calling(({ StyleRules }) => StyleRules)

/** Calls the service with a list that is given by its name or id. */
export const withStyleList = <Ref extends { readonly styleId: StyleId }, A, E, R>(
  ref: Ref,
  use: (styleRules: StyleRules["Service"], ref: Ref) => Effect.Effect<A, E, R>
) =>
  call((services) =>
    Effect.flatMap(styleListRef(services, ref), (ref) => services.StyleRules.use((styleRules) => use(styleRules, ref)))
  )

/** The argument for a list. */
export const styleId = idArgument("list", StyleId, "The name or id of a list of style rules")

/** An instruction of a list. */
const ref = {
  styleId,
  instructionId: idArgument("instruction-id", InstructionId, "The id of an instruction, as printed by style-rules show")
}

const sourceLanguage = optional(from, "The source language of the translations that it applies to")

/** The columns for instructions. */
export const instructionColumns: Columns<CustomInstruction> = {
  INSTRUCTION: ({ instructionId }) => instructionId,
  SOURCE: ({ sourceLanguage }) => sourceLanguage,
  LABEL: ({ label }) => label,
  PROMPT: ({ prompt }) => prompt
}

const list = showing("list", {
  description: "List the instructions of a list of style rules",
  examples: { [`effect-lingua style-rules instructions list --fake ${Sample.styleId}`]: "All of them" },
  params: { styleId },
  run: (ref) => withStyleList(ref, (styleRules, ref) => styleRules.get(ref)),
  shown: ({ customInstructions = [] }) => Output.rows(customInstructions, instructionColumns)
})

const show = showing("show", {
  description: "Show an instruction",
  examples: {
    [`effect-lingua style-rules instructions show --fake ${Sample.styleId} ${Sample.instructionId}`]: "One of them"
  },
  params: ref,
  run: (ref) => withStyleList(ref, (styleRules, ref) => styleRules.getInstruction(ref)),
  shown: (instruction) => Output.rows([instruction], instructionColumns)
})

const create = showing("create", {
  description: "Create an instruction at the end of a list; prints its id",
  examples: {
    [`effect-lingua style-rules instructions create --fake ${Sample.styleId} --label Dashes --prompt "Use short dashes"`]:
      "An instruction"
  },
  params: {
    styleId,
    label: required("label", "text", `Its label, of at most ${labelCharacters} characters`),
    prompt: required("prompt", "text", `Its prompt, of at most ${promptCharacters} characters`),
    sourceLanguage
  },
  run: (input) => withStyleList(input, (styleRules, input) => styleRules.addInstruction(input)),
  shown: (instruction) => Output.texts([instruction], ({ instructionId }) => instructionId)
})

const edit = withResults("edit", {
  description: "Change an instruction in its place; fields that are not given stay",
  examples: {
    [
      `effect-lingua style-rules instructions edit --fake ${Sample.styleId} ${Sample.instructionId} ` +
      `--prompt "Write EUR, not the sign"`
    ]: "Another prompt"
  },
  params: {
    ref,
    label: text("label", "text", `Another label, of at most ${labelCharacters} characters`),
    prompt: text("prompt", "text", `Another prompt, of at most ${promptCharacters} characters`),
    sourceLanguage
  },
  run: Effect.fnUntraced(function*({ ref, ...given }) {
    if (Object.values(given).every((value) => value === undefined)) {
      return yield* misuse("nothing to change: give --label, --prompt or --from")
    }
    const changed = yield* withStyleList(ref, (styleRules, ref) =>
      Effect.gen(function*() {
        // The service requires all fields.
        const present = yield* styleRules.getInstruction(ref)
        const { label = present.label, prompt = present.prompt, sourceLanguage = present.sourceLanguage } = given
        if (sourceLanguage === undefined) {
          return yield* misuse("the instruction has no source language yet, and the service requires one: give --from")
        }
        return yield* styleRules.replaceInstruction({ ...ref, label, prompt, sourceLanguage })
      }))
    return Output.rows([changed], instructionColumns)
  })
})

const remove = withResults("delete", {
  description: "Delete an instruction of a list",
  examples: {
    [`effect-lingua style-rules instructions delete --fake ${Sample.styleId} ${Sample.instructionId}`]: "An instruction"
  },
  params: ref,
  run: (ref) =>
    Effect.as(
      withStyleList(ref, (styleRules, ref) => styleRules.removeInstruction(ref)),
      Output.done("deleted", `the instruction ${ref.instructionId} is deleted`, ref)
    )
})

/** The instructions of a list. */
export const instructions = group(
  "instructions",
  [list, show, create, edit, remove],
  "The instructions of a list of style rules"
)
