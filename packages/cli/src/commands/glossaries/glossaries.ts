/** `glossaries`: the commands on whole glossaries. */
import * as Limits from "@effect-lingua/core/client/Limits"
import { glossaryId } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import { argument } from "../../settings/flags.ts"
import { group, showing } from "../command.ts"
import { commandsOf } from "../resource.ts"
import { sync } from "./glossariesSync.ts"
import { glossariesV2 } from "./glossariesV2.ts"
import { file, format, id, inWords, pair, shown, withEntries, withGlossaries } from "./glossary.ts"
import { entries, merge, removeDictionary, replace } from "./glossaryDictionaries.ts"

const name = argument("name", `A name of at most ${Limits.defaults.glossaryNameBytes} bytes; it need not be unique`)

const { list, remove, show } = commandsOf({
  path: "glossaries",
  object: "glossary",
  service: ({ Glossaries }) => Glossaries,
  ref: { glossaryId: id },
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
    withEntries(
      input,
      ({ Glossaries }) => Glossaries,
      (glossaries, entries) => glossaries.create({ name, dictionaries: [{ ...pair, entries }] })
    ),
  shown: (glossary) => Output.texts([glossary], ({ glossaryId }) => glossaryId)
})

const rename = showing("rename", {
  description: "Rename a glossary; its entries stay",
  examples: { [`effect-lingua glossaries rename --fake ${glossaryId} "New terms"`]: "Another name" },
  params: { glossaryId: id, name },
  run: (input) => withGlossaries((glossaries) => glossaries.merge(input)),
  shown: shown
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
  sync,
  glossariesV2
])
