/** Counts a download's bytes, and compares the number with the `Content-Length`. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../call/internal/openStreams.ts"
import { defined } from "../../contract/internal/values.ts"
import { Progress, Reporter, type WorkId } from "../Progress.ts"

export interface Options<E, E2> {
  readonly id: WorkId
  readonly headers: Headers.Headers
  readonly body: Stream.Stream<Uint8Array, E>
  /** True to fail if the response declares an encoding and the bytes are gzip. */
  readonly refusesGzip?: boolean
  /** Receives each chunk, and the number of bytes including the chunk. */
  readonly onBytes?: (bytes: number, chunk: Uint8Array) => void
  readonly stopped: (description: string, bytes: number, total: number | undefined) => E2
}

export const make = <E, E2>({ body, headers, id, onBytes, refusesGzip = false, stopped }: Options<E, E2>) => {
  const { "content-encoding": declared = "", "content-length": length = "", "transfer-encoding": transfer = "" } =
    headers
  // The client requests no encoding. If the response declares one anyway, only `fetch` has decoded the bytes.
  const encoding = /^\s*(identity\s*)?$/i.test(declared) ? undefined : declared
  const hasLength = /^\d+$/.test(length)
  // The total is unknown if an encoding changes the length, or if errors and journal entries cannot represent the number.
  const total = hasLength && encoding === undefined && Number.isSafeInteger(Number(length)) ? Number(length) : undefined
  const stream = Stream.unwrap(Effect.map(Reporter, (reporter) => {
    let bytes = 0
    return body.pipe(
      Stream.mapError((error) => stopped(reasonOf(error), bytes, total)),
      Stream.tap((chunk) => {
        if (bytes === 0 && refusesGzip && encoding !== undefined && chunk[0] === 0x1f && chunk[1] === 0x8b) {
          return Effect.fail(stopped("The bytes are compressed with gzip, which the client did not request", 0, total))
        }
        bytes += chunk.length
        onBytes?.(bytes, chunk)
        reporter?.(Progress.Received(defined({ id, bytes, total })))
        return Effect.void
      }),
      Stream.onEnd(Effect.suspend(() =>
        total === undefined || total === bytes
          ? Effect.void
          : Effect.fail(stopped("The number of bytes differs from the Content-Length", bytes, total))
      ))
    )
  }))
  return {
    encoding,
    total,
    /** True if the platform can distinguish a complete body from a truncated body. */
    isFramed: hasLength || /^\s*chunked\s*$/i.test(transfer),
    stream
  }
}
