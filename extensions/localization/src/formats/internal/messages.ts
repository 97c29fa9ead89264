/** Splits ICU messages into sentences that are translated separately. */
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser"
import { hoistSelectors } from "@formatjs/icu-messageformat-parser/manipulator.js"
import { printAST } from "@formatjs/icu-messageformat-parser/printer.js"
import * as Result from "effect/Result"
import { categoriesByNumber, categoriesOf, needsNumber, numbers, numbersOf } from "./categories.ts"

export interface Sentences {
  readonly texts: ReadonlyArray<string>
  /** For each text, true if it is the branch of a single number, such as `=0`. */
  readonly areExact: ReadonlyArray<boolean>
  readonly join: (translations: ReadonlyArray<string>) => string
}

/** Replaces `#` in sentences, because arguments are protected as placeholders. */
export const numberSign = "{number_of_plural}"

type Elements = ReadonlyArray<MessageFormatElement>

type PluralOrSelect = Extract<MessageFormatElement, { readonly type: TYPE.plural | TYPE.select }>

const isSelector = (element: MessageFormatElement): element is PluralOrSelect =>
  element.type === TYPE.plural || element.type === TYPE.select

/** Inserted between an apostrophe and a literal tag, where the parser would begin a quote. */
const gap = "\ue000"

/** Stand for the braces of {@link shownText}, which the parser would read as an argument. */
const [shownOpen, shownClose] = ["\ue001", "\ue002"]

/** XLIFF attributes for display, with literal braces. A translation may change them. */
export const shownText = /\s(?:equiv-text|disp)=(?:"[^"]*"|'[^']*')/g

const parsed = (text: string, ignoreTag = true): ReadonlyArray<MessageFormatElement> | undefined => {
  const plain = text.replace(shownText, (shown) => shown.replaceAll("{", shownOpen).replaceAll("}", shownClose))
  const spelled = ignoreTag ? plain.replaceAll("'<", `'${gap}<`) : plain
  return Result.getOrElse(Result.try(() => parse(spelled, { ignoreTag, captureEscapes: true })), () => undefined)
}

export const hasSelector = (text: string): boolean => parsed(text)?.some(isSelector) ?? false

/** True if an argument has a type, which only ICU has; false if no argument has a type; `undefined` without arguments. */
export const hasTypes = (text: string): boolean | undefined => {
  const found = text.includes("{") ? parsed(text)?.filter(({ type }) => type !== TYPE.literal) ?? [] : []
  return found.length === 0 ? undefined : found.some(({ type }) => type !== TYPE.argument)
}

/** Elements with the elements in their branches and tags. */
const allIn = (elements: Elements): Elements =>
  elements.flatMap((element) => [
    element,
    ...isSelector(element) ? Object.values(element.options).flatMap(({ value }) => allIn(value)) : [],
    ...element.type === TYPE.tag ? allIn(element.children) : []
  ])

const namesOf = (elements: Elements): ReadonlyArray<string> =>
  allIn(elements).flatMap((element) =>
    element.type === TYPE.literal || element.type === TYPE.pound
      ? []
      : element.type === TYPE.tag
      ? `<${element.value}>`
      : `{${element.value}}`
  )

/** Branch names of `select` arguments, which translations must keep. */
const selectedIn = (elements: Elements): ReadonlyArray<string> =>
  allIn(elements).flatMap((element) =>
    element.type === TYPE.select ? Object.keys(element.options).map((name) => `${name} of {${element.value}}`) : []
  )

/** Doubles apostrophes that would begin an ICU quote before text that matches `before`. */
export const withoutQuotes = (text: string, before: string): string =>
  text.replace(new RegExp(`(?<!')(?:'')*'(?=${before})`, "g"), "$&'")

/** Describes the first item that occurs more often in one list than in the other. */
export const differenceOf = (expected: ReadonlyArray<string>, actual: ReadonlyArray<string>): string | undefined => {
  const counts = new Map<string, number>()
  for (const item of expected) counts.set(item, (counts.get(item) ?? 0) + 1)
  for (const item of actual) counts.set(item, (counts.get(item) ?? 0) - 1)
  const [item, count = 0] = [...counts].find(([, count]) => count !== 0) ?? []
  return item && `${item} is ${count > 0 ? "lost" : "added"}`
}

/**
 * Describes an argument, tag or branch that a formatter finds only in the source or only in the translation, for example because an apostrophe
 * quotes an argument. Tags are compared only if the source parses with tags.
 */
export const readingProblem = (source: string, translation: string, isXml: boolean): string | undefined => {
  const ignoreTag = isXml || parsed(source, false) === undefined
  const both = [source, translation].map((text) => parsed(text, ignoreTag))
  const [expected, actual] = both.map((found) => found && namesOf(found))
  const [branches = [], own = []] = both.map((found) => found && selectedIn(found))
  if (expected === undefined) return undefined
  if (actual === undefined) return "its translation is not an ICU message"
  // A translation may add or omit branches. If it does both, the branch names were translated.
  const lost = branches.find((branch) => !own.includes(branch))
  if (lost !== undefined && own.some((branch) => !branches.includes(branch))) {
    return `its branch ${lost} is lost in the translation`
  }
  const [names, others] = hasSelector(source) ? [new Set(expected), new Set(actual)] : [expected, actual]
  const name = differenceOf([...names], [...others])
  return name && `its ${name} in the translation, or an apostrophe before it begins a quote: double the apostrophe`
}

