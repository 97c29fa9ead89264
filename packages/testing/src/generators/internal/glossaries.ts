/** Glossaries of both versions. Their entries are valid, in each form that the methods accept. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import { GlossariesApi } from "@effect-lingua/core/extension/Resources"
import type { DictionaryOptions } from "@effect-lingua/core/glossaries/Glossaries"
import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Data from "../../fake/internal/languages/languageData.ts"
import type { ServiceState } from "../../fake/internal/model.ts"
import { answerOf, changes, joined, params } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import { type Breach, limits, type Records, termOf, tooMany, within } from "./record.ts"

type Entries = GlossaryEntries.GlossaryEntries

/** No character takes more than four bytes. */
const text = Leaves.textUpTo(256)

/** One term in four needs quotes in CSV. */
const punctuated = (term: string, form: number): string =>
  form === 3 ? `"${Array.from(term).slice(0, 50).join("")}", or so` : term

const Entry = Schema.Struct({ source: text, target: text, form: Leaves.int(0, 3) })

const glossaryEntries: Arbitrary.Arbitrary<Entries> = Arbitrary.map(
  Arbitrary.schema(Schema.Array(Entry).check(Schema.isMinLength(1), Schema.isMaxLength(8))),
  (entries) =>
    new Map(
      entries.map(({ form, source, target }) => [punctuated(termOf(source), form), punctuated(termOf(target), form)])
    )
)

const tsvOf = (entries: Entries): string => Result.getOrThrow(GlossaryEntries.writeTsv(entries))

/** The entries of any form. */
const entriesOf = (entries: GlossaryEntries.EntriesInput, pair: GlossaryEntries.LanguagePair): Entries =>
  "tsv" in entries
    ? Result.getOrThrow(GlossaryEntries.readTsv(entries.tsv))
    : "csv" in entries
    ? Result.getOrThrow(GlossaryEntries.readCsv(entries.csv, pair))
    : entries

const codes = Data.languages.glossary

export const languagePair: Arbitrary.Arbitrary<GlossaryEntries.LanguagePair> = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({ source: Leaves.int(0, codes.length - 1), step: Leaves.int(1, codes.length - 1) })),
  ({ source, step }) => ({
    sourceLanguage: codes[source] ?? "en",
    targetLanguage: codes[(source + step) % codes.length] ?? "de"
  })
)

const newDictionary = Arbitrary.map(
  Arbitrary.all({ pair: languagePair, entries: glossaryEntries, form: Arbitrary.schema(Leaves.int(0, 2)) }),
  ({ entries, form, pair }) => ({
    ...pair,
    entries: [entries, { tsv: tsvOf(entries) }, { csv: Result.getOrThrow(GlossaryEntries.writeCsv(entries)) }][form] ??
      entries
  })
)

const named = Arbitrary.map(Arbitrary.schema(text), (name) => ({ name }))

const ofGlossary = params(GlossariesApi.get)
const ofDictionary = joined(ofGlossary, languagePair)

const dictionary = joined(
  answerOf(GlossariesApi.DictionaryEntries),
  Arbitrary.map(glossaryEntries, (entries) => ({ entries: tsvOf(entries), entriesFormat: "tsv" as const }))
)

const pairOf = ({ sourceLanguage, targetLanguage }: GlossaryEntries.LanguagePair) => ({
  sourceLanguage: sourceLanguage.toLowerCase(),
  targetLanguage: targetLanguage.toLowerCase()
})

/** The service's summary of a dictionary. */
const summaryOf = ({ entries, ...pair }: DictionaryOptions) => ({
  ...pairOf(pair),
  entryCount: entriesOf(entries, pair).size
})

const ofEntries: ReadonlyArray<Breach> = [
  ["a line has a tab", "InvalidEntries", { entries: { tsv: "a b" } }],
  ["a line has one tab", "InvalidEntries", { entries: { tsv: "a\tb\tc" } }],
  ["a source stands once", "InvalidEntries", { entries: { tsv: "a\tb\na\tc" } }],
  ["a quote is closed", "InvalidEntries", { entries: { csv: "\"a,b" } }],
  ["no term is empty", "InvalidEntries", { entries: new Map([["a", ""]]) }],
  ["no term has white space around it", "InvalidEntries", { entries: new Map([[" a", "b"]]) }],
  ["no term has control characters", "InvalidEntries", { entries: new Map([["a", "b\u0085c"]]) }],
  ["a term has at most 1024 bytes", "InvalidEntries", {
    entries: new Map([["\u00e9".repeat(limits.glossaryTermBytes / 2), "b"], ["\u00e9".repeat(513), "c"]])
  }],
  ["there is an entry", "InvalidEntries", { entries: new Map() }],
  ["two languages are two", "InvalidInput", { sourceLanguage: "de", targetLanguage: "DE" }]
]

