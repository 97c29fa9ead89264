/** `style-rules sync`: lists as a file has them. */
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../../client/client.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { oneLine, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { toggle } from "../../settings/flags.ts"

const Lists = Schema.fromJsonString(Schema.Array(Schema.Struct({
  styleId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  language: Schema.String,
  configuredRules: Schema.optionalKey(Schema.toType(ConfiguredRules)),
  customInstructions: Schema.optionalKey(Schema.Array(Schema.Struct({
    label: Schema.String,
    prompt: Schema.String,
    sourceLanguage: Schema.optionalKey(Schema.String)
  })))
})))

/** A key that is not known is a mistake: what it says would not be done. */
const decode = Schema.decodeUnknownEffect(Lists, { onExcessProperty: "error" })

const listsOf = Effect.fnUntraced(function*(file: string) {
  return yield* Effect.mapError(
    decode(yield* fileText(file)),
    ({ message }) =>
      new InvalidUsage({
        message: `${file} does not hold lists as JSON, [{"name": "House", "language": "en", "configuredRules": {}, ` +
          `"customInstructions": [{"label": "", "prompt": ""}]}]: ${oneLine(message)}`
      })
  )
})

const example = `echo '[{"name": "Letters", "language": "en"}]' | effect-lingua style-rules sync --fake -`

/** Makes the lists of the service as a file has them. */
export const sync = Command.make(
  "sync",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A file with the wanted lists as JSON, - for standard input")
    ),
    dryRun: toggle("dry-run", "Show what would be done, and do nothing"),
    removeOthers: toggle("remove-others", "Delete all lists that are not in the file; it cannot be undone"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { dryRun, removeOthers } = input
    const wanted = yield* listsOf(input.file)
    yield* Output.deliver(
      input,
      call(({ StyleId, StyleRules, StyleRulesPlan }) =>
        Effect.gen(function*() {
          const styleRules = yield* StyleRules
          const lists = wanted.map(({ styleId, ...list }) =>
            styleId === undefined ? list : Object.assign(list, { styleId: StyleId.make(styleId) })
          )
          const plan = yield* styleRules.plan({ lists, removeOthers })
          if (!dryRun) yield* styleRules.apply(plan)
          const results: Output.Results = {
            json: plan.steps,
            human: ({ clean }) => StyleRulesPlan.format(plan).map((line) => clean(line)).join("\n")
          }
          return results
        })
      )
    )
    if (dryRun) yield* tell("dryRun", "this is what would be done; nothing was changed", {})
  })
).pipe(
  Command.withDescription("Make the lists of style rules as a file has them; prints each call that it takes"),
  Command.withExamples([
    { command: `${example} --dry-run`, description: "What would be done" },
    { command: example, description: "Do it; a second time there is nothing to do" }
  ])
)
