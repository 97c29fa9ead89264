/**
 * Reads and writes glossary entries as a map, TSV or CSV, and checks the service's rules.
 *
 * **Details**
 *
 * Each source term is unique under exact comparison; the service may compare differently. A term has 1 to 1024 bytes in UTF-8, no control
 * characters, and no leading or trailing white space. All entries have at most 10 MiB as TSV. An entry that breaks a rule is refused, not corrected.
 *
 * CSV follows RFC 4180. Optional third and fourth columns hold the languages; rows for another language pair are skipped. Empty lines and a byte order
 * mark are ignored. With names in `columns`, the first row is the header. With `columns`, a row that begins with `# ` is a comment.
 *
 * **Example** (A file with a mistake)
 *
 * ```ts import.meta.vitest
 * import { GlossaryEntries } from "@effect-lingua/core"
 * import { Result } from "effect"
 *
 * const read = GlossaryEntries.readTsv("screw\tSchraube\nnut Mutter\nscrew\tBolzen")
 * const problems = Result.isFailure(read) && read.failure._tag === "InvalidEntries" ? read.failure.problems : []
 * problems.map(({ line, reason }) => [line, reason])
 * // => [[2, "there is no tab between a source and a target"], [3, "the source is a duplicate of line 1"]]
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Limits from "../contract/Limits.ts"
import type { InvalidEntries, LimitExceeded } from "../errors/CallError.ts"
import * as Text from "./internal/glossaryText.ts"
import type { EntryColumns, GlossaryEntries, LanguagePair } from "./internal/glossaryText.ts"

export type { EntriesInput, EntryColumns, GlossaryEntries, LanguagePair } from "./internal/glossaryText.ts"

/**
 * Limits in bytes that replace the specification's limits.
 *
 * @category options
 * @since 0.1.0
 */
export type EntryLimits = Partial<Text.EntryLimits>

/**
 * Limits, and the columns to read from a text with comments or more than two columns.
 *
 * @category options
 * @since 0.3.0
 */
export interface ReadOptions extends EntryLimits {
  readonly columns?: EntryColumns | undefined
}

/**
 * An error for invalid or too large entries.
 *
 * @category errors
 * @since 0.1.0
 */
export type Refusal = InvalidEntries | LimitExceeded

const collect = (rows: Iterable<Text.Row>, limits: EntryLimits) =>
  Text.collect("entries", rows, { ...Limits.defaults, ...limits })

/**
 * Reads TSV. Fails with `InvalidEntries` (line and column of each problem), or `LimitExceeded` if the entries are too large.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readTsv = (
  text: string,
  { columns, ...limits }: ReadOptions = {}
): Result.Result<GlossaryEntries, Refusal> =>
  Result.map(collect(Text.tsvRows(text, columns), limits), ({ entries }) => entries)

/**
 * Reads the entries of a language pair from CSV with commas or semicolons. A header such as `source,target` or `en,de` is skipped. Fails like
 * {@link readTsv}.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readCsv = (
  text: string,
  pair: LanguagePair,
  { columns, ...limits }: ReadOptions = {}
): Result.Result<GlossaryEntries, Refusal> =>
  Result.map(collect(Text.csvRows(text, pair, columns), limits), ({ entries }) => entries)

/**
 * Writes TSV. Fails with `InvalidEntries` (entry number of each problem), or `LimitExceeded` if the entries are too large.
 *
 * @category combinators
 * @since 0.1.0
 */
export const writeTsv = (entries: GlossaryEntries, limits: EntryLimits = {}): Result.Result<string, Refusal> =>
  Result.map(collect(Text.mapRows(entries), limits), ({ tsv }) => tsv)

const quoted = (term: string): string => `"${term.replaceAll("\"", "\"\"")}"`

/** Quotes both terms if a reader could mistake the entry for a header. */
const csvRow = (terms: ReadonlyArray<string>): string =>
  terms.map((term) => /[",;]/.test(term) || Text.isLikeHeader(terms) ? quoted(term) : term).join(",")

/**
 * Writes CSV with two columns. Fails like {@link writeTsv}.
 *
 * @category combinators
 * @since 0.1.0
 */
export const writeCsv = (entries: GlossaryEntries, limits: EntryLimits = {}): Result.Result<string, Refusal> =>
  Result.map(collect(Text.mapRows(entries), limits), ({ entries }) => Array.from(entries, csvRow).join("\n"))
