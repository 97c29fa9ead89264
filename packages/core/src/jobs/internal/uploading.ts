/** What every upload of a file checks, and the stream of its bytes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { InvalidInput, SourceFailed } from "../../client/CallError.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"

/** The extension of the name is all the service has to tell the type of a file. */
export const checkFileName = (fileName: string): Effect.Effect<void, InvalidInput> =>
  typeof fileName === "string" && fileName.trim() !== "" && !/[/\\\p{Cc}\p{Cs}]/u.test(fileName)
    ? Effect.void
    : Effect.fail(
      new InvalidInput({
        parameter: "fileName",
        given: typeof fileName !== "string" || fileName.trim() === ""
          ? "no name"
          : "a name with a folder or control characters",
        allowed: "the name of a file, without a folder"
      })
    )

/** Fails for a file that is empty. */
export const checkSize = (size: number): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(size) && size > 0
    ? Effect.void
    : Effect.fail(
      new InvalidInput({ parameter: "content", given: `${size} bytes`, allowed: "a file that is not empty" })
    )

const word = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => number.toString(16))

/** A random word that no text has in it. */
export const randomWord: Effect.Effect<string> = Effect.zipWith(word, word, (one, other) => `${one}${other}`)

/** The cause of a `SourceFailed`: the stream does not give what was said of it. */
class SizeDiffers extends Data.TaggedError("SizeDiffers")<{ readonly message: string }> {}

/** What happens while a stream is read. */
export interface Watcher {
  /** It begins, for the first time or anew. */
  readonly onStart: () => void
  /** So many of its bytes have gone out by this time of the monotonic clock. */
  readonly onBytes: (bytes: number, now: number) => void
  /** Called when the last bytes were sent. */
  readonly onEnd: () => void
  /** It failed. */
  readonly onFailure: (failure: SourceFailed) => void
}

/** A stream that says how far it is and when it last went on, and keeps its failure. */
export const watched = (
  content: Stream.Stream<Uint8Array, unknown>,
  size: number | undefined,
  { onBytes, onEnd, onFailure, onStart }: Watcher
) =>
  Stream.suspend(() => {
    let bytes = 0
    onStart()
    // The service never has a whole request of these, but the platform's words for it would leave that open.
    const counted = content.pipe(
      Stream.tap((chunk) =>
        Effect.flatMap(Monotonic.now, (now) => {
          if (size !== undefined && bytes + chunk.length > size) {
            return Effect.fail(new SizeDiffers({ message: `The stream gives more than its size of ${size} bytes` }))
          }
          bytes += chunk.length
          onBytes(bytes, now)
          // A server that has them all may answer before the stream ends.
          if (bytes === size) onEnd()
          return Effect.void
        })
      ),
      Stream.concat(Stream.suspend(() => {
        if (bytes === size) return Stream.empty
        if (size === undefined && bytes > 0) {
          onEnd()
          return Stream.empty
        }
        return Stream.fail(
          new SizeDiffers({
            message: `The stream gave ${bytes} bytes, ${
              size === undefined ? "and a file is not empty" : `and its size is ${size}`
            }`
          })
        )
      }))
    )
    return Stream.tapError(counted, (cause) => Effect.sync(() => onFailure(new SourceFailed({ cause }))))
  })
