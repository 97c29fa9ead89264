/** Paths that a file of a project names. It may come from others, so they stay in its folder, also through links. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { invalid } from "../settings/errors.ts"

/** The path behind all links, of a file that need not exist. A dangling link has none. */
const realOf = (
  fs: FileSystem.FileSystem,
  paths: Path.Path,
  file: string
): Effect.Effect<string | undefined> =>
  Effect.catch(fs.realPath(file), (error) =>
    Effect.gen(function*() {
      // Opening it fails with the same error, such as that of links in a circle.
      if (error.reason._tag !== "NotFound") return file
      const folder = paths.dirname(file)
      if (folder === file || (yield* Effect.isSuccess(fs.readLink(file)))) return undefined
      const real = yield* realOf(fs, paths, folder)
      return real === undefined ? undefined : paths.join(real, paths.basename(file))
    }))

/** The path of a file that a file in a folder names, or an error if it is outside of that folder. */
export const inside = Effect.fnUntraced(function*(folder: string, named: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = paths.resolve(folder, named)
  const root = yield* realOf(fs, paths, paths.resolve(folder))
  const real = yield* realOf(fs, paths, file)
  if (root !== undefined && real?.startsWith(root.endsWith(paths.sep) ? root : `${root}${paths.sep}`) === true) {
    return file
  }
  return yield* invalid(
    `${named} is outside of ${folder}, or a link that leads out of it; a file that may come from others names ` +
      "only files in its own folder"
  )
})
