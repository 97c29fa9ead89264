/** Glossary entries as text: the rows of TSV and CSV with their places, and the checks of their terms. */
import type { LanguageCode } from "../../contract/Language.ts"
import type * as Limits from "../../contract/Limits.ts"
import { InvalidEntries, LimitExceeded } from "../../errors/CallError.ts"
import type { EntryProblem } from "../../errors/EntryProblem.ts"
import { utf8Length } from "../../errors/internal/checks.ts"
import { fault, keptProblems } from "../../errors/internal/terms.ts"

/**
 * Each source with its target.
 *
 * @category models
 * @since 0.1.0
 */
export type GlossaryEntries = ReadonlyMap<string, string>

/**
 * Two languages that a dictionary goes between. Root codes, such as `en`: a target `en`, `pt` or `zh` serves all variants.
 *
 * @category models
 * @since 0.1.0
 */
export interface LanguagePair {
  readonly sourceLanguage: LanguageCode
  readonly targetLanguage: LanguageCode
}

/**
 * Entries as methods take them: a map, or text in TSV or CSV.
 *
 * @category models
 * @since 0.1.0
 */
export type EntriesInput = GlossaryEntries | { readonly tsv: string } | { readonly csv: string }

/** The limits of entries. */
export type EntryLimits = Pick<Limits.Limits, "glossaryBytes" | "glossaryTermBytes">

interface Place {
  readonly line?: number
  readonly column?: number
  readonly entry?: number
}

/** A term and its position. Positions inside a quoted term are not known, as its source form differs from its value. */
interface Term {
  readonly text: string
  readonly place: Place
  readonly isQuoted?: boolean
}

/** An entry of a text or a map, or the problem in its place. */
export type Row = readonly [source: Term, target: Term] | EntryProblem

const isProblem = (row: Row): row is EntryProblem => "reason" in row

/** A file from a spreadsheet can begin with a byte order mark, which is not part of the first term. */
const withoutMark = (text: string): string => text.startsWith("\ufeff") ? text.slice(1) : text

// The rows of TSV: lines that end with LF or CRLF; empty lines are skipped.
export function* tsvRows(text: string): Generator<Row> {
  let line = 0
  for (const whole of withoutMark(text).split("\n")) {
    line++
    const given = whole.endsWith("\r") ? whole.slice(0, -1) : whole
    if (given === "") continue
    const tab = given.indexOf("\t")
    const second = given.indexOf("\t", tab + 1)
    if (tab === -1) {
      yield { line, column: given.length + 1, reason: "there is no tab between a source and a target" }
    } else if (second !== -1) {
      yield { line, column: second + 1, reason: "there is a second tab" }
    } else {
      yield [
        { text: given.slice(0, tab), place: { line, column: 1 } },
        { text: given.slice(tab + 1), place: { line, column: tab + 2 } }
      ]
    }
  }
}

/** A field of CSV and its end, or its problem. */
type Field = { readonly text: string; readonly end: number } | { readonly wrong: string; readonly at: number }

type Separator = "," | ";"

/** Spreadsheets of languages with a decimal comma write semicolons between fields. */
const separatorOf = (text: string): Separator => {
  const first = /^.*$/m.exec(text.trimStart())?.[0].replace(/"(?:[^"]|"")*"/g, "") ?? ""
  return first.includes(";") && !first.includes(",") ? ";" : ","
}

const quotedField = (text: string, start: number, separator: Separator): Field => {
  for (let from = start + 1;;) {
    const quote = text.indexOf("\"", from)
    if (quote === -1) return { wrong: "the quote that opens here is not closed", at: start }
    if (text[quote + 1] === "\"") {
      from = quote + 2
      continue
    }
    const after = text.slice(quote + 1, quote + 3)
    return after === "" || after.startsWith(separator) || after.startsWith("\n") || after === "\r\n" || after === "\r"
      ? { text: text.slice(start + 1, quote).replaceAll("\"\"", "\""), end: quote + 1 }
      : { wrong: "there is text after the closing quote of the field", at: quote + 1 }
  }
}

const fieldEnds = { ",": /[,\n"]/g, ";": /[;\n"]/g }

const plainField = (text: string, start: number, separator: Separator): Field => {
  const fieldEnd = fieldEnds[separator]
  fieldEnd.lastIndex = start
  const end = fieldEnd.exec(text)?.index ?? text.length
  if (text[end] === "\"") return { wrong: "there is a quote in a field that does not begin with one", at: end }
  const field = text.slice(start, end)
  // The CR of a line end is not part of the field.
  return { text: text[end] !== separator && field.endsWith("\r") ? field.slice(0, -1) : field, end }
}

const column = /^(?:source|target)(?:[ _](?:term|text|language))?$/i

/** Whether terms could be a header, so that an entry of them is written in quotes. */
export const isLikeHeader = (terms: ReadonlyArray<string>): boolean =>
  terms.every((term) => column.test(term) || /^[a-z]{2,3}(?:-\w+)*$/i.test(term))

/** A first row without quotes that has names of columns: `source,target`, or the codes of the languages. */
const isHeader = (row: Row, { sourceLanguage, targetLanguage }: LanguagePair): boolean => {
  if (isProblem(row) || row.some(({ isQuoted }) => isQuoted === true)) return false
  const [source = "", target = ""] = row.map(({ text }) => text.trim().toLowerCase())
  return source === sourceLanguage.toLowerCase() && target === targetLanguage.toLowerCase() ||
    column.test(source) && column.test(target) && source !== target
}

