/** Compares a translation with its source: repairs or refuses it. */
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import * as Result from "effect/Result"
import { type Markup, partsOf, placeholdersOf } from "../formats/internal/markup.ts"

const characters: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", "\""],
  ["apos", "'"],
  ["nbsp", "\u00a0"]
])

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|\w+);/gi

const decoded = (text: string, isChosen: (entity: string) => boolean = () => true): string =>
  text.replace(
    entity,
    (whole) => isChosen(whole) ? characters.get(whole.slice(1, -1)) ?? Placeholders.unescape(whole) : whole
  )

const isOfXml = (found: string): boolean => /^&(?:#\w+|amp|lt|gt|quot|apos);$/.test(found)

/** Repairs stray ampersands and entities of HTML. */
const repairedXml = (xml: string): string =>
  partsOf(xml).map((part, index) =>
    index % 2 === 1 ? part : decoded(part.replace(/&(?!#?\w+;)/g, "&amp;"), (found) => !isOfXml(found))
  ).join("")

/** Entities are markup only if the source has some. */
const repairedText = (source: string, translation: string): string => {
  const own = new Set(source.match(entity))
  let text = decoded(translation, (found) => !own.has(found) && (own.size === 0 || !/^&(?:amp|lt|gt);$/.test(found)))
  for (const [name, character] of characters) {
    const spelled = `&${name};`
    const bare = character === "&" ? /&(?!#?\w+;)/g : new RegExp(character, "g")
    const isLost = own.has(spelled) && !text.includes(spelled) && source.match(bare) === null
    if (isLost && text.match(bare)?.length === source.split(spelled).length - 1) text = text.replace(bare, spelled)
  }
  return text
}

/** The source's outer white space and line breaks. */
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

/** Tags: in pairs, with a slash or an attribute, or such as `<br>`. Others, such as `<file>`, are words. */
const tagsOf = (text: string): ReadonlyArray<string> => {
  const found = [...text.matchAll(tag)]
  const closed = new Set(found.flatMap(([, slash, name = ""]) => slash === "/" ? [name] : []))
  return found.flatMap(([whole, , name = "", rest = ""]) =>
    closed.has(name) || /[=/]/.test(rest) || /^(?:br|hr|img|input|wbr)$/i.test(name) ? [whole] : []
  )
}

const marks = (what: string, found: ReadonlyArray<string> | null): ReadonlyArray<string> =>
  (found ?? []).map((text) => `${what} ${text}`)

const marksOf = (text: string, { isXml, syntax }: Markup): ReadonlyArray<string> => {
  const parts = isXml ? partsOf(text) : [text]
  const texts = parts.filter((_, index) => index % 2 === 0)
  const plain = isXml ? decoded(texts.join("")) : text
  return [
    ...marks("placeholder", texts.flatMap((part) => placeholdersOf(part, syntax).map(({ text }) => text))),
    ...marks("tag", parts.filter((_, index) => index % 2 === 1)),
    ...marks("tag", tagsOf(plain)),
    ...marks("entity", plain.match(entity)),
    ...marks("reference", plain.match(/\$t\([^()]*\)/g)),
    ...(plain.match(/\n/g) ?? []).map(() => "line break")
  ]
}

/** The translation, repaired if that is unambiguous, or its problem. */
export const checkResponse = (source: string, translation: string, markup: Markup): Result.Result<string, string> => {
  if (source.trim() === "") return Result.succeed(source)
  if (translation.trim() === "") return Result.fail("its translation is empty")
  const spaced = withSpaceOf(source, translation)
  const text = markup.isXml ? repairedXml(spaced) : repairedText(source, spaced)
  const counts = new Map<string, number>()
  for (const mark of marksOf(source, markup)) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  for (const mark of marksOf(text, markup)) counts.set(mark, (counts.get(mark) ?? 0) - 1)
  const [mark, count = 0] = [...counts].find(([, count]) => count !== 0) ?? []
  return mark === undefined
    ? Result.succeed(text)
    : Result.fail(`its ${mark} is ${count > 0 ? "lost" : "added"} in the translation`)
}
