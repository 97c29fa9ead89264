/**
 * A journal with one file per unfinished document; only the user can read the files. Programs that use the same folder
 * share entries, and claim documents and targets with lock files.
 *
 * @since 0.1.0
 */
import { Journal } from "@effect-lingua/core/documents/Journal"
import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import { badArgument, type PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import {
  addStateFiles,
  describe,
  ifPresent,
  makeFolders,
  platform,
  readPrivate,
  syncFolder,
  unique,
  writePrivate
} from "./internal/files.ts"
import * as ProcessLock from "./internal/processLock.ts"
import { rename } from "./internal/target.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * Default: `effect-lingua/documents` in the user's state directory: `XDG_STATE_HOME` or `~/.local/state` on Linux,
   * `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows.
   */
  readonly folder?: string | undefined
}

/** A document id as a file name. Capitals are percent-encoded, because some file systems ignore case. */
const nameOf = (id: string): string =>
  `document-${
    Array.from(new TextEncoder().encode(id), (byte) => {
      const char = String.fromCharCode(byte)
      return /[a-z0-9_-]/.test(char) ? char : `%${byte.toString(16).padStart(2, "0")}`
    }).join("")
  }`

/** Leaves room for suffixes within a file name's 255 bytes. */
const maxNameLength = 200

const fits = (id: string): boolean => nameOf(id).length <= maxNameLength

const entryName = /^(document-(?:[a-z0-9_-]|%[0-9a-f]{2})*)\.(json|lock)$/

const idOf = (name: string): string | undefined => {
  const bytes = Uint8Array.from(
    name.slice("document-".length).match(/%[0-9a-f]{2}|./g) ?? [],
    (part) => part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0)
  )
  const id = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  return nameOf(id) === name ? id : undefined
}

const abandonedMillis = 60 * 60 * 1000

class StoreFailed
  extends Data.TaggedError("StoreFailed")<{ readonly message: string; readonly cause: PlatformError }>
{}

// Not Effect's `KeyValueStore.layerFileSystem`: all users can read its files, and a kill during a write could lose a
// document's key.
const make = Effect.fnUntraced(function*(options: Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { state } = UserDirectories.make()
  const found: Result.Result<string, PlatformError> = options.folder === undefined
    ? yield* state("effect-lingua").pipe(
      // Falls back to the environment if the `ConfigProvider` has no folder.
      Effect.catch(() =>
        Effect.provideService(state("effect-lingua"), ConfigProvider.ConfigProvider, ConfigProvider.fromEnv())
      ),
      Effect.map((folder) => path.join(folder, "documents")),
      Effect.result
    )
    : Result.succeed(path.resolve(options.folder))
  const folder = Effect.fromResult(found)
  if (Result.isSuccess(found)) {
    addStateFiles(found.success, String.raw`\.?document-.*\.(json|lock|tmp)(\.[0-9a-f]{16})?`)
  }
  const shownFolder = Result.getOrElse(found, () => "the user's state directory")

  const failure = (method: string) => (cause: PlatformError) =>
    new StoreFailed({ message: `${method} failed in ${shownFolder}`, cause })

  let isChecked = false

  const ensureFolder = Effect.gen(function*() {
    const directory = yield* folder
    yield* makeFolders(fs, directory, 0o700)
    if (isChecked) return directory
    isChecked = true
    // The first listing removes files of killed processes.
    yield* Effect.ignore(Effect.suspend(() => keys))
    const { mode } = yield* fs.stat(directory)
    if (process.platform !== "win32" && (mode & 0o022) !== 0) {
      yield* Effect.logWarning(
        `Others can write to ${directory}, and so change the journal of documents; remove that permission (chmod go-w)`
      )
    }
    return directory
  })

  const fileOf = (id: string, extension: string) =>
    Effect.map(folder, (directory) => path.join(directory, `${nameOf(id)}.${extension}`))

  const temporaryOf = (directory: string, id: string) =>
    Effect.map(unique, (part) => path.join(directory, `.${nameOf(id)}.${part}.tmp`))

  const get = Effect.fnUntraced(function*(id: string) {
    if (!fits(id)) return undefined
    return yield* Effect.flatMap(fileOf(id, "json"), readPrivate)
  }, Effect.mapError(failure("Reading")))

  const set = Effect.fnUntraced(
    function*(id: string, text: string) {
      if (!fits(id)) {
        const description = "the id of a document is too long for a file name"
        return yield* badArgument({ module: "NodeJournal", method: "set", description })
      }
      const directory = yield* ensureFolder
      const temporary = yield* temporaryOf(directory, id)
      yield* Effect.scoped(writePrivate(fs, temporary, text)).pipe(
        Effect.andThen(rename(fs, temporary, path.join(directory, `${nameOf(id)}.json`), true)),
        Effect.onError(() => Effect.ignore(fs.remove(temporary)))
      )
    },
    Effect.mapError(failure("Writing")),
    Effect.uninterruptible
  )

  const remove = (id: string) =>
    fits(id)
      ? Effect.flatMap(fileOf(id, "json"), (file) =>
        Effect.andThen(ifPresent(fs.remove(file)), syncFolder(fs, path.dirname(file)))).pipe(
          Effect.mapError(failure("Removing")),
          Effect.uninterruptible
        )
      : Effect.void

  const list = Effect.flatMap(folder, (directory) => ifPresent(fs.readDirectory(directory))).pipe(
    Effect.map((names) => names ?? []),
    Effect.mapError(failure("Listing"))
  )

  const claim = (id: string) =>
    fits(id)
      ? Effect.flatMap(ensureFolder, (directory) =>
        Effect.flatMap(temporaryOf(directory, id), (temporary) =>
          ProcessLock.claim(fs, id, path.join(directory, `${nameOf(id)}.lock`), temporary))).pipe(
          // Ignored, because writing the entry fails too and logs a warning.
          Effect.catchTag("PlatformError", () =>
            Effect.void)
        )
      : Effect.void

  const sweep = Effect.fnUntraced(function*(names: ReadonlyArray<string>): Effect.fn.Return<void, PlatformError> {
    const directory = yield* folder
    const all = new Set(names)
    const now = yield* Clock.currentTimeMillis
    for (const name of names) {
      const [, stem, extension] = entryName.exec(name) ?? []
      if (stem !== undefined && extension === "lock" && !all.has(`${stem}.json`)) {
        // Claiming and releasing a dead lock removes its files.
        const id = idOf(stem)
        if (id !== undefined) yield* Effect.ignore(Effect.scoped(claim(id)))
      }
      const [, lock] = /^(document-.*\.lock)\.[0-9a-f]{16}$/.exec(name) ?? []
      if (lock === undefined ? !/^\.document-.*\.tmp$/.test(name) : all.has(lock)) continue
      const file = path.join(directory, name)
      const info = yield* fs.stat(file)
      const changed = Option.getOrUndefined(info.mtime)
      if (changed !== undefined && now - changed.getTime() > abandonedMillis) yield* fs.remove(file)
    }
  })

  let isSwept = false
  const keys = Effect.gen(function*() {
    const names = yield* list
    if (!isSwept) {
      isSwept = true
      yield* Effect.ignore(sweep(names))
    }
    return names.flatMap((name) => {
      const [, stem, extension] = entryName.exec(name) ?? []
      const id = stem === undefined || extension !== "json" ? undefined : idOf(stem)
      return id === undefined ? [] : [id]
    })
  })

  return Journal.make({
    store: { get, set, remove, keys },
    claim,
    describe: ({ cause }) => describe(cause)
  })
})

/**
 * A document journal in files. Provide the layer to a client; `NodeLanguageService` includes a journal.
 *
 * **Details**
 *
 * If the folder cannot be written, no call fails: a warning is logged, and entries stay in memory.
 *
 * An ended process's lock is taken over, even if a later process has the same id (where the system reports process start
 * times, such as Linux). Another host's lock is respected: `Busy` names the lock file, to be removed by hand if that host
 * is gone.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Journal> =>
  Layer.effect(Journal, make(options)).pipe(
    Layer.provide(platform)
  )
