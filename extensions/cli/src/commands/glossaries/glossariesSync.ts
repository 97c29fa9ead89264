/** `glossaries sync`. */
import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import type * as GlossariesPlan from "@effect-lingua/core/glossaries/GlossariesPlan"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import { inside } from "../../files/inside.ts"
import { applied, syncCommand } from "../sync.ts"
import { bound, entriesOf, inFile } from "./glossary.ts"

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

const Desired = Schema.Array(Schema.Struct({
  glossaryId: Schema.optionalKey(GlossaryId),
  name: Schema.String,
  dictionaries: Schema.Array(Dictionary)
}))

/** The desired glossaries of a file, with the entries of the files that it names, relative to its folder. */
const wantedOf = Effect.fnUntraced(function*(given: string) {
  const path = yield* Path.Path
  const folder = given === "-" ? "." : path.dirname(given)
  const desired = yield* Input.fromJson(Desired, {
    file: given,
    text: yield* Input.fileText(given, bound),
    things: "glossaries",
    example:
      `[{"name": "Terms", "dictionaries": [{"sourceLanguage": "en", "targetLanguage": "de", "file": "terms.tsv"}]}]`
  })
  const files = new Map<string, string>()
  const read = Effect.fnUntraced(function*(
    { csv = "", file, format, sourceLanguage, targetLanguage, tsv }: typeof Dictionary.Type,
    parameter: string
  ) {
    const pair = { sourceLanguage, targetLanguage }
    if (file === undefined) return { ...pair, entries: tsv === undefined ? { csv } : { tsv } }
    const found = path.join(folder, path.relative(path.resolve(folder), yield* inside(path.resolve(folder), file)))
    files.set(parameter, found)
    return { ...pair, entries: yield* entriesOf(found, format) }
  })
  const glossaries = yield* Effect.forEach(desired, ({ dictionaries, ...glossary }, index) =>
    Effect.map(
      Effect.forEach(dictionaries, (one, place) => read(one, `glossaries[${index}].dictionaries[${place}].entries`)),
      (dictionaries) => ({ ...glossary, dictionaries })
    ))
  return { glossaries, files }
})

const counted = ({ entries, ...pair }: GlossariesPlan.PlannedDictionary) => ({ ...pair, entryCount: entries.size })

/** A step as JSON, with the number of entries in place of the entries. */
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

/** Makes the glossaries of the service match a file. */
export const sync = syncCommand({
  things: "glossaries",
  example: `echo '[{"name": "Terms", "dictionaries": [{"sourceLanguage": "en", "targetLanguage": "de", ` +
    `"csv": "screw,Schraube"}]}]' | effect-lingua glossaries sync --fake -`,
  run: Effect.fnUntraced(function*(input) {
    const { removeOthers } = input
    const { files, glossaries } = yield* wantedOf(input.file)
    return yield* call((services) =>
      services.Glossaries.use((service) =>
        service.plan({ glossaries, removeOthers }).pipe(
          inFile(services, (parameter) => files.get(parameter)),
          Effect.flatMap((plan) =>
            applied(input, {
              steps: plan.steps.map(toJson),
              lines: services.GlossariesPlan.format(plan),
              apply: service.apply(plan)
            })
          )
        )
      )
    )
  })
})
