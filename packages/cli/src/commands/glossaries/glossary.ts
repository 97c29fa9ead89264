/** Flags and formats of all commands on glossaries. */
import { GlossaryId } from "@effect-lingua/core/client/Ids"
import type { Glossary, GlossaryDictionary } from "@effect-lingua/core/glossaries/GlossariesApi"
import * as Flag from "effect/cli/Flag"
import { calling } from "../../client/client.ts"
import type * as Output from "../../files/output.ts"
import { type Columns, fields, table } from "../../screen/table.ts"
import * as Flags from "../../settings/flags.ts"
import { argument, idArgument } from "../../settings/flags.ts"

/** Calls the service of glossaries. */
export const withGlossaries = calling(({ Glossaries }) => Glossaries)

/** The argument for a glossary. */
export const id = idArgument("glossary-id", GlossaryId, "The id of a glossary, as printed by glossaries list")

/** The argument for a file with entries. */
export const file = argument("file", "A file with entries as TSV or CSV, - for standard input")

/** The flags for the languages of a dictionary. */
export const pair = {
  sourceLanguage: Flags.sourceLanguage.pipe(Flag.withDescription("The source language, such as en")),
  targetLanguage: Flags.targetLanguage.pipe(
    Flag.withDescription("The target language, such as de, which covers its variants too")
  )
}

/** The columns for dictionaries. */
export const dictionaryColumns: Columns<GlossaryDictionary> = {
  SOURCE: ({ sourceLanguage }) => sourceLanguage,
  TARGET: ({ targetLanguage }) => targetLanguage,
  ENTRIES: ({ entryCount }) => entryCount
}

/** A glossary with its dictionaries. */
export const shown = (glossary: Glossary): Output.Results => ({
  json: [glossary],
  human: (style) => {
    const { creationTime, dictionaries = [], glossaryId, name } = glossary
    const found = fields(style, { id: glossaryId, name, created: creationTime })
    return dictionaries.length === 0 ? found : `${found}\n\n${table(style, dictionaryColumns, dictionaries)}`
  }
})

/** A glossary in a few words, for a question. */
export const words = ({ dictionaries = [], name }: Glossary): string =>
  `the glossary ${JSON.stringify(name)} with ` +
  (dictionaries.map(({ entryCount, sourceLanguage, targetLanguage }) =>
    `${sourceLanguage}-${targetLanguage} (${entryCount ?? "?"})`
  ).join(", ") || "no dictionaries")
