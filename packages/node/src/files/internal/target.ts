import { errorFields } from "@effect-lingua/core/call/Call"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import type { Journal } from "@effect-lingua/core/documents/Journal"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { InvalidInput, TargetExists } from "@effect-lingua/core/errors/CallError"
import { concerning, Failure } from "@effect-lingua/core/extension/DocumentTools"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { dirname } from "node:path"
import { describe, ifPresent, kinds, lstatOf, syncFolder } from "./files.ts"

/** Names that Windows opens as a device, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i

/** Leaves room in a file name for a number such as ` (1)`. */
const maxBytes = 255 - 25

const utf8Length = (text: string): number => new TextEncoder().encode(text).length

const cut = (text: string, bytes: number): string => {
  let left = bytes
  let kept = ""
  for (const char of text) {
    left -= utf8Length(char)
    if (left < 0) break
    kept += char
  }
  return kept
}

/** Splits a file name before its extension of at most 16 characters. */
export const split = (name: string): readonly [stem: string, extension: string] => {
  const [, stem = name, extension = ""] = /^(.+?)(\.[^.\s]{1,16})$/u.exec(name) ?? []
  return [stem, extension]
}

/**
 * Removes folders, control and bidirectional characters, and dots or spaces at the ends; replaces characters and names
 * that Windows forbids. `undefined` if nothing remains.
 */
export const safeName = (suggested: string): string | undefined => {
  const base = (suggested.split(/[/\\]/).at(-1) ?? "")
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "")
  if (base === "") return undefined
  const name = base.replace(device, "$1_")
  const [stem, extension] = split(name)
  return utf8Length(name) <= maxBytes ? name : cut(stem, maxBytes - utf8Length(extension)).trimEnd() + extension
}

const numbered = (name: string, number: number): string => {
  const [stem, extension] = split(name)
  return number === 0 ? name : `${stem} (${number})${extension}`
}

export const partName = (name: string, mark: string): string => `.${cut(name, 192)}.${mark}.part`

const removeEmpty = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void> =>
  Effect.ignore(Effect.flatMap(lstatOf(path), (info) => info?.size === 0n ? fs.remove(path) : Effect.void))

/** Renames a synced file durably in its folder. Without `overwrite`, fails if the target exists. */
export const rename = (
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
        // Syncs the new name before the old name is removed.
        Effect.andThen(synced),
        Effect.andThen(Effect.ignore(fs.remove(temporary))),
        // Without hard links, an empty file reserves the final name.
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

/** Resolves the path of a regular or new file, and reads an existing file's mode. */
export const resolve = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, paths: Path.Path, file: string) {
  const named = paths.resolve(file)
  if (/[/\\]$/.test(file)) return yield* unusable(named, "it names a folder")
  const path = yield* Effect.orElseSucceed(fs.realPath(named), () => named)
  const info = yield* ifPresent(fs.stat(path))
  if (info !== undefined && info.type !== "File") return yield* unusable(path, `it is ${kinds[info.type]}`)
  if (info === undefined && (yield* Effect.isSuccess(fs.readLink(path)))) {
    return yield* unusable(path, "it is a dangling link")
  }
  return { path, mode: info === undefined ? undefined : info.mode & 0o777 }
})

const skippedStep = ({ attempts, documentId }: {
  readonly attempts: ReadonlyArray<unknown>
  readonly documentId?: string | undefined
}) =>
  documentId !== undefined
    ? "The document was not requested"
    : attempts.length === 0
    ? "Nothing was sent"
    : "Nothing was saved"

