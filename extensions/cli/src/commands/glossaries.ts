import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import { Glossaries, type Glossary, type GlossaryDictionary } from "@effect-lingua/core/glossaries/Glossaries"
import * as GlossariesPlan from "@effect-lingua/core/glossaries/GlossariesPlan"
import * as Entries from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as NodeFile from "@effect-lingua/node/files/NodeFile"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { base } from "../client/client.ts"
import { glossaryId } from "../client/sample.ts"
import * as Input from "../files/input.ts"
import * as Output from "../files/output.ts"
import type { Columns } from "../screen/table.ts"
import { invalid, misuse, misuseIf } from "../settings/errors.ts"
import { argument, idArgument, optional, sourceLanguage, targetLanguage, text } from "../settings/flags.ts"
import { command, commandsOf, group, inFile } from "./command.ts"

type Format = "csv" | "tsv"

const ending = /\.(csv|tsv)$/i

const formatOf = (file: string): Format | undefined => {
  const extension = ending.exec(file)?.[1]?.toLowerCase()
  return extension === "csv" || extension === "tsv" ? extension : undefined
}

const format = optional(
  Flag.Literals("format", ["tsv", "csv"]),
  "The format of the entries; by default from the file extension, else tsv"
)

const columns = text(
  "columns",
  "source,target",
  "Names of the first row, or numbers, of the two columns of the terms; other columns and comments after # are left out"
)

const file = argument("file", "A file with entries as TSV or CSV, - for standard input")

const pair = {
  sourceLanguage: sourceLanguage.pipe(Flag.withDescription("The source language, such as en")),
  targetLanguage: targetLanguage.pipe(Flag.withDescription("The target language, such as de; it includes its variants"))
}

const source = { file, format, columns, pair }

/** Maximum file size. Entries are at most 10 MiB; line endings, quotes and columns of other languages need the rest. */
const bound = { mebibytes: 32, reason: "a glossary has 10 MiB of entries at most" }

type Table = Entries.LanguagePair & Entries.ReadOptions

/** Column names in the first row, source first: `source` and `target`, or language codes or names. */
const namesIn = (content: string, format: Format, pair: Entries.LanguagePair): ReadonlyArray<string> => {
  const [line] = /^.*/.exec(content.trimStart()) ?? [""]
  const [row] = Result.getOrElse(format === "tsv" ? Entries.readTsv(line) : Entries.readCsv(line, pair), () => [])
  const wanted = [["source", pair.sourceLanguage], ["target", pair.targetLanguage]] as const
  return wanted.flatMap(([role, language]) => {
    const nameIn = (locale: string) => new Intl.DisplayNames([locale], { type: "language" }).of(language)
    const names = Result.getOrElse(Result.try(() => [nameIn("en"), nameIn(language)]), () => [])
    const own = new Set([role, language, ...names].map((name) => name?.toLowerCase()))
    return row?.find((cell) => own.has(cell.toLowerCase().replace(/[-_].*| (?:term|text|language)$/, ""))) ?? []
  })
}

const entriesIn = Effect.fnUntraced(function*(text: string, format: Format, { columns, ...pair }: Table, at: string) {
  const names = columns === undefined ? namesIn(text, format, pair) : []
  const problem = `the first row of ${at} names columns: choose --columns ${names.join()}, or 1,2 if it is an entry`
  yield* misuseIf(names.length === 2, problem)
  const entries: Entries.EntriesInput = format === "tsv" ? { tsv: text, columns } : { csv: text, columns }
  return entries
})

const entriesOf = Effect.fnUntraced(function*(file: string, chosen: Format | undefined, table: Table) {
  const format = chosen ?? (file === "-" ? "tsv" : formatOf(file))
  if (format === undefined) {
    return yield* misuse(`${file} ends neither with .tsv nor with .csv: give its format with --format`)
  }
  return yield* entriesIn(yield* Input.fileText(file, bound), format, table, file)
})

const dictionaryColumns: Columns<GlossaryDictionary> = {
  SOURCE: "sourceLanguage",
  TARGET: "targetLanguage",
  ENTRIES: "entryCount"
}

const shown = (glossary: Glossary): Output.Results => {
  const { creationTime: created, dictionaries, glossaryId: id, name } = glossary
  return Output.object(glossary, { id, name, created }, dictionaryColumns, dictionaries)
}

const inWords = ({ dictionaries = [], name }: Glossary): string =>
  `the glossary ${JSON.stringify(name)} with ` +
  (dictionaries.map(({ entryCount, sourceLanguage, targetLanguage }) =>
    `${sourceLanguage}-${targetLanguage} (${entryCount ?? "?"})`
  ).join(", ") || "no dictionaries")

const ref = { glossaryId: idArgument("glossary", GlossaryId, "The name or id of a glossary") }

const name = argument("name", `A name of at most ${Limits.defaults.glossaryNameBytes} bytes; it need not be unique`)

