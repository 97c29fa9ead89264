/** `style-rules`: the commands on whole lists. */
import { StyleId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import type { StyleRuleList, StyleRuleListEntry } from "@effect-lingua/core/style-rules/StyleRules"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import { styleListRef } from "../../client/names.ts"
import * as Sample from "../../client/sample.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import type { Style } from "../../screen/screen.ts"
import { fields, table } from "../../screen/table.ts"
import { misuse } from "../../settings/errors.ts"
import { argument, isPage, known, pages, required, text, texts, toggle } from "../../settings/flags.ts"
import { group, showing, withResults } from "../command.ts"
import { commandsOf } from "../resource.ts"
import { applied, syncCommand } from "../sync.ts"
import { instructionColumns, instructions, styleId, withStyleList, withStyleRules } from "./instructions.ts"

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

/** Makes the lists of the service match a file. */
const sync = syncCommand({
  things: "lists of style rules",
  example: `echo '[{"name": "Letters", "language": "en"}]' | effect-lingua style-rules sync --fake -`,
  run: Effect.fnUntraced(function*(input) {
    const { file, removeOthers } = input
    const lists = yield* Input.fromJson(Lists, {
      file,
      text: yield* Input.fileText(file),
      things: "lists",
      example:
        `[{"name": "House", "language": "en", "configuredRules": {}, "customInstructions": [{"label": "", "prompt": ""}]}]`
    })
    return yield* call(({ StyleRules, StyleRulesPlan }) =>
      StyleRules.use((service) =>
        Effect.flatMap(
          service.plan({ lists, removeOthers }),
          (plan) =>
            applied(input, { steps: plan.steps, lines: StyleRulesPlan.format(plan), apply: service.apply(plan) })
        )
      )
    )
  })
})

const { styleRuleLanguages, styleRuleListNameCharacters } = Limits.defaults

const rules = {
  rules: texts("rule", "category.rule=option", "A rule of the list"),
  rulesFile: text("rules-file", "file", "Rules as JSON, {category: {rule: option}}; - for standard input")
}

const Rules = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))

/** The rules of a file, overridden by single rules. */
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
        `--rule ${rule} is not of the form category.rule=option, such as ` +
          "dates_and_times.time_format=use_24_hour_clock"
      )
    }
    configured[category] = { ...configured[category], [name]: option }
  }
  return configured
})

/** A list with its rules and instructions. */
const sections = (list: StyleRuleList | StyleRuleListEntry) => (style: Style): string => {
  const { configuredRules = {}, creationTime, customInstructions = [], language, name, styleId, updatedTime, version } =
    list
  const rules = Object.entries(configuredRules).flatMap(([category, options]) =>
    Object.entries(options).map(([rule, option]) => [`${category}.${rule}`, option] as const)
  )
  return [
    fields(style, { id: styleId, name, language, version, created: creationTime, updated: updatedTime }),
    ...(rules.length === 0 ? [] : [table(style, { RULE: ([rule]) => rule, OPTION: ([, option]) => option }, rules)]),
    ...(customInstructions.length === 0 ? [] : [table(style, instructionColumns, customInstructions)])
  ].join("\n\n")
}

const shown = (list: StyleRuleList): Output.Results => ({ json: [list], human: sections(list) })

const list = showing("list", {
  description: "List the lists of style rules",
  examples: {
    "effect-lingua style-rules list --fake": "All of them",
    "effect-lingua style-rules list --fake --page 0 --page-size 5 --detailed": "A page"
  },
  params: { detailed: toggle("detailed", "Show rules and instructions too"), pages: pages("lists") },
  run: ({ detailed, pages }) =>
    withStyleRules((styleRules) =>
      isPage(pages)
        ? styleRules.listPage({ ...pages, detailed })
        : Stream.runCollect(styleRules.list({ detailed }))
    ),
  shown: (lists, { detailed }) =>
    detailed
      ? { json: lists, human: (style) => lists.map((list) => sections(list)(style)).join("\n\n") }
      : Output.rows(lists, {
        ID: ({ styleId }) => styleId,
        LANGUAGE: ({ language }) => language,
        VERSION: ({ version }) => version,
        UPDATED: ({ updatedTime }) => updatedTime,
        NAME: ({ name }) => name
      })
})

