/** Checks of glossaries before anything is sent, and their bodies. */
import * as Effect from "effect/Effect"
import { repeated } from "../../call/internal/syncing.ts"
import { canonical } from "../../contract/Language.ts"
import type { Limits } from "../../contract/Limits.ts"
import type { InvalidEntries, InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import { checkItems, checkLimit, checkText, invalid, typeOf, utf8Length } from "../../errors/internal/checks.ts"
import * as Text from "./glossaryText.ts"
import type { EntriesInput, GlossaryEntries, LanguagePair } from "./glossaryText.ts"

/**
 * A dictionary with its entries.
 *
 * @category options
 * @since 0.1.0
 */
export interface DictionaryOptions extends LanguagePair {
  /** At least one entry, under the rules of `GlossaryEntries`. */
  readonly entries: EntriesInput
}

/**
 * A glossary to be created.
 *
 * @category options
 * @since 0.1.0
 */
export interface CreateOptions {
  /** At most 1024 bytes, not necessarily unique. */
  readonly name: string
  /** One for each language pair, of at most 10 MiB together. */
  readonly dictionaries: ReadonlyArray<DictionaryOptions>
}

export const isPair = (one: LanguagePair, other: LanguagePair): boolean =>
  one.sourceLanguage.toLowerCase() === other.sourceLanguage.toLowerCase() &&
  one.targetLanguage.toLowerCase() === other.targetLanguage.toLowerCase()

/** The pair in canonical codes. */
export const checkPair = Effect.fnUntraced(function*(path: string, { sourceLanguage, targetLanguage }: LanguagePair) {
  yield* checkText(`${path}sourceLanguage`, sourceLanguage)
  yield* checkText(`${path}targetLanguage`, targetLanguage)
  if (sourceLanguage.toLowerCase() === targetLanguage.toLowerCase()) {
    return yield* invalid(`${path}targetLanguage`, "the same language as sourceLanguage", "another one")
  }
  return { sourceLanguage: canonical(sourceLanguage), targetLanguage: canonical(targetLanguage) }
})

const rowsOf = (entries: EntriesInput, pair: LanguagePair): Iterable<Text.Row> | undefined => {
  // Untyped callers may pass any value.
  if (typeof entries !== "object" || entries === null) return undefined
  if ("tsv" in entries) return typeof entries.tsv === "string" ? Text.tsvRows(entries.tsv) : undefined
  if ("csv" in entries) return typeof entries.csv === "string" ? Text.csvRows(entries.csv, pair) : undefined
  return entries instanceof Map ? Text.mapRows(entries) : undefined
}

/** A dictionary with its entries as a map and as TSV. */
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
  return { ...pair, ...(yield* Effect.fromResult(Text.collect(`${path}entries`, rows, limits))) }
})

/** The dictionaries of a glossary, whose entries share one limit. */
export const checkDictionaries = Effect.fnUntraced(function*(
  path: string,
  dictionaries: ReadonlyArray<DictionaryOptions>,
  limits: Limits
) {
  yield* checkItems(`${path}dictionaries`, "dictionaries", dictionaries)
  const twice = repeated(dictionaries, isPair)
  if (twice !== -1) {
    return yield* invalid(`${path}dictionaries[${twice}]`, "a repeated pair of languages", "each pair once")
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

/** The entries in a response, which are not checked, because the service has accepted them. `undefined` if a line is not an entry. */
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
