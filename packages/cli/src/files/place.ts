/** Where files go: a file, or a folder in which they get names that are free. */
import * as Effect from "effect/Effect"
import { InvalidUsage } from "../settings/errors.ts"
import { text, toggle } from "../settings/flags.ts"

/** Where a file goes. */
export interface Place {
  readonly output: string | undefined
  readonly folder: string | undefined
  readonly overwrite: boolean
}

/** The flags that say where something goes. */
export const flags = (what: string) => ({
  output: text("output", "file", `Write ${what} to this file`),
  folder: text("output-dir", "folder", "Write it into this folder, under a name that is free there"),
  overwrite: toggle("overwrite", `Replace a file that is there, once ${what} is complete`)
})

/** One file cannot be for several of them. */
export const check = ({ folder, output }: Omit<Place, "overwrite">, count: number) =>
  output !== undefined && folder !== undefined
    ? Effect.fail(new InvalidUsage({ message: "--output and --output-dir exclude each other; give one of them" }))
    : output !== undefined && count !== 1
    ? Effect.fail(new InvalidUsage({ message: "--output is for one of them; give --output-dir for several" }))
    : Effect.void
