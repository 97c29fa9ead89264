/** A service that answers requests of any number of texts, and what it was sent. */
import { Effect } from "effect"
import * as Wire from "./Wire.ts"

/** The texts of a body. */
export const textsOf = (body: string): ReadonlyArray<string> => JSON.parse(body).text

/** The texts of each request so far. */
export const textsSent = Effect.map(Wire.sent, (sent) => sent.map(({ body }) => textsOf(body)))

/** How many texts each request had so far. */
export const sizes = Effect.map(textsSent, (texts) => texts.map(({ length }) => length))

/**
 * Answers any of the operations for texts as if it changed nothing: a language says how long its text was. `space` is
 * whether white space around a text is kept.
 */
export const echo = (space = true): Wire.Reply => (request, sent) => {
  const texts = textsOf(sent.body)
  const results = texts.map((text) => ({
    text: space ? text : text.trim(),
    detected_source_language: `x-${text.length}`,
    target_language: "en-GB",
    detection_status: "success",
    detected_language: `x-${text.length}`
  }))
  return Wire.answer(200, { results, improvements: results, translations: results })(request, sent)
}

/** The same, but refuses requests with one of some texts. */
export const refusing = (texts: ReadonlyArray<string>): Wire.Reply => (request, sent) =>
  (textsOf(sent.body).some((text) => texts.includes(text)) ? Wire.answer(400, { message: "bad" }) : echo())(
    request,
    sent
  )
