/** Tools that formats share: edits of a text, its positions, ids and plural categories. */
import { Malformed } from "../Format.ts"

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

/** The line of an offset, from 1. */
export const lineOf = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
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
