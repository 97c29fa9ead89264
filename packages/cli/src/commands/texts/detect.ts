/** `detect`. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"

/** Detects the language of texts. */
export const detect = Command.make(
  "detect",
  { ...Input.params, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const text = yield* Input.textsOf(input)
    yield* Output.deliver(
      input,
      call(({ Detection }) =>
        Effect.map(Detection.use((detection) => detection.detect({ text })), (results): Output.Results => ({
          json: results.map((result) =>
            result._tag === "Detected" ? { language: result.language } : { language: null, reason: result.reason }
          ),
          human: ({ clean }) =>
            results.map((result) => clean(result._tag === "Detected" ? result.language : `unknown (${result.reason})`))
              .join("\n")
        }))
      )
    )
  })
).pipe(
  Command.withDescription("Detect the language of texts: a code for each, or why it is unknown"),
  Command.withExamples([
    { command: `effect-lingua detect --fake "Wo ist der Bahnhof?"`, description: "A text" },
    { command: `effect-lingua detect --fake --json "Guten Morgen" "Bonne nuit" "12345"`, description: "Several" }
  ])
)
