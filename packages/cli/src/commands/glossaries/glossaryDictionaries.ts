/** `glossaries`: the commands on the dictionaries of a glossary. */
import type { GlossaryEntries } from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { glossaryId } from "../../client/sample.ts"
import type * as Services from "../../client/services.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { showing, withResults } from "../command.ts"
import {
  dictionaryColumns,
  file,
  type Format,
  format,
  formatOf,
  id,
  inWords,
  pair,
  shown,
  withEntries,
  withGlossaries
} from "./glossary.ts"

/** Merges entries into a dictionary. */
export const merge = showing("merge", {
  description: "Merge the entries of a file into a glossary: those with the same source are replaced, all others stay",
  examples: {
    [`printf 'bolt\\tBolzen\\n' | effect-lingua glossaries merge --fake ${glossaryId} - --from en -t de`]:
      "One more entry"
  },
  params: { glossaryId: id, file, pair, format },
  run: ({ glossaryId, pair, ...input }) =>
    withEntries(
      input,
      ({ Glossaries }) => Glossaries,
      (glossaries, entries) => glossaries.merge({ glossaryId, dictionary: { ...pair, entries } })
    ),
  shown: shown
})

/** Replaces a dictionary. */
export const replace = showing("replace", {
  description: "Replace all entries of a glossary for two languages by those of a file; creates a missing dictionary",
  examples: {
    [`printf 'screw\\tvis\\n' | effect-lingua glossaries replace --fake ${glossaryId} - --from en -t fr`]:
      "A dictionary for other languages"
  },
  params: { ref: { glossaryId: id }, file, pair, format },
  run: ({ pair, ref, ...input }) =>
    withEntries(
      input,
      ({ Glossaries }) => Glossaries,
      (glossaries, entries) => glossaries.replaceDictionary({ ...ref, ...pair, entries })
    ),
  shown: (dictionary) => Output.rows([dictionary], dictionaryColumns)
})

/** The results of entries. TSV contains any entry of the service. CSV is for other programs, so it obeys the rules of entries. */
export const entriesShown = Effect.fnUntraced(function*(
  entries: GlossaryEntries,
  format: Format | undefined,
  { GlossaryEntries }: typeof Services
) {
  const text = format === "csv"
    ? yield* Effect.mapError(
      Effect.fromResult(GlossaryEntries.writeCsv(entries)),
      ({ message }) =>
        new InvalidUsage({ message: `the service has entries that CSV cannot contain, use --format tsv: ${message}` })
    )
    : Array.from(entries, ([source, target]) => `${source}\t${target}`).join("\n")
  const results: Output.Results = {
    json: Array.from(entries, ([source, target]) => ({ source, target })),
    human: ({ clean }) => clean(text)
  }
  return results
})

/** Prints a dictionary. */
export const entries = withResults("entries", {
  description: "Print the entries of a glossary for two languages, as TSV, CSV or JSON",
  examples: {
    [`effect-lingua glossaries entries --fake ${glossaryId} --from en -t de`]: "As TSV, which merge and replace read",
    [`effect-lingua glossaries entries --fake ${glossaryId} --from en -t de --output terms.csv --overwrite`]:
      "Into a file, as CSV"
  },
  params: { ref: { glossaryId: id, ...pair }, format },
  run: ({ format: given, ref }, { output = "" }) =>
    call((services) =>
      Effect.flatMap(
        services.Glossaries.use((glossaries) => glossaries.entries(ref)),
        (entries) => entriesShown(entries, given ?? formatOf(output), services)
      )
    )
})

/** Deletes a dictionary. */
export const removeDictionary = withResults("delete-dictionary", {
  description: "Delete all entries of a glossary for two languages; it cannot be undone",
  examples: {
    [`effect-lingua glossaries delete-dictionary --fake --yes ${glossaryId} --from en -t de`]: "Without a question"
  },
  params: { ref: { glossaryId: id, ...pair }, ...Confirm.flags },
  run: Effect.fnUntraced(function*({ ref, ...input }) {
    const languages = `${ref.sourceLanguage}-${ref.targetLanguage}`
    yield* withGlossaries((glossaries) => {
      const action = Effect.map(glossaries.get(ref), (glossary) => `delete ${languages} of ${inWords(glossary)}`)
      return Effect.andThen(Confirm.confirm(input, action), glossaries.removeDictionary(ref))
    })
    return Output.done("deleted", `the dictionary ${languages} of the glossary ${ref.glossaryId} is deleted`, ref)
  })
})
