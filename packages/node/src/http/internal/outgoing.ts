/** Request bodies. Large ones are sent in parts, so that the client knows when all of a body was handed to the connection. */
import { isString } from "effect/Predicate"
import { Readable } from "node:stream"

/** A body in a form that undici accepts. */
export interface Outgoing {
  readonly body: Uint8Array | string | Readable | null
  /** Length in bytes, if undici cannot derive it from the body. */
  readonly length: number | undefined
  /** True once all of the body was handed to the connection. */
  readonly isWhole: () => boolean
}

/** Bytes of a part. A smaller body in memory is sent in one piece. */
const part = 64 * 1024

const always = () => true

/** Prepares a body. A `Blob` is read while it is sent. */
export const make = (body: Uint8Array | Blob | string | null): Outgoing => {
  if (body === null || isString(body)) return { body, length: undefined, isWhole: always }
  const length = body instanceof Blob ? body.size : body.byteLength
  if (length <= part && !(body instanceof Blob)) return { body, length: undefined, isWhole: always }
  let offset = 0
  const parts = function*() {
    while (offset < length) {
      const from = offset
      // A server that has the last part may respond before the next one is requested.
      offset = Math.min(from + part, length)
      yield body instanceof Blob ? body.slice(from, offset).bytes() : body.subarray(from, offset)
    }
  }
  return { body: Readable.from(parts(), { objectMode: false }), length, isWhole: () => offset === length }
}
