/** A file that gets the bytes of a document, and knows how many of them it has. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { type PlatformError, systemError } from "effect/PlatformError"
import type { Scope } from "effect/Scope"

/** Why bytes could not be written, and which. */
interface NotWritten {
  readonly cause: PlatformError
  readonly rest: Uint8Array
}

export interface PartFile {
  readonly path: string
  readonly bytes: () => number
  /** Writes what fits. A disk that fills up takes part of it, which is counted. */
  readonly write: (chunk: Uint8Array) => Effect.Effect<NotWritten | undefined>
  /** Makes the file so long as it is known to be, or shorter. */
  readonly truncate: (bytes?: number) => Effect.Effect<void, PlatformError>
  readonly sync: Effect.Effect<void, PlatformError>
}

/** Opens a new file, or one that has `bytes` already, to write on at its end. */
export const open = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  path: string,
  options: { readonly bytes?: number; readonly mode?: number } = {}
): Effect.fn.Return<PartFile, PlatformError, Scope> {
  let bytes = options.bytes ?? 0
  const mode = options.mode === undefined ? undefined : { mode: options.mode }
  const file = yield* fs.open(path, { flag: options.bytes === undefined ? "wx" : "r+", ...mode })
  if (options.bytes !== undefined) yield* file.seek(BigInt(options.bytes), "start")
  // Opening leaves out what the umask forbids; some file systems have no modes at all.
  if (options.mode !== undefined) yield* Effect.ignore(fs.chmod(path, options.mode))

  const write = Effect.fnUntraced(function*(chunk: Uint8Array) {
    let rest = chunk
    while (rest.length > 0) {
      const written = yield* Effect.result(file.write(rest))
      const taken = written._tag === "Success" ? written.success : 0
      bytes += taken
      rest = rest.subarray(taken)
      if (taken > 0) continue
      const cause = written._tag === "Failure" ? written.failure : systemError({
        _tag: "WriteZero",
        module: "FileSystem",
        method: "write",
        pathOrDescriptor: path,
        description: "no byte was written"
      })
      const failure: NotWritten = { cause, rest }
      return failure
    }
    return undefined
  }, Effect.uninterruptible)

  return {
    path,
    bytes: () => bytes,
    write,
    truncate: (to = bytes) =>
      Effect.uninterruptible(Effect.tap(file.truncate(to), () =>
        Effect.sync(() => {
          bytes = to
        }))),
    sync: Effect.uninterruptible(file.sync)
  }
})
