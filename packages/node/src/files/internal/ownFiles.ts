/** The files that this program keeps its state in: databases with the files next to them, and journals. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { basename, dirname } from "node:path"
import { isSameFile } from "./files.ts"

/** Their folders and the patterns of their names. */
const own = new Map<string, { readonly folder: string; readonly names: RegExp }>()

/** Adds all files of a folder whose names match. Some file systems ignore the case of letters. */
export const add = (folder: string, pattern: string): void => {
  own.set(`${folder} ${pattern}`, { folder, names: new RegExp(`^${pattern}$`, "i") })
}

/** True if a path without links is that of such a file. */
export const has = (fs: FileSystem.FileSystem, path: string): Effect.Effect<boolean> =>
  Effect.findFirst(
    [...own.values()].filter(({ names }) => names.test(basename(path))),
    ({ folder }) => isSameFile(fs, folder, dirname(path))
  ).pipe(Effect.map(Option.isSome))
