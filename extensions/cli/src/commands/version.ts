/** `version`. */
import * as Effect from "effect/Effect"
import * as Output from "../files/output.ts"
import { name } from "../screen/screen.ts"
import { version as current } from "../settings/version.ts"
import { withResults } from "./command.ts"

export const version = withResults("version", {
  description: "Print the version of this program",
  examples: { [`${name} version --json`]: "For a program" },
  params: {},
  run: () => Effect.succeed(Output.texts([{ version: current }], ({ version }) => version))
})
