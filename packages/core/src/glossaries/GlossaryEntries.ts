/**
 * The entries of a glossary dictionary: terms of one language with their translations. As a map, and as TSV or CSV, read
 * and written by the rules of the service.
 *
 * **Details**
 *
 * The rules: a source occurs once; no term is empty, begins or ends with white space, or has a control
 * character, a tab or a line break; a term has at most 1024 bytes in UTF-8, all of them together 10 MiB as TSV. An entry that breaks a
 * rule is refused with its place, because nothing is mended here: a term without its spaces could be a duplicate.
 *
 * TSV has `source`, a tab and `target` in a line, which ends with LF or CRLF. CSV has them with a comma in between, a field
 * with a comma or a quote in double quotes, and an inner quote doubled; a third and a fourth column are the languages, and
 * rows of another pair are left out. Empty lines, and a byte order mark at the beginning, count for nothing in both.
 *
 * Sources are compared as they are written: `é` as one character is another source than `e` with an accent after it, and `Nut`
 * another than `nut`. The service may compare them differently.
 *
 * **Example** (A file with a mistake)
 *
 * ```ts import.meta.vitest
 * import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
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
import { InvalidEntries, LimitExceeded } from "../errors/CallError.ts"
import * as Text from "./internal/glossaryText.ts"
import type { GlossaryEntries, LanguagePair } from "./internal/glossaryText.ts"

export type { EntriesInput, GlossaryEntries, LanguagePair } from "./internal/glossaryText.ts"

/**
 * Limits other than those of the specification.
 *
 * @category options
 * @since 0.1.0
 */
export type EntryLimits = Partial<Text.EntryLimits>

/**
 * Why entries are refused.
 *
 * @category errors
 * @since 0.1.0
 */
export type Refusal = InvalidEntries | LimitExceeded

const collect = (rows: Iterable<Text.Row>, limits: EntryLimits) => {
  const collected = Text.collect("entries", rows, { ...Limits.defaults, ...limits })
  return collected instanceof InvalidEntries || collected instanceof LimitExceeded
    ? Result.fail(collected)
    : Result.succeed(collected)
}

/**
 * Reads TSV. Never throws; fails with `InvalidEntries`, which has the line and column of each problem, and `LimitExceeded` for
 * more than 10 MiB.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readTsv = (text: string, limits: EntryLimits = {}): Result.Result<GlossaryEntries, Refusal> =>
  Result.map(collect(Text.tsvRows(text), limits), ({ entries }) => entries)

/**
 * Reads the entries of a pair of languages from CSV, with commas or semicolons between the terms, and without a header such as
 * `source,target` or `en,de`. Never throws; fails as {@link readTsv} does.
 *
 * **Example** (A file of several pairs)
 *
 * ```ts import.meta.vitest
 * import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
 * import { Result } from "effect"
 *
 * const csv = `"nut, hex",Sechskantmutter,en,de\nnut,écrou,en,fr`
 * const read = GlossaryEntries.readCsv(csv, { sourceLanguage: "en", targetLanguage: "de" })
 * Array.from(Result.getOrThrow(read)) // => [["nut, hex", "Sechskantmutter"]]
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const readCsv = (
  text: string,
  pair: LanguagePair,
  limits: EntryLimits = {}
): Result.Result<GlossaryEntries, Refusal> =>
  Result.map(collect(Text.csvRows(text, pair), limits), ({ entries }) => entries)

/**
 * Writes TSV, in the order of the map and without a line end after the last entry. Fails with `InvalidEntries`, whose problems
 * have the number of the entry, and `LimitExceeded` for more than 10 MiB.
 *
 * @category combinators
 * @since 0.1.0
 */
export const writeTsv = (entries: GlossaryEntries, limits: EntryLimits = {}): Result.Result<string, Refusal> =>
  Result.map(collect(Text.mapRows(entries), limits), ({ tsv }) => tsv)

const quoted = (term: string): string => `"${term.replaceAll("\"", "\"\"")}"`

/** Terms with a separator or a quote are in quotes, and an entry that could be taken for a header. */
const csvRow = (terms: ReadonlyArray<string>): string =>
  terms.map((term) => /[",;]/.test(term) || Text.isLikeHeader(terms) ? quoted(term) : term).join(",")

/**
 * Writes CSV of two columns. Fails as {@link writeTsv} does.
 *
 * @category combinators
 * @since 0.1.0
 */
export const writeCsv = (entries: GlossaryEntries, limits: EntryLimits = {}): Result.Result<string, Refusal> =>
  Result.map(
    collect(Text.mapRows(entries), limits),
    ({ entries }) => Array.from(entries, csvRow).join("\n")
  )
