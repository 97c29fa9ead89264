/** A file to which bytes are appended and counted, and a second one that takes over when the disk of the first fails. */
import type { Part } from "@effect-lingua/core/documents/Journal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { dirname } from "node:path"
import { describe, lstatOf, removeDurably, setMode, syncFolder } from "./files.ts"

/** The bytes that could not be written, and the failure of the file. */
class NotWritten extends Data.TaggedError("NotWritten")<{
  readonly failure: PlatformError
  readonly rest: Uint8Array
}> {}

export interface PartFile {
  readonly path: string
  readonly bytes: () => number
  /** The bytes that its path leads to: none once another program has removed or replaced it. */
  readonly kept: Effect.Effect<number>
  /** Appends text or bytes, as many as fit. A disk that fills up accepts a part, which is counted. */
  readonly write: (content: string | Uint8Array) => Effect.Effect<void, NotWritten>
  /** Shortens the file, by default to the counted bytes. */
  readonly truncate: (bytes?: number) => Effect.Effect<void, PlatformError>
  /** Syncs the file. Fails if another program has changed its length, or has removed or replaced it. */
  readonly sync: Effect.Effect<void, PlatformError>
}

/** The length of an open file; `undefined` if its path leads elsewhere, such as to the link of another user with access to its folder. */
const lengthOf = Effect.fnUntraced(function*(path: string, file: FileSystem.File) {
  const named = yield* lstatOf(path)
  const { dev, ino, size } = yield* file.stat
  const isSame = named?.isFile() === true && BigInt.asUintN(64, named.dev) === dev &&
    Option.contains(ino, BigInt.asUintN(64, named.ino))
  return isSame ? Number(size) : undefined
})

const changed = (path: string, description: string) =>
  systemError({ _tag: "InvalidData", module: "FileSystem", method: "open", pathOrDescriptor: path, description })

/** Opens a new file, or one with `bytes` to which more are appended. */
export const open = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  path: string,
  { bytes: existing, mode }: { readonly bytes?: number | undefined; readonly mode?: number | undefined } = {}
): Effect.fn.Return<PartFile, PlatformError, Scope.Scope> {
  let bytes = existing ?? 0
  const flag = existing === undefined ? "ax" : "r+"
  const file = yield* fs.open(path, mode === undefined ? { flag } : { flag, mode })
  // Appended bytes leave no gap in a file that another program has truncated.
  const end = existing === undefined ? file : yield* fs.open(path, { flag: "a" })
  const length = lengthOf(path, file)
  if ((yield* length) === undefined || (yield* lengthOf(path, end)) === undefined) {
    return yield* changed(path, "it is a link")
  }
  // Opening applies the umask.
  if (mode !== undefined) yield* setMode(path, mode)

  const write = Effect.fnUntraced(function*(content: string | Uint8Array) {
    let rest = typeof content === "string" ? new TextEncoder().encode(content) : content
    while (rest.length > 0) {
      const written = yield* Effect.result(end.write(rest))
      const taken = written._tag === "Success" ? written.success : 0
      bytes += taken
      rest = rest.subarray(taken)
      if (taken > 0) continue
      const failure = written._tag === "Failure" ? written.failure : systemError({
        _tag: "WriteZero",
        module: "FileSystem",
        method: "write",
        pathOrDescriptor: path,
        description: "no byte was written"
      })
      return yield* new NotWritten({ failure, rest })
    }
  }, Effect.uninterruptible)

  return {
    path,
    bytes: () => bytes,
    kept: Effect.map(Effect.orElseSucceed(length, () => undefined), (now = 0) => now),
    write,
    truncate: (to = bytes) =>
      Effect.uninterruptible(Effect.tap(file.truncate(to), () =>
        Effect.sync(() => {
          bytes = to
        }))),
    sync: Effect.uninterruptible(Effect.andThen(
      file.sync,
      Effect.flatMap(
        length,
        (now) => now === bytes ? Effect.void : Effect.fail(changed(path, "another program has changed it"))
      )
    ))
  }
})

/** Appends text or bytes. */
export const append = (part: PartFile, content: string | Uint8Array): Effect.Effect<void, PlatformError> =>
  Effect.mapError(part.write(content), ({ failure }) => failure)

/** Appends a stream, and syncs the file. */
export const appendAll = <E, R>(
  part: PartFile,
  stream: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<void, E | PlatformError, R> =>
  Effect.andThen(Stream.runForEach(stream, (chunk) => append(part, chunk)), part.sync)

/** Neither disk accepts the rest of a document. */
class NoRoom extends Data.TaggedError("NoRoom")<{ readonly description: string }> {}

/** Writes to `part`, and the bytes that it does not accept to a new file at `rescuePath`. */
export const withRescue = (fs: FileSystem.FileSystem, part: PartFile, rescuePath: string, scope: Scope.Scope) => {
  let failure: PlatformError | undefined
  let rescue: PartFile | undefined

  const noRoom = (cause: PlatformError) =>
    new NoRoom({
      description: [...(failure === undefined ? [] : [describe(failure)]), describe(cause)]
        .join("; nor could its rest be rescued: ")
    })

  const begin = Effect.fnUntraced(function*(notWritten: NotWritten) {
    failure = notWritten.failure
    yield* Effect.ignore(part.truncate())
    rescue = yield* Scope.provide(open(fs, rescuePath, { mode: 0o600 }), scope)
    yield* append(rescue, notWritten.rest)
  })

  const files = () => [part, rescue].filter((file) => file !== undefined)

  return {
    // Not interrupted half-way: a file would hold bytes that are not counted.
    write: (chunk: Uint8Array) =>
      Effect.uninterruptible(
        Effect.mapError(
          rescue === undefined ? Effect.catch(part.write(chunk), begin) : append(rescue, chunk),
          noRoom
        )
      ),
    /** The failure of the first file, if it failed. */
    failure: () => failure,
    /** Syncs the files and their names, before the journal notes that they have all bytes. */
    sync: Effect.suspend(() =>
      Effect.forEach(
        files(),
        (file) => Effect.andThen(file.sync, syncFolder(fs, dirname(file.path))),
        { discard: true }
      )
    ),
    /** The bytes that were written. */
    bytes: () => files().reduce((sum, file) => sum + file.bytes(), 0),
    /** The files that hold bytes now, in their order. */
    parts: Effect.suspend(() =>
      Effect.map(
        Effect.forEach(files(), ({ kept, path }) => Effect.map(kept, (bytes): Part => ({ path, bytes }))),
        (parts) => parts.filter(({ bytes }) => bytes > 0)
      )
    ),
    /** Removes empty files durably. */
    clear: Effect.suspend(() => removeDurably(fs, files().flatMap((file) => file.bytes() > 0 ? [] : [file.path])))
  }
}
