const chunkBytes = 16 * 1024

export const chunks = function*(content: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < content.length; start += chunkBytes) yield content.subarray(start, start + chunkBytes)
}
