import { InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import {
  type CustomInstruction,
  type StyleRuleList,
  type StyleRuleListEntry,
  StyleRules
} from "@effect-lingua/core/style-rules/StyleRules"
import { format } from "@effect-lingua/core/style-rules/StyleRulesPlan"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { base } from "../client/client.ts"
import * as Sample from "../client/sample.ts"
import * as Input from "../files/input.ts"
import * as Output from "../files/output.ts"
import type { Style } from "../screen/screen.ts"
import { type Columns, fields, table } from "../screen/table.ts"
import { misuse, misuseIf } from "../settings/errors.ts"
import * as Flags from "../settings/flags.ts"
import { argument, idArgument, required, text, texts, toggle } from "../settings/flags.ts"
import { command, commandsOf, group } from "./command.ts"

const { labelCharacters, promptCharacters, styleRuleLanguages, styleRuleListNameCharacters } = Limits.defaults

const instructionColumns: Columns<CustomInstruction> = {
  INSTRUCTION: "instructionId",
  SOURCE: "sourceLanguage",
  LABEL: "label",
  PROMPT: "prompt"
}

const sections = (list: StyleRuleList | StyleRuleListEntry) => (style: Style): string => {
  const { configuredRules = {}, customInstructions = [], language, name, version } = list
  const rules = Object.entries(configuredRules).flatMap(([category, options]) =>
    Object.entries(options).map(([rule, option]) => ({ rule: `${category}.${rule}`, option }))
  )
  return [
    fields(style, { id: list.styleId, name, language, version, created: list.creationTime, updated: list.updatedTime }),
    ...(rules.length === 0 ? [] : [table(style, { RULE: "rule", OPTION: "option" }, rules)]),
    ...(customInstructions.length === 0 ? [] : [table(style, instructionColumns, customInstructions)])
  ].join("\n\n")
}

const shown = (list: StyleRuleList): Output.Results => ({ json: [list], human: sections(list) })

const ref = { styleId: idArgument("list", StyleId, "The name or id of a list of style rules") }

const { calling, remove, show, sync, use } = commandsOf({
  resource: base,
  path: "style-rules",
  object: "list",
  service: StyleRules,
  ref,
  sample: Sample.styleId,
  show: "Show a list of style rules with its rules and instructions",
  remove: "Delete a list of style rules; it cannot be undone",
  shown,
  inWords: ({ language, name }) => `the list ${JSON.stringify(name)} (${language})`
})

const list = command("style-rules list", {
  description: "List the lists of style rules",
  examples: { "--fake": "All of them", "--fake --page 0 --page-size 5 --detailed": "A page" },
  params: { detailed: toggle("detailed", "Show rules and instructions too"), pages: Flags.pages("lists") },
  run: ({ detailed, pages }) =>
    use({}, (styleRules) =>
      Flags.isPage(pages)
        ? styleRules.listPage({ ...pages, detailed })
        : Stream.runCollect(styleRules.list({ detailed }))).pipe(
        Effect.map((lists): Output.Results =>
          detailed
            ? { json: lists, human: (style) => lists.map((list) => sections(list)(style)).join("\n\n") }
            : Output.rows(lists, {
              ID: "styleId",
              LANGUAGE: "language",
              VERSION: "version",
              UPDATED: "updatedTime",
              NAME: "name"
            })
        )
      )
})

const rules = {
  rules: texts("rule", "category.rule=option", "A rule of the list"),
  rulesFile: text("rules-file", "file", "Rules as JSON, {category: {rule: option}}; - for standard input")
}

const Rules = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))

/** The rules of `--rules-file`, overridden by `--rule`. */
const rulesOf = Effect.fnUntraced(function*(
  { rules, rulesFile }: { readonly rules: ReadonlyArray<string>; readonly rulesFile: string | undefined }
) {
  if (rules.length === 0 && rulesFile === undefined) return undefined
  const configured: Record<string, Record<string, string>> = rulesFile === undefined ? {} : {
    ...yield* Input.fromJson(Rules, {
      file: rulesFile,
      text: yield* Input.fileText(rulesFile),
      things: "rules",
      example: `{"category": {"rule": "option"}}`
    })
  }
  for (const rule of rules) {
    const [, category, name, option] = /^([^.=]+)\.([^=]+)=(.+)$/.exec(rule) ?? []
    if (category === undefined || name === undefined || option === undefined) {
      return yield* misuse(
        `--rule takes category.rule=option, such as dates_and_times.calendar_era=use_bc_and_ad; not ${rule}`
      )
    }
    configured[category] = { ...configured[category], [name]: option }
  }
  return configured
})

