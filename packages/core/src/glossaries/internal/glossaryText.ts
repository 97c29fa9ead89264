/** Parses, checks and encodes glossary entries. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { repeated } from "../../call/internal/syncing.ts"
import { canonical, type LanguageCode } from "../../contract/Language.ts"
import type { Limits } from "../../contract/Limits.ts"
import { InvalidEntries, type InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import type { EntryProblem } from "../../errors/EntryProblem.ts"
import { checkItems, checkLimit, checkText, invalid, typeOf, utf8Length } from "../../errors/internal/checks.ts"
import { fault, keptProblems } from "../../errors/internal/terms.ts"

/**
 * Target terms, keyed by source term.
 *
 * @category models
 * @since 0.1.0
 */
export type GlossaryEntries = ReadonlyMap<string, string>

/**
 * The languages of a dictionary, as codes without a region. A target `en`, `pt` or `zh` applies to all its variants.
 *
 * @category models
 * @since 0.1.0
 */
export interface LanguagePair {
  readonly sourceLanguage: LanguageCode
  readonly targetLanguage: LanguageCode
}

/**
 * The source and target columns: names from the header row, or numbers from 1 if the text has no header.
 *
 * @category models
 * @since 0.3.0
 */
export type EntryColumns = readonly [source: string, target: string]

/**
 * Entries as a map, TSV or CSV. With `columns`, a text may have further columns, and comment lines that begin with `# `.
 *
 * @category models
 * @since 0.1.0
 */
export type EntriesInput =
  | GlossaryEntries
  | { readonly tsv: string; readonly columns?: EntryColumns | undefined }
  | { readonly csv: string; readonly columns?: EntryColumns | undefined }

export type EntryLimits = Pick<Limits, "glossaryBytes" | "glossaryTermBytes">

type Place = Pick<EntryProblem, "line" | "column" | "entry">

interface Term {
  readonly text: string
  readonly place: Place
  /** True for a quoted field: offsets in `text` differ from columns in the file. */
  readonly isQuoted?: boolean
}

export type Row = readonly [source: Term, target: Term] | EntryProblem

const isProblem = (row: Row | ReadonlyArray<Term>): row is EntryProblem => "reason" in row

const comment = /^#(?:\s|$)/

// Reads two columns. Skips comments, and rows with both columns empty.
function* selectColumns(
  records: Iterable<ReadonlyArray<Term> | EntryProblem>,
  [source, target]: EntryColumns
): Generator<Row> {
  const isNumbered = /^(?!(\d+),\1$)[1-9]\d?,[1-9]\d?$/.test(`${source},${target}`)
  let indexes = isNumbered ? { source: Number(source) - 1, target: Number(target) - 1 } : undefined
  for (const record of records) {
    if (isProblem(record)) {
      yield record
      continue
    }
    const [first] = record
    if (first === undefined || first.isQuoted !== true && comment.test(first.text)) continue
    if (indexes === undefined) {
      const names = record.map(({ text }) => text.trim().toLowerCase())
      const find = (name: string) => {
        const index = names.indexOf(name.trim().toLowerCase())
        return names.includes(names[index] ?? "", index + 1) ? -1 : index
      }
      indexes = { source: find(source), target: find(target) }
      if (indexes.source !== -1 && indexes.target !== -1 && indexes.source !== indexes.target) continue
      yield { ...first.place, reason: `the first row does not name the columns ${source} and ${target} once each` }
      return
    }
    const [from, to] = [record[indexes.source], record[indexes.target]]
    if ((from?.text ?? "") === "" && (to?.text ?? "") === "") continue
    yield from !== undefined && to !== undefined
      ? [from, to]
      : { ...first.place, reason: "the row ends before one of the columns" }
  }
}

/** Removes the byte order mark that spreadsheets write. */
const withoutMark = (text: string): string => text.startsWith("\ufeff") ? text.slice(1) : text

// Splits TSV into records. Lines end with LF or CRLF; empty lines are skipped.
function* tsvRecords(text: string): Generator<readonly [Term, ...ReadonlyArray<Term>]> {
  let line = 0
  for (const rawLine of withoutMark(text).split("\n")) {
    line++
    const row = rawLine.endsWith("\r") ? rawLine.slice(0, -1) : rawLine
    if (row === "") continue
    let column = 1
    const termOf = (text: string): Term => {
      const place = { line, column }
      column += text.length + 1
      return { text, place }
    }
    const [first = "", ...others] = row.split("\t")
    yield [termOf(first), ...others.map(termOf)]
  }
}

