import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { Sending } from "../../call/internal/callRecord.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sha256 from "../../contract/internal/sha256.ts"
import { type InvalidInput, type LimitExceeded, SourceFailed, TransferFailed } from "../../errors/CallError.ts"
import { checkLimit, checkText, invalid, typeOf } from "../../errors/internal/checks.ts"

/** Fails for an empty name, and for a name with a folder or control characters. */
export const checkFileName = (fileName: string): Effect.Effect<void, InvalidInput> =>
  typeof fileName === "string" && fileName.trim() !== "" && !/[/\\\p{Cc}\p{Cs}]/u.test(fileName)
    ? Effect.void
    : invalid(
      "fileName",
      typeof fileName !== "string" || fileName.trim() === "" ? "no name" : "a name with a folder or control characters",
      "the name of a file, without a folder"
    )

export const checkSize = (size: number): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(size) && size > 0
    ? Effect.void
    : invalid("content", `${size} bytes`, "a file that is not empty")

/** Streamed content. Each attempt reads the content again, except for a `ReadableStream` and a {@link single} stream. */
export type Streamed = Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>

export type Content = Uint8Array | Streamed

/** Streams that can run only once. The value is true once the stream has started. */
export const single = new WeakMap<object, boolean>()

/** The size of content in memory, or a stream's declared size. Fails for other content. */
export const sizeOf = (
  content: Content,
  declared: number | undefined
): Effect.Effect<number | undefined, InvalidInput> => {
  if (content instanceof Uint8Array) return Effect.succeed(content.byteLength)
  if (content instanceof Blob) return Effect.succeed(content.size)
  return Stream.isStream(content) || content instanceof ReadableStream
    ? Effect.succeed(declared)
    : invalid("content", typeOf(content), "a Uint8Array, a Blob or a stream of bytes")
}

export interface File {
  readonly content: Content
  readonly size: number
}

/** Makes a file to upload. Fails for a stream without a size. */
export const make = Effect.fnUntraced(function*(content: Content, declared: number | undefined) {
  const size = yield* sizeOf(content, declared)
  if (size === undefined) {
    return yield* invalid("size", "absent", "the length of the stream, which the service requires")
  }
  const file: File = { content, size }
  return file
})

export const checkBytes = (size: number, allowed: number): Effect.Effect<void, InvalidInput | LimitExceeded> =>
  Effect.andThen(checkSize(size), checkLimit("content", "bytes", size, allowed))

export const checkContentType = (contentType: string): Effect.Effect<void, InvalidInput> =>
  Effect.andThen(
    checkText("contentType", contentType),
    Effect.suspend(() =>
      /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(contentType)
        ? Effect.void
        : invalid("contentType", "a value that a header cannot have", "a media type such as application/xml")
    )
  )

const word = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => number.toString(16))

export const randomWord: Effect.Effect<string> = Effect.zipWith(word, word, (one, other) => `${one}${other}`)

/** The cause of a `SourceFailed` for a stream that was read before, has another length than declared, or has values other than bytes. */
class WrongContent extends Data.TaggedError("WrongContent")<{ readonly message: string }> {}

const wrong = (message: string) => Effect.fail(new WrongContent({ message }))

export const streamOf = (content: Streamed): Stream.Stream<Uint8Array, unknown> => {
  if (content instanceof ReadableStream ? content.locked : single.get(content) === true) {
    return Stream.fromEffect(wrong("The stream was already read, or is being read"))
  }
  if (single.has(content)) single.set(content, true)
  if (Stream.isStream(content)) return content
  return Stream.fromReadableStream({
    evaluate: () => content instanceof Blob ? content.stream() : content,
    onError: (cause) => cause
  })
}

/** A stream of the content that updates `sending`. `onBytes` receives the number of bytes sent so far. */
export const watched = (
  content: Streamed,
  size: number | undefined,
  sending: Sending,
  onBytes: (bytes: number) => void
) =>
  Stream.suspend(() => {
    let bytes = 0
    const hash = sending.isHashed ? Sha256.make() : undefined
    Object.assign(sending, {
      sentAt: undefined,
      isSending: true,
      isSpent: content instanceof ReadableStream || single.has(content),
      sourceFailure: undefined,
      contentHash: undefined
    })
    const end = () => {
      sending.isSending = false
      sending.contentHash ??= hash?.hex()
    }
    return streamOf(content).pipe(
      Stream.tap((chunk) =>
        Effect.flatMap(Monotonic.now, (now) => {
          if (!ArrayBuffer.isView(chunk)) {
            return wrong(`The stream has values of type ${typeOf(chunk)} instead of bytes`)
          }
          if (size !== undefined && bytes + chunk.length > size) {
            return wrong(`The stream has more than its declared ${size} bytes`)
          }
          bytes += chunk.length
          hash?.update(chunk)
          sending.sentAt = now
          onBytes(bytes)
          // Not only at the stream's end, because the response can arrive before.
          if (bytes === size) end()
          return Effect.void
        })
      ),
      Stream.onEnd(Effect.suspend(() =>
        bytes === size || (size === undefined && bytes > 0)
          ? Effect.sync(end)
          : wrong(
            `The stream has ${bytes} bytes, ${
              size === undefined ? "but a file must not be empty" : `but its declared size is ${size}`
            }`
          )
      )),
      // Kept for the attempt's error, because the platform reports another error.
      Stream.tapError((cause) =>
        Effect.sync(() => {
          sending.sourceFailure = new SourceFailed({ cause })
        })
      )
    )
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

/** Recovers from a refused upload if the service has the file: an earlier attempt of unknown outcome may have stored it. */
export const unlessThere =
  <E2, R2>(isThere: Effect.Effect<boolean, E2, R2>) =>
  <E extends { readonly _tag: string }, R>(upload: Effect.Effect<void, E | TransferFailed, R>) =>
    Effect.catchIf(
      upload,
      (error) =>
        error instanceof TransferFailed && error.status !== undefined && !error.isTransient &&
        error.outcome === "unknown",
      (error) =>
        Effect.flatMap(
          Effect.orElseSucceed(isThere, () => false),
          (there) => there ? Effect.void : Effect.fail(error)
        )
    )
