/** Entries of glossaries in files. */
import type { InvalidEntries as Refusal } from "@effect-lingua/core/client/CallError"
import type { EntriesInput } from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as Services from "../../client/services.ts"
import { fileText } from "../../files/input.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { optional } from "../../settings/flags.ts"

/** How entries are written. */
export type Format = "csv" | "tsv"

const ending = /\.(csv|tsv)$/i

/** The format that the ending of a file says. */
export const formatOf = (file: string): Format | undefined => {
  const said = ending.exec(file)?.[1]?.toLowerCase()
  return said === "csv" || said === "tsv" ? said : undefined
}

/** The flag that says it. */
export const format = optional(
  Flag.Literals("format", ["tsv", "csv"]),
  "How entries are written; by default as the ending of the file says, and tsv for standard input and output"
)

/** A glossary has 10 MiB of entries at most; line ends, quotes and rows of other languages come to more. */
export const bound = { mebibytes: 32, reason: "a glossary has 10 MiB of entries at most" }

/** The entries of a file, as they stand in it. */
export const entriesOf = Effect.fnUntraced(function*(file: string, given: Format | undefined) {
  const format = given ?? (file === "-" ? "tsv" : formatOf(file))
  if (format === undefined) {
    return yield* new InvalidUsage({
      message: `${file} ends neither with .tsv nor with .csv: say which it is, by --format`
    })
  }
  const text = yield* fileText(file, bound)
  const entries: EntriesInput = format === "tsv" ? { tsv: text } : { csv: text }
  return entries
})

/** Names the file in which entries break a rule, instead of the parameter that they were given as. */
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
