/** `glossaries`: the commands on glossaries and on their dictionaries. */
import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { Glossaries, Glossary, GlossaryDictionary } from "@effect-lingua/core/glossaries/Glossaries"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { glossaryRef } from "../../client/names.ts"
import { glossaryId } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { type Columns, fields, table } from "../../screen/table.ts"
import { argument, idArgument } from "../../settings/flags.ts"
import { group, showing, withResults } from "../command.ts"
import { commandsOf } from "../resource.ts"
import { sync } from "./glossariesSync.ts"
import { entriesShown, file, format, formatOf, pair, withEntries } from "./glossary.ts"

/** Calls the service with a glossary that is given by its name or id. */
const withGlossary = <Ref extends { readonly glossaryId: GlossaryId }, A, E, R>(
  ref: Ref,
  use: (glossaries: Glossaries["Service"], ref: Ref) => Effect.Effect<A, E, R>
) =>
  call((services) =>
    Effect.flatMap(glossaryRef(services, ref), (ref) => services.Glossaries.use((glossaries) => use(glossaries, ref)))
  )

/** The argument for a glossary. */
const id = idArgument("glossary", GlossaryId, "The name or id of a glossary")

/** The columns for dictionaries. */
const dictionaryColumns: Columns<GlossaryDictionary> = {
  SOURCE: ({ sourceLanguage }) => sourceLanguage,
  TARGET: ({ targetLanguage }) => targetLanguage,
  ENTRIES: ({ entryCount }) => entryCount
}

/** A glossary with its dictionaries. */
const shown = (glossary: Glossary): Output.Results => ({
  json: [glossary],
  human: (style) => {
    const { creationTime, dictionaries = [], glossaryId, name } = glossary
    const found = fields(style, { id: glossaryId, name, created: creationTime })
    return dictionaries.length === 0 ? found : `${found}\n\n${table(style, dictionaryColumns, dictionaries)}`
  }
})

/** A glossary in a few words, for a question. */
const inWords = ({ dictionaries = [], name }: Glossary): string =>
  `the glossary ${JSON.stringify(name)} with ` +
  (dictionaries.map(({ entryCount, sourceLanguage, targetLanguage }) =>
    `${sourceLanguage}-${targetLanguage} (${entryCount ?? "?"})`
  ).join(", ") || "no dictionaries")

const name = argument("name", `A name of at most ${Limits.defaults.glossaryNameBytes} bytes; it need not be unique`)

const { list, remove, show } = commandsOf({
  path: "glossaries",
  object: "glossary",
  service: ({ Glossaries }) => Glossaries,
  ref: { glossaryId: id },
  named: glossaryRef,
  sample: glossaryId,
  show: "Show a glossary with its dictionaries and their numbers of entries",
  remove: "Delete a glossary with all its dictionaries; it cannot be undone",
  shown,
  inWords
})

const listAll = list("List the glossaries", (glossaries) => glossaries.list(), {
  ID: ({ glossaryId }) => glossaryId,
  CREATED: ({ creationTime }) => creationTime,
  DICTIONARIES: ({ dictionaries = [] }) =>
    dictionaries.map(({ sourceLanguage, targetLanguage }) => `${sourceLanguage}-${targetLanguage}`).join(","),
  NAME: ({ name }) => name
})

const create = showing("create", {
  description: "Create a glossary with the entries of a file; prints its id",
  examples: {
    [`echo '"nut, hex",Sechskantmutter' | effect-lingua glossaries create --fake "Terms" - --format csv --from en -t de`]:
      "From CSV; replace adds dictionaries of other languages"
  },
  params: { name, file, pair, format },
  run: ({ name, pair, ...input }) =>
    withEntries(input, (glossaries, entries) => glossaries.create({ name, dictionaries: [{ ...pair, entries }] })),
  shown: (glossary) => Output.texts([glossary], ({ glossaryId }) => glossaryId)
})

const rename = showing("rename", {
  description: "Rename a glossary; its entries stay",
  examples: { [`effect-lingua glossaries rename --fake ${glossaryId} "New terms"`]: "Another name" },
  params: { glossaryId: id, name },
  run: (input) => withGlossary(input, (glossaries, input) => glossaries.merge(input)),
  shown
})

const merge = showing("merge", {
  description: "Merge the entries of a file into a glossary: those with the same source are replaced, all others stay",
  examples: {
    [`printf 'bolt\\tBolzen\\n' | effect-lingua glossaries merge --fake ${glossaryId} - --from en -t de`]:
      "One more entry"
  },
  params: { glossaryId: id, file, pair, format },
  run: ({ glossaryId, pair, ...input }) =>
    withEntries(
      input,
      (glossaries, entries, services) =>
        Effect.flatMap(glossaryRef(services, { glossaryId }), (ref) =>
          glossaries.merge({ ...ref, dictionary: { ...pair, entries } }))
    ),
  shown
})

const replace = showing("replace", {
  description: "Replace all entries of a glossary for two languages by those of a file; creates a missing dictionary",
  examples: {
    [`printf 'screw\\tvis\\n' | effect-lingua glossaries replace --fake ${glossaryId} - --from en -t fr`]:
      "A dictionary for other languages"
  },
  params: { ref: { glossaryId: id }, file, pair, format },
  run: ({ pair, ref, ...input }) =>
    withEntries(
      input,
      (glossaries, entries, services) =>
        Effect.flatMap(glossaryRef(services, ref), (ref) => glossaries.replaceDictionary({ ...ref, ...pair, entries }))
    ),
  shown: (dictionary) => Output.rows([dictionary], dictionaryColumns)
})

const entries = withResults("entries", {
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
        Effect.flatMap(
          glossaryRef(services, ref),
          (ref) => services.Glossaries.use((glossaries) => glossaries.entries(ref))
        ),
        (entries) => entriesShown(entries, given ?? formatOf(output), services)
      )
    )
})

const removeDictionary = withResults("delete-dictionary", {
  description: "Delete all entries of a glossary for two languages; it cannot be undone",
  examples: {
    [`effect-lingua glossaries delete-dictionary --fake --yes ${glossaryId} --from en -t de`]: "Without a question"
  },
  params: { ref: { glossaryId: id, ...pair }, ...Confirm.flags },
  run: Effect.fnUntraced(function*({ ref, ...input }) {
    const languages = `${ref.sourceLanguage}-${ref.targetLanguage}`
    yield* withGlossary(ref, (glossaries, ref) => {
      const action = Effect.map(glossaries.get(ref), (glossary) => `delete ${languages} of ${inWords(glossary)}`)
      return Effect.andThen(Confirm.confirm(input, action), glossaries.removeDictionary(ref))
    })
    return Output.done("deleted", `the dictionary ${languages} of the glossary ${ref.glossaryId} is deleted`, ref)
  })
})

/** Glossaries. */
export const glossaries = group("glossaries", [
  listAll,
  show,
  create,
  rename,
  merge,
  replace,
  entries,
  remove,
  removeDictionary,
  sync
])
