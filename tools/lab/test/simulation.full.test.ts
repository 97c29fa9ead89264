import { assert, describe, it } from "@effect/vitest"
import { library, others } from "../clients.ts"
import { all } from "../scenarios.ts"
import { ideal, run } from "../simulation.ts"

const shorter = all.map((scenario) => ({
  ...scenario,
  from: Math.min(scenario.from, 10_000),
  to: Math.min(scenario.to, 30_000),
  duration: 60_000
}))

const named = (name: string) => all.find((scenario) => scenario.name === name) ?? assert.fail(name)

describe("the laboratory", () => {
  it("has an end for each call, and no client is better than the ideal one", () => {
    for (const scenario of shorter) {
      const best = ideal(scenario, 1)
      for (const kind of [library, ...others]) {
        const { calls, share, useful } = run(scenario, kind, 1, best)
        assert.isAtMost(useful, calls)
        // The order of equal calls differs, and so does their random work.
        assert.isAtMost(share, 1.05, `${scenario.name} ${kind.name}`)
      }
    }
  })

  it("gives the same report for the same seed", () => {
    for (const kind of [library, ...others]) {
      const [first, second] = [1, 2].map(() => run(shorter[1] ?? named("q1-100"), kind, 1, 1))
      assert.deepStrictEqual(first, second)
    }
  })

  it.each(["q1-1-d5-hot", "q1-1-d10-hot", "ps3-1", "limit-10x"])(
    "%s: 95 %% of the calls that begin 20 s after the end of the cause succeed",
    (name) => assert.isAtLeast(run(named(name), library, 1, 1).later, 0.95)
  )
})
