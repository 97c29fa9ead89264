/** Messages of ICU with plurals and selections, as sentences that can be translated one by one. */
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser"
import { hoistSelectors } from "@formatjs/icu-messageformat-parser/manipulator.js"
import { printAST } from "@formatjs/icu-messageformat-parser/printer.js"
import { categoriesOf } from "./format.ts"

/** A message as sentences, and the message with their translations. */
export interface Sentences {
  readonly texts: ReadonlyArray<string>
  readonly join: (translations: ReadonlyArray<string>) => string
}

/** `#` stands for the number; as an argument it is a placeholder like others. */
const number = "number_of_plural"

const isSelector = (element: MessageFormatElement): boolean =>
  element.type === TYPE.plural || element.type === TYPE.select

const withNumber = (elements: ReadonlyArray<MessageFormatElement>): Array<MessageFormatElement> =>
  elements.map((element) => element.type === TYPE.pound ? { type: TYPE.argument, value: number } : element)

/** The sentences of a message in the plurals of a language. A text that is no message of ICU is one sentence. */
export const sentencesOf = (text: string, language: string): Sentences => {
  const texts: Array<string> = []
  const print = (elements: ReadonlyArray<MessageFormatElement>): (translations: ReadonlyArray<string>) => string => {
    const [selector] = elements
    if (
      elements.length !== 1 || selector === undefined ||
      (selector.type !== TYPE.plural && selector.type !== TYPE.select)
    ) {
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- each module of the package declares the enum anew
      const index = texts.push(printAST(withNumber(elements))) - 1
      return (translations) => (translations[index] ?? "").replaceAll(`{${number}}`, "#")
    }
    const isPlural = selector.type === TYPE.plural
    const ofLanguage = isPlural ? categoriesOf(language, selector.pluralType) : Object.keys(selector.options)
    const exact = Object.keys(selector.options).filter((name) => name.startsWith("="))
    const branches = [...new Set([...exact, ...ofLanguage, "other"])].map((name) =>
      [name, print((selector.options[name] ?? selector.options["other"])?.value ?? [])] as const
    )
    const kind = isPlural ? selector.pluralType === "ordinal" ? "selectordinal" : "plural" : "select"
    const offset = isPlural && selector.offset > 0 ? ` offset:${selector.offset}` : ""
    return (translations) =>
      `{${selector.value}, ${kind},${offset} ${
        branches.map(([name, join]) => `${name} {${join(translations)}}`).join(" ")
      }}`
  }
  try {
    const elements = parse(text, { ignoreTag: true })
    if (!elements.some(isSelector)) return { texts: [text], join: ([translation = ""]) => translation }
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- as above
    const join = print(hoistSelectors(elements))
    return { texts, join }
  } catch {
    return { texts: [text], join: ([translation = ""]) => translation }
  }
}
