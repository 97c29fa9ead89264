/** Part files, which count the appended bytes, and rescue files, which take the remaining bytes after a failed write. */
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

class NotWritten extends Data.TaggedError("NotWritten")<{
  readonly failure: PlatformError
  readonly rest: Uint8Array
}> {}

export interface PartFile {
  readonly path: string
  readonly bytes: () => number
  /** The file's size; 0 once another program has removed or replaced the file. */
  readonly kept: Effect.Effect<number>
  /** Appends as many bytes as the disk accepts; a `NotWritten` has the rest. */
  readonly write: (content: string | Uint8Array) => Effect.Effect<void, NotWritten>
  /** Default length: the counted bytes. */
  readonly truncate: (bytes?: number) => Effect.Effect<void, PlatformError>
  /** Fails if another program has changed or removed the file. */
  readonly sync: Effect.Effect<void, PlatformError>
}

/** An open file's length; `undefined` if `path` now names another file or a link. */
const lengthOf = Effect.fnUntraced(function*(path: string, file: FileSystem.File) {
  const named = yield* lstatOf(path)
  const { dev, ino, size } = yield* file.stat
  const isSame = named?.isFile() === true && BigInt.asUintN(64, named.dev) === dev &&
    Option.contains(ino, BigInt.asUintN(64, named.ino))
  return isSame ? Number(size) : undefined
})

const changed = (path: string, description: string) =>
  systemError({ _tag: "InvalidData", module: "FileSystem", method: "open", pathOrDescriptor: path, description })

/** Opens a new file, or, with `bytes`, appends to an existing file. */
export const open = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  path: string,
  { bytes: existing, mode }: { readonly bytes?: number | undefined; readonly mode?: number | undefined } = {}
): Effect.fn.Return<PartFile, PlatformError, Scope.Scope> {
  let bytes = existing ?? 0
  const flag = existing === undefined ? "ax" : "r+"
  const file = yield* fs.open(path, mode === undefined ? { flag } : { flag, mode })
  // Append mode leaves no gap if another program truncates the file.
  const end = existing === undefined ? file : yield* fs.open(path, { flag: "a" })
  const length = lengthOf(path, file)
  if ((yield* length) === undefined || (yield* lengthOf(path, end)) === undefined) {
    return yield* changed(path, "it is a link")
  }
  // Sets the mode again, because opening applied the umask.
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

export const append = (part: PartFile, content: string | Uint8Array): Effect.Effect<void, PlatformError> =>
  Effect.mapError(part.write(content), ({ failure }) => failure)

export const appendAll = <E, R>(
  part: PartFile,
  stream: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<void, E | PlatformError, R> =>
  Effect.andThen(Stream.runForEach(stream, (chunk) => append(part, chunk)), part.sync)

class NoRoom extends Data.TaggedError("NoRoom")<{ readonly description: string }> {}

/** Writes to `part`. After a failure, writes to a new file at `rescuePath`. */
export const withRescue = (fs: FileSystem.FileSystem, part: PartFile, rescuePath: string, scope: Scope.Scope) => {
  let failure: PlatformError | undefined
  let rescue: PartFile | undefined

  const noRoom = (cause: PlatformError) =>
    new NoRoom({
      description: [...(failure === undefined ? [] : [describe(failure)]), describe(cause)]
        .join("; the remaining bytes could not be rescued: ")
    })

  const begin = Effect.fnUntraced(function*(notWritten: NotWritten) {
    failure = notWritten.failure
    yield* Effect.ignore(part.truncate())
    rescue = yield* Scope.provide(open(fs, rescuePath, { mode: 0o600 }), scope)
    yield* append(rescue, notWritten.rest)
  })

  const files = () => [part, rescue].filter((file) => file !== undefined)

  return {
    // An interrupt would leave uncounted bytes in the file.
    write: (chunk: Uint8Array) =>
      Effect.uninterruptible(
        Effect.mapError(
          rescue === undefined ? Effect.catch(part.write(chunk), begin) : append(rescue, chunk),
          noRoom
        )
      ),
    failure: () => failure,
    /** Syncs files and folders, before the journal marks the bytes as received. */
    sync: Effect.suspend(() =>
      Effect.forEach(
        files(),
        (file) => Effect.andThen(file.sync, syncFolder(fs, dirname(file.path))),
        { discard: true }
      )
    ),
    bytes: () => files().reduce((sum, file) => sum + file.bytes(), 0),
    parts: Effect.suspend(() =>
      Effect.map(
        Effect.forEach(files(), ({ kept, path }) => Effect.map(kept, (bytes): Part => ({ path, bytes }))),
        (parts) => parts.filter(({ bytes }) => bytes > 0)
      )
    ),
    clear: Effect.suspend(() => removeDurably(fs, files().flatMap((file) => file.bytes() > 0 ? [] : [file.path])))
  }
}
