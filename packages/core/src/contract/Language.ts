/**
 * Language codes, case-insensitive. Types list known codes for completion in editors and accept any other string.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { opaque } from "./internal/body.ts"
import { type Open, open, type Words } from "./internal/schema.ts"

/**
 * A BCP 47 language code, such as `en`, `en-GB` or `zh-Hant`. Known codes: the languages of text translation.
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
 * @category schemas
 * @since 0.1.0
 */
export const LanguageCode = open<LanguageCode>()

/**
 * A code in the capitalization that BCP 47 recommends: `en-GB` for `EN-gb`, `zh-Hans` for `ZH-HANS`. Glossaries, style rule lists and improvements
 * are sent with this capitalization, because some hosts compare codes case-sensitively.
 *
 * @category conversions
 * @since 0.3.0
 */
export const canonical = (code: string): string =>
  code.toLowerCase().replace(/-[^-]{2}(?![^-])/g, (region) => region.toUpperCase())
    .replace(/-[^-]{4}(?![^-])/g, (script) => `-${script.charAt(1).toUpperCase()}${script.slice(2)}`)

/**
 * A target language of text improvement.
 *
 * @category models
 * @since 0.1.0
 */
export type ImprovementLanguage = Open<Words<"de en-GB en-US es fr it ja ko pt-BR pt-PT zh zh-Hans">>

/**
 * @category schemas
 * @since 0.1.0
 */
export const ImprovementLanguage = open<ImprovementLanguage>()

/**
 * A language that `Detection.detect` can return.
 *
 * @category models
 * @since 0.1.0
 */
export type DetectedLanguage = Open<
  Words<"en de fr es pt it nl pl ru zh ja bg cs da el et fi hu lt lv ro sk sl sv tr id uk ko nb ar vi he th">
>

/**
 * @category schemas
 * @since 0.1.0
 */
export const DetectedLanguage = open<DetectedLanguage>()

/**
 * A style rule list's language: a root code, such as `en` for `en-GB`.
 *
 * @category models
 * @since 0.1.0
 */
export type StyleRuleLanguage = Open<Words<"de en es fr it ja ko zh">>

/**
 * @category schemas
 * @since 0.1.0
 */
export const StyleRuleLanguage = open<StyleRuleLanguage>()

/**
 * The result of a lookup in the client's language list, with the nearest listed code.
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

const levenshtein = (a: string, b: string): number => {
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
 * Returns the candidate most similar to a word, regardless of case, or `undefined` if each differs in more than `maxEdits` letters. The
 * first of equally similar candidates wins.
 *
 * @category combinators
 * @since 0.1.0
 */
export const nearest = (
  word: string,
  candidates: ReadonlyArray<string>,
  maxEdits: number = Number.POSITIVE_INFINITY
): string | undefined => {
  // Limits the quadratic time for long words; usual candidates are shorter.
  const start = word.slice(0, 100).toLowerCase()
  let best: string | undefined
  let edits = maxEdits + 1
  for (const candidate of candidates) {
    const found = levenshtein(start, candidate.toLowerCase())
    if (found < edits) [best, edits] = [candidate, found]
  }
  return best
}