/**
 * The target cannot be written: the folder is missing or read-only, or the target is a folder. Nothing was downloaded.
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetUnusable extends Failure.messageFirst(
  Schema.TaggedError<TargetUnusable>()("TargetUnusable", {
    ...errorFields,
    documentId: Schema.optionalKey(DocumentId),
    path: Schema.String
  })
) {
  readonly category = "local"
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot write ${this.path}: ${this.description}. ` +
      `${skippedStep(this)}; name another target`
  }
}

/** Adds operation, document and the attempts of the effect's calls to local errors and `DownloadInterrupted`. */
export const recorded = <A, E, R>(
  fields: Pick<Failure.Failure, "operation" | "document">,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(Attempt.Recorder, (outer) => {
    const attempts: Array<Attempt.Attempt> = []
    return effect.pipe(
      Effect.provideService(Attempt.Recorder, (attempt) => {
        attempts.push(attempt)
        outer?.(attempt)
      }),
      Effect.mapError((error) => {
        if (
          !Failure.isFailure(error) || (error.category !== "local" && error._tag !== "DownloadInterrupted")
        ) return error
        const { document } = fields
        const about = { ...fields, ...document, attempts: error.attempts.length > 0 ? error.attempts : attempts }
        return concerning(error, about)
      })
    )
  })

export const checkPath = (parameter: string, value: string | undefined): Effect.Effect<void, InvalidInput> =>
  value === undefined || (typeof value === "string" && value !== "")
    ? Effect.void
    : Effect.fail(new InvalidInput({ parameter, given: "no path", allowed: "a path" }))

export interface Options {
  readonly target?: string | undefined
  readonly folder?: string | undefined
  readonly overwrite?: boolean | undefined
}

/** A target that was writable when checked. */
export interface Checked {
  readonly directory: string
  /** `undefined` if the target is a folder, in which the file gets its name later. */
  readonly name: string | undefined
  readonly overwrite: boolean
  readonly mode: number | undefined
}

const maxNumber = 10_000

/** A regular file's size in bytes; otherwise `undefined`. */
const sizeOf = (file: string): Effect.Effect<number | undefined> =>
  lstatOf(file).pipe(
    Effect.map((info) => info?.isFile() === true ? Number(info.size) : undefined),
    Effect.orElseSucceed(() => undefined)
  )

const kept = (parts: ReadonlyArray<Journal.Part>): Effect.Effect<ReadonlyArray<Journal.Part>> =>
  Effect.map(
    Effect.forEach(parts, ({ bytes, path }) =>
      Effect.map(sizeOf(path), (size) =>
        size === undefined ? [] : [{ path, bytes: Math.min(size, bytes) }])),
    (files) =>
      files.flat()
  )

export const make = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** Makes paths absolute, for programs in other working directories. */
  const absolute = (target: Journal.Target): Journal.Target =>
    "path" in target
      // Keeps a trailing slash, which means a folder.
      ? { ...target, path: `${path.resolve(target.path)}${/[/\\]$/.test(target.path) ? "/" : ""}` }
      : { ...target, folder: path.resolve(target.folder) }

  const of = Effect.fnUntraced(function*({ folder, target }: Options, overwrite: boolean) {
    if (target !== undefined && folder !== undefined) {
      return yield* new InvalidInput({ parameter: "folder", given: "a file and a folder", allowed: "one of them" })
    }
    yield* checkPath("target", target)
    yield* checkPath("folder", folder)
    return target !== undefined
      ? absolute({ path: target, overwrite })
      : folder !== undefined
      ? absolute({ folder, overwrite })
      : undefined
  })

  const required = Effect.fnUntraced(function*(options: Options) {
    const allowed = "one of them"
    return (yield* of(options, options.overwrite ?? false)) ??
      (yield* new InvalidInput({ parameter: "target", given: "neither a file nor a folder", allowed }))
  })

  const checkFolder = Effect.fnUntraced(function*(directory: string, shown: string) {
    const unusable = (description: string) => new TargetUnusable({ path: shown, description })
    const info = yield* Effect.mapError(fs.stat(directory), (error) => unusable(describe(error)))
    if (info.type !== "Directory") return yield* unusable(`${directory} is not a folder`)
    yield* Effect.mapError(fs.access(directory, { writable: true }), (error) => unusable(describe(error)))
  })

  const check = Effect.fnUntraced(function*(target: Journal.Target, rescueFolder?: string) {
    const { overwrite } = target
    let checked: Checked
    if ("path" in target) {
      const { mode, path: file } = yield* Effect.mapError(
        resolve(fs, path, target.path),
        (error) => new TargetUnusable({ path: target.path, description: describe(error) })
      )
      if (mode !== undefined && !overwrite) return yield* new TargetExists({ path: file })
      checked = { directory: path.dirname(file), name: path.basename(file), overwrite, mode }
      yield* checkFolder(checked.directory, file)
    } else {
      const directory = yield* Effect.orElseSucceed(fs.realPath(target.folder), () => target.folder)
      checked = { directory, name: undefined, overwrite, mode: undefined }
      yield* checkFolder(directory, directory)
    }
    yield* checkPath("rescueFolder", rescueFolder)
    if (rescueFolder !== undefined) yield* checkFolder(rescueFolder, rescueFolder)
    return checked
  })

  const real = (file: string): Effect.Effect<string> => {
    const named = path.resolve(file)
    return fs.realPath(named).pipe(
      Effect.catch(() =>
        Effect.map(fs.realPath(path.dirname(named)), (folder) => path.join(folder, path.basename(named)))
      ),
      Effect.orElseSucceed(() => named)
    )
  }

  const freeName = Effect.fnUntraced(function*(directory: string, name: string) {
    for (let number = 0;; number++) {
      const candidate = path.join(directory, numbered(name, number))
      if (number === maxNumber) return candidate
      const isTaken = (yield* Effect.isSuccess(fs.stat(candidate))) || (yield* Effect.isSuccess(fs.readLink(candidate)))
      if (!isTaken) return candidate
    }
  })

  /** The target's path; in a folder, with the first usable suggested name. */
  const fileOf = (
    { directory, name, overwrite }: Checked,
    suggestions: ReadonlyArray<string | undefined>
  ): Effect.Effect<string> => {
    if (name !== undefined) return Effect.succeed(path.join(directory, name))
    const safe = suggestions.map((suggestion) => suggestion === undefined ? undefined : safeName(suggestion))
    const chosen = safe.find((suggestion) => suggestion !== undefined) ?? "document"
    return overwrite ? Effect.succeed(path.join(directory, chosen)) : freeName(directory, chosen)
  }

  /** Renames a file to its final name. Returns false if the name in a target folder is taken. */
  const publish = (checked: Checked, temporary: string, file: string): Effect.Effect<boolean, PlatformError> =>
    rename(fs, temporary, file, checked.overwrite).pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => checked.name === undefined && error.reason._tag === "AlreadyExists",
        () => Effect.succeed(false)
      )
    )

  return { absolute, check, fileOf, kept, of, publish, real, required, sizeOf }
})

export type Targets = Effect.Success<typeof make>
