/** Durable and private files, and a registry of the files of databases and journals. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type PlatformError, systemError } from "effect/PlatformError"
import { hasProperty, isString } from "effect/Predicate"
import type { Scope } from "effect/Scope"
import { randomBytes } from "node:crypto"
import { type BigIntStats, closeSync, constants, openSync, realpathSync } from "node:fs"
import { type FileHandle, lstat, open } from "node:fs/promises"
import { basename, dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"

export const codeOf = ({ cause }: PlatformError): string | undefined =>
  hasProperty(cause, "code") && isString(cause.code) ? cause.code : undefined

/** Joins an error's system code (such as `ENOSPC`), reason and description. */
export const describe = (error: PlatformError): string => {
  const code = codeOf(error)
  const tag = error.reason._tag
  return [
    code,
    tag === "Unknown" || (tag === "BadResource" && code === undefined) ? undefined : tag,
    error.reason.description
  ]
    .filter((part) => part !== undefined).join(", ") || "unknown"
}

export const kinds: { readonly [Type in FileSystem.File.Type]: string } = {
  File: "a file",
  Directory: "a folder",
  SymbolicLink: "a link",
  BlockDevice: "a device",
  CharacterDevice: "a device",
  FIFO: "a pipe",
  Socket: "a socket",
  Unknown: "not a regular file"
}

/** A random suffix, unaffected by a seed of Effect's `Random`. */
export const unique = Effect.sync(() => randomBytes(8).toString("hex"))

export const ifPresent = <A, R>(
  effect: Effect.Effect<A, PlatformError, R>
): Effect.Effect<A | undefined, PlatformError, R> =>
  Effect.catchIf(effect, (error) => error.reason._tag === "NotFound", () => Effect.undefined)

/** Syncs a folder, so that its file names survive a power cut. */
export const syncFolder = (fs: FileSystem.FileSystem, folder: string): Effect.Effect<void> =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (file) => file.sync)))

/**
 * Creates and syncs missing folders one by one. Node.js's recursive mode never returns if the system reports a folder as
 * missing but refuses to create it, such as below /proc.
 */
export const makeFolders = (
  fs: FileSystem.FileSystem,
  folder: string,
  mode?: number
): Effect.Effect<void, PlatformError> =>
  Effect.flatMap(fs.exists(folder), (exists) => {
    const parent = dirname(folder)
    if (exists || parent === folder) return Effect.void
    return makeFolders(fs, parent, mode).pipe(
      Effect.andThen(fs.makeDirectory(folder, mode === undefined ? {} : { mode })),
      // Another program may have created the folder.
      Effect.catchIf((error) => error.reason._tag === "AlreadyExists", () => Effect.void),
      Effect.andThen(syncFolder(fs, parent))
    )
  })

/** Writes and syncs a new file that only its owner can read. The file stays open until the scope closes. */
export const writePrivate = (
  fs: FileSystem.FileSystem,
  path: string,
  text: string
): Effect.Effect<void, PlatformError, Scope> =>
  Effect.flatMap(
    fs.open(path, { flag: "wx", mode: 0o600 }),
    (file) => Effect.andThen(file.writeAll(new TextEncoder().encode(text)), file.sync)
  )

export const removeAll = (fs: FileSystem.FileSystem, paths: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(paths, (path) => Effect.ignore(fs.remove(path)), { discard: true })

/** Removes files, so that a power cut does not restore them. */
export const removeDurably = (fs: FileSystem.FileSystem, paths: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.andThen(
    removeAll(fs, paths),
    Effect.forEach(new Set(paths.map((path) => dirname(path))), (folder) => syncFolder(fs, folder), { discard: true })
  )

export const platform = Layer.merge(NodeFileSystem.layer, NodePath.layer)

const attempt = <A>(method: string, path: string, run: () => Promise<A>): Effect.Effect<A, PlatformError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => {
      const _tag = hasProperty(cause, "code") && cause.code === "ENOENT" ? "NotFound" : "Unknown"
      return systemError({ _tag, module: "FileSystem", method, pathOrDescriptor: path, cause })
    }
  })

