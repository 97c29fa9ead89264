/** `glossaries v2`: version 2 of the interface, with one pair of languages for each glossary. */
import type { GlossaryV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { glossaryV2Id } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import type { Columns } from "../../screen/table.ts"
import { argument } from "../../settings/flags.ts"
import { group, showing, withResults } from "../command.ts"
import { commandsOf } from "../resource.ts"
import { callingWithEntries, entriesShown, file, format, formatOf, id, pair } from "./glossary.ts"

const columns: Columns<GlossaryV2> = {
  ID: ({ glossaryId }) => glossaryId,
  SOURCE: ({ sourceLanguage }) => sourceLanguage,
  TARGET: ({ targetLanguage }) => targetLanguage,
  ENTRIES: ({ entryCount }) => entryCount,
  READY: ({ ready }) => ready ? "yes" : "no",
  NAME: ({ name }) => name
}

const withEntries = callingWithEntries(({ GlossariesV2 }) => GlossariesV2)

const { list, remove, show } = commandsOf({
  path: "glossaries v2",
  object: "glossary",
  service: ({ GlossariesV2 }) => GlossariesV2,
  ref: { glossaryId: id },
  sample: glossaryV2Id,
  show: "Show a glossary, and whether translations can use it yet",
  remove: "Delete a glossary; it cannot be undone",
  shown: (glossary: GlossaryV2) => Output.rows([glossary], columns),
  inWords: ({ name }) => `the glossary ${JSON.stringify(name)}`
})

const listAll = list("List the glossaries that version 2 can read", (glossaries) => glossaries.list(), columns)

const create = showing("create", {
  description: "Create a glossary with the entries of a file; prints its id",
  examples: {
    [`printf 'screw\\tvis\\n' | effect-lingua glossaries v2 create --fake "Terms" - --from en -t fr`]: "From TSV"
  },
  params: { name: argument("name", "A name; it need not be unique"), file, pair, format },
  run: ({ name, pair, ...input }) =>
    withEntries(input, (glossaries, entries) => glossaries.create({ name, ...pair, entries })),
  shown: (glossary) => Output.texts([glossary], ({ glossaryId }) => glossaryId)
})

const entries = withResults("entries", {
  description: "Print the entries of a glossary, as TSV, CSV or JSON",
  examples: { [`effect-lingua glossaries v2 entries --fake ${glossaryV2Id}`]: "As TSV" },
  params: { ref: { glossaryId: id }, format },
  run: ({ format: given, ref }, { output = "" }) =>
    call((services) =>
      Effect.flatMap(
        services.GlossariesV2.use((glossaries) => glossaries.entries(ref)),
        (entries) => entriesShown(entries, given ?? formatOf(output), services)
      )
    )
})

/** Glossaries of version 2. */
export const glossariesV2 = group(
  "v2",
  [listAll, show, create, entries, remove],
  "Glossaries by version 2 of the interface, for services without version 3: one pair of languages each"
)