export function* tsvRows(text: string, columns?: EntryColumns): Generator<Row> {
  if (columns !== undefined) return yield* selectColumns(tsvRecords(text), columns)
  for (const [source, target, third] of tsvRecords(text)) {
    const { place, text } = target ?? source
    const end = { ...place, column: (place.column ?? 1) + text.length }
    if (target === undefined) yield { ...end, reason: "there is no tab between a source and a target" }
    else if (third !== undefined) yield { ...end, reason: "there is a second tab" }
    else yield [source, target]
  }
}

/** A CSV text's separator. Spreadsheets write semicolons in locales with a decimal comma. */
const separatorOf = (text: string, hasComments: boolean): "," | ";" => {
  const line = hasComments ? /^(?!#(?:\s|$)).*\S.*$/m : /^.*$/m
  const first = line.exec(text.trimStart())?.[0].replace(/"(?:[^"]|"")*"/g, "") ?? ""
  return first.includes(";") && !first.includes(",") ? ";" : ","
}

/** The index of the quote that closes a quoted field, or -1. */
const closingQuote = (text: string, start: number): number => {
  let at = text.indexOf("\"", start + 1)
  while (at !== -1 && text[at + 1] === "\"") at = text.indexOf("\"", at + 2)
  return at
}

const language = /^[a-z]{2,3}(?:-\w+)*$/i

const column = /^(?:source|target)(?:[ _](?:term|text|language))?$/i

/** True if a CSV reader could mistake the terms for a header row. */
export const isLikeHeader = (terms: ReadonlyArray<string>): boolean =>
  terms.every((term) => column.test(term) || language.test(term))

/** True for an unquoted header row: column names such as `source,target`, or the pair's language codes. */
const isHeader = (row: Row, { sourceLanguage, targetLanguage }: LanguagePair): boolean => {
  if (isProblem(row) || row.some(({ isQuoted }) => isQuoted === true)) return false
  const [source = "", target = ""] = row.map(({ text }) => text.trim().toLowerCase())
  return source === sourceLanguage.toLowerCase() && target === targetLanguage.toLowerCase() ||
    column.test(source) && column.test(target) && source !== target
}

/** Converts a CSV record to an entry; `undefined` for another language pair. */
const csvRow = (fields: ReadonlyArray<Term>, { sourceLanguage, targetLanguage }: LanguagePair): Row | undefined => {
  const [source, target, ...languages] = fields
  if (source === undefined || target === undefined || languages.length % 2 === 1 || languages.length > 2) {
    const count = fields.length === 1 ? "1 field" : `${fields.length} fields`
    const reason = `the row has ${count}, allowed are 2 (source, target) or 4 (with the language of each)`
    return { ...source?.place, reason }
  }
  const [from = "", to = ""] = languages.map(({ text }) => text.trim().toLowerCase())
  // Spreadsheets pad a row without languages with empty fields.
  if (from === "" && to === "") return [source, target]
  if (from === "" || to === "") {
    return { ...source.place, reason: "the row has one language, allowed are both languages or neither" }
  }
  // Line 1 may be a header, without language codes in the third and fourth fields.
  if (source.place.line !== 1 && !languages.every(({ text }) => language.test(text.trim()))) {
    return { ...source.place, reason: "the third and fourth fields are not language codes: select the columns" }
  }
  return from === sourceLanguage.toLowerCase() && to === targetLanguage.toLowerCase() ? [source, target] : undefined
}

