/** Counts the bytes of a download and compares them with the promised length. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../call/internal/openStreams.ts"

export interface Options<E> {
  /** The promised number of bytes. */
  readonly promised: number | undefined
  /** The declared encoding, if encoded bytes are useless: the download fails if they begin as gzip. */
  readonly encoding?: string | undefined
  /** Receives each chunk, and the number of bytes up to its end. */
  readonly onBytes: (bytes: number, chunk: Uint8Array) => void
  readonly stopped: (description: string, bytes: number) => E
}

/** The declared encoding of a body. The client requests none, and not every platform decodes one. */
export const encodingOf = ({ "content-encoding": encoding = "" }: Headers.Headers): string | undefined =>
  /^\s*(identity\s*)?$/i.test(encoding) ? undefined : encoding

/** The promised length. The length of an encoded body is not the number of decoded bytes. */
export const promisedBy = (length: string | undefined, encoding: string | undefined): number | undefined => {
  const promised = encoding === undefined && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
  // An error or a journal entry cannot store a larger number.
  return Number.isSafeInteger(promised) ? promised : undefined
}

/** True if the platform can distinguish a complete body from a truncated one. */
export const isFramed = (headers: Headers.Headers): boolean =>
  /^\d+$/.test(headers["content-length"] ?? "") || /^\s*chunked\s*$/i.test(headers["transfer-encoding"] ?? "")

/** A stream for one run. */
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