const { calling, list, remove, removing, show, sync, use } = commandsOf({
  resource: base,
  path: "glossaries",
  object: "glossary",
  service: Glossaries,
  ref,
  sample: glossaryId,
  show: "Show a glossary with its dictionaries and their numbers of entries",
  remove: "Delete a glossary with all its dictionaries; it cannot be undone",
  shown,
  inWords
})

const listAll = list("List the glossaries", (glossaries) => glossaries.list, {
  ID: "glossaryId",
  CREATED: "creationTime",
  DICTIONARIES: ({ dictionaries = [] }) =>
    dictionaries.map(({ sourceLanguage, targetLanguage }) => `${sourceLanguage}-${targetLanguage}`).join(","),
  NAME: "name"
})

const columnsOf = Effect.fnUntraced(function*(names: string | undefined) {
  if (names === undefined) return undefined
  const [source = "", target = "", ...others] = new Set(names.split(","))
  yield* misuseIf(source === "" || target === "" || others.length > 0, "--columns takes two names, such as en,de")
  return [source, target] as const
})

const withEntries = <Ref extends object, A, E, R>(
  { columns, file, format, pair }: Command.Command.Config.Infer<typeof source>,
  ref: Ref,
  run: (glossaries: Glossaries["Service"], ref: Ref, entries: Entries.EntriesInput) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(
    Effect.flatMap(columnsOf(columns), (columns) => entriesOf(file, format, { ...pair, columns })),
    (entries) => use(ref, (glossaries, ref) => run(glossaries, ref, entries), () => file)
  )

const create = command("glossaries create", {
  description: "Create a glossary with the entries of a file; prints its id",
  examples: {
    [`echo '"nut, hex",Sechskantmutter' | effect-lingua glossaries create --fake "Terms" - --format csv --from en -t de`]:
      "From CSV; replace adds dictionaries of other languages"
  },
  params: { name, file, pair, format, columns },
  run: ({ name, ...input }) =>
    withEntries(input, {}, ({ create }, _, entries) => create({ name, dictionaries: [{ ...input.pair, entries }] }))
      .pipe(Effect.map((glossary) => Output.texts([glossary], ({ glossaryId }) => glossaryId)))
})

const rename = command("glossaries rename", {
  description: "Rename a glossary; its entries stay",
  examples: { [`--fake ${glossaryId} "New terms"`]: "Another name" },
  params: { ...ref, name },
  run: calling((glossaries, input) => glossaries.merge(input), shown)
})

const merge = command("glossaries merge", {
  description: "Merge the entries of a file into a glossary: those with the same source are replaced, all others stay",
  examples: {
    [`printf 'bolt\\tBolzen\\n' | effect-lingua glossaries merge --fake ${glossaryId} - --from en -t de`]:
      "One more entry"
  },
  params: { ref, file, pair, format, columns },
  run: ({ ref, ...input }) =>
    withEntries(input, ref, ({ merge }, ref, entries) => merge({ ...ref, dictionary: { ...input.pair, entries } }))
      .pipe(Effect.map(shown))
})

const replace = command("glossaries replace", {
  description: "Replace all entries of a dictionary with the entries of a file; creates a missing dictionary",
  examples: {
    [`printf 'screw\\tvis\\n' | effect-lingua glossaries replace --fake ${glossaryId} - --from en -t fr`]:
      "A dictionary for other languages"
  },
  params: { ref, file, pair, format, columns },
  run: ({ ref, ...input }) =>
    withEntries(
      input,
      ref,
      ({ replaceDictionary }, ref, entries) => replaceDictionary({ ...ref, ...input.pair, entries })
    ).pipe(Effect.map((dictionary) => Output.rows([dictionary], dictionaryColumns)))
})

const entries = command("glossaries entries", {
  description: "Print the entries of a glossary for two languages, as TSV, CSV or JSON",
  examples: {
    [`--fake ${glossaryId} --from en -t de`]: "As TSV, which merge and replace read",
    [`--fake ${glossaryId} --from en -t de --output terms.csv --overwrite`]: "Into a file, as CSV"
  },
  params: { ref: { ...ref, ...pair }, format },
  run: ({ format: chosen, ref }, { output = "" }) =>
    use(
      ref,
      Effect.fnUntraced(function*(glossaries, ref) {
        const entries = yield* glossaries.entries(ref)
        const text = (chosen ?? formatOf(output)) === "csv"
          ? yield* Effect.catch(
            Effect.fromResult(Entries.writeCsv(entries)),
            ({ message }) => misuse(`CSV cannot contain some of the entries, use --format tsv: ${message}`)
          )
          : Array.from(entries, (pair) => pair.join("\t")).join("\n")
        return {
          json: Array.from(entries, ([source, target]) => ({ source, target })),
          human: ({ clean }) => clean(text)
        } satisfies Output.Results
      })
    )
})

const languagesOf = (ref: { readonly sourceLanguage: string; readonly targetLanguage: string }): string =>
  `${ref.sourceLanguage}-${ref.targetLanguage}`

const removeDictionary = removing("delete-dictionary", {
  description: "Delete all entries of a glossary for two languages; it cannot be undone",
  part: { params: { ...ref, ...pair }, sample: `${glossaryId} --from en -t de` },
  question: ({ get }, ref) => Effect.map(get(ref), (glossary) => `delete ${languagesOf(ref)} of ${inWords(glossary)}`),
  run: (glossaries, ref) => glossaries.removeDictionary(ref),
  removed: (ref) => `the dictionary ${languagesOf(ref)} of the glossary ${ref.glossaryId} is deleted`
})

const Dictionary = Schema.Struct({
  sourceLanguage: Schema.String,
  targetLanguage: Schema.String,
  file: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.Literals(["tsv", "csv"])),
  columns: Schema.optionalKey(Schema.Tuple([Schema.String, Schema.String])),
  tsv: Schema.optionalKey(Schema.String),
  csv: Schema.optionalKey(Schema.String)
}).check(
  Schema.makeFilter(({ csv, file, tsv }) =>
    [csv, file, tsv].filter((entries) => entries !== undefined).length === 1 || "Expected one of file, tsv and csv"
  )
)

