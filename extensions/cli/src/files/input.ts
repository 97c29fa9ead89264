/** Reads arguments, files, pipes and standard input. Signals end the process even during a wait for a pipe. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { type BigIntStats, close, constants, createReadStream, fstat, open } from "node:fs"
import { stat } from "node:fs/promises"
import { Socket } from "node:net"
import { isatty, ReadStream } from "node:tty"
import { quoted } from "../screen/advised.ts"
import { oneLine } from "../screen/screen.ts"
import { type FileUnusable, InvalidUsage, misuse, unreadable } from "../settings/errors.ts"
import { argument, texts } from "../settings/flags.ts"

/** Opens a pipe without waiting for a writer. A blocking `open` would hold a thread, and Node.js would not exit. Windows lacks `O_NONBLOCK`. */
const nonBlocking = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** A stream from the current position, because pipes and terminals cannot be read at other positions. */
const readableOf = (fd: number, info: BigIntStats) =>
  info.isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : isatty(fd)
    ? new ReadStream(fd)
    : createReadStream("", { fd })

/** Streams a file's bytes. Fails at the end of the stream if the file has changed. */
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
      // A deleted or replaced file is no error: the descriptor still reads the whole old content.
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

interface Bound {
  readonly mebibytes: number
  readonly reason: string
}

const ofTexts: Bound = { mebibytes: 16, reason: "--lines takes any number of lines" }

interface Room extends Bound {
  left: number
}

const roomOf = (bound: Bound): Room => ({ ...bound, left: bound.mebibytes * 1024 * 1024 })

export const params = {
  texts: argument("text", "A text, - for standard input; put -- before a text that begins with -").pipe(
    Argument.variadic()
  ),
  files: texts("file", "file", "A file with a text, - for standard input")
}

export type Sources = Command.Command.Config.Infer<typeof params>

/** The last line break is not part of the text. */
const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, "")

const notEmpty = (name: string, text: string): Effect.Effect<string, InvalidUsage> =>
  text.trim() === "" ? misuse(`${name} is empty`) : Effect.succeed(text)

/** Reads a file or standard input. Inputs of a run share the size limit. */
const read = Effect.fnUntraced(function*(file: string, room: Room) {
  const name = nameOf(file)
  const bytes = Stream.tap(file === "-" ? (yield* Stdio.Stdio).stdin : bytesOf(file), ({ length }) => {
    room.left -= length
    return room.left < 0
      ? misuse(`${name} exceeds ${room.mebibytes} MiB of input; ${room.reason}`)
      : Effect.void
  })
  return yield* notEmpty(name, withoutLastBreak(yield* Stream.mkString(textIn(name, bytes))))
})

/** Refuses a text that is the name of an existing file. */
const checkNoFile = Effect.fnUntraced(function*(text: string) {
  const fs = yield* FileSystem.FileSystem
  const info = /[\n\0]/.test(text) ? Option.none() : yield* Effect.option(fs.stat(text))
  if (Option.isNone(info) || info.value.type !== "File") return
  return yield* misuse(
    `${oneLine(text)} is a file: give --file ${quoted(text)}, or write the name itself to standard input`
  )
})

/** Reads texts from arguments, then from files; without either, from standard input. */
export const textsOf = Effect.fnUntraced(function*({ files, texts }: Sources) {
  const room = roomOf(ofTexts)
  if (texts.length > 0 || files.length > 0) {
    const argumentTexts = yield* Effect.forEach(
      texts,
      Effect.fnUntraced(function*(text, index) {
        if (text === "-") return yield* read(text, room)
        yield* checkNoFile(text)
        return yield* notEmpty(`text ${index + 1}`, text)
      })
    )
    return [...argumentTexts, ...yield* Effect.forEach(files, (file) => read(file, room))]
  }
  if (yield* (yield* Stdio.Stdio).stdinIsTerminal) {
    return yield* misuse("no text: give it as an argument, with --file, or on standard input (see --help)")
  }
  return [yield* read("-", room)]
})

export const fileText = (file: string, bound = ofTexts) => read(file, roomOf(bound))

/** A file's name in messages. */
export const nameOf = (file: string): string => file === "-" ? "standard input" : file

/** Decodes a file's JSON. An unknown key is an error. */
export const fromJson = <A>(
  schema: Schema.Codec<A, Schema.Json>,
  { example, file, text, things }: {
    readonly file: string
    readonly text: string
    readonly things: string
    readonly example: string
  }
): Effect.Effect<A, InvalidUsage> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })(text),
    ({ message }) =>
      new InvalidUsage({
        message: `${nameOf(file)} does not contain ${things} as JSON, ${example}: ${oneLine(message)}`
      })
  )
