/** How a complete file replaces another, everywhere: its target, its mode, and the rename. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import { type PlatformError, systemError } from "effect/PlatformError"
import { dirname } from "node:path"
import { ifPresent, kinds, lstatOf, syncFolder } from "./files.ts"

/** Removes a file that reserved a name, unless it has content. */
const removeEmpty = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void> =>
  Effect.ignore(Effect.flatMap(lstatOf(path), (info) => info?.size === 0n ? fs.remove(path) : Effect.void))

/**
 * Renames a complete and synced file to its final name in the same folder, and syncs the folder. Without `overwrite` an existing
 * file is not replaced.
 */
export const publish = (
  fs: FileSystem.FileSystem,
  temporary: string,
  target: string,
  overwrite: boolean
): Effect.Effect<void, PlatformError> => {
  const synced = syncFolder(fs, dirname(target))
  return Effect.andThen(
    overwrite
      ? fs.rename(temporary, target)
      : fs.link(temporary, target).pipe(
        // The new name is on the disk before the old one is gone.
        Effect.andThen(synced),
        Effect.andThen(Effect.ignore(fs.remove(temporary))),
        // Some file systems have no hard links: there an empty file reserves the name first.
        Effect.catchIf(
          (error) => error.reason._tag !== "AlreadyExists",
          () =>
            Effect.andThen(
              Effect.scoped(fs.open(target, { flag: "wx" })),
              Effect.onError(fs.rename(temporary, target), () => removeEmpty(fs, target))
            )
        )
      ),
    synced
  )
}

const unusable = (path: string, description: string) =>
  systemError({ _tag: "BadResource", module: "NodeAtomicFile", method: "open", pathOrDescriptor: path, description })

/** The file that a path leads to, and its mode if it exists. A link is kept, and its target is replaced. */
export const resolve = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, paths: Path.Path, given: string) {
  const named = paths.resolve(given)
  if (/[/\\]$/.test(given)) return yield* unusable(named, "it names a folder")
  const path = yield* Effect.orElseSucceed(fs.realPath(named), () => named)
  const info = yield* ifPresent(fs.stat(path))
  if (info !== undefined && info.type !== "File") return yield* unusable(path, `it is ${kinds[info.type]}`)
  if (info === undefined && (yield* Effect.isSuccess(fs.readLink(path)))) {
    return yield* unusable(path, "it is a dangling link")
  }
  return { path, mode: info === undefined ? undefined : info.mode & 0o777 }
})