const Desired = Schema.Array(Schema.Struct({
  glossaryId: Schema.optionalKey(GlossaryId),
  name: Schema.String,
  dictionaries: Schema.Array(Dictionary)
}))

/** Resolves a file that a sync file names. Fails outside of the sync file's folder, because the sync file may be untrusted. */
const inside = Effect.fnUntraced(function*(folder: string, named: string) {
  const path = yield* Path.Path
  const root = path.resolve(folder)
  const file = yield* NodeFile.inside(root, named)
  if (Option.isSome(file)) return path.join(folder, path.relative(root, file.value))
  return yield* invalid(`${named} is outside of ${root}, or a link that leads out of it; name a file in that folder`)
})

/** The glossaries of a sync file, and a map from parameters in errors (`glossaries[0].dictionaries[1].entries`) to paths of entry files. */
const desiredOf = Effect.fnUntraced(function*(syncFile: string) {
  const folder = syncFile === "-" ? "." : (yield* Path.Path).dirname(syncFile)
  const desired = yield* Input.fromJson(Desired, {
    file: syncFile,
    text: yield* Input.fileText(syncFile, bound),
    things: "glossaries",
    example:
      `[{"name": "Terms", "dictionaries": [{"sourceLanguage": "en", "targetLanguage": "de", "file": "terms.tsv"}]}]`
  })
  const files = new Map<string, string>()
  const read = Effect.fnUntraced(function*(
    { columns, csv = "", file, format, sourceLanguage, targetLanguage, tsv }: typeof Dictionary.Type,
    parameter: string
  ) {
    const pair = { sourceLanguage, targetLanguage }
    const table = { ...pair, columns }
    if (file === undefined) {
      return { ...pair, entries: yield* entriesIn(tsv ?? csv, tsv === undefined ? "csv" : "tsv", table, parameter) }
    }
    const found = yield* inside(folder, file)
    files.set(parameter, found)
    return { ...pair, entries: yield* entriesOf(found, format, table) }
  })
  const glossaries = yield* Effect.forEach(desired, ({ dictionaries, ...glossary }, index) =>
    Effect.map(
      Effect.forEach(dictionaries, (one, place) => read(one, `glossaries[${index}].dictionaries[${place}].entries`)),
      (dictionaries) => ({ ...glossary, dictionaries })
    ))
  return { glossaries, files }
})

const counted = ({ entries, ...pair }: GlossariesPlan.PlannedDictionary) => ({ ...pair, entryCount: entries.size })

/** A step with the number of entries in place of the entries. */
const toJson = (step: GlossariesPlan.Step): object =>
  step._tag === "Create"
    ? { ...step, dictionaries: step.dictionaries.map(counted) }
    : step._tag === "ReplaceDictionary"
    ? { ...step, dictionary: counted(step.dictionary) }
    : step

const syncAll = sync({
  things: "glossaries",
  example: `echo '[{"name": "Terms", "dictionaries": [{"sourceLanguage": "en", "targetLanguage": "de", ` +
    `"csv": "screw,Schraube"}]}]' | effect-lingua glossaries sync --fake -`,
  desired: desiredOf,
  plan: ({ files, glossaries }, removeOthers, service) =>
    service.plan({ glossaries, removeOthers }).pipe(
      inFile((parameter) => files.get(parameter)),
      Effect.map((plan) => ({
        steps: plan.steps.map(toJson),
        lines: GlossariesPlan.format(plan),
        apply: service.apply(plan)
      }))
    )
})

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
  syncAll
])
