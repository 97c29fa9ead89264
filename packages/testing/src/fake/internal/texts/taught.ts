/** Results that a test defines for texts. */
import type { Taught, TaughtOption } from "../model.ts"
import { canonicalCode, rootOf } from "../text.ts"

type Table<Entry> = ReadonlyMap<string, ReadonlyArray<Entry>>

/** Taught results keyed by text, and phrases keyed by language code. */
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

export const tables = ({ detections, improvements, phrases, translations }: Answers): Taught => ({
  translations: Array.from(translations.values()).flat(),
  improvements: Array.from(improvements.values()).flat(),
  detections: Array.from(detections, ([text, language]) => ({ text, language })),
  phrases: Object.fromEntries(phrases)
})

/** Whether a taught code is the requested code, with or without region. */
const covers = (taught: string, requested: string): boolean =>
  canonicalCode(taught) === canonicalCode(requested) || taught.toLowerCase() === rootOf(requested)

/**
 * The taught result for the whole text. If there is no result, but a phrase for the target language, each line becomes
 * its taught result, the result of `other`, or the phrase.
 */
const byLines = (
  { phrases }: Answers,
  text: string,
  target: string,
  taughtOf: (text: string) => string | undefined,
  other: (line: string) => string | undefined
): string | undefined => {
  const whole = taughtOf(text)
  if (whole !== undefined) return whole
  const phrase = phrases.get(canonicalCode(target)) ?? phrases.get(rootOf(target))
  return phrase === undefined
    ? undefined
    : text.split("\n").map((line) => line === "" ? "" : taughtOf(line) ?? other(line) ?? phrase).join("\n")
}

/** The taught translation. If a phrase replaces the lines, a line that is a glossary term becomes the term's translation. */
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

export const language = ({ detections, phrases }: Answers, text: string): string | undefined => {
  const taught = detections.get(text)
  if (taught !== undefined) return taught
  for (const [code, phrase] of phrases) {
    if (phrase !== "" && text.startsWith(phrase)) return rootOf(code)
  }
  return undefined
}
