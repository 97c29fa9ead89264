/** The checks of a file to upload, and the stream of its bytes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { Sending } from "../../call/internal/callRecord.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sha256 from "../../contract/internal/sha256.ts"
import { type InvalidInput, SourceFailed } from "../../errors/CallError.ts"
import { invalid, typeOf } from "../../errors/internal/checks.ts"

/** Checks the name of a file. Its extension is the service's only source of the file type. */
export const checkFileName = (fileName: string): Effect.Effect<void, InvalidInput> =>
  typeof fileName === "string" && fileName.trim() !== "" && !/[/\\\p{Cc}\p{Cs}]/u.test(fileName)
    ? Effect.void
    : invalid(
      "fileName",
      typeof fileName !== "string" || fileName.trim() === "" ? "no name" : "a name with a folder or control characters",
      "the name of a file, without a folder"
    )

/** Fails for a file that is empty. */
export const checkSize = (size: number): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(size) && size > 0
    ? Effect.void
    : invalid("content", `${size} bytes`, "a file that is not empty")

/** Content that is read while it is sent: a `ReadableStream` once, the others for each attempt. */
export type Streamed = Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>

/** The content of a file. */
export type Content = Uint8Array | Streamed

/** The size of a file: that of content in memory, or the given one of a stream. Fails for any other content. */
export const sizeOf = (
  content: Content,
  given: number | undefined
): Effect.Effect<number | undefined, InvalidInput> => {
  if (content instanceof Uint8Array) return Effect.succeed(content.byteLength)
  if (content instanceof Blob) return Effect.succeed(content.size)
  return Stream.isStream(content) || content instanceof ReadableStream
    ? Effect.succeed(given)
    : invalid("content", typeOf(content), "a Uint8Array, a Blob or a stream of bytes")
}

const word = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => number.toString(16))

/** A random word that occurs in no text. */
export const randomWord: Effect.Effect<string> = Effect.zipWith(word, word, (one, other) => `${one}${other}`)

/** The cause of a `SourceFailed`: the stream has another length than declared, or something else than bytes. */
class WrongContent extends Data.TaggedError("WrongContent")<{ readonly message: string }> {}

/** The bytes of content. */
export const streamOf = (content: Streamed): Stream.Stream<Uint8Array, unknown> => {
  if (Stream.isStream(content)) return content
  if (content instanceof ReadableStream && content.locked) {
    return Stream.fail(new WrongContent({ message: "The ReadableStream was already read, or is being read" }))
  }
  return Stream.fromReadableStream({
    evaluate: () => content instanceof Blob ? content.stream() : content,
    onError: (cause) => cause
  })
}

/** A stream that reports the number of its bytes sent so far, and keeps `sending` current. */
export const watched = (
  content: Streamed,
  size: number | undefined,
  sending: Sending,
  onBytes: (bytes: number) => void
) =>
  Stream.suspend(() => {
    let bytes = 0
    const isSpent = content instanceof ReadableStream
    const hash = sending.isHashed ? Sha256.make() : undefined
    Object.assign(sending, {
      sentAt: undefined,
      isSending: true,
      isSpent,
      sourceFailure: undefined,
      contentHash: undefined
    })
    const end = () => {
      sending.isSending = false
      sending.contentHash ??= hash?.hex()
    }
    // The request stays incomplete, so the service cannot accept it; the platform's own error would leave that open.
    const counted = streamOf(content).pipe(
      Stream.tap((chunk) =>
        Effect.flatMap(Monotonic.now, (now) => {
          // Untyped callers may pass any values.
          if (!ArrayBuffer.isView(chunk)) {
            return Effect.fail(
              new WrongContent({ message: `The stream has values of type ${typeOf(chunk)} where bytes belong` })
            )
          }
          if (size !== undefined && bytes + chunk.length > size) {
            return Effect.fail(new WrongContent({ message: `The stream has more than its declared ${size} bytes` }))
          }
          bytes += chunk.length
          hash?.update(chunk)
          sending.sentAt = now
          onBytes(bytes)
          // A server that has them all may respond before the stream ends.
          if (bytes === size) end()
          return Effect.void
        })
      ),
      Stream.onEnd(Effect.suspend(() => {
        if (bytes === size || (size === undefined && bytes > 0)) return Effect.sync(end)
        return Effect.fail(
          new WrongContent({
            message: `The stream gave ${bytes} bytes, ${
              size === undefined ? "and a file is not empty" : `and its size is ${size}`
            }`
          })
        )
      }))
    )
    return Stream.tapError(counted, (cause) =>
      Effect.sync(() => {
        sending.sourceFailure = new SourceFailed({ cause })
      }))
  })

/** The SHA-256 digest of a file that is not sent. */
export const digestOf = (content: Content, size: number | undefined): Effect.Effect<string | undefined, SourceFailed> =>
  Effect.suspend(() => {
    const sending = new Sending(true)
    const bytes = content instanceof Uint8Array ? Stream.succeed(content) : content
    const known = content instanceof Uint8Array || content instanceof Blob ? undefined : size
    const read = Stream.mapError(watched(bytes, known, sending, () => {}), (cause) => new SourceFailed({ cause }))
    return Effect.map(Stream.runDrain(read), () => sending.contentHash)
  })
