import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Sample from "../support/operations.ts"
import { overTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const metered: ReadonlyArray<readonly [operation: string, call: Sample.Operation["call"]]> = [
  ["Writing.rephrase", Writing.use((writing) => writing.rephrase({ text: ["This are fine."] }))],
  ["Writing.correct", Writing.use((writing) => writing.correct({ text: ["This are fine."] }))],
  [
    "Translation.translate",
    Translation.use((translation) => translation.translate({ text: ["Good day"], targetLanguage: "de" }))
  ]
]

describe("quota", () => {
  it.effect.each(metered)("456 is never repeated: %s", ([, call]) =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(call))
      const error = yield* exit
      assert.strictEqual(error._tag, "QuotaExceeded")
      assert.isFalse(error.isTransient)
      assert.strictEqual(took, 0)
      assert.deepStrictEqual(error.attempts.map(({ status, stopCause }) => [status, stopCause]), [[456, undefined]])
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(456, "", { "retry-after": "1" })))))
})
