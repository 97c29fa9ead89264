/**
 * A `DocumentStore` in a folder: complete translations appear next to the sources.
 *
 * @since 0.2.0
 */
import { InvalidInput, TargetExists } from "@effect-lingua/core/errors/CallError"
import { Files, PartFile, partName, rename } from "@effect-lingua/node/extension/NodeFiles"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { PersistenceError } from "effect/persistence/Persistence"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { DocumentStore } from "./DocumentStore.ts"

const {
  codeOf,
  describe,
  ifPresent,
  isSameFile,
  isStateFile,
  kinds,
  makeFolders,
  platform,
  readPrivate,
  removeAll,
  writePrivate
} = Files

/**
 * The folder of the store.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** The folder, which must exist. All processes of a fleet must see it. */
  readonly folder: string
}

const failed = (problem: string) => (error: PlatformError) =>
  new PersistenceError({ message: `${problem}: ${describe(error)}`, cause: error })

/** The name of a hidden file next to a translation. */
const nextTo = (name: string, mark: string): string => {
  const end = name.lastIndexOf("/") + 1
  return name.slice(0, end) + partName(name.slice(end), mark)
}

/** The hidden file with a translation's received bytes. */
const partOf = (name: string): string => nextTo(name, "translation")

/** The hidden file that contains a target's owner. */
const claimOf = (name: string): string => nextTo(name, "claim")

const ownerOf = (file: string) => Effect.mapError(readPrivate(file), failed(`${file} cannot be read`))

const refused = (name: string, allowed: string) =>
  new InvalidInput({ parameter: "name", given: JSON.stringify(name), allowed })

const allowedLinks = "a file in the folder of the store, and no dangling link or link out of the folder"

/** System error codes of impossible file names: too long, below a file, or a cycle of links. */
const impossibleNameCodes: ReadonlySet<string> = new Set(["ENAMETOOLONG", "ENOTDIR", "ELOOP"])

/** Refuses names that the store gives to its hidden files. */
const checkName = (name: string): Effect.Effect<void, InvalidInput> =>
  /(^|\/)\.[^/]*\.part$/.test(name)
    ? Effect.fail(refused(name, "a name that the store does not use"))
    : Effect.void

