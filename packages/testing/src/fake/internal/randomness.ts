/** A seeded source of ids and chances. Everything that looks random in the fake comes from here. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface Randomness {
  /** A number between 0 (inclusive) and 1 (exclusive). */
  readonly chance: () => number
  /** Lower-case hexadecimal digits. */
  readonly hex: (digits: number) => string
  /** An id in the shape of a UUID version 4. */
  readonly uuid: () => string
}

export const make = (seed: string): Effect.Effect<Randomness> =>
  Effect.map(Random.Random, (random): Randomness => {
    const chance = () => random.nextDoubleUnsafe()
    const hex = (digits: number) =>
      Array.from({ length: digits }, () => Math.floor(chance() * 16).toString(16)).join("")
    const uuid = () =>
      [hex(8), hex(4), `4${hex(3)}`, `${(8 + Math.floor(chance() * 4)).toString(16)}${hex(3)}`, hex(12)].join("-")
    return { chance, hex, uuid }
  }).pipe(Random.withSeed(seed))
