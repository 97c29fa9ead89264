/** Taught answers: the tables, phrases and function by which a test decides what the fake answers to a text. */
import type { Taught, TaughtOption } from "../model.ts"
import { canonicalCode, rootOf } from "../text.ts"

type Table<Entry> = ReadonlyMap<string, ReadonlyArray<Entry>>

/** Taught answers by their texts and canonical codes. */
export interface Answers {
  readonly translations: Table<NonNullable<Taught["translations"]>[number]>
  readonly improvements: Table<NonNullable<Taught["improvements"]>[number]>
  readonly detections: ReadonlyMap<string, string>
  readonly phrases: ReadonlyMap<string, string>
  readonly translate: NonNullable<TaughtOption["translate"]>
}

const nothing = () => undefined

export const compile = (
  { detections = [], improvements = [], phrases = {}, translate = nothing, translations = [] }: TaughtOption
): Answers => ({
  translations: Map.groupBy(translations, ({ text }) => text),
  improvements: Map.groupBy(improvements, ({ text }) => text),
  detections: new Map(detections.map(({ language, text }) => [text, language])),
  phrases: new Map(Object.entries(phrases).map(([code, phrase]) => [canonicalCode(code), phrase])),
  translate
})

/** The tables and phrases as they were taught. */
export const tables = ({ detections, improvements, phrases, translations }: Answers): Taught => ({
  translations: Array.from(translations.values()).flat(),
  improvements: Array.from(improvements.values()).flat(),
  detections: Array.from(detections, ([text, language]) => ({ text, language })),
  phrases: Object.fromEntries(phrases)
})

/** Whether a taught code stands for a requested one: the same, or its root. */
const covers = (taught: string, asked: string): boolean =>
  canonicalCode(taught) === canonicalCode(asked) || taught.toLowerCase() === rootOf(asked)

/**
 * The answer for a whole text, or else for its lines where the target has a phrase: the answer for a line, the one of `own`, or the
 * phrase. Empty lines stay empty.
 */
const byLines = (
  { phrases }: Answers,
  text: string,
  target: string,
  own: (text: string) => string | undefined,
  other: (line: string) => string | undefined
): string | undefined => {
  const whole = own(text)
  if (whole !== undefined) return whole
  const phrase = phrases.get(canonicalCode(target)) ?? phrases.get(rootOf(target))
  return phrase === undefined
    ? undefined
    : text.split("\n").map((line) => line === "" ? "" : own(line) ?? other(line) ?? phrase).join("\n")
}

/** The taught translation of a text. A line that is a term of a glossary has the translation of the term instead of the phrase. */
export const translation = (
  answers: Answers,
  text: string,
  source: () => string,
  target: string,
  termOf: (line: string) => string | undefined
): string | undefined =>
  byLines(answers, text, target, (text) =>
    answers.translate === nothing && !answers.translations.has(text)
      ? undefined
      : answers.translate(text, source(), canonicalCode(target)) ??
        answers.translations.get(text)?.find(({ sourceLanguage, targetLanguage }) =>
          covers(targetLanguage, target) &&
          (sourceLanguage === undefined || rootOf(sourceLanguage) === rootOf(source()))
        )?.translation, termOf)

/** The taught improvement of a text. */
export const improvement = (answers: Answers, text: string, target: string): string | undefined =>
  byLines(
    answers,
    text,
    target,
    (text) =>
      answers.improvements.get(text)?.find(({ targetLanguage }) =>
        targetLanguage === undefined || covers(targetLanguage, target)
      )?.improvement,
    nothing
  )

/** The taught language of a text: that of its entry, or of the first phrase with which the text begins. */
export const language = ({ detections, phrases }: Answers, text: string): string | undefined => {
  const taught = detections.get(text)
  if (taught !== undefined) return taught
  for (const [code, phrase] of phrases) {
    if (phrase !== "" && text.startsWith(phrase)) return rootOf(code)
  }
  return undefined
}
