/** `glossaries`. */
import type { Glossary, GlossaryDictionary } from "@effect-lingua/core/glossaries/GlossariesApi"
import type { GlossaryEntries } from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { glossaryId } from "../../client/sample.ts"
import type * as Services from "../../client/services.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { oneLine, type Style, table, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { sync } from "./glossariesSync.ts"
import { entriesOf, type Format, format, formatOf, inFile } from "./glossaryFiles.ts"

const id = Argument.String("glossary-id").pipe(
  Argument.withDescription("The id of a glossary, as glossaries list shows them")
)

const glossaryName = Argument.String("name").pipe(
  Argument.withDescription("A name of at most 1024 bytes; it need not be unique")
)

const file = Argument.String("file").pipe(
  Argument.withDescription("A file with entries as TSV or CSV, - for standard input")
)

const pair = {
  sourceLanguage: Flag.String("source-language").pipe(
    Flag.withMetavar("language"),
    Flag.withDescription("The language of the sources, such as en")
  ),
  targetLanguage: Flag.String("target-language").pipe(
    Flag.withAlias("t"),
    Flag.withMetavar("language"),
    Flag.withDescription("The language of the targets, such as de, which serves its variants too")
  )
}

interface Pair {
  readonly sourceLanguage: string
  readonly targetLanguage: string
}

const pairOf = ({ sourceLanguage, targetLanguage }: Pair) => ({ sourceLanguage, targetLanguage })

const time = (at: DateTime.Utc | undefined) =>
  at === undefined ? "" : DateTime.formatIso(at).slice(0, 16).replace("T", " ")

/** What was not told stays empty. */
const count = ({ entryCount }: GlossaryDictionary): string => entryCount === undefined ? "" : String(entryCount)

const dictionaries = (style: Style, rows: ReadonlyArray<GlossaryDictionary>): string =>
  table(
    style,
    ["SOURCE", "TARGET", "ENTRIES"],
    rows.map((dictionary) => [dictionary.sourceLanguage, dictionary.targetLanguage, count(dictionary)])
  )

/** A glossary with its dictionaries. */
const shown = (glossary: Glossary): Output.Results => ({
  json: [glossary],
  human: (style) =>
    [
      ...([
        ["id", glossary.glossaryId],
        ["name", glossary.name],
        ["created", time(glossary.creationTime)]
      ] as const).map(([field, value]) => `${style.dim(field.padEnd(7))}  ${oneLine(value)}`),
      ...(glossary.dictionaries === undefined || glossary.dictionaries.length === 0
        ? []
        : ["", dictionaries(style, glossary.dictionaries)])
    ].join("\n")
})

/** A glossary in a few words, to know it by. */
const words = ({ dictionaries, name }: Glossary): string =>
  `the glossary ${JSON.stringify(name)} with ` +
  (dictionaries?.map((dictionary) =>
    `${dictionary.sourceLanguage}-${dictionary.targetLanguage} (${count(dictionary) || "?"})`
  ).join(", ") || "no dictionaries")

const glossaryOf = ({ Glossaries, GlossaryId }: typeof Services, id: string) =>
  Glossaries.use((glossaries) => glossaries.get({ glossaryId: GlossaryId.make(id) }))

const list = Command.make(
  "list",
  Output.flags,
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ Glossaries }) =>
        Effect.map(Glossaries.use((glossaries) => glossaries.list()), (all): Output.Results => ({
          json: all,
          human: (style) =>
            table(
              style,
              ["ID", "CREATED", "DICTIONARIES", "NAME"],
              all.map(({ creationTime, dictionaries, glossaryId, name }) => [
                glossaryId,
                time(creationTime),
                (dictionaries ?? []).map(({ sourceLanguage, targetLanguage }) => `${sourceLanguage}-${targetLanguage}`)
                  .join(","),
                name
              ])
            )
        }))
      )
    )
  })
).pipe(
  Command.withDescription("List the glossaries"),
  Command.withExamples([{ command: "effect-lingua glossaries list --fake", description: "All of them" }])
)

