/** Synchronous, incremental SHA-256 (FIPS 180-4). Web Crypto's digest is neither, and is not available at `http:`. */

const primes = (
  "2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97 101 103 107 109 113 127 131 137 139 " +
  "149 151 157 163 167 173 179 181 191 193 197 199 211 223 227 229 233 239 241 251 257 263 269 271 277 281 283 293 307 311"
).split(" ").map(Number)

/** The first 32 bits of the fractional parts of roots. */
const fractions = (numbers: ReadonlyArray<number>, root: (number: number) => number): Int32Array =>
  Int32Array.from(numbers, (number) => (root(number) % 1) * 2 ** 32)

const right = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

const at = (words: Int32Array, index: number): number => words[index] ?? 0

/** Makes an incremental digest, which `hex` ends. */
export const make = () => {
  const round = fractions(primes, Math.cbrt)
  const state = fractions(primes.slice(0, 8), Math.sqrt)
  const schedule = new Int32Array(64)
  const block = new Uint8Array(64)
  const view = new DataView(block.buffer)
  let length = 0

  const compress = () => {
    for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(4 * i)
    for (let i = 16; i < 64; i++) {
      const two = at(schedule, i - 2)
      const fifteen = at(schedule, i - 15)
      schedule[i] = at(schedule, i - 16) + (right(fifteen, 7) ^ right(fifteen, 18) ^ (fifteen >>> 3)) +
        at(schedule, i - 7) + (right(two, 17) ^ right(two, 19) ^ (two >>> 10))
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let i = 0; i < 64; i++) {
      const first = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + at(round, i) +
        at(schedule, i)) | 0
      const second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
    }
    state.set([a, b, c, d, e, f, g, h].map((word, i) => word + at(state, i)))
  }

  const update = (bytes: Uint8Array) => {
    for (let offset = 0; offset < bytes.length;) {
      const start = length % 64
      const part = bytes.subarray(offset, offset + 64 - start)
      block.set(part, start)
      length += part.length
      offset += part.length
      if (length % 64 === 0) compress()
    }
  }

  return {
    update,
    hex: (): string => {
      // The padding: one bit, zeros, the length in bits.
      const end = new Uint8Array(9 + (119 - length % 64) % 64)
      end[0] = 0x80
      new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length * 8))
      update(end)
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
    }
  }
}

export const hex = (text: string): string => {
  const hash = make()
  hash.update(new TextEncoder().encode(text))
  return hash.hex()
}
