/** Compares translations with their source texts. A run repairs or refuses a wrong translation; a check reports it. */
import * as Result from "effect/Result"
import { decodeHTMLStrict } from "entities/decode"
import { hasOtherForms, type Markup, partsOf, placeholdersOf, restOf, unkeptOf, withoutTags } from "./markup.ts"
import {
  differenceOf,
  hasSelector,
  numberSign,
  readingProblem,
  sentencesIn,
  shownText,
  withoutQuotes
} from "./messages.ts"

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|\w+);/gi

const decoded = (text: string, isChosen: (entity: string) => boolean = () => true): string =>
  text.replace(entity, (whole) => isChosen(whole) ? decodeHTMLStrict(whole) : whole)

const isOfXml = (found: string): boolean => /^&(?:#\w+|amp|lt|gt|quot|apos);$/.test(found)

/** Escapes stray ampersands, and decodes HTML entities that XML lacks. */
const repairedXml = (xml: string): string =>
  partsOf(xml).map((part, index) =>
    index % 2 === 1 ? part : decoded(part.replace(/&(?!#?\w+;)/g, "&amp;"), (found) => !isOfXml(found))
  ).join("")

/** Entities for punctuation and spaces, which a translation may omit. */
const isPunctuation = /^entity &(?:amp|nbsp|quot|apos|#39|#160);$/

const isMarkup = (found: string): boolean => /^&(?:amp|lt|gt);$/.test(found)

/**
 * Decodes entities that the source lacks, and restores the source's entities. `&amp;`, `&lt;` and `&gt;` change only in
 * a response, and are decoded only if the source has no entities.
 */
const repairedText = (source: string, translation: string, isResponse: boolean): string => {
  const own = new Set(source.match(entity))
  let text = decoded(translation, (found) => !own.has(found) && (isResponse && own.size === 0 || !isMarkup(found)))
  for (const spelled of own) {
    if (!isResponse && isMarkup(spelled)) continue
    const character = decodeHTMLStrict(spelled)
    const bare = character === "&" ? /&(?!#?\w+;)/ : character
    const isLost = !text.includes(spelled) && source.split(bare).length === 1
    if (isLost && text.split(bare).length === source.split(spelled).length) text = text.split(bare).join(spelled)
  }
  return text
}

/** Gives a translation the source's outer white space and line endings. */
const withSpaceOf = (source: string, translation: string): string => {
  const text = translation.trim()
  const spelled = !source.includes("\r")
    ? text.replaceAll("\r\n", "\n")
    : /(?<!\r)\n/.test(source)
    ? text
    : text.replace(/\r?\n/g, "\r\n")
  return source.slice(0, source.length - source.trimStart().length) + spelled + source.slice(source.trimEnd().length)
}

const tag = /<(\/?)([a-z\d][\w:.-]*)((?:[^\w:.<>-][^<>]*)?)>/gi

const isVoid = /^(?:br|hr|img|input|wbr)$/i

/** Tags that are closed, have a slash or an attribute, or are void elements such as `<br>`. Words such as `<file>` are text. */
const tagsOf = (text: string): ReadonlyArray<string> => {
  const found = [...text.matchAll(tag)]
  const closed = new Set(found.flatMap(([, slash, name = ""]) => slash === "/" ? [name] : []))
  return found.flatMap(([whole, , name = "", rest = ""]) =>
    closed.has(name) || /[=/]/.test(rest) || isVoid.test(name) ? [whole] : []
  )
}

/** True for a text with a letter to translate. */
export const hasLetters = (text: string, markup: Markup): boolean => {
  const rest = decoded(restOf(text, markup))
  const tags = new Set(tagsOf(rest))
  return /\p{L}/u.test(rest.replace(tag, (found) => tags.has(found) ? "" : found))
}

/** The first end tag that does not match the last open tag. */
const crossedIn = (tags: ReadonlyArray<string>): string | undefined => {
  const open: Array<string | undefined> = []
  return tags.find((tag) => {
    const [, slash, name = ""] = /^<(\/?)([^\s/>]*)/.exec(tag) ?? []
    if (slash === "/") return open.pop() !== name
    if (!tag.endsWith("/>") && !isVoid.test(name)) open.push(name)
    return false
  })
}

const marksOf = (text: string, { isXml, syntax }: Markup) => {
  const plain = withoutTags(text, isXml)
  const shown = isXml ? decoded(plain) : plain
  const tags = tagsOf(shown)
  const placeholders = placeholdersOf(plain, syntax)
  const named = {
    placeholder: placeholders.map(({ text }) => text),
    element: isXml ? partsOf(text).filter((_, index) => index % 2 === 1).map((tag) => tag.replace(shownText, "")) : [],
    tag: tags,
    entity: shown.match(entity),
    // Separates plural forms in vue-i18n, Symfony and Laravel.
    separator: shown.match(/\|/g),
    "line break": shown.match(/\n/g)
  }
  // A placeholder must not leave its Mustache section.
  const hasSections = syntax === "mustache" && /\{\{~?[#^]/.test(plain)
  return {
    all: Object.entries(named).flatMap(([name, found]) => (found ?? []).map((text) => `${name} ${text}`.trim())),
    crossed: crossedIn(tags),
    order: placeholders.filter(({ inOrder }) => inOrder || hasSections).map(({ text }) => text)
  }
}

/** Texts without these characters have no markup to compare. */
const special = /[{}%<&$@|'\p{Cc}\ufffe\uffff]/u

/** Finds what is wrong with a translation that has no ICU plurals or selections. */
const textProblem = (source: string, translation: string, markup: Markup): string | undefined => {
  if (![source, translation].some((text) => special.test(text))) return undefined
  const unkept = unkeptOf(translation, markup.syntax)
  if (unkept !== undefined && unkeptOf(source, markup.syntax) === undefined) return unkept
  const [own, found] = [marksOf(source, markup), marksOf(translation, markup)]
  const needed = own.all.filter((mark) => !isPunctuation.test(mark) || found.all.includes(mark))
  const mark = differenceOf(needed, found.all)
  if (mark !== undefined) return `its ${mark} in the translation`
  if (found.crossed !== undefined && own.crossed === undefined) return `its tag ${found.crossed} closes another tag`
  const moved = own.order.find((text, index) => text !== found.order[index])
  if (moved !== undefined) return `its placeholder ${moved} is moved in the translation`
  const canQuote = !markup.isXml && markup.syntax === "icu" && /['<]/.test(source + translation)
  return canQuote ? readingProblem(source, translation, false) : undefined
}

/** Compares ICU messages. Each sentence (the text of one combination of branches) needs the placeholders and tags of a source sentence. */
const messageProblem = (source: string, translation: string, markup: Markup, language: string): string | undefined => {
  const [own, found] = [source, translation].map((text) => sentencesIn(text, language))
  const { isXml } = markup
  if (own === undefined || found === undefined) return readingProblem(source, translation, isXml)
  const numbers = Array.from(source.matchAll(/(\{[^{},]+),\s*(?:plural|selectordinal)\b/g), ([, name]) => `${name}}`)
  const spelled = (text: string) => numbers.reduce((all, name) => all.replaceAll(name, numberSign), text)
  const likes = own.texts.map(spelled)
  // A branch that covers only one number, such as `=1`, may omit `#`.
  const short = likes.map((like) => like.replaceAll(numberSign, ""))
  const wrong = found.texts.map(spelled).find((text, index) =>
    ![...likes.slice(index, index + 1), ...likes, ...found.areExact[index] === true ? short : []]
      .some((like) => textProblem(like, text, markup) === undefined)
  )
  return wrong === undefined
    ? readingProblem(source, translation, isXml)
    : textProblem(likes.at(-1) ?? "", wrong, markup)
}

const problemIn = (source: string, translation: string, markup: Markup, language: string): string | undefined => {
  if (translation.trim() === "") return "its translation is empty"
  if (hasOtherForms(source, language)) return undefined
  const compare = markup.syntax === "icu" && hasSelector(source) ? messageProblem : textProblem
  return compare(source, translation, markup, language)?.replaceAll(numberSign, "#")
}

const repaired = (source: string, translation: string, { isXml }: Markup, isResponse: boolean): string => {
  const spaced = withSpaceOf(source, translation)
  return isXml ? repairedXml(spaced) : repairedText(source, spaced, isResponse)
}

/** The problem of a translation in a target file; `undefined` for a correct translation. */
export const problemOf = (source: string, translation: string, markup: Markup, language: string): string | undefined =>
  problemIn(source, repaired(source, translation, markup, false), markup, language)

/** Returns the translation of a text or an ICU message's sentence, repaired if the repair is unambiguous, or fails with the problem. */
export const checkResponse = (source: string, translation: string, markup: Markup): Result.Result<string, string> => {
  if (source.trim() === "") return Result.succeed(source)
  const text = repaired(source, translation, markup, true)
  const problem = problemIn(source, text, markup, "")
  if (problem === undefined) return Result.succeed(text)
  // The source's quoted parts are placeholders, so any other apostrophe is literal.
  const unquoted = withoutQuotes(text, markup.isXml ? "[{}]" : "[{}<>]")
  return markup.syntax === "icu" && problemIn(source, unquoted, markup, "") === undefined
    ? Result.succeed(unquoted)
    : Result.fail(problem)
}
