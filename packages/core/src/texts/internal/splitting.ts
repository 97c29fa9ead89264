/** Splits a text that is too large for one request at the ends of sentences, and joins the results. */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import { jsonBytes } from "../../contract/internal/size.ts"

/** A part of a text: the text to send, and the white space around it, which is kept here as a service may drop it. */
export interface Part {
  readonly before: string
  readonly text: string
  readonly after: string
}

/** The ends of sentences depend on the language. An invalid language code selects the default rules. */
const segmenter = (language: string | undefined, granularity: "sentence" | "word"): Intl.Segmenter =>
  Result.getOrElse(
    Result.try(() => new Intl.Segmenter([language ?? "en", "en"], { granularity })),
    () => new Intl.Segmenter("en", { granularity })
  )

const size = (text: string): number => (jsonBytes(text) ?? Number.POSITIVE_INFINITY) - 2

const isSpace = (text: string): boolean => text.trim() === ""

/** Words, each with the characters up to the next white space or word. */
const wordsOf = (sentence: string, words: Intl.Segmenter): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const { isWordLike, segment } of words.segment(sentence)) {
    if (isWordLike === true || isSpace(segment) || found.length === 0) found.push(segment)
    else found.push(`${found.pop() ?? ""}${segment}`)
  }
  return found
}

/** Splits a text into parts of at most `room` bytes as JSON. `undefined` if a word is larger, or there is none. */
const split = (text: string, language: string | undefined, bytes: number): ReadonlyArray<Part> | undefined => {
  const room = bytes - 2
  const words = segmenter(language, "word")
  const pieces: Array<string> = []
  let current = ""
  let used = 0
  let fits = true
  const add = (segment: string, length: number): void => {
    if (used + length > room) {
      pieces.push(current)
      current = ""
      used = 0
    }
    // White space counts no bytes, as it is not sent.
    if (length > room && isSpace(segment)) pieces.push(segment)
    else {
      if (length > room) fits = false
      current += segment
      used += length
    }
  }
  for (const { segment } of segmenter(language, "sentence").segment(text)) {
    const length = size(segment)
    if (length <= room) add(segment, length)
    else {
      for (const word of wordsOf(segment, words)) add(word, size(word))
    }
  }
  return fits ? withoutSpace([...pieces, current]) : undefined
}

/** Trims the white space of each piece; a piece of white space alone is added to its neighbour. */
const withoutSpace = (pieces: ReadonlyArray<string>): ReadonlyArray<Part> | undefined => {
  const parts: Array<Part> = []
  let before = ""
  for (const piece of pieces) {
    const text = piece.trim()
    if (text === "") before += piece
    else {
      const start = piece.indexOf(text)
      parts.push({ before: before + piece.slice(0, start), text, after: piece.slice(start + text.length) })
      before = ""
    }
  }
  const last = parts.pop()
  return last === undefined ? undefined : [...parts, { ...last, after: last.after + before }]
}

/** Joins the results of parts to the result of the text. */
export type Join<A> = (results: Arr.NonEmptyReadonlyArray<readonly [part: Part, result: A]>) => A

/**
 * Joins the texts of the parts. The language is that of the longest part; `more` combines the other fields.
 */
export const join =
  <A extends { readonly text: string }>(more?: (results: ReadonlyArray<A>) => Partial<A>): Join<A> => (results) => {
    const [, longest] = results.reduce((best, entry) => entry[0].text.length > best[0].text.length ? entry : best)
    const text = results.map(([{ after, before }, result]) => `${before}${result.text}${after}`).join("")
    return { ...longest, ...more?.(results.map(([, result]) => result)), text }
  }

/** The result of a text from those of its parts: the first failure, if any. */
export const whole = <A, E>(
  join: Join<A>,
  parts: ReadonlyArray<readonly [part: Part, result: Result.Result<A, E>]>
): Result.Result<A, E> | undefined => {
  const results: Array<readonly [Part, A]> = []
  for (const [part, result] of parts) {
    if (Result.isFailure(result)) return Result.fail(result.failure)
    results.push([part, result.success])
  }
  return Arr.isArrayNonEmpty(results) ? Result.succeed(join(results)) : undefined
}

/** Splits a text into parts of limited size if possible, and joins their results. */
export interface Splitting<A> {
  readonly split: (text: string, bytes: number) => ReadonlyArray<Part> | undefined
  readonly join: Join<A>
}

/** The splitting of a run, if its options select it. */
export const make =
  <A>(join: Join<A>) => (option: "sentences" | undefined, language: string | undefined): Splitting<A> | undefined =>
    option === undefined ? undefined : { split: (text, bytes) => split(text, language, bytes), join }