const show = Command.make(
  "show",
  { id, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(input, call((services) => Effect.map(glossaryOf(services, input.id), shown)))
  })
).pipe(
  Command.withDescription("Show a glossary with its dictionaries and how many entries they have"),
  Command.withExamples([{ command: `effect-lingua glossaries show --fake ${glossaryId}`, description: "A glossary" }])
)

const create = Command.make(
  "create",
  { name: glossaryName, file, ...pair, format, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const { file, name } = input
    const entries = yield* entriesOf(file, input.format)
    yield* Output.deliver(
      input,
      call((services) =>
        services.Glossaries.use((glossaries) =>
          glossaries.create({ name, dictionaries: [{ ...pairOf(input), entries }] })
        ).pipe(
          inFile(services, () => file),
          Effect.map((glossary): Output.Results => ({
            json: [glossary],
            human: ({ clean }) => clean(glossary.glossaryId)
          }))
        )
      )
    )
  })
).pipe(
  Command.withDescription("Create a glossary with the entries of a file; prints its id"),
  Command.withExamples([
    {
      command: `echo '"nut, hex",Sechskantmutter' | ` +
        `effect-lingua glossaries create --fake "Terms" - --format csv --source-language en -t de`,
      description: "From CSV; replace adds dictionaries of other languages"
    }
  ])
)

const rename = Command.make(
  "rename",
  { id, name: glossaryName, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ Glossaries, GlossaryId }) =>
        Effect.map(
          Glossaries.use((glossaries) => glossaries.merge({ glossaryId: GlossaryId.make(input.id), name: input.name })),
          shown
        )
      )
    )
  })
).pipe(
  Command.withDescription("Rename a glossary; its entries stay"),
  Command.withExamples([
    { command: `effect-lingua glossaries rename --fake ${glossaryId} "New terms"`, description: "Another name" }
  ])
)

const merge = Command.make(
  "merge",
  { id, file, ...pair, format, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const entries = yield* entriesOf(input.file, input.format)
    yield* Output.deliver(
      input,
      call((services) =>
        services.Glossaries.use((glossaries) =>
          glossaries.merge({
            glossaryId: services.GlossaryId.make(input.id),
            dictionary: { ...pairOf(input), entries }
          })
        ).pipe(inFile(services, () => input.file), Effect.map(shown))
      )
    )
  })
).pipe(
  Command.withDescription(
    "Merge the entries of a file into a glossary: those with the same source are replaced, all others stay"
  ),
  Command.withExamples([
    {
      command: `printf 'bolt\\tBolzen\\n' | ` +
        `effect-lingua glossaries merge --fake ${glossaryId} - --source-language en -t de`,
      description: "One more entry"
    }
  ])
)

const replace = Command.make(
  "replace",
  { id, file, ...pair, format, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const entries = yield* entriesOf(input.file, input.format)
    yield* Output.deliver(
      input,
      call((services) =>
        services.Glossaries.use((glossaries) =>
          glossaries.replaceDictionary({
            glossaryId: services.GlossaryId.make(input.id),
            ...pairOf(input),
            entries
          })
        ).pipe(
          inFile(services, () => input.file),
          Effect.map((dictionary): Output.Results => ({
            json: [dictionary],
            human: (style) => dictionaries(style, [dictionary])
          }))
        )
      )
    )
  })
).pipe(
  Command.withDescription(
    "Replace all entries of a glossary for two languages by those of a file; the dictionary is made if it is not there"
  ),
  Command.withExamples([
    {
      command: `printf 'screw\\tvis\\n' | ` +
        `effect-lingua glossaries replace --fake ${glossaryId} - --source-language en -t fr`,
      description: "A dictionary for other languages"
    }
  ])
)

