/** Counts the bytes of a download and compares them with the promised length. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../resilience/internal/openStreams.ts"

/** The expected length, and the callbacks. */
export interface Options<E> {
  /** The promised length, if any. */
  readonly promised: number | undefined
  /** Called with each chunk, and the number of bytes received including it. */
  readonly onBytes: (bytes: number, chunk: Uint8Array) => void
  /** The failure of a download that ends early. */
  readonly stopped: (description: string, bytes: number) => E
}

/** The length promised by headers; none for an encoded body, whose length is not that of the decoded bytes. */
export const promisedBy = (length: string | undefined, isEncoded: boolean): number | undefined => {
  const promised = !isEncoded && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
  // A larger number cannot be a length, nor be stored in an error or a journal entry.
  return Number.isSafeInteger(promised) ? promised : undefined
}

/** True if a response declares the end of its body, so that the platform can distinguish a complete body from a truncated one. */
export const isFramed = (headers: Headers.Headers): boolean =>
  /^\d+$/.test(headers["content-length"] ?? "") || /\bchunked\s*$/i.test(headers["transfer-encoding"] ?? "")

/** Counts from the start of the first run, so run it once. */
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
    Stream.onEnd(Effect.suspend(() =>
      promised === undefined || promised === bytes
        ? Effect.void
        : Effect.fail(stopped("The number of bytes differs from the promised one", bytes))
    ))
  )
}
