import { assert, it } from "@effect/vitest"
import { budget, exceeded, measure, measureCall } from "../tools/scripts/budget.ts"

it("no number of the house is above its limit: `pnpm budget` prints them", () => {
  assert.deepStrictEqual(exceeded({ ...measure(), ...measureCall() }, budget().limits), [])
})

it("a number above its limit, and a row without one, is named", () => {
  assert.deepStrictEqual(exceeded({ same: [1, 2], more: [1, 3], other: [0] }, { same: [1, 2], more: [2, 2] }), [
    "more: 1, 3; at most 2, 2",
    "other: 0; at most nothing: it has no row"
  ])
})
