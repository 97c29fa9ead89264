/** Bytes written to a file, and to another one once its disk fails. */
import type { Part } from "@effect-lingua/core/documents/Journal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import { dirname } from "node:path"
import { describe, removeDurably, syncFolder } from "./files.ts"
import * as PartFile from "./partFile.ts"

/** Neither disk accepts the rest of a document. */
class NoRoom extends Data.TaggedError("NoRoom")<{ readonly description: string }> {}

/** Writes to `part`, and the bytes that it does not accept to a new file at `rescuePath`. */
export const make = (fs: FileSystem.FileSystem, part: PartFile.PartFile, rescuePath: string, scope: Scope.Scope) => {
  let failure: PlatformError | undefined
  let rescue: PartFile.PartFile | undefined

  const begin = Effect.fnUntraced(function*(chunk: Uint8Array) {
    rescue = yield* Scope.provide(PartFile.open(fs, rescuePath, { mode: 0o600 }), scope)
    return yield* rescue.write(chunk)
  })

  const noRoom = (cause: PlatformError) =>
    new NoRoom({
      description: [...(failure === undefined ? [] : [describe(failure)]), describe(cause)]
        .join("; nor could its rest be rescued: ")
    })

  const files = () => [part, rescue].filter((file) => file !== undefined)

  return {
    // Not interrupted half-way: a file would hold bytes that are not counted.
    write: Effect.fnUntraced(function*(chunk: Uint8Array) {
      if (rescue !== undefined) {
        const notWritten = yield* rescue.write(chunk)
        if (notWritten !== undefined) return yield* noRoom(notWritten.cause)
        return
      }
      const notWritten = yield* part.write(chunk)
      if (notWritten === undefined) return
      failure = notWritten.cause
      yield* Effect.ignore(part.truncate())
      const again = yield* Effect.mapError(begin(notWritten.rest), noRoom)
      if (again !== undefined) return yield* noRoom(again.cause)
    }, Effect.uninterruptible),
    /** The failure of the first disk, if it failed. */
    failure: () => failure,
    /** Syncs the files and their names, before the journal says that they have all bytes. */
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
    /** Removes empty files for good. */
    clear: Effect.suspend(() => removeDurably(fs, files().flatMap((file) => file.bytes() > 0 ? [] : [file.path])))
  }
}
