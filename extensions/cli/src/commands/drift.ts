/** `drift`. */
import * as Drift from "@effect-lingua/conformance/Drift"
import * as Effect from "effect/Effect"
import { call } from "../client/client.ts"
import type * as Output from "../files/output.ts"
import { ProblemsFound } from "../settings/errors.ts"
import { withResults } from "./command.ts"

/** Compares the service with the contract of this version. */
export const drift = withResults("drift", {
  examples: {
    "effect-lingua drift --fake": "The embedded fake, which does not differ",
    "effect-lingua drift --json --fake": "Differences and compared operations as one JSON object"
  },
  params: {},
  run: () =>
    Effect.map(call(() => Drift.check), (report): Output.Results => {
      const { length } = report.findings
      return {
        json: [report],
        human: ({ clean }) => `${Drift.format(report).split("\n").map(clean).join("\n")}\n`,
        after: length === 0
          ? Effect.void
          : new ProblemsFound({
            message: length === 1 ? "one difference was found" : `${length} differences were found`
          })
      }
    })
})
