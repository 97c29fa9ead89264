import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isFull, scaled } from "../../../../test/support/scale.ts"
import { fakeLayer, killEach, killsAt, killsIn, prepare, settings, stepsOf, timeout } from "../support/kills.ts"

describe("a translation that is killed and gone on with is saved, or lost at a byte, or was not begun", () => {
  // A kill before a step leaves what one after the step before it leaves, so that those before are for the full run.
  it.live("after each of its steps, and in the middle of each write", () =>
    Effect.gen(function*() {
      const { extra } = yield* settings
      const steps = yield* stepsOf(false)
      const kills = killsAt(steps).filter(({ when }) => isFull || extra > 0 || when !== "before")
      const found = yield* killEach(steps, killsIn(steps, kills, 2), prepare)
      assert.isAtLeast(found.kills(), scaled(10, 60))
      for (const phase of found.phases) {
        // The steps of two runs differ: a sample of kills can miss a phase or an end.
        if (isFull) assert.isAbove(found.count(phase), 0, phase)
        assert.isTrue(found.count(phase, "lost") === 0 || phase === "downloading", `lost while ${phase}`)
        assert.isTrue(found.count(phase, "not begun") === 0 || phase === "before upload", `not begun while ${phase}`)
      }
      if (!isFull) return
      assert.isAbove(found.count("downloading", "lost"), 0)
      assert.isAbove(found.count("downloading", "saved"), 0)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)

  it.live("at each step from the first byte on, over a file that is there", () =>
    Effect.gen(function*() {
      const steps = yield* stepsOf(true)
      const first = steps.findIndex((step) => step.endsWith("write part"))
      const kills = killsAt(steps).filter(({ step, when }) => step > first && when === "before")
      const found = yield* killEach(steps, killsIn(steps, kills, 1), (name) => prepare(name, { overwrite: true }))
      if (!isFull) return
      assert.isAbove(found.count("renaming", "saved"), 0)
      assert.isAbove(found.count("removing", "saved"), 0)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)
})