const { remove, show } = commandsOf({
  path: "style-rules",
  object: "list",
  service: ({ StyleRules }) => StyleRules,
  ref: { styleId },
  named: styleListRef,
  sample: Sample.styleId,
  show: "Show a list of style rules with its rules and instructions",
  remove: "Delete a list of style rules; it cannot be undone",
  shown,
  inWords: ({ language, name }) => `the list ${JSON.stringify(name)} (${language})`
})

const create = withResults("create", {
  description: "Create a list of style rules; prints its id",
  examples: {
    [`effect-lingua style-rules create --fake "House style" --language en`]: "An empty list",
    [
      `effect-lingua style-rules create --fake "Zeiten" --language de ` +
      `--rule dates_and_times.time_format=use_24_hour_clock --instruction "Currency=Write EUR, not the sign"`
    ]: "With a rule and an instruction"
  },
  params: {
    name: argument("name", `A name of at most ${styleRuleListNameCharacters} characters; it need not be unique`),
    language: required("language", "language", `The language of the list, ${known(styleRuleLanguages)}`),
    ...rules,
    instructions: texts("instruction", "label=prompt", "An instruction of the list")
  },
  run: Effect.fnUntraced(function*(input) {
    const { language, name } = input
    const configuredRules = yield* rulesOf(input)
    const customInstructions = yield* Effect.forEach(input.instructions, (given) => {
      const [, label, prompt] = /^([^=]+)=([^]+)$/.exec(given) ?? []
      return label === undefined || prompt === undefined
        ? misuse(`--instruction ${given} is not of the form label=prompt`)
        : Effect.succeed({ label, prompt })
    })
    const list = yield* withStyleRules((styleRules) =>
      styleRules.create({
        name,
        language,
        configuredRules,
        customInstructions: customInstructions.length === 0 ? undefined : customInstructions
      })
    )
    return Output.texts([list], ({ styleId }) => styleId)
  })
})

const edit = withResults("edit", {
  description: "Rename a list of style rules, or replace all of its rules; its instructions stay",
  examples: {
    [`effect-lingua style-rules edit --fake ${Sample.styleId} --name "New style"`]: "Another name",
    [`effect-lingua style-rules edit --fake ${Sample.styleId} --rule dates_and_times.calendar_era=use_bc_and_ad`]:
      "This rule in place of all others"
  },
  params: {
    styleId,
    name: text("name", "name", "Another name"),
    ...rules,
    clearRules: toggle("clear-rules", "Remove all rules")
  },
  run: Effect.fnUntraced(function*(input) {
    const { clearRules, name } = input
    const given = yield* rulesOf(input)
    if (given !== undefined && clearRules) {
      return yield* misuse("--clear-rules leaves no rules: leave out --rule and --rules-file")
    }
    const configuredRules = clearRules ? {} : given
    if (name === undefined && configuredRules === undefined) {
      return yield* misuse("nothing to change: give --name, --rule, --rules-file or --clear-rules")
    }
    const list = yield* withStyleList(input, (styleRules, { styleId }) =>
      Effect.gen(function*() {
        const renamed = name === undefined ? undefined : yield* styleRules.rename({ styleId, name })
        return configuredRules === undefined
          ? renamed
          : yield* styleRules.replaceConfiguredRules({ styleId, configuredRules })
      }))
    return list === undefined ? Output.texts([], String) : shown(list)
  })
})

/** Lists of style rules. */
export const styleRules = group("style-rules", [list, show, create, edit, remove, sync, instructions])