const create = command("style-rules create", {
  description: "Create a list of style rules; prints its id",
  examples: {
    [`--fake "House style" --language en`]: "An empty list",
    [`--fake "Zeiten" --language de --rule dates_and_times.time_format=use_24_hour_clock --instruction "Currency=Write EUR, not the sign"`]:
      "With a rule and an instruction"
  },
  params: {
    name: argument("name", `A name of at most ${styleRuleListNameCharacters} characters; it need not be unique`),
    language: required("language", "language", `The language of the list, ${Flags.known(styleRuleLanguages)}`),
    ...rules,
    instructions: texts("instruction", "label=prompt", "An instruction of the list")
  },
  run: Effect.fnUntraced(function*(input) {
    const { language, name } = input
    const configuredRules = yield* rulesOf(input)
    const customInstructions = yield* Effect.forEach(input.instructions, (instruction) => {
      const [, label, prompt] = /^([^=]+)=([^]+)$/.exec(instruction) ?? []
      return label === undefined || prompt === undefined
        ? misuse(`--instruction ${instruction} is not of the form label=prompt`)
        : Effect.succeed({ label, prompt })
    })
    const list = yield* use({}, (styleRules) =>
      styleRules.create({
        name,
        language,
        configuredRules,
        customInstructions: customInstructions.length === 0 ? undefined : customInstructions
      }))
    return Output.texts([list], ({ styleId }) => styleId)
  })
})

const edit = command("style-rules edit", {
  description: "Rename a list of style rules, or replace all of its rules; its instructions stay",
  examples: {
    [`--fake ${Sample.styleId} --name "New style"`]: "Another name",
    [`--fake ${Sample.styleId} --rule dates_and_times.calendar_era=use_bc_and_ad`]: "This rule in place of all others"
  },
  params: {
    ref,
    name: text("name", "name", "Another name"),
    ...rules,
    clearRules: toggle("clear-rules", "Remove all rules")
  },
  run: Effect.fnUntraced(function*(input) {
    const { clearRules, name, ref } = input
    const newRules = yield* rulesOf(input)
    yield* misuseIf(newRules !== undefined && clearRules, "--clear-rules excludes --rule and --rules-file")
    const configuredRules = clearRules ? {} : newRules
    yield* misuseIf(
      name === undefined && configuredRules === undefined,
      "nothing to change: give --name, --rule, --rules-file or --clear-rules"
    )
    const list = yield* use(
      ref,
      Effect.fnUntraced(function*(styleRules, ref) {
        const renamed = name === undefined ? undefined : yield* styleRules.rename({ ...ref, name })
        return configuredRules === undefined
          ? renamed
          : yield* styleRules.replaceConfiguredRules({ ...ref, configuredRules })
      })
    )
    return list === undefined ? Output.texts([], String) : shown(list)
  })
})

const Lists = Schema.Array(Schema.Struct({
  styleId: Schema.optionalKey(StyleId),
  name: Schema.String,
  language: Schema.String,
  configuredRules: Schema.optionalKey(Schema.toType(ConfiguredRules)),
  customInstructions: Schema.optionalKey(Schema.Array(Schema.Struct({
    label: Schema.String,
    prompt: Schema.String,
    sourceLanguage: Schema.optionalKey(Schema.String)
  })))
}))

