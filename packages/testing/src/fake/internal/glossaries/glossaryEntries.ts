/** Parses glossary entries independently of the client's parser, so that tests compare both parsers. */
import { BadRequest } from "@effect-lingua/core/errors/ServiceError"
import * as Result from "effect/Result"

type Entries = ReadonlyMap<string, string>

interface Row {
  readonly columns: ReadonlyArray<string>
  /** The row's offset in the text. */
  readonly position: number
}

/** The error for invalid entries. The service documents the message for duplicate keys only. */
const invalid = (detail: string): Result.Result<never, BadRequest> =>
  Result.fail(new BadRequest({ description: "Invalid glossary entries provided", detail }))

const tsv = (text: string): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    const columns = line.replace(/\r$/, "").split("\t")
    if (columns.join("") !== "" || columns.length > 1) rows.push({ columns, position: index })
  }
  return rows
}

/** Matches a valid CSV field with its terminator. */
const csvField = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r?$)/y

const csv = (text: string): ReadonlyArray<Row> | undefined => {
  const rows: Array<Row> = []
  let columns: Array<string> = []
  let start = 0
  csvField.lastIndex = 0
  while (csvField.lastIndex < text.length) {
    const field = csvField.exec(text)
    if (field === null) return undefined
    const [, quoted, plain = "", end] = field
    columns.push(quoted?.replaceAll("\"\"", "\"") ?? plain)
    if (end === "," && csvField.lastIndex < text.length) continue
    if (end === ",") columns.push("")
    if (columns.length > 1 || columns[0] !== "" || quoted !== undefined) rows.push({ columns, position: start })
    columns = []
    start = csvField.lastIndex
  }
  return rows
}

const bytes = (text: string): number => new TextEncoder().encode(text).length

// oxlint-disable-next-line no-control-regex -- control characters are refused
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

export const fault = (term: string, limit: number): string | undefined =>
  term === ""
    ? "is empty"
    : control.test(term)
    ? "contains a control character"
    : term.trim() !== term
    ? "has leading or trailing white space"
    : bytes(term) > limit
    ? `is longer than ${limit} bytes`
    : undefined

export const read = (
  text: string,
  format: string,
  pair: { readonly sourceLanguage: string; readonly targetLanguage: string },
  termBytes: number
): Result.Result<Entries, BadRequest> => {
  if (format !== "tsv" && format !== "csv") {
    return Result.fail(new BadRequest({ description: "Value for 'entries_format' not supported." }))
  }
  const rows = format === "tsv" ? tsv(text) : csv(text)
  if (rows === undefined) return invalid("The entries are not CSV")
  const entries = new Map<string, string>()
  const places = new Map<string, { readonly index: number; readonly position: number }>()
  for (const { columns, position } of rows) {
    const index = entries.size
    const [source, target, from, to] = columns
    const isWhole = columns.length === 2 || (format === "csv" && columns.length === 4)
    if (source === undefined || target === undefined || !isWhole) {
      return invalid(`The entry with the index ${index} (starting at position ${position}) is not a key and a value`)
    }
    if (
      from !== undefined && (from.toLowerCase() !== pair.sourceLanguage || to?.toLowerCase() !== pair.targetLanguage)
    ) continue
    for (const [side, term] of [["Key", source], ["Value", target]] as const) {
      const wrong = fault(term, termBytes)
      if (wrong !== undefined) {
        return invalid(`${side} with the index ${index} (starting at position ${position}) ${wrong}`)
      }
    }
    const before = places.get(source)
    if (before !== undefined) {
      return invalid(
        `Key with the index ${index} (starting at position ${position}) duplicates key with the index ${before.index} ` +
          `(starting at position ${before.position})`
      )
    }
    places.set(source, { index, position })
    entries.set(source, target)
  }
  return entries.size === 0 ? invalid("There are no entries") : Result.succeed(entries)
}

export const write = (entries: Entries): string =>
  Array.from(entries, ([source, target]) => `${source}\t${target}`).join("\n")

export const size = (entries: Entries): number => bytes(write(entries))
