import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { GlossaryId, StyleId, TranslationMemoryId } from "../Ids.ts"
import { LanguageCode } from "../Language.ts"
import { type Open, open } from "./schema.ts"

/**
 * A translation's formality. `more` and `less` fail with 400 if the target language has no formality; `prefer_` values do not fail.
 *
 * @category models
 * @since 0.1.0
 */
export type Formality = Open<"default" | "more" | "less" | "prefer_more" | "prefer_less">

/**
 * The format of markup that the service preserves.
 *
 * @category models
 * @since 0.1.0
 */
export type TagHandling = Open<"xml" | "html">

export const translationFields = {
  targetLanguage: LanguageCode,
  sourceLanguage: Schema.optionalKey(LanguageCode),
  formality: Schema.optionalKey(open<Formality>()),
  glossaryId: Schema.optionalKey(GlossaryId),
  glossaryIds: Schema.optionalKey(Schema.Array(GlossaryId)),
  styleId: Schema.optionalKey(StyleId),
  translationMemoryId: Schema.optionalKey(TranslationMemoryId),
  translationMemoryThreshold: Schema.optionalKey(Schema.Int.annotate({
    description: "Minimum match of a segment of the memory, from 0 to 100 percent; 75 or higher is recommended."
  }))
}

export const languageNames = { targetLanguage: "target_lang", sourceLanguage: "source_lang" } as const

/**
 * The default reporting tag of an effect's translations. `Writing` and `Documents.upload` do not support tags and fail with `InvalidInput`: provide
 * `undefined` around these calls.
 *
 * @category services
 * @since 0.1.0
 */
export const ReportingTag = Context.Reference<string | undefined>(
  "@effect-lingua/core/contract/internal/textOptions/ReportingTag",
  { defaultValue: () => undefined }
)
