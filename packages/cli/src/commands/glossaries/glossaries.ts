/** `glossaries`: the commands on whole glossaries. */
import * as Limits from "@effect-lingua/core/client/Limits"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { glossaryId } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { argument } from "../../settings/flags.ts"
import { group, withResults } from "../command.ts"
import { sync } from "./glossariesSync.ts"
import { glossariesV2 } from "./glossariesV2.ts"
import { file, id, pair, shown, withGlossaries, words } from "./glossary.ts"
import { entries, merge, removeDictionary, replace } from "./glossaryDictionaries.ts"
import { format, withEntries } from "./glossaryFiles.ts"

const name = argument("name", `A name of at most ${Limits.defaults.glossaryNameBytes} bytes; it need not be unique`)

const list = withResults("list", {
  description: "List the glossaries",
  examples: { "effect-lingua glossaries list --fake": "All of them" },
  params: {},
  run: () =>
    Effect.map(
      withGlossaries((glossaries) => Stream.runCollect(glossaries.list())),
      (all) =>
        Output.rows(all, {
          ID: ({ glossaryId }) => glossaryId,
          CREATED: ({ creationTime }) => creationTime,
          DICTIONARIES: ({ dictionaries = [] }) =>
            dictionaries.map(({ sourceLanguage, targetLanguage }) => `${sourceLanguage}-${targetLanguage}`).join(","),
          NAME: ({ name }) => name
        })
    )
})

const show = withResults("show", {
  description: "Show a glossary with its dictionaries and their numbers of entries",
  examples: { [`effect-lingua glossaries show --fake ${glossaryId}`]: "A glossary" },
  params: { glossaryId: id },
  run: (ref) => Effect.map(withGlossaries((glossaries) => glossaries.get(ref)), shown)
})

const create = withResults("create", {
  description: "Create a glossary with the entries of a file; prints its id",
  examples: {
    [`echo '"nut, hex",Sechskantmutter' | effect-lingua glossaries create --fake "Terms" - --format csv --from en -t de`]:
      "From CSV; replace adds dictionaries of other languages"
  },
  params: { name, file, pair, format },
  run: ({ name, pair, ...input }) =>
    Effect.map(
      withEntries(input, (glossaries, entries) => glossaries.create({ name, dictionaries: [{ ...pair, entries }] })),
      (glossary) => Output.texts([glossary], ({ glossaryId }) => glossaryId)
    )
})

const rename = withResults("rename", {
  description: "Rename a glossary; its entries stay",
  examples: { [`effect-lingua glossaries rename --fake ${glossaryId} "New terms"`]: "Another name" },
  params: { glossaryId: id, name },
  run: (input) => Effect.map(withGlossaries((glossaries) => glossaries.merge(input)), shown)
})

const remove = withResults("delete", {
  description: "Delete a glossary with all its dictionaries; it cannot be undone",
  examples: { [`effect-lingua glossaries delete --fake --yes ${glossaryId}`]: "Without a question" },
  params: { ref: { glossaryId: id }, ...Confirm.flags },
  run: Effect.fnUntraced(function*({ ref, ...input }) {
    yield* withGlossaries((glossaries) => {
      const action = Effect.map(glossaries.get(ref), (glossary) => `delete ${words(glossary)}`)
      return Effect.andThen(Confirm.confirm(input, action), glossaries.remove(ref))
    })
    return Output.done("deleted", `the glossary ${ref.glossaryId} is deleted`, ref)
  })
})

/** Glossaries. */
export const glossaries = group("glossaries", [
  list,
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