const syncAll = sync({
  things: "lists of style rules",
  example: `echo '[{"name": "Letters", "language": "en"}]' | effect-lingua style-rules sync --fake -`,
  desired: (file) =>
    Effect.flatMap(Input.fileText(file), (text) =>
      Input.fromJson(Lists, {
        file,
        text,
        things: "lists",
        example:
          `[{"name": "House", "language": "en", "configuredRules": {}, "customInstructions": [{"label": "", "prompt": ""}]}]`
      })),
  plan: (lists, removeOthers, service) =>
    Effect.map(service.plan({ lists, removeOthers }), (plan) => ({
      steps: plan.steps,
      lines: format(plan),
      apply: service.apply(plan)
    }))
})

const instructionRef = {
  ...ref,
  instructionId: idArgument("instruction-id", InstructionId, "The id of an instruction, as printed by style-rules show")
}

const shownInstructions = (instructions: ReadonlyArray<CustomInstruction>) =>
  Output.rows(instructions, instructionColumns)

const sourceLanguage = Flags.optional(Flags.sourceLanguage, "The source language of the translations it applies to")

const listInstructions = command("style-rules instructions list", {
  description: "List the instructions of a list of style rules",
  examples: { [`--fake ${Sample.styleId}`]: "All of them" },
  params: ref,
  run: calling(({ get }, ref) => get(ref), ({ customInstructions = [] }) => shownInstructions(customInstructions))
})

const showInstruction = command("style-rules instructions show", {
  description: "Show an instruction",
  examples: { [`--fake ${Sample.styleId} ${Sample.instructionId}`]: "One of them" },
  params: instructionRef,
  run: calling(({ getInstruction }, ref) => getInstruction(ref), (instruction) => shownInstructions([instruction]))
})

const createInstruction = command("style-rules instructions create", {
  description: "Create an instruction at the end of a list; prints its id",
  examples: { [`--fake ${Sample.styleId} --label Dashes --prompt "Use short dashes"`]: "An instruction" },
  params: {
    ...ref,
    label: required("label", "text", `Its label, of at most ${labelCharacters} characters`),
    prompt: required("prompt", "text", `Its prompt, of at most ${promptCharacters} characters`),
    sourceLanguage
  },
  run: calling(
    (styleRules, input) => styleRules.addInstruction(input),
    (instruction) => Output.texts([instruction], ({ instructionId }) => instructionId)
  )
})

const editInstruction = command("style-rules instructions edit", {
  description: "Change an instruction in its place; fields that are not given stay",
  examples: {
    [`--fake ${Sample.styleId} ${Sample.instructionId} --prompt "Write EUR, not the sign"`]: "Another prompt"
  },
  params: {
    ref: instructionRef,
    label: text("label", "text", `Another label, of at most ${labelCharacters} characters`),
    prompt: text("prompt", "text", `Another prompt, of at most ${promptCharacters} characters`),
    sourceLanguage
  },
  run: Effect.fnUntraced(function*({ ref, ...changes }) {
    yield* misuseIf(
      Object.values(changes).every((value) => value === undefined),
      "nothing to change: give --label, --prompt or --from"
    )
    const changed = yield* use(
      ref,
      Effect.fnUntraced(function*(styleRules, ref) {
        // The service requires all fields of an instruction.
        const present = yield* styleRules.getInstruction(ref)
        const { label = present.label, prompt = present.prompt, sourceLanguage = present.sourceLanguage } = changes
        if (sourceLanguage === undefined) {
          return yield* misuse("the instruction has no source language yet, and the service requires one: give --from")
        }
        return yield* styleRules.replaceInstruction({ ...ref, label, prompt, sourceLanguage })
      })
    )
    return shownInstructions([changed])
  })
})

const removeInstruction = command("style-rules instructions delete", {
  description: "Delete an instruction of a list",
  examples: { [`--fake ${Sample.styleId} ${Sample.instructionId}`]: "An instruction" },
  params: instructionRef,
  run: (ref) =>
    use(ref, (styleRules, ref) => styleRules.removeInstruction(ref)).pipe(
      Effect.as(Output.done("deleted", `the instruction ${ref.instructionId} is deleted`, ref))
    )
})

const instructions = group(
  "instructions",
  [listInstructions, showInstruction, createInstruction, editInstruction, removeInstruction],
  "Instructions of a list"
)

export const styleRules = group("style-rules", [list, show, create, edit, remove, syncAll, instructions])
