/** The flags of all commands on glossaries, and entries in files. */
import type { InvalidEntries as Refusal } from "@effect-lingua/core/errors/CallError"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import type { EntriesInput, GlossaryEntries } from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import type * as Services from "../../client/services.ts"
import { fileText } from "../../files/input.ts"
import type * as Output from "../../files/output.ts"
import { InvalidUsage, misuse } from "../../settings/errors.ts"
import * as Flags from "../../settings/flags.ts"
import { argument, optional } from "../../settings/flags.ts"

/** A format of entries. */
export type Format = "csv" | "tsv"

const ending = /\.(csv|tsv)$/i

/** The format by the extension of a file. */
export const formatOf = (file: string): Format | undefined => {
  const extension = ending.exec(file)?.[1]?.toLowerCase()
  return extension === "csv" || extension === "tsv" ? extension : undefined
}

/** The flag for the format. */
export const format = optional(
  Flag.Literals("format", ["tsv", "csv"]),
  "The format of the entries; by default that of the file extension, and tsv for standard input and output"
)

/** A glossary has 10 MiB of entries at most; line ends, quotes and rows of other languages add to that. */
export const bound = { mebibytes: 32, reason: "a glossary has 10 MiB of entries at most" }

/** The entries of a file. */
export const entriesOf = Effect.fnUntraced(function*(file: string, given: Format | undefined) {
  const format = given ?? (file === "-" ? "tsv" : formatOf(file))
  if (format === undefined) {
    return yield* misuse(`${file} ends neither with .tsv nor with .csv: give its format by --format`)
  }
  const text = yield* fileText(file, bound)
  const entries: EntriesInput = format === "tsv" ? { tsv: text } : { csv: text }
  return entries
})

/** Calls the service with the entries of a file, which errors about them name. */
export const withEntries = Effect.fnUntraced(function*<A, E, R>(
  { file, format }: { readonly file: string; readonly format: Format | undefined },
  use: (
    glossaries: Glossaries["Service"],
    entries: EntriesInput,
    services: typeof Services
  ) => Effect.Effect<A, E | Refusal, R>
) {
  const entries = yield* entriesOf(file, format)
  return yield* call((services) =>
    services.Glossaries.use((glossaries) => use(glossaries, entries, services)).pipe(inFile(services, () => file))
  )
})

/** Makes errors about entries name their file in place of the parameter. */
export const inFile = (
  { InvalidEntries }: typeof Services,
  fileOf: (parameter: string) => string | undefined
) =>
<A, E, R>(effect: Effect.Effect<A, E | Refusal, R>) =>
  Effect.catchIf(
    effect,
    (error) => error instanceof InvalidEntries,
    ({ attempts, count, operation, parameter, problems }) =>
      Effect.fail(
        new InvalidEntries({ attempts, count, operation, parameter: fileOf(parameter) ?? parameter, problems })
      )
  )

/** The argument for a file with entries. */
export const file = argument("file", "A file with entries as TSV or CSV, - for standard input")

/** The flags for the languages of a dictionary. */
export const pair = {
  sourceLanguage: Flags.sourceLanguage.pipe(Flag.withDescription("The source language, such as en")),
  targetLanguage: Flags.targetLanguage.pipe(
    Flag.withDescription("The target language, such as de, which covers its variants too")
  )
}

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
