/**
 * SHA-256 (FIPS 180-4) of short texts. Web Crypto offers it only as a promise, and not in browsers at `http:`; it is needed
 * here synchronously and everywhere.
 */

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const constants =
  "428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5d807aa9812835b01243185be550c7dc372be5d7480deb1fe9bdc06a7c19bf174" +
  "e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca635114292967" +
  "27b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070" +
  "19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2"

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const initial = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"

const wordsOf = (hex: string): Uint32Array =>
  Uint32Array.from(hex.match(/.{8}/g) ?? [], (word) => Number.parseInt(word, 16))

const right = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The message, a single bit, zeros, and its length in bits, in blocks of 64 bytes. */
const padded = (message: Uint8Array): DataView => {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 4, message.length * 8)
  return view
}

const at = (words: Uint32Array, index: number): number => words[index] ?? 0

/** The digest of the UTF-8 of a text. */
export const hex = (text: string): string => {
  const round = wordsOf(constants)
  const state = wordsOf(initial)
  const blocks = padded(new TextEncoder().encode(text))
  const schedule = new Uint32Array(64)
  for (let block = 0; block < blocks.byteLength; block += 64) {
    for (let i = 0; i < 64; i++) {
      const [two, fifteen] = [at(schedule, i - 2), at(schedule, i - 15)]
      schedule[i] = i < 16
        ? blocks.getUint32(block + 4 * i)
        : at(schedule, i - 16) + (right(fifteen, 7) ^ right(fifteen, 18) ^ (fifteen >>> 3)) +
          at(schedule, i - 7) + (right(two, 17) ^ right(two, 19) ^ (two >>> 10))
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let i = 0; i < 64; i++) {
      const first = h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + at(round, i) +
        at(schedule, i)
      const second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + word
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("")
}
