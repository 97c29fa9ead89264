// Properties that fail with what the engine says.
import { assert } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { scaled } from "../../../../test/support/scale.ts"

/** What a property returns for a value that has nothing to check. */
export const unchecked = Symbol("unchecked")

/** Checks a property, and fails with what the engine says. Returns the number of values that had something to check. */
export const holds = <A, E, R>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<unknown, E, R>,
  options: Arbitrary.CheckOptions = {}
) =>
  Effect.suspend(() => {
    let checked = 0
    return Effect.map(
      Arbitrary.checkEffect(
        arbitrary,
        (value) =>
          Effect.map(Effect.suspend(() => property(value)), (result) => {
            if (result !== unchecked) checked++
            return result !== false
          }),
        { runs: scaled(3, 15), size: 20, seed: "generators", ...options }
      ),
      (result) => {
        const failure = Arbitrary.formatCheckFailure(result)
        if (failure !== undefined) assert.fail(failure)
        return checked
      }
    )
  })

export const sample = <A>(arbitrary: Arbitrary.Arbitrary<A>, count = 50) =>
  Effect.orDie(Arbitrary.sampleEffect(arbitrary, { count, size: 10, seed: "generators" }))
