/** `detect`. */
import type { DetectionResult } from "@effect-lingua/core/texts/Detection"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import * as Records from "../../files/records.ts"
import { withTexts } from "../command.ts"

const shown = (result: DetectionResult): { readonly language: string | null; readonly reason?: string } =>
  result._tag === "Detected" ? { language: result.language } : { language: null, reason: result.reason }

const wordsOf = ({ language, reason }: ReturnType<typeof shown>): string => language ?? `unknown (${reason})`

/** Detects the language of texts. */
export const detect = withTexts("detect", {
  examples: {
    [`effect-lingua detect --fake "Wo ist der Bahnhof?"`]: "A text",
    [`effect-lingua detect --fake --json "Guten Morgen" "Bonne nuit" "12345"`]: "Several texts"
  },
  params: Input.params,
  run: Effect.fnUntraced(function*(input) {
    const text = yield* Input.textsOf(input)
    return yield* call(({ Detection }) =>
      Detection.use(({ detectAll }) => Records.collect(Stream.map(detectAll(text), shown), wordsOf))
    )
  }),
  runRecords: ({ files, texts }, options, target) =>
    call(({ Detection }) =>
      Detection.use(({ detectAll }) =>
        Records.run(
          { about: { command: "detect" }, files, texts, options, target },
          (records) => Stream.map(detectAll(records), shown),
          wordsOf
        )
      )
    )
})
