/**
 * Files that are written completely or not at all, through a synced and renamed temporary file.
 *
 * @since 0.3.0
 */
import type { Busy } from "@effect-lingua/core/errors/CallError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Schedule from "effect/Schedule"
import type { Scope } from "effect/Scope"
import { ifPresent, unique } from "./internal/files.ts"
import * as PartFile from "./internal/partFile.ts"
import * as ProcessLock from "./internal/processLock.ts"
import { partName, rename, resolve } from "./internal/target.ts"

/**
 * Options of `open`; `write` and `update` accept some of them.
 *
 * @category options
 * @since 0.3.0
 */
export interface Options {
  /** Replaces an existing file. Default: false. */
  readonly overwrite?: boolean | undefined
  /** The mode of a new file. A replaced file keeps its permissions, but not setuid and setgid. */
  readonly mode?: number | undefined
  /**
   * The temporary file's name. A named file is kept if the scope closes before `commit`. With `bytes`, truncates the
   * existing file to this length and appends.
   */
  readonly part?: { readonly name: string; readonly bytes: number | undefined } | undefined
}

/**
 * A file that is being written.
 *
 * @category models
 * @since 0.3.0
 */
export interface AtomicFile {
  /** The absolute path with links resolved. */
  readonly path: string
  readonly write: (content: string | Uint8Array) => Effect.Effect<void, PlatformError>
  /** Syncs the temporary file and renames it to `path`. */
  readonly commit: Effect.Effect<void, PlatformError>
}

/**
 * Opens a temporary file next to `file`, so that an unwritable folder fails early. Without `commit`, the scope removes
 * the temporary file. Replaces the target of a link. Fails with a `PlatformError`, such as `AlreadyExists` for an
 * existing file without `overwrite`, or `BadResource` for a folder, a device or a dangling link.
 *
 * @category constructors
 * @since 0.3.0
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  options: Options = {}
): Effect.fn.Return<AtomicFile, PlatformError, FileSystem.FileSystem | Path.Path | Scope> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { overwrite = false, part } = options
  const { mode = options.mode, path } = yield* resolve(fs, paths, file)
  if (!overwrite && (yield* fs.exists(path))) {
    return yield* systemError({
      _tag: "AlreadyExists",
      module: "NodeAtomicFile",
      method: "open",
      pathOrDescriptor: path
    })
  }
  const name = part?.name ?? partName(paths.basename(path), yield* unique)
  const temporary = paths.join(paths.dirname(path), name)
  const opened = PartFile.open(fs, temporary, { mode, bytes: part?.bytes })
  const written = part === undefined
    ? yield* Effect.acquireRelease(opened, () => Effect.ignore(fs.remove(temporary)))
    : yield* opened
  // Removes bytes that a killed process wrote beyond this length.
  if (part?.bytes !== undefined) yield* written.truncate(part.bytes)
  return {
    path,
    write: (content) => PartFile.append(written, content),
    commit: Effect.uninterruptible(Effect.andThen(written.sync, rename(fs, temporary, path, overwrite)))
  }
})

/**
 * Writes a whole file atomically.
 *
 * @category constructors
 * @since 0.3.0
 */
export const write = (
  file: string,
  content: string | Uint8Array,
  options?: Omit<Options, "part">
): Effect.Effect<void, PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.scoped(
    Effect.flatMap(open(file, options), (opened) => Effect.andThen(opened.write(content), opened.commit))
  )

/**
 * Locks a file until the scope closes, with a lock file next to it. Takes over a killed process's lock. Fails with `Busy`
 * if another `claim` holds the lock, and with a `PlatformError` if the lock file cannot be written.
 *
 * @category constructors
 * @since 0.3.0
 */
export const claim = Effect.fnUntraced(function*(
  file: string
): Effect.fn.Return<void, Busy | PlatformError, FileSystem.FileSystem | Path.Path | Scope> {
  const fs = yield* FileSystem.FileSystem
  const { path } = yield* resolve(fs, yield* Path.Path, file)
  const lock = `${path}.lock`
  yield* ProcessLock.claim(fs, path, lock, `${lock}.${yield* unique}.tmp`)
})

/**
 * Changes a file's content under its lock; waits up to ten seconds for the lock. `change` receives `undefined` if the file
 * is missing, and returns `undefined` to change nothing.
 *
 * @category constructors
 * @since 0.3.0
 */
export const update = Effect.fnUntraced(function*<E, R>(
  file: string,
  change: (content: string | undefined) => Effect.Effect<string | undefined, E, R>,
  options?: Omit<Options, "part" | "overwrite">
) {
  const fs = yield* FileSystem.FileSystem
  const { path } = yield* resolve(fs, yield* Path.Path, file)
  yield* Effect.retry(claim(path), {
    schedule: Schedule.spaced("20 millis"),
    times: 500,
    while: ({ _tag }) => _tag === "Busy"
  })
  const content = yield* change(yield* ifPresent(fs.readFileString(path)))
  if (content !== undefined) yield* write(path, content, { ...options, overwrite: true })
}, Effect.scoped)
