/** Detects the language of a text with this library. */
import { Detection } from "@effect-lingua/core/texts/Detection"
import * as Effect from "effect/Effect"

export const detect = Effect.gen(function*() {
  const detection = yield* Detection
  return yield* detection.detect("Good.")
})
