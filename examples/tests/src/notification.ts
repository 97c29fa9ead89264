import { Translation } from "@effect-lingua/core"
import { Effect } from "effect"

/** The notification in the language of its reader, or the original if it cannot be translated. */
export const notification = Effect.fn("notification")(function*(text: string, targetLanguage: string) {
  const { translate } = yield* Translation
  return yield* translate(text, { targetLanguage }).pipe(
    Effect.map((translation) => translation.text),
    Effect.catch((error) => Effect.as(Effect.logDebug(error), text))
  )
})
