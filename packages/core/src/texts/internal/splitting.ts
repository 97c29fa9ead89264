/** Splits a text that is too large for one request, at the ends of sentences or words, and joins the results. */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import { jsonBytes } from "../../contract/internal/size.ts"

/** A part of a text, and the surrounding white space, which is not sent: the service may drop it. */
interface Part {
  readonly before: string
  readonly text: string
  readonly after: string
}

/** Uses English if the language code is absent or invalid. */
const segmenter = (language: string | undefined, granularity: "sentence" | "word"): Intl.Segmenter =>
  Result.getOrElse(
    Result.try(() => new Intl.Segmenter([language ?? "en", "en"], { granularity })),
    () => new Intl.Segmenter("en", { granularity })
  )

const size = (text: string): number => (jsonBytes(text) ?? Number.POSITIVE_INFINITY) - 2

const isSpace = (text: string): boolean => text.trim() === ""

/** Splits a sentence into white space and words; characters after a word belong to the word. */
const wordsOf = (sentence: string, words: Intl.Segmenter): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const { isWordLike, segment } of words.segment(sentence)) {
    if (isWordLike === true || isSpace(segment) || found.length === 0) found.push(segment)
    else found.push(`${found.pop() ?? ""}${segment}`)
  }
  return found
}

/** Splits a text into parts of at most `bytes` bytes as JSON. `undefined` if a word is larger. */
const split = (text: string, language: string | undefined, bytes: number): ReadonlyArray<Part> | undefined => {
  const room = bytes - 2
  const words = segmenter(language, "word")
  const pieces: Array<string> = []
  let current = ""
  let used = 0
  for (const { segment: sentence } of segmenter(language, "sentence").segment(text)) {
    for (const segment of size(sentence) <= room ? [sentence] : wordsOf(sentence, words)) {
      const length = size(segment)
      if (used + length > room) {
        pieces.push(current)
        current = ""
        used = 0
      }
      // White space of any size is allowed, because it is not sent.
      if (length > room && isSpace(segment)) pieces.push(segment)
      else if (length > room) return undefined
      else {
        current += segment
        used += length
      }
    }
  }
  return withoutSpace([...pieces, current])
}

/** Separates the outer white space of each piece; a blank piece becomes a neighbour's white space. `undefined` for a blank text. */
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

export interface Splitting<A> {
  readonly split: (text: string, bytes: number) => ReadonlyArray<Part> | undefined
  readonly join: <E>(parts: ReadonlyArray<Part>, results: ReadonlyArray<Result.Result<A, E>>) => Result.Result<A, E>
}

/**
 * Splits a text, and joins the results of its parts. `more` combines fields of the results; other fields are from the longest part's result. Callers
 * inject this module, so that bundles of other operations exclude it.
 */
export const make =
  <A extends { readonly text: string }>(more?: (results: ReadonlyArray<A>) => Partial<A>) =>
  (language: string | undefined): Splitting<A> => ({
    split: (text, bytes) => split(text, language, bytes),
    join: (parts, results) =>
      Result.map(Result.all(results), (results) => {
        const pairs = Arr.zip(parts, results)
        const [, longest] = pairs.reduce((best, pair) => pair[0].text.length > best[0].text.length ? pair : best)
        const text = pairs.map(([{ after, before }, result]) => `${before}${result.text}${after}`).join("")
        return { ...longest, ...more?.(results), text }
      })
  })
