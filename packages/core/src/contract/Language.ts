/**
 * Language codes. Every set is open: known codes complete in an editor, and any other string passes, because the service
 * adds languages at any time. Codes are accepted in any case.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { opaque } from "./internal/body.ts"
import { type Open, open, type Words } from "./internal/schema.ts"

/**
 * A BCP 47 language code, such as `en`, `en-GB` or `zh-Hant`. The known ones are the languages of text translation.
 *
 * @category models
 * @since 0.1.0
 */
export type LanguageCode = Open<
  | Words<"ace af an ar as ay az ba be bg bho bn br bs ca ceb ckb cs cy da de el en en-GB en-US eo es es-419 et">
  | Words<"eu fa fi fr ga gl gn gom gu ha he hi hr ht hu hy id ig is it ja jv ka kk kmr ko ky la lb lmo ln lt">
  | Words<"lv mai mg mi mk ml mn mr ms mt my nb ne nl oc om pa pag pam pl prs ps pt pt-BR pt-PT qu ro ru sa scn">
  | Words<"sk sl sq sr st su sv sw ta te tg th tk tl tn tr ts tt uk ur uz vi wo xh yi yue zh zh-Hans zh-Hant zu">
>

/**
 * Schema of a {@link LanguageCode}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LanguageCode = open<LanguageCode>()

/**
 * A code in the case of BCP 47, such as `en-GB` for `EN-gb`. Glossaries, style rule lists and improvements are sent with it, as some hosts
 * compare their codes with regard to case.
 *
 * **Example** (Codes in any case)
 *
 * ```ts import.meta.vitest
 * import { canonical } from "@effect-lingua/core/contract/Language"
 *
 * ["EN", "pt-br", "ZH-HANS", "es-419"].map(canonical) // => ["en", "pt-BR", "zh-Hans", "es-419"]
 * ```
 *
 * @category conversions
 * @since 0.3.0
 */
export const canonical = (code: string): string =>
  code.toLowerCase().split("-").map((part, index) =>
    index === 0
      ? part
      : part.length === 4
      ? `${part.charAt(0).toUpperCase()}${part.slice(1)}`
      : part.length === 2
      ? part.toUpperCase()
      : part
  ).join("-")

/**
 * A target of text improvement.
 *
 * @category models
 * @since 0.1.0
 */
export type ImprovementLanguage = Open<Words<"de en-GB en-US es fr it ja ko pt-BR pt-PT zh zh-Hans">>

/**
 * Schema of an {@link ImprovementLanguage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ImprovementLanguage = open<ImprovementLanguage>()

/**
 * A language that detection can find.
 *
 * @category models
 * @since 0.1.0
 */
export type DetectedLanguage = Open<
  Words<"en de fr es pt it nl pl ru zh ja bg cs da el et fi hu lt lv ro sk sl sv tr id uk ko nb ar vi he th">
>

/**
 * Schema of a {@link DetectedLanguage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DetectedLanguage = open<DetectedLanguage>()

/**
 * The language of a style rule list: a root code that covers its variants.
 *
 * @category models
 * @since 0.1.0
 */
export type StyleRuleLanguage = Open<Words<"de en es fr it ja ko zh">>

/**
 * Schema of a {@link StyleRuleLanguage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StyleRuleLanguage = open<StyleRuleLanguage>()

/**
 * The entry of a code in the list of languages: listed for that side of a pair or not, with the nearest listed code.
 *
 * @category schemas
 * @since 0.1.0
 */
export class LanguageListed extends opaque<LanguageListed>()(
  Schema.Struct({
    parameter: Schema.Literals(["sourceLanguage", "targetLanguage"]),
    code: Schema.String,
    isListed: Schema.Boolean,
    nearest: Schema.optionalKey(Schema.String)
  })
) {}

/** The edit distance of two codes. */
const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const [above = 0, left = 0, diagonal = 0] = [previous[column], current[column - 1], previous[column - 1]]
      current.push(Math.min(above + 1, left + 1, diagonal + (a[row - 1] === b[column - 1] ? 0 : 1)))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

/**
 * The word among `words` that is most similar to a given one, regardless of case; the first of several, and none that differs
 * in more than `atMost` letters.
 *
 * **Example** (A misspelt code)
 *
 * ```ts import.meta.vitest
 * import { nearest } from "@effect-lingua/core/contract/Language"
 *
 * const corrected = nearest("zh-hanz", ["zh", "zh-Hans", "pt-BR"])
 * corrected // => "zh-Hans"
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const nearest = (
  word: string,
  words: ReadonlyArray<string>,
  atMost: number = Number.POSITIVE_INFINITY
): string | undefined => {
  // Beyond the length of any word, more letters make no difference.
  const given = word.slice(0, 100).toLowerCase()
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const other of words) {
    const found = distance(given, other.toLowerCase())
    if (found <= atMost && (best === undefined || found < best.distance)) best = { word: other, distance: found }
  }
  return best?.word
}
