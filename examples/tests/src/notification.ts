import { Translation } from "@effect-lingua/core"
import { Effect } from "effect"

/** The notification in the reader's language, or the original text if the translation fails. */
export const notification = Effect.fn("notification")(function*(text: string, targetLanguage: string) {
  const { translate } = yield* Translation
  return yield* translate(text, { targetLanguage }).pipe(
    Effect.map((translation) => translation.text),
    Effect.catch((error) => Effect.as(Effect.logDebug(error), text))
  )
})
