/** The pieces of a file. */
const chunkBytes = 16 * 1024

/**
 * A file in pieces.
 *
 * @yields A piece.
 */
export const chunks = function*(content: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < content.length; start += chunkBytes) yield content.subarray(start, start + chunkBytes)
}
