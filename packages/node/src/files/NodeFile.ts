/**
 * Files as upload contents, and paths confined to a folder.
 *
 * @since 0.1.0
 */
import * as Call from "@effect-lingua/core/call/Call"
import type { InvalidInput } from "@effect-lingua/core/errors/CallError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as Stream from "effect/Stream"
import { platform } from "./internal/files.ts"
import * as Source from "./internal/source.ts"
import type { SourceUnusable } from "./NodeDocuments.ts"

/**
 * A file in the shape of upload options.
 *
 * @category models
 * @since 0.1.0
 */
export interface FileContent {
  readonly fileName: string
  readonly size: number
  /** Fails if the file changes while it is sent. */
  readonly content: Stream.Stream<Uint8Array, unknown>
}

/**
 * Opens a file for an upload. Fails with `SourceUnusable` if the file is unreadable, empty or not a regular file, and
 * with `InvalidInput` if the path is empty.
 *
 * **Example** (A translation memory)
 *
 * ```ts import.meta.vitest
 * import { TranslationMemories } from "@effect-lingua/core"
 * import { NodeFile } from "@effect-lingua/node"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const memories = yield* TranslationMemories
 *   return yield* memories.importTmx({ ...yield* NodeFile.content("manuals.tmx"), displayName: "Manuals" })
 * })
 * Effect.isEffect(program) // => true
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const content = (path: string): Effect.Effect<FileContent, InvalidInput | SourceUnusable> =>
  Call.run(
    "NodeFile.content",
    Effect.flatMap(Source.make, (open) => open(path)).pipe(
      Effect.map(({ content, name, size }) => ({ content, fileName: name, size })),
      Effect.provide(platform)
    )
  )

/** Resolves links in a path that may not exist; `undefined` for a dangling link. */
const realOf = (fs: FileSystem.FileSystem, paths: Path.Path, file: string): Effect.Effect<string | undefined> =>
  Effect.catch(fs.realPath(file), (error) =>
    Effect.gen(function*() {
      // Opening the file reports other errors, such as circular links.
      if (error.reason._tag !== "NotFound") return file
      const folder = paths.dirname(file)
      if (folder === file || (yield* Effect.isSuccess(fs.readLink(file)))) return undefined
      const real = yield* realOf(fs, paths, folder)
      return real === undefined ? undefined : paths.join(real, paths.basename(file))
    }))

/**
 * The absolute path of an existing or new file within a folder, for untrusted paths. `None` if `..` or a link leads out of
 * the folder.
 *
 * **Example** (A path of a project file)
 *
 * ```ts import.meta.vitest
 * import { NodeFile } from "@effect-lingua/node"
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { Effect, Option } from "effect"
 *
 * const found = await NodeFile.inside("locales", "../package.json").pipe(Effect.provide(NodeServices.layer), Effect.runPromise)
 * Option.isNone(found) // => true
 * ```
 *
 * @category getters
 * @since 0.3.0
 */
export const inside = Effect.fnUntraced(function*(
  folder: string,
  path: string
): Effect.fn.Return<Option.Option<string>, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = paths.resolve(folder, path)
  const root = yield* realOf(fs, paths, paths.resolve(folder))
  const real = yield* realOf(fs, paths, file)
  return root !== undefined && real?.startsWith(root.endsWith(paths.sep) ? root : `${root}${paths.sep}`) === true
    ? Option.some(file)
    : Option.none()
})
