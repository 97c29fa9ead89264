/** `detect`. */
import type { DetectionResult } from "@effect-lingua/core/texts/Detection"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { textCommand } from "./textCommand.ts"

const shown = (result: DetectionResult): { readonly language: string | null; readonly reason?: string } =>
  result._tag === "Detected" ? { language: result.language } : { language: null, reason: result.reason }

/** Detects the language of texts. */
export const detect = textCommand("detect", {
  examples: {
    [`effect-lingua detect --fake "Wo ist der Bahnhof?"`]: "A text",
    [`effect-lingua detect --fake --json "Guten Morgen" "Bonne nuit" "12345"`]: "Several texts"
  },
  params: {},
  optionsOf: () => Effect.succeed({}),
  send: ({ Detection }, texts) =>
    Stream.unwrap(Effect.map(Detection, ({ detectAll }) => Stream.map(detectAll(texts), shown))),
  textOf: ({ language, reason }) => language ?? `unknown (${reason})`
})
