/** `usage`. */
import type { CurrentUsage } from "@effect-lingua/core/account/UsageApi"
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Output from "../../files/output.ts"
import { table } from "../../screen/screen.ts"

/** What is counted, how much of it is used up, and how much may be. What was not told stays empty. */
const rowsOf = (usage: CurrentUsage): ReadonlyArray<ReadonlyArray<string>> => {
  const rows = [
    ["characters", usage.characterCount, usage.characterLimit],
    ["characters of this key", usage.keyCharacterCount, usage.keyCharacterLimit],
    ...usage.products.map(({ accountUnits, billingUnit, product }) => [
      billingUnit === undefined ? product : `${product}, ${billingUnit}`,
      accountUnits
    ])
  ]
  return rows.flatMap(([what = "", used, limit]) =>
    used === undefined && limit === undefined ? [] : [[String(what), String(used ?? ""), String(limit ?? "")]]
  )
}

/** Tells what is used up. */
export const usage = Command.make(
  "usage",
  Output.flags,
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ Usage }) =>
        Effect.map(Usage.Usage.use((service) => service.get()), (usage): Output.Results => ({
          json: [usage],
          human: (style) =>
            [
              table(style, ["WHAT", "USED", "LIMIT"], rowsOf(usage)),
              `characters left: ${Usage.remaining(usage)}`,
              ...(usage.endTime === undefined ? [] : [`until: ${DateTime.formatIso(usage.endTime)}`])
            ].join("\n")
        }))
      )
    )
  })
).pipe(
  Command.withDescription("Tell how many characters the period has used up, and how many are left"),
  Command.withExamples([
    { command: `effect-lingua usage --fake`, description: "For the account, the key and each product" }
  ])
)
