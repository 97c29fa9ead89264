/** Reads files of any kind, including pipes and terminals, so that signals can end the process at any time. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { close, constants, createReadStream, fstat, open, type Stats } from "node:fs"
import { Socket } from "node:net"
import { isatty, ReadStream } from "node:tty"

/**
 * Opens a pipe that has no writer yet at once; the event loop then waits for the writer. A blocking `open` would hold a thread
 * of the pool until the writer comes, and Node.js does not exit before that thread is back. Windows has no such flag.
 */
const nonBlocking = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Reads in order, never at a position: pipes and terminals have none. */
const readableOf = (fd: number, info: Stats) =>
  info.isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : isatty(fd)
    ? new ReadStream(fd)
    : createReadStream("", { fd })

/** The bytes of a file. */
export const bytesOf = (file: string): Stream.Stream<Uint8Array, PlatformError> => {
  const failure = (cause: unknown) =>
    systemError({ _tag: "Unknown", module: "FileSystem", method: "stream", pathOrDescriptor: file, cause })
  const opened = Effect.callback<ReturnType<typeof readableOf>, PlatformError>((resume) => {
    open(file, nonBlocking, (error, fd) => {
      if (error !== null) return resume(Effect.fail(failure(error)))
      fstat(fd, (error, info) => {
        if (error === null) return resume(Effect.succeed(readableOf(fd, info)))
        close(fd, () => resume(Effect.fail(failure(error))))
      })
    })
  })
  return Stream.unwrap(
    Effect.map(
      Effect.uninterruptible(opened),
      (readable) => NodeStream.fromReadable({ evaluate: () => readable, onError: failure })
    )
  )
}