// Parses CSV with commas or semicolons, until the first invalid quote.
function* csvRecords(csv: string, hasComments: boolean): Generator<ReadonlyArray<Term> | EntryProblem> {
  const text = withoutMark(csv)
  const separator = separatorOf(text, hasComments)
  const fieldEnd = new RegExp(`[${separator}\n"]`, "g")
  const afterQuote = new RegExp(`^(?:$|[${separator}\n]|\r\n|\r$)`)
  let line = 1
  let lineStart = 0
  let lineEnd = text.indexOf("\n")
  /** Line and column of an index. Indexes must ascend from call to call. */
  const placeOf = (at: number) => {
    while (lineEnd !== -1 && lineEnd < at) {
      line++
      lineStart = lineEnd + 1
      lineEnd = text.indexOf("\n", lineStart)
    }
    return { line, column: at - lineStart + 1 }
  }
  let fields: Array<Term> = []
  for (let at = 0; at <= text.length;) {
    if (hasComments && fields.length === 0 && comment.test(text.slice(at, at + 2))) {
      const next = text.indexOf("\n", at)
      if (next === -1) break
      at = next + 1
      continue
    }
    const place = placeOf(at)
    const isQuoted = text[at] === "\""
    fieldEnd.lastIndex = at
    const end = isQuoted ? closingQuote(text, at) + 1 : fieldEnd.exec(text)?.index ?? text.length
    if (isQuoted && end === 0) {
      yield { ...place, reason: "the quote that opens here is not closed" }
      return
    }
    if (isQuoted && !afterQuote.test(text.slice(end, end + 2))) {
      yield { ...placeOf(end), reason: "there is text after the closing quote of the field" }
      return
    }
    if (!isQuoted && text[end] === "\"") {
      yield { ...placeOf(end), reason: "there is a quote in a field that does not begin with one" }
      return
    }
    const isLast = text[end] !== separator
    const field = isQuoted
      ? text.slice(at + 1, end - 1).replaceAll("\"\"", "\"")
      : text.slice(at, isLast && text[end - 1] === "\r" ? Math.max(at, end - 1) : end)
    const isEmptyLine = fields.length === 0 && !isQuoted && field === "" && isLast
    if (!isEmptyLine) fields.push({ text: field, place, isQuoted })
    at = end + 1
    if (!isLast) continue
    if (!isEmptyLine) yield fields
    fields = []
    const next = text.indexOf("\n", end)
    if (next === -1) break
    at = next + 1
  }
}

export function* csvRows(text: string, pair: LanguagePair, columns?: EntryColumns): Generator<Row> {
  const records = csvRecords(text, columns !== undefined)
  if (columns !== undefined) return yield* selectColumns(records, columns)
  let rowCount = 0
  let otherPairCount = 0
  for (const record of records) {
    const row = isProblem(record) ? record : csvRow(record, pair)
    if (row === undefined) otherPairCount++
    else if (rowCount++ > 0 || otherPairCount > 0 || !isHeader(row, pair)) yield row
  }
  if (rowCount === 0 && otherPairCount > 0) {
    yield { line: 1, reason: `no row has the languages ${pair.sourceLanguage} and ${pair.targetLanguage}` }
  }
}

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

/** Collects rows into a map and TSV. Fails with the first problems and the total count. */
export const collect = (
  parameter: string,
  rows: Iterable<Row>,
  { glossaryBytes, glossaryTermBytes }: EntryLimits
): Result.Result<{ readonly entries: GlossaryEntries; readonly tsv: string }, InvalidEntries | LimitExceeded> => {
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
    const firstPlace = places.get(source.text)
    if (firstPlace === undefined) {
      places.set(source.text, source.place)
      entries.set(source.text, target.text)
    } else {
      add({ ...source.place, term: "source", reason: `the source is a duplicate of line ${firstPlace.line ?? 0}` })
    }
  }
  if (count === 0 && entries.size === 0) add({ line: 1, reason: "there are no entries" })
  if (count > 0) return Result.fail(new InvalidEntries({ parameter, problems, count }))
  const tsv = Array.from(entries, ([source, target]) => `${source}\t${target}`).join("\n")
  const bytes = utf8Length(tsv)
  return bytes > glossaryBytes
    ? Result.fail(new LimitExceeded({ parameter, unit: "bytes", given: bytes, allowed: glossaryBytes }))
    : Result.succeed({ entries, tsv })
}

/**
 * A dictionary for `create`, `merge` or `replaceDictionary`.
 *
 * @category options
 * @since 0.1.0
 */
export interface DictionaryOptions extends LanguagePair {
  /** At least one entry. The module `GlossaryEntries` has the rules. */
  readonly entries: EntriesInput
}

/**
 * A glossary for `create` or `plan`.
 *
 * @category options
 * @since 0.1.0
 */
