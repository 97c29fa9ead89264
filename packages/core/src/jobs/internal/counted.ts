/** Counts the bytes of a download and compares them with the promised length. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../resilience/internal/openStreams.ts"

/** The expected length of the bytes, and the reactions to them. */
export interface Options<E> {
  /** The promised length, where there is one. */
  readonly promised: number | undefined
  /** Is told of each chunk, and of how many bytes came with it. */
  readonly onBytes: (bytes: number, chunk: Uint8Array) => void
  /** The failure of bytes that stop early. */
  readonly stopped: (description: string, bytes: number) => E
}

/** The length that headers promise: that of an encoded body is not that of the bytes which a platform decodes. */
export const promisedBy = (length: string | undefined, isEncoded: boolean): number | undefined => {
  const promised = !isEncoded && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
  // No file is longer, and no error or entry of the journal can hold it.
  return Number.isSafeInteger(promised) ? promised : undefined
}

/** True if an answer says where its body ends, so that the platform can tell an end from a cut. */
export const isFramed = (headers: Headers.Headers): boolean =>
  /^\d+$/.test(headers["content-length"] ?? "") || /\bchunked\s*$/i.test(headers["transfer-encoding"] ?? "")

/** Counts from its first run on, so it is to be run once. */
export const make = <E, E2>(
  body: Stream.Stream<Uint8Array, E>,
  { onBytes, promised, stopped }: Options<E2>
): Stream.Stream<Uint8Array, E2> => {
  let bytes = 0
  return body.pipe(
    Stream.mapError((error) => stopped(reasonOf(error), bytes)),
    Stream.tap((chunk) =>
      Effect.sync(() => {
        bytes += chunk.length
        onBytes(bytes, chunk)
      })
    ),
    Stream.concat(Stream.suspend(() =>
      promised === undefined || promised === bytes
        ? Stream.empty
        : Stream.fail(stopped("Another number of bytes came than was promised", bytes))
    ))
  )
}