/** True if each plural has every branch that the language needs. */
export const hasPlurals = (text: string, language: string): boolean => {
  const isComplete = (elements: Elements): boolean =>
    elements.every((element) => {
      if (!isSelector(element)) return true
      const { options } = element
      if (element.type === TYPE.plural) {
        const found = categoriesByNumber(language, element.pluralType)
        const isMissing = (number: number) =>
          options[`=${number}`] === undefined && options[found[Math.abs(number - element.offset)] ?? ""] === undefined
        if (numbers.some(isMissing)) return false
      }
      return Object.values(options).every(({ value }) => isComplete(value))
    })
  return isComplete(parsed(text) ?? [])
}

/** Limits messages, because each plural and selection multiplies the number of sentences. */
const maxSentences = 1000

export const tooManySentences =
  `it has more than ${maxSentences} sentences, one for each combination of its plurals and selections; divide it`

const hasNumber = (elements: Elements, name: string): boolean =>
  allIn(elements).some((element) =>
    element.type === TYPE.pound || element.type !== TYPE.literal && element.value === name
  )

/** A selection's branches, or a plural's exact numbers and the language's categories. */
const branchesOf = (selector: PluralOrSelect, language: string): ReadonlyArray<readonly [string, Elements]> => {
  const names = Object.keys(selector.options)
  const all = selector.type === TYPE.plural
    ? [...names.filter((name) => name.startsWith("=")), ...categoriesOf(language, selector.pluralType)]
    : names
  const numbers = selector.type === TYPE.plural ? numbersOf(language, selector.pluralType) : undefined
  const other = selector.options["other"]?.value ?? []
  return [...new Set([...all, "other"])].map((name) => {
    const own = selector.options[name]?.value ?? other
    const isOther = numbers !== undefined && needsNumber(name, numbers) && !hasNumber(own, selector.value) &&
      hasNumber(other, selector.value)
    return [name, isOther ? other : own] as const
  })
}

/** Counts sentences: one for each combination of branches. */
const countOf = (elements: Elements, language: string): number =>
  elements.reduce((count, element) =>
    isSelector(element)
      ? count * branchesOf(element, language).reduce((sum, [, value]) => sum + countOf(value, language), 0)
      : count, 1)

const sign = /''|'[{}<>#](?:[^']|'')*(?:'|$)|#/g

/** Prints a sentence from its raw text, because `printAST` would quote tags. */
const sentenceOf = (elements: ReadonlyArray<MessageFormatElement>, isInPlural: boolean): string =>
  elements.map((element) =>
    element.type === TYPE.pound
      ? numberSign
      : element.type === TYPE.literal && element.rawValue !== undefined
      ? isInPlural ? element.rawValue.replace(sign, (found) => found === "#" ? "'#'" : found) : element.rawValue
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the package's modules declare separate enums
      : printAST([element])
  ).join("").replaceAll(gap, "").replaceAll(shownOpen, "{").replaceAll(shownClose, "}")

/** Splits a message into sentences for a language's plural categories; `undefined` for too many sentences. */
export const sentencesIn = (text: string, language: string): Sentences | undefined => {
  const texts: Array<string> = []
  const areExact: Array<boolean> = []
  const print = (
    elements: ReadonlyArray<MessageFormatElement>,
    isInPlural = false,
    isExact = false
  ): (translations: ReadonlyArray<string>) => string => {
    const [selector] = elements
    if (elements.length !== 1 || selector === undefined || !isSelector(selector)) {
      const index = texts.push(sentenceOf(elements, isInPlural)) - 1
      areExact.push(isExact)
      return (translations) => withoutQuotes(translations[index] ?? "", "$").replaceAll(numberSign, "#")
    }
    const isPlural = selector.type === TYPE.plural
    const numbers = isPlural ? numbersOf(language, selector.pluralType) : undefined
    const branches = branchesOf(selector, language).map(([name, value]) => {
      const isOne = numbers === undefined ? isExact : name.startsWith("=") || numbers(name).length === 1
      return [name, print(value, isInPlural || isPlural, isOne)] as const
    })
    const kind = isPlural ? selector.pluralType === "ordinal" ? "selectordinal" : "plural" : "select"
    const offset = isPlural && selector.offset > 0 ? ` offset:${selector.offset}` : ""
    return (translations) =>
      `{${selector.value}, ${kind},${offset} ${
        branches.map(([name, join]) => `${name} {${join(translations)}}`).join(" ")
      }}`
  }
  const elements = parsed(text)
  if (elements?.some(isSelector) !== true) {
    return { texts: [text], areExact: [false], join: ([translation = ""]) => translation }
  }
  if (countOf(elements, language) > maxSentences) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the package's modules declare separate enums
  return { texts, areExact, join: print(hoistSelectors([...elements])) }
}
