/** Counts the bytes of a download and compares them with the promised length. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../call/internal/openStreams.ts"

/** The expected length, and the callbacks. */
export interface Options<E> {
  /** The promised length, if any. */
  readonly promised: number | undefined
  /** The declared encoding, for bytes that are worthless with it: the download fails if they still are gzip. */
  readonly encoding?: string | undefined
  /** Called with each chunk, and the number of bytes received including it. */
  readonly onBytes: (bytes: number, chunk: Uint8Array) => void
  /** The failure of a download that ends early. */
  readonly stopped: (description: string, bytes: number) => E
}

/** The encoding of a body that headers declare. The client asks for none, and not every platform decodes one. */
export const encodingOf = ({ "content-encoding": encoding = "" }: Headers.Headers): string | undefined =>
  /^\s*(identity\s*)?$/i.test(encoding) ? undefined : encoding

/** The length promised by headers; none for an encoded body, whose length is not that of the decoded bytes. */
export const promisedBy = (length: string | undefined, encoding: string | undefined): number | undefined => {
  const promised = encoding === undefined && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
  // A larger number cannot be a length, nor be stored in an error or a journal entry.
  return Number.isSafeInteger(promised) ? promised : undefined
}

/** True if a response declares the end of its body, so that the platform can distinguish a complete body from a truncated one. */
export const isFramed = (headers: Headers.Headers): boolean =>
  /^\d+$/.test(headers["content-length"] ?? "") || /^\s*chunked\s*$/i.test(headers["transfer-encoding"] ?? "")

/** Counts from the start of the first run, so run it once. */
export const make = <E, E2>(
  body: Stream.Stream<Uint8Array, E>,
  { encoding, onBytes, promised, stopped }: Options<E2>
): Stream.Stream<Uint8Array, E2> => {
  let bytes = 0
  return body.pipe(
    Stream.mapError((error) => stopped(reasonOf(error), bytes)),
    Stream.tap((chunk) => {
      if (bytes === 0 && encoding !== undefined && chunk[0] === 0x1f && chunk[1] === 0x8b) {
        return Effect.fail(stopped("The bytes are compressed with gzip, which the client does not ask for", 0))
      }
      bytes += chunk.length
      onBytes(bytes, chunk)
      return Effect.void
    }),
    Stream.onEnd(Effect.suspend(() =>
      promised === undefined || promised === bytes
        ? Effect.void
        : Effect.fail(stopped("The number of bytes differs from the promised one", bytes))
    ))
  )
}