const small = { sourceLanguage: "en", targetLanguage: "de", entries: new Map([["a", "b"]]) }

const ofName: Breach = ["a name has at most 1024 bytes", "LimitExceeded", {
  name: "\u00e9".repeat(limits.glossaryNameBytes / 2 + 1)
}]

const all = ({ glossaries }: ServiceState) => glossaries.map(({ glossaryId }) => ({ glossaryId }))

const ofVersion2 = ({ glossaries }: ServiceState) =>
  glossaries.flatMap(({ glossaryId, version }) => version === 2 ? [{ glossaryId }] : [])

const dictionaries = ({ glossaries }: ServiceState) =>
  glossaries.flatMap(({ dictionaries, glossaryId }) =>
    dictionaries.flatMap(({ sourceLanguage, targetLanguage }) =>
      codes.includes(sourceLanguage) && codes.includes(targetLanguage)
        ? [{ glossaryId, sourceLanguage, targetLanguage }]
        : []
    )
  )

export const glossaries = {
  "Glossaries.create": {
    // Each pair of languages once.
    request: Arbitrary.map(
      Arbitrary.all({ named, dictionaries: Arbitrary.array(newDictionary, { minLength: 1, maxLength: 3 }) }),
      ({ dictionaries, named }) => ({
        ...named,
        dictionaries: dictionaries.filter((dictionary, index) =>
          !dictionaries.slice(0, index).some(({ sourceLanguage, targetLanguage }) =>
            sourceLanguage === dictionary.sourceLanguage && targetLanguage === dictionary.targetLanguage
          )
        )
      })
    ),
    answers: ({ dictionaries }) => ({ dictionaries: dictionaries.map(summaryOf) }),
    breaches: [
      ofName,
      ...within(ofEntries, (fields) => ({ dictionaries: [{ ...small, ...fields }] })),
      ["each pair of languages comes once", "InvalidInput", { dictionaries: tooMany(small, 1) }]
    ]
  },
  "Glossaries.entries": {
    existing: dictionaries,
    request: ofDictionary,
    response: Arbitrary.map(dictionary, (dictionary) => ({ dictionaries: [dictionary] })),
    responseTo: (pair) =>
      Arbitrary.map(dictionary, (dictionary) => ({ dictionaries: [{ ...dictionary, ...pairOf(pair) }] }))
  },
  "Glossaries.get": { existing: all },
  "Glossaries.list": {},
  "Glossaries.merge": {
    existing: all,
    request: changes(ofGlossary, named, Arbitrary.map(newDictionary, (dictionary) => ({ dictionary }))),
    answers: ({ dictionary }) => dictionary === undefined ? {} : { dictionaries: [summaryOf(dictionary)] },
    breaches: [
      ofName,
      ...within(ofEntries, (fields) => ({ dictionary: { ...small, ...fields } })),
      ["something is changed", "InvalidInput", { name: undefined, dictionary: undefined }]
    ]
  },
  "Glossaries.remove": { existing: all },
  "Glossaries.removeDictionary": { existing: dictionaries, request: ofDictionary },
  "Glossaries.replaceDictionary": {
    existing: all,
    request: joined(ofGlossary, newDictionary),
    answers: summaryOf,
    breaches: ofEntries
  },
  "GlossariesV2.create": {
    request: Arbitrary.map(
      Arbitrary.all({ named, pair: languagePair, entries: glossaryEntries }),
      ({ entries, named, pair }) => ({ ...named, ...pair, entries: tsvOf(entries), entriesFormat: "tsv" as const })
    ),
    answers: ({ entries, sourceLanguage, targetLanguage }) =>
      summaryOf({ sourceLanguage, targetLanguage, entries: { tsv: entries } })
  },
  "GlossariesV2.entries": { existing: ofVersion2, response: Arbitrary.map(glossaryEntries, tsvOf) },
  "GlossariesV2.get": { existing: ofVersion2 },
  "GlossariesV2.list": {},
  "GlossariesV2.remove": { existing: ofVersion2 }
} satisfies Records<"Glossaries" | "GlossariesV2">
