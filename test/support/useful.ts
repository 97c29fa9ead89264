import { assert, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { scaled } from "./scale.ts"

const half = 0.5

/** A property that returns whether its input had something to check. It fails if fewer than half of the inputs had. */
export const usefulProperty = <A, E>(
  name: string,
  input: Arbitrary.Arbitrary<A>,
  property: (input: A) => Effect.Effect<boolean, E>,
  runs = scaled(40, 100)
): void =>
  it.effect(name, () =>
    Effect.gen(function*() {
      let useful = 0
      const counted = (input: A) =>
        Effect.map(Effect.sandbox(property(input)), (isUseful) => {
          if (isUseful) useful++
          return true
        })
      const result = yield* Arbitrary.checkEffect(input, counted, { runs })
      assert.isUndefined(Arbitrary.formatCheckFailure(result))
      assert.isAtLeast(useful, half * runs, "inputs with something to check")
    }))
