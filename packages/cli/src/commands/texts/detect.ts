/** `detect`. */
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { withResults } from "../command.ts"

/** Detects the language of texts. */
export const detect = withResults("detect", {
  description: "Detect the language of texts: a language code for each, or the reason why it is unknown",
  examples: {
    [`effect-lingua detect --fake "Wo ist der Bahnhof?"`]: "A text",
    [`effect-lingua detect --fake --json "Guten Morgen" "Bonne nuit" "12345"`]: "Several texts"
  },
  params: Input.params,
  run: Effect.fnUntraced(function*(input) {
    const text = yield* Input.textsOf(input)
    const results = yield* call(({ Detection }) => Detection.use(({ detect }) => detect({ text })))
    return Output.texts(
      results.map((result) =>
        result._tag === "Detected" ? { language: result.language } : { language: null, reason: result.reason }
      ),
      ({ language, reason }) => language ?? `unknown (${reason})`
    )
  })
})
