/** `style-rules sync`. */
import { StyleId } from "@effect-lingua/core/client/Ids"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import { applied, syncCommand } from "../sync.ts"

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
export const sync = syncCommand({
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
