/** What a format of localization files has to offer. Another format is another module and a line in `formats.ts`. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import * as Data from "effect/Data"

/** A file is not what its name says. The message has the position. */
export class Malformed extends Data.TaggedError("Malformed")<{ readonly message: string }> {}

/** A text to translate, with an id that is the same in the source and in each target. */
export interface Unit {
  readonly id: string
  readonly text: string
  /** Its placeholders, where they are not those of the file. */
  readonly placeholders?: Syntax
  /** What the file says about it to its translators. */
  readonly context?: string | undefined
  /** The plural that it is a form of, in a format where a missing form is shown as an empty text. */
  readonly plural?: string
}

/** A source file. The functions get the file of the language too, if there is one. */
export interface Source {
  /** The usual placeholders of its texts, or `xml` for texts that are XML. */
  readonly placeholders: Syntax | "xml"
  /** The texts that the file of a language needs: other languages may have other plurals. */
  readonly units: (language: string, before?: string) => ReadonlyArray<Unit>
  /** The file of a language, which differs from the source in its texts only. */
  readonly print: (language: string, texts: ReadonlyMap<string, string>, before?: string) => string
  /** Whether a translation can stand in the file; always by default. */
  readonly accepts?: (translation: string) => boolean
}

/** A format. Its functions throw `Malformed`, or the `RangeError` of a text that is nested too deep for them. */
export interface Format {
  readonly parse: (text: string, language: string) => Source
  /** The texts of a target file by their ids. */
  readonly read: (text: string, language: string) => ReadonlyMap<string, string>
}

/** A part of a text that is replaced. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Applies edits that do not overlap; insertions come before what else begins at their place. */
export const applyEdits = (text: string, edits: ReadonlyArray<Edit>): string => {
  let at = 0
  let out = ""
  for (const edit of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    out += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return out + text.slice(at)
}

/** The white space before an offset. */
export const spaceBefore = (text: string, offset: number): string => {
  let from = offset
  while (from > 0 && text.charAt(from - 1).trim() === "") from--
  return text.slice(from, offset)
}

/** The line and column of an offset, from 1. */
export const positionOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** Fails at the second of two texts with the same id: which of them a program shows is uncertain. */
export const checkUnique = (
  text: string,
  found: ReadonlyArray<{ readonly id: string; readonly name: string; readonly offset: number }>
): void => {
  const seen = new Map<string, number>()
  for (const { id, name, offset } of found) {
    const first = seen.get(id)
    if (first !== undefined) {
      throw new Malformed({
        message: `${positionOf(text, offset)}: ${name} is there twice, first at ${positionOf(text, first)}`
      })
    }
    seen.set(id, offset)
  }
}

/** The path of a value as an id. */
export const idOf = (path: ReadonlyArray<string | number>): string =>
  path.map((part) => String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")

/** All plural categories of CLDR. */
export const categories = ["zero", "one", "two", "few", "many", "other"]

/** The plural categories of a language (CLDR). */
export const categoriesOf = (language: string, type: Intl.PluralRuleType = "cardinal"): ReadonlyArray<string> =>
  new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories
