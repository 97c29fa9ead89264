/** `usage`. */
import type { CurrentUsage } from "@effect-lingua/core/account/Usage"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import type * as Output from "../../files/output.ts"
import { table } from "../../screen/table.ts"
import { withResults } from "../command.ts"

/** The usage and the limit of each unit. Units without either have no row. */
const rowsOf = (usage: CurrentUsage) =>
  [
    { unit: "characters", used: usage.characterCount, limit: usage.characterLimit },
    { unit: "characters of this key", used: usage.keyCharacterCount, limit: usage.keyCharacterLimit },
    ...usage.products.map(({ accountUnits, billingUnit, product }) => ({
      unit: billingUnit === undefined ? product : `${product}, ${billingUnit}`,
      used: accountUnits,
      limit: undefined
    }))
  ].filter(({ limit, used }) => used !== undefined || limit !== undefined)

/** Reports the usage of the period. */
export const usage = withResults("usage", {
  examples: { "effect-lingua usage --fake": "For the account, the key and each product" },
  params: {},
  run: () =>
    call(({ Usage }) =>
      Effect.map(Usage.Usage.use((service) => service.get()), (usage): Output.Results => ({
        json: [usage],
        human: (style) =>
          [
            table(
              style,
              { UNIT: ({ unit }) => unit, USED: ({ used }) => used, LIMIT: ({ limit }) => limit },
              rowsOf(usage)
            ),
            `characters left: ${Usage.remaining(usage)}`,
            ...(usage.endTime === undefined ? [] : [`until: ${DateTime.formatIso(usage.endTime)}`])
          ].join("\n")
      }))
    )
})
