/** `glossaries v2`: version 2 of the interface, with one pair of languages for each glossary. */
import type { GlossaryV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call, calling } from "../../client/client.ts"
import { glossaryV2Id } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import type { Columns } from "../../screen/table.ts"
import { argument } from "../../settings/flags.ts"
import { group, withResults } from "../command.ts"
import { file, id, pair } from "./glossary.ts"
import { written } from "./glossaryDictionaries.ts"
import { entriesOf, format, formatOf, inFile } from "./glossaryFiles.ts"

const withGlossaries = calling(({ GlossariesV2 }) => GlossariesV2)

const columns: Columns<GlossaryV2> = {
  ID: ({ glossaryId }) => glossaryId,
  SOURCE: ({ sourceLanguage }) => sourceLanguage,
  TARGET: ({ targetLanguage }) => targetLanguage,
  ENTRIES: ({ entryCount }) => entryCount,
  READY: ({ ready }) => ready ? "yes" : "no",
  NAME: ({ name }) => name
}

const list = withResults("list", {
  description: "List the glossaries that version 2 can read",
  examples: { "effect-lingua glossaries v2 list --fake": "All of them" },
  params: {},
  run: () =>
    Effect.map(
      withGlossaries((glossaries) => Stream.runCollect(glossaries.list())),
      (all) => Output.rows(all, columns)
    )
})

const show = withResults("show", {
  description: "Show a glossary, and whether translations can use it yet",
  examples: { [`effect-lingua glossaries v2 show --fake ${glossaryV2Id}`]: "A glossary" },
  params: { glossaryId: id },
  run: (ref) =>
    Effect.map(withGlossaries((glossaries) => glossaries.get(ref)), (glossary) => Output.rows([glossary], columns))
})

const create = withResults("create", {
  description: "Create a glossary with the entries of a file; prints its id",
  examples: {
    [`printf 'screw\\tvis\\n' | effect-lingua glossaries v2 create --fake "Terms" - --from en -t fr`]: "From TSV"
  },
  params: { name: argument("name", "A name; it need not be unique"), file, pair, format },
  run: Effect.fnUntraced(function*({ file, format, name, pair }) {
    const entries = yield* entriesOf(file, format)
    const glossary = yield* call((services) =>
      services.GlossariesV2.use((glossaries) => glossaries.create({ name, ...pair, entries })).pipe(
        inFile(services, () => file)
      )
    )
    return Output.texts([glossary], ({ glossaryId }) => glossaryId)
  })
})

const entries = withResults("entries", {
  description: "Print the entries of a glossary, as TSV, CSV or JSON",
  examples: { [`effect-lingua glossaries v2 entries --fake ${glossaryV2Id}`]: "As TSV" },
  params: { ref: { glossaryId: id }, format },
  run: ({ format: given, ref }, { output = "" }) =>
    call((services) =>
      Effect.gen(function*() {
        const entries = yield* services.GlossariesV2.use((glossaries) => glossaries.entries(ref))
        const text = yield* written(services, entries, given ?? formatOf(output) ?? "tsv")
        const results: Output.Results = {
          json: Array.from(entries, ([source, target]) => ({ source, target })),
          human: ({ clean }) => clean(text)
        }
        return results
      })
    )
})

const remove = withResults("delete", {
  description: "Delete a glossary; it cannot be undone",
  examples: { [`effect-lingua glossaries v2 delete --fake --yes ${glossaryV2Id}`]: "Without a question" },
  params: { ref: { glossaryId: id }, ...Confirm.flags },
  run: Effect.fnUntraced(function*({ ref, ...input }) {
    yield* withGlossaries((glossaries) => {
      const action = Effect.map(glossaries.get(ref), ({ name }) => `delete the glossary ${JSON.stringify(name)}`)
      return Effect.andThen(Confirm.confirm(input, action), glossaries.remove(ref))
    })
    return Output.done("deleted", `the glossary ${ref.glossaryId} is deleted`, ref)
  })
})

/** Glossaries of version 2. */
export const glossariesV2 = group(
  "v2",
  [list, show, create, entries, remove],
  "Glossaries by version 2 of the interface, for services without version 3: one pair of languages each"
)
