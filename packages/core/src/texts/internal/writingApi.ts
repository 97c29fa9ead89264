/** The text improvement endpoints (paid tier). */
import * as Schema from "effect/Schema"
import { body, form } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { ImprovementLanguage, LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"

/**
 * The tone of a rephrased text. If the language has no tones, the service responds with 400; a `prefer_` value falls back to `default`
 * instead.
 *
 * @category models
 * @since 0.1.0
 */
export type Tone = Fields.Open<
  Fields.Words<
    "default confident diplomatic enthusiastic friendly prefer_confident prefer_diplomatic prefer_enthusiastic prefer_friendly"
  >
>

export const Tone = Fields.open<Tone>()

/**
 * The style of a rephrased text. `prefer_` has the same effect as in {@link Tone}.
 *
 * @category models
 * @since 0.1.0
 */
export type WritingStyle = Fields.Open<
  Fields.Words<"default academic business casual simple prefer_academic prefer_business prefer_casual prefer_simple">
>

export const WritingStyle = Fields.open<WritingStyle>()

const fields = { text: Schema.Array(Schema.String), targetLanguage: Schema.optionalKey(ImprovementLanguage) }
const names = { targetLanguage: "target_lang" } as const

export class RephraseBody extends body<RephraseBody>()("RephraseBody", {
  ...fields,
  writingStyle: Schema.optionalKey(WritingStyle),
  tone: Schema.optionalKey(Tone)
}, names) {}

export class CorrectBody extends body<CorrectBody>()("CorrectBody", fields, names) {}

/**
 * One improved text, with its languages if the service sends them.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Improvement extends body<Improvement>()("Improvement", {
  text: Schema.String,
  detectedSourceLanguage: Fields.informative(LanguageCode),
  targetLanguage: Fields.informative(LanguageCode)
}) {}

export class Improvements extends body<Improvements>()("Improvements", { improvements: Schema.Array(Improvement) }) {}

const api = Endpoint.of({
  error: [...codecs.common, codecs.unsupportedMediaType, codecs.quotaExceeded],
  tier: "paid",
  repeat: "Metered"
})

export class WritingApi extends Endpoint.group(
  "Writing",
  api.post("rephrase", "/v2/write/rephrase", "Rephrase texts", {
    payload: [RephraseBody, form(RephraseBody)],
    success: Improvements
  }),
  api.post("correct", "/v2/write/correct", "Correct texts", {
    payload: [CorrectBody, form(CorrectBody)],
    success: Improvements
  })
) {}
