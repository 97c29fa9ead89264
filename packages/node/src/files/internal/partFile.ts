/** A file for bytes that come one after the other, of a document or of any output, which counts them. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { type PlatformError, systemError } from "effect/PlatformError"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import { lstatOf, setMode } from "./files.ts"

/** The bytes that could not be written, and the cause. */
interface NotWritten {
  readonly cause: PlatformError
  readonly rest: Uint8Array
}

export interface PartFile {
  readonly path: string
  readonly bytes: () => number
  /** The bytes that its path leads to: none once another program has removed or replaced it. */
  readonly kept: Effect.Effect<number>
  /** Writes as many bytes as fit. A disk that fills up accepts a part, which is counted. */
  readonly write: (chunk: Uint8Array) => Effect.Effect<NotWritten | undefined>
  /** Shortens the file, by default to the counted bytes. */
  readonly truncate: (bytes?: number) => Effect.Effect<void, PlatformError>
  /** Syncs the file. Fails if another program has changed its length, or has removed or replaced it. */
  readonly sync: Effect.Effect<void, PlatformError>
}

/** The length of an open file; `undefined` if its path leads elsewhere, such as a link of another user with access to its folder. */
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
  options: { readonly bytes?: number; readonly mode?: number } = {}
): Effect.fn.Return<PartFile, PlatformError, Scope> {
  let bytes = options.bytes ?? 0
  const mode = options.mode === undefined ? undefined : { mode: options.mode }
  const file = yield* fs.open(path, { flag: options.bytes === undefined ? "ax" : "r+", ...mode })
  // Appended bytes leave no gap in a file that another program has truncated.
  const end = options.bytes === undefined ? file : yield* fs.open(path, { flag: "a" })
  const length = lengthOf(path, file)
  if ((yield* length) === undefined || (yield* lengthOf(path, end)) === undefined) {
    return yield* changed(path, "it is a link")
  }
  // Opening applies the umask.
  if (options.mode !== undefined) yield* setMode(path, options.mode)

  const write = Effect.fnUntraced(function*(chunk: Uint8Array) {
    let rest = chunk
    while (rest.length > 0) {
      const written = yield* Effect.result(end.write(rest))
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

/** Writes bytes or text to the end of a file. */
export const append = (part: PartFile, content: string | Uint8Array): Effect.Effect<void, PlatformError> =>
  Effect.flatMap(
    part.write(typeof content === "string" ? new TextEncoder().encode(content) : content),
    (failure) => failure === undefined ? Effect.void : Effect.fail(failure.cause)
  )

/** Writes a stream to the end of a file, and syncs it. */
export const appendAll = <E, R>(
  part: PartFile,
  stream: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<void, E | PlatformError, R> =>
  Effect.andThen(Stream.runForEach(stream, (chunk) => append(part, chunk)), part.sync)
