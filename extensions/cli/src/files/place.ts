/** Flags for a target: a file, or a folder in which a free name is chosen. */
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { misuse } from "../settings/errors.ts"
import { checkOnce, text, toggle } from "../settings/flags.ts"

export const flags = (what: string) => ({
  output: text("output", "file", `Write ${what} to this file`),
  folder: text("output-dir", "folder", "Write it into this folder, under a free name"),
  overwrite: toggle("overwrite", `Replace an existing file, once ${what} is complete`)
})

export type Place = Command.Command.Config.Infer<ReturnType<typeof flags>>

/** Refuses a duplicate source, and standard input. */
export const checkSources = (files: ReadonlyArray<string>) =>
  files.includes("-")
    ? misuse("standard input has no size: write it to a file first, or give ./- for a file -")
    : Path.Path.use((path) => checkOnce(files.map((file) => path.resolve(file))))

/** Converts the flags to library options. Default folder: the current folder. */
export const destination = ({ folder = ".", output, overwrite }: Place) =>
  output === undefined ? { folder, overwrite } : { target: output, overwrite }

/** Refuses `--output` with `--output-dir`, for several results, or for standard output. */
export const check = ({ folder, output }: Omit<Place, "overwrite">, count: number) =>
  output !== undefined && folder !== undefined
    ? misuse("--output and --output-dir exclude each other")
    : output !== undefined && count !== 1
    ? misuse("--output is for a single file; give --output-dir for several")
    : output === "-"
    ? misuse("standard output cannot be replaced: name a file, or give ./- for a file -")
    : Effect.void
