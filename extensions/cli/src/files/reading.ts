/** Reads files of any kind, including pipes and terminals, so that signals can end the process at any time. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { type BigIntStats, close, constants, createReadStream, fstat, open } from "node:fs"
import { stat } from "node:fs/promises"
import { Socket } from "node:net"
import { isatty, ReadStream } from "node:tty"
import { type FileUnusable, InvalidUsage, unreadable } from "../settings/errors.ts"

/**
 * Opens a pipe that has no writer yet at once; the event loop then waits for the writer. A blocking `open` would hold a thread
 * of the pool until the writer comes, and Node.js does not exit before that thread is back. Windows has no such flag.
 */
const nonBlocking = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Reads in order, never at a position: pipes and terminals have none. */
const readableOf = (fd: number, info: BigIntStats) =>
  info.isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : isatty(fd)
    ? new ReadStream(fd)
    : createReadStream("", { fd })

/** The bytes of a file. Fails at its end if it changed while it was read, since the bytes would be of no version of it. */
export const bytesOf = (file: string): Stream.Stream<Uint8Array, PlatformError> => {
  const failure = (cause: unknown) =>
    systemError({ _tag: "Unknown", module: "FileSystem", method: "stream", pathOrDescriptor: file, cause })
  const opened = Effect.callback<readonly [readable: ReturnType<typeof readableOf>, info: BigIntStats], PlatformError>(
    (resume) => {
      open(file, nonBlocking, (error, fd) => {
        if (error !== null) return resume(Effect.fail(failure(error)))
        fstat(fd, { bigint: true }, (error, info) => {
          if (error === null) return resume(Effect.succeed([readableOf(fd, info), info]))
          close(fd, () => resume(Effect.fail(failure(error))))
        })
      })
    }
  )
  const checkUnchanged = (before: BigIntStats) =>
    Effect.flatMap(Effect.promise(() => stat(file, { bigint: true }).catch(() => undefined)), (after) =>
      // A file that was deleted or replaced by another kept its content.
      !before.isFile() || after?.ino !== before.ino || (after.mtimeNs === before.mtimeNs && after.size === before.size)
        ? Effect.void
        : Effect.fail(
          systemError({ _tag: "InvalidData", module: "FileSystem", method: "stream", pathOrDescriptor: file })
        ))
  return Stream.unwrap(
    Effect.map(Effect.uninterruptible(opened), ([readable, info]) =>
      Stream.concat(
        NodeStream.fromReadable({ evaluate: () => readable, onError: failure }),
        Stream.drain(Stream.fromEffect(checkUnchanged(info)))
      ))
  )
}

/** The text of a file or of standard input, in pieces. */
export const textIn = (
  name: string,
  bytes: Stream.Stream<Uint8Array, FileUnusable | InvalidUsage | PlatformError>
): Stream.Stream<string, FileUnusable | InvalidUsage> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const decode = (chunk?: Uint8Array) =>
    Effect.try({
      try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
      catch: () => new InvalidUsage({ message: `${name} is not text in UTF-8` })
    })
  return bytes.pipe(
    Stream.mapError((error) => error._tag === "PlatformError" ? unreadable(name)(error) : error),
    Stream.mapEffect(decode),
    Stream.concat(Stream.fromEffect(Effect.suspend(decode)))
  )
}
