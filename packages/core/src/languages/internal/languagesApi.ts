/** The language list endpoints. */
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { body } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { languageNames } from "../../contract/internal/textOptions.ts"
import { LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"

/**
 * A part of the service with a language list.
 *
 * @category models
 * @since 0.1.0
 */
export type LanguageResource = Fields.Open<
  "translate_text" | "translate_document" | "glossary" | "voice" | "write" | "style_rules" | "translation_memory"
>

export const LanguageResource = Fields.open<LanguageResource>()

/**
 * Entries beyond the stable ones: `beta` languages and features, `external` features of third parties.
 *
 * @category models
 * @since 0.1.0
 */
export type LanguageInclude = Fields.Open<"beta" | "external">

export const LanguageInclude = Fields.open<LanguageInclude>()

/**
 * @category models
 * @since 0.1.0
 */
export type Maturity = Fields.Open<"stable" | "beta" | "early_access">

export const Maturity = Fields.open<Maturity>()

/**
 * A feature that a resource may support for a language.
 *
 * @category models
 * @since 0.1.0
 */
export type LanguageFeature = Fields.Open<
  Fields.Words<
    "auto_detection formality glossary spoken_terms style_rules tag_handling tone transcription translated_speech translation_memory writing_style"
  >
>

export const LanguageFeature = Fields.open<LanguageFeature>()

/**
 * A feature's maturity. `external`: from a third party.
 *
 * @category schemas
 * @since 0.1.0
 */
export class FeatureStatus extends body<FeatureStatus>()("FeatureStatus", {
  status: Fields.informative(Maturity),
  external: Fields.occasional(Schema.Boolean)
}) {}

const Features = Schema.Record(Schema.String, Fields.informativeObject(FeatureStatus))

/** A `null` or `false` feature counts as unsupported. */
const SentFeatures = Schema.toEncoded(Features).pipe(
  Schema.decodeTo(
    Features,
    Fields.onDecode(Record.filter((sent) => sent !== null && sent !== false))
  )
)

/**
 * A language of a resource. Each key in `features` is a supported feature. A field that the service does not send is absent, but `name` is
 * empty, and `features` is `{}`. Unreadable `features` are absent.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Language extends body<Language>()("Language", {
  code: LanguageCode,
  name: Fields.informativeAs(Schema.String, ""),
  usableAsSource: Fields.informative(Schema.Boolean),
  usableAsTarget: Fields.informative(Schema.Boolean),
  status: Fields.informative(Maturity),
  features: Fields.contents(SentFeatures, {})
}, { code: "lang" }) {}

const needed = Fields.occasionalAs(Schema.Boolean, false)

/**
 * The sides of a language pair that have to support a feature.
 *
 * @category schemas
 * @since 0.1.0
 */
export class FeatureRequirement extends body<FeatureRequirement>()("FeatureRequirement", {
  name: Fields.informativeAs(LanguageFeature, ""),
  needsSourceSupport: needed,
  needsTargetSupport: needed
}) {}

/**
 * A resource with the requirements of its features.
 *
 * @category schemas
 * @since 0.1.0
 */
export class ResourceFeatures extends body<ResourceFeatures>()("ResourceFeatures", {
  name: LanguageResource,
  features: Fields.occasionalAs(Schema.Array(Fields.informativeObject(FeatureRequirement)), [])
}) {}

/**
 * An entry of the deprecated list: codes in upper case; `supportsFormality` for targets only.
 *
 * @category schemas
 * @since 0.1.0
 */
export class LanguageV2 extends body<LanguageV2>()("LanguageV2", {
  code: LanguageCode,
  name: Fields.informativeAs(Schema.String, ""),
  supportsFormality: Fields.occasional(Schema.Boolean)
}, { code: "language" }) {}

/**
 * @category schemas
 * @since 0.1.0
 */
export class GlossaryLanguagePair extends body<GlossaryLanguagePair>()("GlossaryLanguagePair", {
  sourceLanguage: LanguageCode,
  targetLanguage: LanguageCode
}, languageNames) {}

export class GlossaryLanguagePairs extends body<GlossaryLanguagePairs>()("GlossaryLanguagePairs", {
  supportedLanguages: Schema.Array(GlossaryLanguagePair)
}) {}

const api = Endpoint.of({ error: codecs.common })

export class LanguagesApi extends Endpoint.group(
  "Languages",
  api.get("list", "/v3/languages", "List the languages of a resource", {
    query: Schema.Struct({ resource: LanguageResource, include: Schema.optionalKey(Schema.Array(LanguageInclude)) }),
    success: Schema.Array(Language)
  }),
  api.get("resources", "/v3/languages/resources", "List the feature requirements of all resources", {
    success: Schema.Array(ResourceFeatures)
  }),
  api.get("listV2", "/v2/languages", "List source or target languages (deprecated)", {
    query: Schema.Struct({ type: Schema.optionalKey(Schema.Literals(["source", "target"])) }),
    success: Schema.Array(LanguageV2),
    error: [codecs.notFound, codecs.quotaExceeded],
    deprecated: true,
    acceptsPost: true
  }),
  api.get("glossaryPairs", "/v2/glossary-language-pairs", "List glossary language pairs (deprecated)", {
    success: GlossaryLanguagePairs,
    error: [codecs.notFound, codecs.unsupportedMediaType, codecs.quotaExceeded],
    deprecated: true
  })
) {}
