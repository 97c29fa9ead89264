/**
 * Language codes. Every set is open: known codes complete in an editor, and any other string passes, because the service
 * adds languages at any time. Codes are taken in any case (spec, Versioning 5).
 *
 * @since 0.1.0
 */
import { type Open, open } from "./internal/schema.ts"

/**
 * A BCP 47 language code, such as `en`, `en-GB` or `zh-Hant`. The known ones are the languages of text translation
 * (reference, appendix 2).
 *
 * @category models
 * @since 0.1.0
 */
export type LanguageCode = Open<
  | "ace"
  | "af"
  | "an"
  | "ar"
  | "as"
  | "ay"
  | "az"
  | "ba"
  | "be"
  | "bg"
  | "bho"
  | "bn"
  | "br"
  | "bs"
  | "ca"
  | "ceb"
  | "ckb"
  | "cs"
  | "cy"
  | "da"
  | "de"
  | "el"
  | "en"
  | "en-GB"
  | "en-US"
  | "eo"
  | "es"
  | "es-419"
  | "et"
  | "eu"
  | "fa"
  | "fi"
  | "fr"
  | "ga"
  | "gl"
  | "gn"
  | "gom"
  | "gu"
  | "ha"
  | "he"
  | "hi"
  | "hr"
  | "ht"
  | "hu"
  | "hy"
  | "id"
  | "ig"
  | "is"
  | "it"
  | "ja"
  | "jv"
  | "ka"
  | "kk"
  | "kmr"
  | "ko"
  | "ky"
  | "la"
  | "lb"
  | "lmo"
  | "ln"
  | "lt"
  | "lv"
  | "mai"
  | "mg"
  | "mi"
  | "mk"
  | "ml"
  | "mn"
  | "mr"
  | "ms"
  | "mt"
  | "my"
  | "nb"
  | "ne"
  | "nl"
  | "oc"
  | "om"
  | "pa"
  | "pag"
  | "pam"
  | "pl"
  | "prs"
  | "ps"
  | "pt"
  | "pt-BR"
  | "pt-PT"
  | "qu"
  | "ro"
  | "ru"
  | "sa"
  | "scn"
  | "sk"
  | "sl"
  | "sq"
  | "sr"
  | "st"
  | "su"
  | "sv"
  | "sw"
  | "ta"
  | "te"
  | "tg"
  | "th"
  | "tk"
  | "tl"
  | "tn"
  | "tr"
  | "ts"
  | "tt"
  | "uk"
  | "ur"
  | "uz"
  | "vi"
  | "wo"
  | "xh"
  | "yi"
  | "yue"
  | "zh"
  | "zh-Hans"
  | "zh-Hant"
  | "zu"
>

/**
 * Schema of a {@link LanguageCode}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LanguageCode = open<LanguageCode>()

/**
 * A target of text improvement (spec, Rephrase text 2).
 *
 * @category models
 * @since 0.1.0
 */
export type ImprovementLanguage = Open<
  "de" | "en-GB" | "en-US" | "es" | "fr" | "it" | "ja" | "ko" | "pt-BR" | "pt-PT" | "zh" | "zh-Hans"
>

/**
 * Schema of an {@link ImprovementLanguage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ImprovementLanguage = open<ImprovementLanguage>()

/**
 * A language that detection can find (spec, Detection result).
 *
 * @category models
 * @since 0.1.0
 */
export type DetectedLanguage = Open<
  | "en"
  | "de"
  | "fr"
  | "es"
  | "pt"
  | "it"
  | "nl"
  | "pl"
  | "ru"
  | "zh"
  | "ja"
  | "bg"
  | "cs"
  | "da"
  | "el"
  | "et"
  | "fi"
  | "hu"
  | "lt"
  | "lv"
  | "ro"
  | "sk"
  | "sl"
  | "sv"
  | "tr"
  | "id"
  | "uk"
  | "ko"
  | "nb"
  | "ar"
  | "vi"
  | "he"
  | "th"
>

/**
 * Schema of a {@link DetectedLanguage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DetectedLanguage = open<DetectedLanguage>()

/**
 * The language of a style rule list: a root code that covers its variants (spec, Limits).
 *
 * @category models
 * @since 0.1.0
 */
export type StyleRuleLanguage = Open<"de" | "en" | "es" | "fr" | "it" | "ja" | "ko" | "zh">

/**
 * Schema of a {@link StyleRuleLanguage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StyleRuleLanguage = open<StyleRuleLanguage>()