/** TSV has whatever the service gives. CSV is what other programs read, so it keeps to the rules. */
const written = ({ GlossaryEntries }: typeof Services, entries: GlossaryEntries, format: Format) =>
  format === "tsv"
    ? Effect.succeed(Array.from(entries, ([source, target]) => `${source}\t${target}`).join("\n"))
    : Effect.mapError(
      Effect.fromResult(GlossaryEntries.writeCsv(entries)),
      ({ message }) =>
        new InvalidUsage({ message: `the service has entries that CSV cannot have, take --format tsv: ${message}` })
    )

const entries = Command.make(
  "entries",
  { id, ...pair, format, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const format = input.format ?? formatOf(input.output ?? "") ?? "tsv"
    yield* Output.deliver(
      input,
      call((services) =>
        Effect.gen(function*() {
          const glossaryId = services.GlossaryId.make(input.id)
          const entries = yield* services.Glossaries.use((glossaries) =>
            glossaries.entries({ glossaryId, ...pairOf(input) })
          )
          const text = yield* written(services, entries, format)
          const results: Output.Results = {
            json: Array.from(entries, ([source, target]) => ({ source, target })),
            human: ({ clean }) => clean(text)
          }
          return results
        })
      )
    )
  })
).pipe(
  Command.withDescription("Print the entries of a glossary for two languages, as TSV, CSV or JSON"),
  Command.withExamples([
    {
      command: `effect-lingua glossaries entries --fake ${glossaryId} --source-language en -t de`,
      description: "As TSV, which merge and replace read"
    },
    {
      command: `effect-lingua glossaries entries --fake ${glossaryId} --source-language en -t de ` +
        "--output terms.csv --overwrite",
      description: "Into a file, as CSV"
    }
  ])
)

const remove = Command.make(
  "delete",
  { id, ...Confirm.flags, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call((services) =>
        Effect.gen(function*() {
          yield* Confirm.confirm(
            input,
            Effect.map(glossaryOf(services, input.id), (glossary) => `delete ${words(glossary)}`)
          )
          const glossaryId = services.GlossaryId.make(input.id)
          yield* services.Glossaries.use((glossaries) => glossaries.remove({ glossaryId }))
          const results: Output.Results = { json: [{ glossaryId, deleted: true }], human: () => "" }
          return results
        })
      )
    )
    yield* tell("deleted", `the glossary ${input.id} is deleted`, { glossaryId: input.id })
  })
).pipe(
  Command.withDescription("Delete a glossary with all its dictionaries; it cannot be undone"),
  Command.withExamples([
    { command: `effect-lingua glossaries delete --fake --yes ${glossaryId}`, description: "Without being asked" }
  ])
)

const removeDictionary = Command.make(
  "delete-dictionary",
  { id, ...pair, ...Confirm.flags, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const languages = `${input.sourceLanguage}-${input.targetLanguage}`
    yield* Output.deliver(
      input,
      call((services) =>
        Effect.gen(function*() {
          yield* Confirm.confirm(
            input,
            Effect.map(glossaryOf(services, input.id), (glossary) => `delete ${languages} of ${words(glossary)}`)
          )
          const glossaryId = services.GlossaryId.make(input.id)
          yield* services.Glossaries.use((glossaries) => glossaries.removeDictionary({ glossaryId, ...pairOf(input) }))
          const results: Output.Results = {
            json: [{ glossaryId, ...pairOf(input), deleted: true }],
            human: () => ""
          }
          return results
        })
      )
    )
    yield* tell("deleted", `the dictionary ${languages} of the glossary ${input.id} is deleted`, {
      glossaryId: input.id,
      ...pairOf(input)
    })
  })
).pipe(
  Command.withDescription("Delete all entries of a glossary for two languages; it cannot be undone"),
  Command.withExamples([
    {
      command: `effect-lingua glossaries delete-dictionary --fake --yes ${glossaryId} --source-language en -t de`,
      description: "Without being asked"
    }
  ])
)

/** Glossaries, of version 2 too, as version 3 has those. */
export const glossaries = Command.make("glossaries").pipe(
  Command.withDescription("Glossaries: terms that translations keep to"),
  Command.withSubcommands([list, show, create, rename, merge, replace, entries, remove, removeDictionary, sync])
)