export interface CreateOptions {
  /** At most 1024 bytes, not necessarily unique. */
  readonly name: string
  /** One dictionary per language pair, at most 10 MiB in total. */
  readonly dictionaries: ReadonlyArray<DictionaryOptions>
}

export const isPair = (one: LanguagePair, other: LanguagePair): boolean =>
  one.sourceLanguage.toLowerCase() === other.sourceLanguage.toLowerCase() &&
  one.targetLanguage.toLowerCase() === other.targetLanguage.toLowerCase()

/** Checks a language pair and returns it with canonical codes. */
export const checkPair = Effect.fnUntraced(function*(path: string, { sourceLanguage, targetLanguage }: LanguagePair) {
  yield* checkText(`${path}sourceLanguage`, sourceLanguage)
  yield* checkText(`${path}targetLanguage`, targetLanguage)
  if (sourceLanguage.toLowerCase() === targetLanguage.toLowerCase()) {
    return yield* invalid(`${path}targetLanguage`, "the same language as sourceLanguage", "a different language")
  }
  return { sourceLanguage: canonical(sourceLanguage), targetLanguage: canonical(targetLanguage) }
})

const rowsOf = (entries: EntriesInput, pair: LanguagePair): Iterable<Row> | undefined => {
  // Untyped callers may pass any value.
  if (typeof entries !== "object" || entries === null) return undefined
  if ("tsv" in entries) return typeof entries.tsv === "string" ? tsvRows(entries.tsv, entries.columns) : undefined
  if ("csv" in entries) return typeof entries.csv === "string" ? csvRows(entries.csv, pair, entries.columns) : undefined
  return entries instanceof Map ? mapRows(entries) : undefined
}

/** A valid dictionary, with entries as a map and as TSV. */
export interface Checked extends LanguagePair {
  readonly entries: GlossaryEntries
  readonly tsv: string
}

export const checkDictionary = Effect.fnUntraced(function*(
  path: string,
  { entries, sourceLanguage, targetLanguage }: DictionaryOptions,
  limits: Limits
): Effect.fn.Return<Checked, InvalidEntries | InvalidInput | LimitExceeded> {
  const pair = yield* checkPair(path, { sourceLanguage, targetLanguage })
  const rows = rowsOf(entries, { sourceLanguage, targetLanguage })
  if (rows === undefined) {
    return yield* invalid(`${path}entries`, typeOf(entries), "a Map of texts, { tsv } or { csv }")
  }
  return { ...pair, ...(yield* Effect.fromResult(collect(`${path}entries`, rows, limits))) }
})

/** Checks a glossary's dictionaries. All entries share one size limit. */
export const checkDictionaries = Effect.fnUntraced(function*(
  path: string,
  dictionaries: ReadonlyArray<DictionaryOptions>,
  limits: Limits
) {
  yield* checkItems(`${path}dictionaries`, "dictionaries", dictionaries)
  const duplicateIndex = repeated(dictionaries, isPair)
  if (duplicateIndex !== -1) {
    return yield* invalid(`${path}dictionaries[${duplicateIndex}]`, "a repeated pair of languages", "each pair once")
  }
  const checked = yield* Effect.forEach(
    dictionaries,
    (dictionary, index) => checkDictionary(`${path}dictionaries[${index}].`, dictionary, limits)
  )
  const bytes = checked.reduce((sum, { tsv }) => sum + utf8Length(tsv), 0)
  yield* checkLimit(`${path}dictionaries`, "bytes", bytes, limits.glossaryBytes)
  return checked
})

export const bodyOf = ({ sourceLanguage, targetLanguage, tsv }: Checked) => ({
  sourceLanguage,
  targetLanguage,
  entries: tsv,
  entriesFormat: "tsv" as const
})

/** Parses the service's TSV without checks; `undefined` if a line has no tab. */
export const readAnswer = (tsv: string): GlossaryEntries | undefined => {
  const entries = new Map<string, string>()
  for (const line of tsv.split("\n")) {
    const entry = line.endsWith("\r") ? line.slice(0, -1) : line
    if (entry === "") continue
    const tab = entry.indexOf("\t")
    if (tab === -1) return undefined
    entries.set(entry.slice(0, tab), entry.slice(tab + 1))
  }
  return entries
}
