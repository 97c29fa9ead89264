/** ICU messages as sentences to translate one by one. */
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser"
import { hoistSelectors } from "@formatjs/icu-messageformat-parser/manipulator.js"
import { printAST } from "@formatjs/icu-messageformat-parser/printer.js"
import { Malformed } from "../Format.ts"
import { categoriesOf, needsNumber, numbers, numbersOf } from "./categories.ts"

export interface Sentences {
  readonly texts: ReadonlyArray<string>
  readonly join: (translations: ReadonlyArray<string>) => string
}

/** `#` as an argument is a placeholder. */
const number = "number_of_plural"

type Elements = ReadonlyArray<MessageFormatElement>

type PluralOrSelect = Extract<MessageFormatElement, { readonly type: TYPE.plural | TYPE.select }>

const isSelector = (element: MessageFormatElement): element is PluralOrSelect =>
  element.type === TYPE.plural || element.type === TYPE.select

const parsed = (text: string): ReadonlyArray<MessageFormatElement> | undefined => {
  try {
    return parse(text, { ignoreTag: true, captureEscapes: true })
  } catch {
    return undefined
  }
}

export const hasSelector = (text: string): boolean => parsed(text)?.some(isSelector) ?? false

const namesOf = (elements: ReadonlyArray<MessageFormatElement>): ReadonlyArray<string> =>
  elements.flatMap((element) =>
    element.type === TYPE.plural || element.type === TYPE.select
      ? [element.value, ...Object.values(element.options).flatMap(({ value }) => namesOf(value))]
      : element.type === TYPE.literal || element.type === TYPE.pound
      ? []
      : [element.value]
  )

/** The argument names; `undefined` for other texts. */
export const argumentsOf = (text: string): ReadonlyArray<string> | undefined => {
  const elements = parsed(text)
  return elements === undefined ? undefined : [...new Set(namesOf(elements))].toSorted()
}

/** True if each plural has the branches of a language. */
export const hasPlurals = (text: string, language: string): boolean => {
  const isComplete = (elements: ReadonlyArray<MessageFormatElement>): boolean =>
    elements.every((element) => {
      if (element.type !== TYPE.plural && element.type !== TYPE.select) return true
      const { options } = element
      if (element.type === TYPE.plural) {
        const rules = new Intl.PluralRules(language, { type: element.pluralType })
        const isMissing = (number: number) =>
          options[`=${number}`] === undefined && options[rules.select(number - element.offset)] === undefined
        if (numbers.some(isMissing)) return false
      }
      return Object.values(options).every(({ value }) => isComplete(value))
    })
  return isComplete(parsed(text) ?? [])
}

/** Each selection multiplies the sentences. */
const mostSentences = 1000

const hasNumber = (elements: Elements, name: string): boolean =>
  elements.some((element) =>
    element.type === TYPE.pound || element.type !== TYPE.literal && element.value === name ||
    isSelector(element) && Object.values(element.options).some(({ value }) => hasNumber(value, name))
  )

/** The branches of the message, and all that the language needs. */
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

/** One sentence for each combination of branches. */
const countOf = (elements: Elements, language: string): number =>
  elements.reduce((count, element) =>
    isSelector(element)
      ? count * branchesOf(element, language).reduce((sum, [, value]) => sum + countOf(value, language), 0)
      : count, 1)

const sign = /''|'[{}<>#](?:[^']|'')*(?:'|$)|#/g

/** A sentence in its original spelling: the printer would quote tags. */
const sentenceOf = (elements: ReadonlyArray<MessageFormatElement>, isInPlural: boolean): string =>
  elements.map((element) =>
    element.type === TYPE.pound
      ? `{${number}}`
      : element.type === TYPE.literal && element.rawValue !== undefined
      ? isInPlural ? element.rawValue.replace(sign, (found) => found === "#" ? "'#'" : found) : element.rawValue
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- each module of the package declares the enum anew
      : printAST([element])
  ).join("")

/**
 * The sentences of a message in the plurals of a language. A text that is no message of ICU is one sentence. Throws `Malformed` for a
 * message of too many sentences.
 */
export const sentencesOf = (text: string, language: string): Sentences => {
  const texts: Array<string> = []
  const print = (
    elements: ReadonlyArray<MessageFormatElement>,
    isInPlural = false
  ): (translations: ReadonlyArray<string>) => string => {
    const [selector] = elements
    if (elements.length !== 1 || selector === undefined || !isSelector(selector)) {
      const index = texts.push(sentenceOf(elements, isInPlural)) - 1
      return (translations) => (translations[index] ?? "").replaceAll(`{${number}}`, "#")
    }
    const isPlural = selector.type === TYPE.plural
    const branches = branchesOf(selector, language).map(([name, value]) =>
      [name, print(value, isInPlural || isPlural)] as const
    )
    const kind = isPlural ? selector.pluralType === "ordinal" ? "selectordinal" : "plural" : "select"
    const offset = isPlural && selector.offset > 0 ? ` offset:${selector.offset}` : ""
    return (translations) =>
      `{${selector.value}, ${kind},${offset} ${
        branches.map(([name, join]) => `${name} {${join(translations)}}`).join(" ")
      }}`
  }
  const elements = parsed(text)
  if (elements?.some(isSelector) !== true) return { texts: [text], join: ([translation = ""]) => translation }
  if (countOf(elements, language) > mostSentences) {
    throw new Malformed({
      message:
        `the message ${JSON.stringify(`${text.slice(0, 60)}…`)} has more than ${mostSentences} sentences, one for ` +
        "each combination of its plurals and selections; divide it"
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- as above
  return { texts, join: print(hoistSelectors([...elements])) }
}