const make = Effect.fnUntraced(function*(options: Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(options.folder)

  /** Returns the path of a name. Fails for a path out of the folder, including through links. */
  const pathOf = Effect.fnUntraced(function*(name: string) {
    const isPlain = name !== "" && !path.isAbsolute(name) && !/[\0\\]/.test(name) &&
      name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
    const at = path.join(folder, name)
    if (!isPlain) return yield* refused(name, "the name of a file in the folder of the store")
    const root = yield* Effect.mapError(fs.realPath(folder), failed(`${folder} cannot be read`))
    let existing = at
    let found = yield* Effect.option(fs.realPath(existing))
    while (Option.isNone(found)) {
      // A dangling link is refused, because its target may appear outside the folder later.
      if (yield* Effect.isSuccess(fs.readLink(existing))) return yield* refused(name, allowedLinks)
      existing = path.dirname(existing)
      found = yield* Effect.option(fs.realPath(existing))
    }
    const real = found.value
    if (real !== root && !real.startsWith(root + path.sep)) return yield* refused(name, allowedLinks)
    if (!(yield* isStateFile(fs, real + at.slice(existing.length)))) return at
    return yield* refused(name, "a file that is not a database or journal of this program")
  })

  const infoOf = Effect.fnUntraced(function*(name: string) {
    const at = yield* pathOf(name)
    const info = yield* Effect.mapError(ifPresent(fs.stat(at)), (error) =>
      impossibleNameCodes.has(codeOf(error) ?? "")
        ? refused(name, `a name that a file can have (${describe(error)})`)
        : failed(`${name} cannot be read`)(error))
    if (info !== undefined && info.type !== "File") return yield* refused(name, `a file, not ${kinds[info.type]}`)
    return info
  })

  /** Creates the folder of a file, and returns the paths of both. */
  const prepared = Effect.fnUntraced(function*(name: string) {
    yield* infoOf(name)
    const at = yield* pathOf(name)
    const parent = path.dirname(at)
    yield* Effect.mapError(makeFolders(fs, parent), failed(`${name} cannot be written`))
    return { at, parent }
  })

  /** Opens a translation's part, including the bytes of an earlier attempt. */
  const opened = Effect.fnUntraced(function*(name: string) {
    const part = yield* pathOf(partOf(name))
    const info = yield* infoOf(partOf(name))
    const bytes = info === undefined ? undefined : Number(info.size)
    const file = PartFile.open(fs, part, { mode: 0o600, bytes })
    return yield* Effect.mapError(file, failed(`${name} cannot be written`))
  })

  /** Syncs a part and renames it to the translation. */
  const publish = Effect.fnUntraced(function*(name: string, part: PartFile.PartFile, overwrite = false) {
    const at = yield* pathOf(name)
    yield* Effect.mapError(
      Effect.andThen(part.sync, rename(fs, part.path, at, overwrite)),
      failed(`${name} cannot be written`)
    )
    return { size: part.bytes() }
  })

  return DocumentStore.of({
    find: (name) =>
      Effect.map(infoOf(name), (info) =>
        info === undefined ? undefined : {
          size: Number(info.size),
          version: [Option.getOrElse(info.ino, () => 0), Option.match(info.mtime, { onNone: () => 0, onSome: Number })]
            .join("-")
        }),
    part: (name) =>
      Effect.map(
        infoOf(partOf(name)),
        (info) => info === undefined ? undefined : { name: partOf(name), size: Number(info.size) }
      ),
    claim: Effect.fnUntraced(function*(name, owner) {
      yield* checkName(name)
      const { parent } = yield* prepared(name)
      const file = yield* pathOf(claimOf(name))
      // Named after the owner, so that a repeated claim removes the temporary file of a killed process.
      const mark = createHash("sha256").update(`${name}\0${owner}`).digest("hex").slice(0, 16)
      const temporary = path.join(parent, partName("claim", mark))
      yield* removeAll(fs, [temporary])
      // Renamed when complete, so that a kill leaves no claim without an owner.
      const written = Effect.scoped(writePrivate(fs, temporary, owner))
      yield* Effect.andThen(written, rename(fs, temporary, file, false)).pipe(
        Effect.ensuring(removeAll(fs, [temporary])),
        Effect.mapError(failed(`${name} cannot be claimed`)),
        Effect.catch((error) =>
          Effect.flatMap(ownerOf(file), (claimedBy) =>
            claimedBy === owner
              ? Effect.void
              : Effect.fail(claimedBy === undefined ? error : new TargetExists({ path: name, claimedBy })))
        )
      )
    }),
    release: Effect.fnUntraced(function*(name, owner) {
      const file = yield* pathOf(claimOf(name))
      if ((yield* ownerOf(file)) !== owner) return
      const part = yield* pathOf(partOf(name))
      // A kill during the rename can leave a translation under both names.
      const isPublished = yield* isSameFile(fs, part, yield* pathOf(name))
      yield* removeAll(fs, isPublished ? [part, file] : [file])
    }),
    read: Effect.fnUntraced(function*(name) {
      yield* checkName(name)
      const info = yield* infoOf(name)
      if (info === undefined) return yield* new PersistenceError({ message: `there is no file ${name} in ${folder}` })
      const content = Stream.mapError(fs.stream(yield* pathOf(name)), failed(`${name} cannot be read`))
      return { content, size: Number(info.size) }
    }),
    write: Effect.fnUntraced(function*<E>(
      name: string,
      content: Stream.Stream<Uint8Array, E>,
      { overwrite }: DocumentStore.WriteOptions = {}
    ) {
      yield* checkName(name)
      const cannot = failed(`${name} cannot be written`)
      yield* prepared(name)
      // An earlier attempt's part stays until this attempt receives bytes: it may be the only copy.
      const file = yield* opened(name)
      const cleared = yield* Effect.cached(Effect.mapError(file.truncate(0), cannot))
      yield* Stream.runForEach(
        content,
        (chunk) => Effect.andThen(cleared, Effect.mapError(PartFile.append(file, chunk), cannot))
      )
      yield* cleared
      return yield* publish(name, file, overwrite)
    }, Effect.scoped),
    complete: Effect.fnUntraced(function*(name, { overwrite } = {}) {
      if ((yield* infoOf(partOf(name))) === undefined) {
        return yield* new PersistenceError({ message: `there is no part of ${name} in ${folder}` })
      }
      return yield* publish(name, yield* opened(name), overwrite)
    }, Effect.scoped)
  })
})

/**
 * A store in a folder. Names are relative paths with `/`; other names, and this program's open databases and journals, are refused. A translation is
 * written to a hidden file, which is renamed when complete, and stays if the download is interrupted.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (options: Options): Layer.Layer<DocumentStore> =>
  Layer.provide(Layer.effect(DocumentStore, make(options)), platform)
