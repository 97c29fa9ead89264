/** `style-rules` but for its instructions. */
import type { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import type { StyleRuleList, StyleRuleListEntry } from "@effect-lingua/core/style-rules/StyleRulesApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import { styleId } from "../../client/sample.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { oneLine, type Style, table, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { integer, known, text, texts, toggle } from "../../settings/flags.ts"
import { instructions } from "./instructions.ts"
import { sync } from "./styleRulesSync.ts"

const languages = ["de", "en", "es", "fr", "it", "ja", "ko", "zh"]

const id = Argument.String("style-id").pipe(
  Argument.withDescription("The id of a list, as style-rules list shows them")
)

const rules = {
  rules: texts("rule", "category.rule=option", "A rule of the list"),
  rulesFile: text("rules-file", "file", "Rules as JSON, {category: {rule: option}}; - for standard input")
}

const Rules = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))
)

/** The rules of a file, and over them those that are given one by one. */
const rulesOf = Effect.fnUntraced(function*(
  { rules, rulesFile }: { readonly rules: ReadonlyArray<string>; readonly rulesFile: string | undefined }
) {
  if (rules.length === 0 && rulesFile === undefined) return undefined
  const configured: Record<string, Record<string, string>> = {}
  if (rulesFile !== undefined) {
    const read = yield* Effect.mapError(
      Schema.decodeUnknownEffect(Rules)(yield* fileText(rulesFile)),
      () => new InvalidUsage({ message: `${rulesFile} does not hold rules as JSON: {"category": {"rule": "option"}}` })
    )
    for (const [category, options] of Object.entries(read)) configured[category] = { ...options }
  }
  for (const rule of rules) {
    const [, category, name, option] = /^([^.=]+)\.([^=]+)=(.+)$/.exec(rule) ?? []
    if (category === undefined || name === undefined || option === undefined) {
      return yield* new InvalidUsage({
        message: `--rule ${rule} is not of the form category.rule=option, such as ` +
          "dates_and_times.time_format=use_24_hour_clock"
      })
    }
    configured[category] = { ...configured[category], [name]: option }
  }
  return configured
})

/** Formats a time; an unknown one is empty. */
const time = (at: DateTime.Utc | undefined) =>
  at === undefined ? "" : DateTime.formatIso(at).slice(0, 16).replace("T", " ")

const ruleLines = (rules: ConfiguredRules | undefined) =>
  Object.entries(rules ?? {}).flatMap(([category, options]) =>
    Object.entries(options).map(([rule, option]) => [`${category}.${rule}`, option])
  )

const section = (style: Style, header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.length === 0 ? [] : ["", table(style, header, rows)]

/** A list with all that is in it. */
const shown = (list: StyleRuleList | StyleRuleListEntry) => (style: Style): string =>
  [
    ...([
      ["id", list.styleId],
      ["name", list.name],
      ["language", list.language ?? ""],
      ["version", String(list.version ?? "")],
      ["created", time(list.creationTime)],
      ["updated", time(list.updatedTime)]
    ] as const).map(([field, value]) => `${style.dim(field.padEnd(8))}  ${oneLine(value)}`),
    ...section(style, ["RULE", "OPTION"], ruleLines(list.configuredRules)),
    ...section(
      style,
      ["INSTRUCTION", "SOURCE", "LABEL", "PROMPT"],
      (list.customInstructions ?? []).map(({ id, label, prompt, sourceLanguage = "" }) => [
        id,
        sourceLanguage,
        label,
        prompt
      ])
    )
  ].join("\n")

const list = Command.make(
  "list",
  {
    detailed: toggle("detailed", "Show rules and instructions too"),
    page: integer("page", "number", "One page only, from 0; all lists by default"),
    pageSize: integer("page-size", "number", "Lists of a page, 1 to 25; 10 by default"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { detailed, page, pageSize } = input
    yield* Output.deliver(
      input,
      call(({ StyleRules }) =>
        StyleRules.use((styleRules) =>
          page === undefined && pageSize === undefined
            ? Stream.runCollect(styleRules.listAll({ detailed }))
            : styleRules.list({ page, pageSize, detailed })
        ).pipe(Effect.map((lists): Output.Results => ({
          json: lists,
          human: (style) =>
            detailed
              ? lists.map((list) => shown(list)(style)).join("\n\n")
              : table(
                style,
                ["ID", "LANGUAGE", "VERSION", "UPDATED", "NAME"],
                lists.map((list) => [
                  list.styleId,
                  list.language ?? "",
                  String(list.version ?? ""),
                  time(list.updatedTime),
                  list.name
                ])
              )
        })))
      )
    )
  })
).pipe(
  Command.withDescription("List the lists of style rules"),
  Command.withExamples([
    { command: "effect-lingua style-rules list --fake", description: "All of them" },
    { command: "effect-lingua style-rules list --fake --page 0 --page-size 5 --detailed", description: "A page" }
  ])
)

const show = Command.make(
  "show",
  { id, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ StyleId, StyleRules }) =>
        Effect.map(
          StyleRules.use((styleRules) => styleRules.get({ styleId: StyleId.make(input.id) })),
          (list): Output.Results => ({ json: [list], human: shown(list) })
        )
      )
    )
  })
).pipe(
  Command.withDescription("Show a list of style rules with its rules and instructions"),
  Command.withExamples([{ command: `effect-lingua style-rules show --fake ${styleId}`, description: "A list" }])
)

