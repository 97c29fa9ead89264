/** Entries of glossaries that keep to the rules, in all forms that methods take. */
import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Data from "../../fake/internal/languages/languageData.ts"
import * as Leaves from "./leaves.ts"

type Entries = GlossaryEntries.GlossaryEntries

/** No character takes more than four bytes. */
const text = Leaves.textUpTo(256)

/** A text as a term can be: in one line, without white space around it. */
const termOf = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim() || "a"

/** One term in four needs quotes in CSV. */
const punctuated = (term: string, form: number): string =>
  form === 3 ? `"${Array.from(term).slice(0, 50).join("")}", or so` : term

const Entry = Schema.Struct({ source: text, target: text, form: Leaves.int(0, 3) })

/** Entries that keep to the rules. */
export const glossaryEntries: Arbitrary.Arbitrary<Entries> = Arbitrary.map(
  Arbitrary.schema(Schema.Array(Entry).check(Schema.isMinLength(1), Schema.isMaxLength(8))),
  (entries) =>
    new Map(
      entries.map(({ form, source, target }) => [punctuated(termOf(source), form), punctuated(termOf(target), form)])
    )
)

/** Entries in TSV. */
export const tsvOf = (entries: Entries): string => Result.getOrThrow(GlossaryEntries.writeTsv(entries))

/** What entries come to, in whatever form they are given. */
export const entriesOf = (entries: GlossaryEntries.EntriesInput, pair: GlossaryEntries.LanguagePair): Entries =>
  "tsv" in entries
    ? Result.getOrThrow(GlossaryEntries.readTsv(entries.tsv))
    : "csv" in entries
    ? Result.getOrThrow(GlossaryEntries.readCsv(entries.csv, pair))
    : entries

const codes = Data.languages.glossary

/** A pair of languages that a glossary can have. */
export const languagePair: Arbitrary.Arbitrary<GlossaryEntries.LanguagePair> = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({ source: Leaves.int(0, codes.length - 1), step: Leaves.int(1, codes.length - 1) })),
  ({ source, step }) => ({
    sourceLanguage: codes[source] ?? "en",
    targetLanguage: codes[(source + step) % codes.length] ?? "de"
  })
)

/** A dictionary to be written. */
export const dictionary = Arbitrary.map(
  Arbitrary.all({ pair: languagePair, entries: glossaryEntries, form: Arbitrary.schema(Leaves.int(0, 2)) }),
  ({ entries, form, pair }) => ({
    ...pair,
    entries: [entries, { tsv: tsvOf(entries) }, { csv: Result.getOrThrow(GlossaryEntries.writeCsv(entries)) }][form] ??
      entries
  })
)

/** The name of a glossary. */
export const glossaryName = Arbitrary.schema(text)
