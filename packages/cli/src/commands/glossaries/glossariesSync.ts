/** `glossaries sync`: glossaries as a file has them. */
import type * as GlossariesPlan from "@effect-lingua/core/glossaries/GlossariesPlan"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { call } from "../../client/client.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { oneLine, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { toggle } from "../../settings/flags.ts"
import { bound, entriesOf, inFile } from "./glossaryFiles.ts"

const Dictionary = Schema.Struct({
  sourceLanguage: Schema.String,
  targetLanguage: Schema.String,
  file: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.Literals(["tsv", "csv"])),
  tsv: Schema.optionalKey(Schema.String),
  csv: Schema.optionalKey(Schema.String)
}).check(
  Schema.makeFilter(({ csv, file, tsv }) =>
    [csv, file, tsv].filter((entries) => entries !== undefined).length === 1 || "Expected one of file, tsv and csv"
  )
)

const Wanted = Schema.fromJsonString(Schema.Array(Schema.Struct({
  glossaryId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  dictionaries: Schema.Array(Dictionary)
})))

/** A key that is not known is a mistake: what it says would not be done. */
const decode = Schema.decodeUnknownEffect(Wanted, { onExcessProperty: "error" })

/** The wanted glossaries of a file, with the entries of the files that it names, which are beside it. */
const wantedOf = Effect.fnUntraced(function*(given: string) {
  const path = yield* Path.Path
  const folder = given === "-" ? "." : path.dirname(given)
  const wanted = yield* Effect.mapError(
    decode(yield* fileText(given, bound)),
    ({ message }) =>
      new InvalidUsage({
        message:
          `${given} does not hold glossaries as JSON, [{"name": "Terms", "dictionaries": [{"sourceLanguage": "en", ` +
          `"targetLanguage": "de", "file": "terms.tsv"}]}]: ${oneLine(message)}`
      })
  )
  const files = new Map<string, string>()
  const read = Effect.fnUntraced(function*(
    { csv = "", file, format, sourceLanguage, targetLanguage, tsv }: typeof Dictionary.Type,
    parameter: string
  ) {
    const pair = { sourceLanguage, targetLanguage }
    if (file === undefined) return { ...pair, entries: tsv === undefined ? { csv } : { tsv } }
    const found = path.isAbsolute(file) ? file : path.join(folder, file)
    files.set(parameter, found)
    return { ...pair, entries: yield* entriesOf(found, format) }
  })
  const glossaries = yield* Effect.forEach(wanted, ({ dictionaries, ...glossary }, index) =>
    Effect.map(
      Effect.forEach(dictionaries, (one, place) => read(one, `glossaries[${index}].dictionaries[${place}].entries`)),
      (dictionaries) => ({ ...glossary, dictionaries })
    ))
  return { glossaries, files }
})

const counted = ({ entries, ...pair }: GlossariesPlan.PlannedDictionary) => ({ ...pair, entryCount: entries.size })

/** A step as JSON, with the number of entries in the place of them. */
const toJson = (step: GlossariesPlan.Step): object => {
  switch (step._tag) {
    case "Create":
      return { ...step, dictionaries: step.dictionaries.map(counted) }
    case "ReplaceDictionary":
      return { ...step, dictionary: counted(step.dictionary) }
    default:
      return step
  }
}

const example = `echo '[{"name": "Terms", "dictionaries": [{"sourceLanguage": "en", "targetLanguage": "de", ` +
  `"csv": "screw,Schraube"}]}]' | effect-lingua glossaries sync --fake -`

/** Makes the glossaries of the service as a file has them. */
export const sync = Command.make(
  "sync",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A file with the wanted glossaries as JSON, - for standard input")
    ),
    dryRun: toggle("dry-run", "Show what would be done, and do nothing"),
    removeOthers: toggle("remove-others", "Delete all glossaries that are not in the file; it cannot be undone"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { dryRun, removeOthers } = input
    const wanted = yield* wantedOf(input.file)
    yield* Output.deliver(
      input,
      call((services) =>
        Effect.gen(function*() {
          const service = yield* services.Glossaries
          const glossaries = wanted.glossaries.map(({ glossaryId, ...glossary }) =>
            glossaryId === undefined
              ? glossary
              : Object.assign(glossary, { glossaryId: services.GlossaryId.make(glossaryId) })
          )
          const plan = yield* service.plan({ glossaries, removeOthers }).pipe(
            inFile(services, (parameter) => wanted.files.get(parameter))
          )
          if (!dryRun) yield* service.apply(plan)
          const results: Output.Results = {
            json: plan.steps.map(toJson),
            human: ({ clean }) => services.GlossariesPlan.format(plan).map((line) => clean(line)).join("\n")
          }
          return results
        })
      )
    )
    if (dryRun) yield* tell("dryRun", "this is what would be done; nothing was changed", {})
  })
).pipe(
  Command.withDescription("Make the glossaries as a file has them; prints each call that it takes"),
  Command.withExamples([
    { command: `${example} --dry-run`, description: "What would be done" },
    { command: example, description: "Do it; a second time there is nothing to do" }
  ])
)
