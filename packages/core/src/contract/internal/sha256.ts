/**
 * SHA-256 (FIPS 180-4) of short texts. Web Crypto offers it only as a promise, and not in browsers at `http:`; it is needed
 * here synchronously and everywhere.
 */

/** The first 64 primes. */
const primes = (
  "2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97 101 103 107 109 113 127 131 137 139 " +
  "149 151 157 163 167 173 179 181 191 193 197 199 211 223 227 229 233 239 241 251 257 263 269 271 277 281 283 293 307 311"
).split(" ").map(Number)

/** The first 32 bits of the fractional parts of roots. */
const fractions = (numbers: ReadonlyArray<number>, root: (number: number) => number): Uint32Array =>
  Uint32Array.from(numbers, (number) => (root(number) % 1) * 2 ** 32)

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
  const round = fractions(primes, Math.cbrt)
  const state = fractions(primes.slice(0, 8), Math.sqrt)
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
