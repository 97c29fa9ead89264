/** Translates one text with this library. */
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as Effect from "effect/Effect"

export const translate = Effect.gen(function*() {
  const translation = yield* Translation
  const [first] = yield* translation.translate({ text: ["Good."], targetLanguage: "de" })
  return first?.text
})