/** Opens a file without following a link or waiting for a pipe. */
const opened = (path: string): Effect.Effect<FileHandle, PlatformError, Scope> =>
  Effect.acquireRelease(
    attempt("open", path, () =>
      open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))),
    (file) =>
      Effect.promise(() =>
        file.close()
      )
  )

export const lstatOf = (path: string): Effect.Effect<BigIntStats | undefined, PlatformError> =>
  ifPresent(attempt("stat", path, () => lstat(path, { bigint: true })))

export const isSameFile = (fs: FileSystem.FileSystem, one: string, other: string): Effect.Effect<boolean> =>
  Effect.zipWith(
    fs.stat(one),
    fs.stat(other),
    (a, b) => a.dev === b.dev && Option.isSome(a.ino) && Option.isSome(b.ino) && a.ino.value === b.ino.value
  ).pipe(
    Effect.orElseSucceed(() => false)
  )

/** Sets the mode without following a link. Ignores file systems without modes. */
export const setMode = (path: string, mode: number): Effect.Effect<void> =>
  Effect.ignore(
    Effect.scoped(Effect.flatMap(opened(path), (file) => attempt("chmod", path, () => file.chmod(mode))))
  )

/**
 * Restricts a file to its owner and reads it. Links and pipes read as empty, because a link may lead to another user's
 * file, and a pipe may never end.
 */
export const readPrivate = (path: string): Effect.Effect<string | undefined, PlatformError> =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* opened(path)
    const info = yield* attempt("stat", path, () => file.stat())
    if (!info.isFile()) return ""
    if (process.platform !== "win32" && (info.mode & 0o077) !== 0) {
      yield* Effect.ignore(attempt("chmod", path, () => file.chmod(0o600)))
    }
    return yield* attempt("read", path, () => file.readFile("utf8"))
  })).pipe(
    ifPresent,
    Effect.catchIf((error) => ["ELOOP", "ENXIO"].includes(codeOf(error) ?? ""), () => Effect.succeed(""))
  )

const stateFiles = new Map<string, { readonly folder: string; readonly names: RegExp }>()

/** Registers files of this program for {@link isStateFile}. The pattern ignores case, like some file systems. */
export const addStateFiles = (folder: string, pattern: string): void => {
  stateFiles.set(`${folder} ${pattern}`, { folder, names: new RegExp(`^${pattern}$`, "i") })
}

export const isStateFile = (fs: FileSystem.FileSystem, path: string): Effect.Effect<boolean> =>
  Effect.findFirst(
    [...stateFiles.values()].filter(({ names }) => names.test(basename(path))),
    ({ folder }) => isSameFile(fs, folder, dirname(path))
  ).pipe(Effect.map(Option.isSome))

export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Opens a SQLite database that only the user can read, and runs `setup` on it. */
export const openSqlite = Effect.fnUntraced(function*<E>(
  path: string,
  setup: string,
  failed: (description: string, cause: unknown) => E
) {
  const { DatabaseSync } = yield* Effect.tryPromise({
    try: () => import("node:sqlite"),
    catch: (cause) => failed("this runtime has no node:sqlite", cause)
  })
  const isFile = path !== ":memory:"
  if (isFile) {
    const made = FileSystem.FileSystem.use((fs) => makeFolders(fs, dirname(path), 0o700))
    yield* Effect.mapError(Effect.provide(made, platform), (error) => failed(describe(error), error))
  }
  return yield* Effect.acquireRelease(
    Effect.try({
      try: (): DatabaseSync => {
        // Creates the file, because SQLite would let other users read a new file.
        if (isFile) {
          closeSync(openSync(path, "a", 0o600))
          const real = realpathSync(path)
          addStateFiles(dirname(real), `${basename(real).replaceAll(/\W/g, "\\$&")}(-journal|-shm|-wal)?`)
        }
        const database = new DatabaseSync(path)
        database.exec(setup)
        return database
      },
      catch: (cause) => failed(messageOf(cause), cause)
    }),
    (database) => Effect.sync(() => database.close())
  )
})