const create = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("A name of at most 1024 characters; it need not be unique")
    ),
    language: Flag.String("language").pipe(
      Flag.withMetavar("language"),
      Flag.withDescription(`The target language of the rules, ${known(languages)}`)
    ),
    ...rules,
    instructions: texts("instruction", "label=prompt", "An instruction of the list"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const configuredRules = yield* rulesOf(input)
    const customInstructions = yield* Effect.forEach(input.instructions, (given) => {
      const [, label, prompt] = /^([^=]+)=([^]+)$/.exec(given) ?? []
      return label === undefined || prompt === undefined
        ? Effect.fail(new InvalidUsage({ message: `--instruction ${given} is not of the form label=prompt` }))
        : Effect.succeed({ label, prompt })
    })
    yield* Output.deliver(
      input,
      call(({ StyleRules }) =>
        StyleRules.use((styleRules) =>
          styleRules.create({
            name: input.name,
            language: input.language,
            configuredRules,
            customInstructions: customInstructions.length === 0 ? undefined : customInstructions
          })
        ).pipe(Effect.map((list): Output.Results => ({ json: [list], human: ({ clean }) => clean(list.styleId) })))
      )
    )
  })
).pipe(
  Command.withDescription("Create a list of style rules; prints its id"),
  Command.withExamples([
    { command: `effect-lingua style-rules create --fake "House style" --language en`, description: "An empty list" },
    {
      command: `effect-lingua style-rules create --fake "Zeiten" --language de ` +
        `--rule dates_and_times.time_format=use_24_hour_clock --instruction "Currency=Write EUR, not the sign"`,
      description: "With a rule and an instruction"
    }
  ])
)

const edit = Command.make(
  "edit",
  {
    id,
    name: text("name", "name", "Another name"),
    ...rules,
    clearRules: toggle("clear-rules", "Take all rules away"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { clearRules, name } = input
    const given = yield* rulesOf(input)
    if (given !== undefined && clearRules) {
      return yield* new InvalidUsage({ message: "--clear-rules leaves no rules: leave out --rule and --rules-file" })
    }
    const configuredRules = clearRules ? {} : given
    if (name === undefined && configuredRules === undefined) {
      return yield* new InvalidUsage({
        message: "nothing to change: give --name, --rule, --rules-file or --clear-rules"
      })
    }
    yield* Output.deliver(
      input,
      call(({ StyleId, StyleRules }) =>
        Effect.gen(function*() {
          const styleRules = yield* StyleRules
          const styleId = StyleId.make(input.id)
          const renamed = name === undefined ? undefined : yield* styleRules.rename({ styleId, name })
          const ruled = configuredRules === undefined
            ? undefined
            : yield* styleRules.replaceConfiguredRules({ styleId, configuredRules })
          const list = ruled ?? renamed
          const results: Output.Results = {
            json: list === undefined ? [] : [list],
            human: (style) => list === undefined ? "" : shown(list)(style)
          }
          return results
        })
      )
    )
  })
).pipe(
  Command.withDescription("Rename a list of style rules, or replace all of its rules; instructions stay"),
  Command.withExamples([
    { command: `effect-lingua style-rules edit --fake ${styleId} --name "New style"`, description: "Another name" },
    {
      command: `effect-lingua style-rules edit --fake ${styleId} --rule dates_and_times.calendar_era=use_bc_and_ad`,
      description: "This rule instead of all others"
    }
  ])
)

const remove = Command.make(
  "delete",
  { id, ...Confirm.flags, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ StyleId, StyleRules }) =>
        Effect.gen(function*() {
          const styleRules = yield* StyleRules
          const styleId = StyleId.make(input.id)
          yield* Confirm.confirm(
            input,
            Effect.map(
              styleRules.get({ styleId }),
              ({ language, name }) => `delete the list ${JSON.stringify(name)} (${language})`
            )
          )
          yield* styleRules.remove({ styleId })
          const results: Output.Results = { json: [{ styleId, deleted: true }], human: () => "" }
          return results
        })
      )
    )
    yield* tell("deleted", `the list ${input.id} is deleted`, { styleId: input.id })
  })
).pipe(
  Command.withDescription("Delete a list of style rules; it cannot be undone"),
  Command.withExamples([
    { command: `effect-lingua style-rules delete --fake --yes ${styleId}`, description: "Without being asked" }
  ])
)

/** Lists of style rules. */
export const styleRules = Command.make("style-rules").pipe(
  Command.withDescription("Lists of style rules and instructions that translations can keep to"),
  Command.withSubcommands([list, show, create, edit, remove, sync, instructions])
)
