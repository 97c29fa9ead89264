/** The bodies of requests: large ones go out in parts, so that it is known whether all of one has been handed over. */
import { isString } from "effect/Predicate"
import { Readable } from "node:stream"

/** A body as undici takes it. */
export interface Outgoing {
  readonly body: Uint8Array | string | Readable | null
  /** Its length in bytes, where it is not plain. */
  readonly length: number | undefined
  /** Whether nothing of it is left to hand over to the connection. */
  readonly isWhole: () => boolean
}

/** The bytes of a part. A body of one part is handed over at once. */
const part = 64 * 1024

const always = () => true

/** Prepares a body. A `Blob` is read as it goes out. */
export const make = (body: Uint8Array | Blob | string | null): Outgoing => {
  if (body === null || isString(body)) return { body, length: undefined, isWhole: always }
  const length = body instanceof Blob ? body.size : body.byteLength
  if (length <= part && !(body instanceof Blob)) return { body, length: undefined, isWhole: always }
  let offset = 0
  const parts = function*() {
    while (offset < length) {
      const from = offset
      // Whoever has the last part may answer before anything more is asked for.
      offset = Math.min(from + part, length)
      yield body instanceof Blob ? body.slice(from, offset).bytes() : body.subarray(from, offset)
    }
  }
  return { body: Readable.from(parts(), { objectMode: false }), length, isWhole: () => offset === length }
}