/** The entry of a record; `undefined` for one of another pair. */
const csvRow = (
  fields: ReadonlyArray<Term>,
  line: number,
  { sourceLanguage, targetLanguage }: LanguagePair
): Row | undefined => {
  const [source, target, ...languages] = fields
  if (source === undefined || target === undefined || languages.length % 2 === 1 || languages.length > 2) {
    return {
      line,
      column: 1,
      reason:
        `there ${fields.length === 1 ? "is 1 field" : `are ${fields.length} fields`}, allowed are a source and a ` +
        "target, or these and their languages"
    }
  }
  const [from = "", to = ""] = languages.map(({ text }) => text.trim().toLowerCase())
  // Spreadsheets pad a row without languages.
  if (from === "" && to === "") return [source, target]
  if (from === "" || to === "") {
    return { line, column: 1, reason: "there is one language, where two or none are allowed" }
  }
  return from === sourceLanguage.toLowerCase() && to === targetLanguage.toLowerCase() ? [source, target] : undefined
}

// The rows of CSV: fields between commas, or between semicolons if the first row has no comma, in quotes where they have these or quotes,
// an inner quote doubled. Empty lines and a header are skipped. After an invalid quote the fields are unknown, so it is the last reported problem.
export function* csvRows(given: string, pair: LanguagePair): Generator<Row> {
  const text = withoutMark(given)
  const separator = separatorOf(text)
  let line = 1
  let lineStart = 0
  let fields: Array<Term> = []
  let firstLine = 1
  const rows = { kept: 0, leftOut: 0 }
  for (let at = 0; at <= text.length;) {
    if (fields.length === 0) firstLine = line
    const place = { line, column: at - lineStart + 1 }
    const isQuoted = text[at] === "\""
    const field = isQuoted ? quotedField(text, at, separator) : plainField(text, at, separator)
    if ("wrong" in field) {
      const before = text.slice(lineStart, field.at).split("\n")
      yield {
        line: line + before.length - 1,
        column: (before.at(-1) ?? "").length + 1,
        reason: field.wrong
      }
      return
    }
    const isEmptyLine = fields.length === 0 && !isQuoted && field.text === "" && text[field.end] !== separator
    if (!isEmptyLine) fields.push({ text: field.text, place, isQuoted })
    if (isQuoted) {
      // It can span several lines.
      const lines = text.slice(at, field.end).split("\n")
      line += lines.length - 1
      if (lines.length > 1) lineStart = field.end - (lines.at(-1) ?? "").length
    }
    at = field.end
    if (text[at] === separator) {
      at++
      continue
    }
    const row = isEmptyLine ? undefined : csvRow(fields, firstLine, pair)
    if (row !== undefined) {
      if (rows.kept++ > 0 || rows.leftOut > 0 || !isHeader(row, pair)) yield row
    } else if (!isEmptyLine) rows.leftOut++
    fields = []
    const lineEnd = text.indexOf("\n", at)
    if (lineEnd === -1) break
    at = lineEnd + 1
    line++
    lineStart = at
  }
  if (rows.kept === 0 && rows.leftOut > 0) {
    yield { line: 1, reason: `all rows are of other languages than ${pair.sourceLanguage} and ${pair.targetLanguage}` }
  }
}

// The entries of a map.
export function* mapRows(entries: GlossaryEntries): Generator<Row> {
  let entry = 0
  for (const [source, target] of entries) {
    entry++
    yield [{ text: source, place: { entry } }, { text: target, place: { entry } }]
  }
}

const problemIn = (
  term: "source" | "target",
  { isQuoted = false, place, text }: Term,
  allowed: number
): EntryProblem | undefined => {
  const found = fault(text, allowed)
  if (found === undefined) return undefined
  const [reason, offset] = found
  return {
    ...place,
    ...(place.column === undefined ? undefined : { column: place.column + (isQuoted ? 0 : offset) }),
    term,
    reason: `the ${term} ${reason}`
  }
}

/** The valid entries with their text in TSV, or the first problems with the number of all. */
export const collect = (
  parameter: string,
  rows: Iterable<Row>,
  { glossaryBytes, glossaryTermBytes }: EntryLimits
): { readonly entries: GlossaryEntries; readonly tsv: string } | InvalidEntries | LimitExceeded => {
  const entries = new Map<string, string>()
  const places = new Map<string, Place>()
  const problems: Array<EntryProblem> = []
  let count = 0
  const add = (problem: EntryProblem | undefined): boolean => {
    if (problem === undefined) return false
    count++
    if (problems.length < keptProblems) problems.push(problem)
    return true
  }
  for (const row of rows) {
    if (isProblem(row)) {
      add(row)
      continue
    }
    const [source, target] = row
    const wrongSource = add(problemIn("source", source, glossaryTermBytes))
    const wrongTarget = add(problemIn("target", target, glossaryTermBytes))
    if (wrongSource || wrongTarget) continue
    const before = places.get(source.text)
    if (before === undefined) {
      places.set(source.text, source.place)
      entries.set(source.text, target.text)
    } else {
      add({ ...source.place, term: "source", reason: `the source is a duplicate of line ${before.line ?? 0}` })
    }
  }
  if (count === 0 && entries.size === 0) add({ line: 1, reason: "there are no entries" })
  if (count > 0) return new InvalidEntries({ parameter, problems, count })
  const tsv = Array.from(entries, ([source, target]) => `${source}\t${target}`).join("\n")
  const given = utf8Length(tsv)
  return given > glossaryBytes
    ? new LimitExceeded({ parameter, unit: "bytes", given, allowed: glossaryBytes })
    : { entries, tsv }
}
