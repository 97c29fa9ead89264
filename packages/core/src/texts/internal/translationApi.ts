import * as Schema from "effect/Schema"
import { GlossaryId } from "../../contract/Ids.ts"
import { body, form } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { languageNames, type TagHandling, translationFields } from "../../contract/internal/textOptions.ts"
import { LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"

export type { Formality, TagHandling } from "../../contract/internal/textOptions.ts"

/**
 * What the service optimizes: latency or quality.
 *
 * @category models
 * @since 0.1.0
 */
export type ModelType = Fields.Open<"latency_optimized" | "quality_optimized" | "prefer_quality_optimized">

/**
 * Where the service splits sentences. `0`: nowhere. `1`: at punctuation and line breaks. `nonewlines`: at punctuation only.
 *
 * @category models
 * @since 0.1.0
 */
export type SplitSentences = Fields.Open<"0" | "1" | "nonewlines">

/**
 * @category models
 * @since 0.1.0
 */
export type TagHandlingVersion = Fields.Open<"v1" | "v2">

const fields = {
  text: Schema.Array(Schema.String),
  ...translationFields,
  context: Schema.optionalKey(Schema.String),
  showBilledCharacters: Schema.optionalKey(Schema.Boolean),
  splitSentences: Schema.optionalKey(Fields.open<SplitSentences>()),
  preserveFormatting: Schema.optionalKey(Schema.Boolean),
  modelType: Schema.optionalKey(Fields.open<ModelType>()),
  customInstructions: Schema.optionalKey(Schema.Array(Schema.String)),
  tagHandling: Schema.optionalKey(Fields.open<TagHandling>()),
  tagHandlingVersion: Schema.optionalKey(Fields.open<TagHandlingVersion>()),
  outlineDetection: Schema.optionalKey(Schema.Boolean),
  splittingTags: Schema.optionalKey(Schema.Array(Schema.String)),
  nonSplittingTags: Schema.optionalKey(Schema.Array(Schema.String)),
  ignoreTags: Schema.optionalKey(Schema.Array(Schema.String)),
  enableBetaLanguages: Schema.optionalKey(Schema.Boolean)
}

export class TranslateBody extends body<TranslateBody>()("TranslateBody", fields, languageNames) {}

/** {@link TranslateBody} as a form: booleans are `1` or `0`; lists are comma-separated or repeated fields. */
export class TranslateForm extends body<TranslateForm>()("TranslateForm", {
  ...fields,
  showBilledCharacters: Schema.optionalKey(Fields.formBoolean),
  preserveFormatting: Schema.optionalKey(Fields.formBoolean),
  glossaryIds: Schema.optionalKey(Fields.formList(GlossaryId)),
  outlineDetection: Schema.optionalKey(Fields.formBoolean),
  splittingTags: Schema.optionalKey(Fields.formList(Schema.String)),
  nonSplittingTags: Schema.optionalKey(Fields.formList(Schema.String)),
  ignoreTags: Schema.optionalKey(Fields.formList(Schema.String)),
  enableBetaLanguages: Schema.optionalKey(Fields.formBoolean)
}, languageNames) {}

/**
 * One translated text. `detectedSourceLanguage` is in upper case, and present even for a specified source; `billedCharacters` is present on
 * request, `modelTypeUsed` and `tagHandlingVersion` if their options are set.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Translated extends body<Translated>()("Translated", {
  text: Schema.String,
  detectedSourceLanguage: Fields.informative(LanguageCode),
  billedCharacters: Fields.occasional(Schema.Int),
  modelTypeUsed: Fields.occasional(Fields.open<ModelType>()),
  tagHandlingVersion: Fields.occasional(Fields.open<TagHandlingVersion>())
}) {}

export class Translations extends body<Translations>()("Translations", { translations: Schema.Array(Translated) }) {}

const api = Endpoint.of({ error: [...codecs.common, codecs.notFound, codecs.uriTooLong, codecs.quotaExceeded] })

export class TranslationApi extends Endpoint.group(
  "Translation",
  api.post("translate", "/v2/translate", "Translate texts", {
    payload: [TranslateBody, form(TranslateForm)],
    success: Translations,
    repeat: "Metered"
  })
) {}
