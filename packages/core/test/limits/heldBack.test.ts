import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { errorOverTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const read = Languages.use((languages) => languages.resources())

describe("a repeat that is prevented", () => {
  it.effect("by the limiter ends the call with the error of the last attempt, and the ledger has the cause", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.strictEqual(error._tag, "ServiceUnavailable")
      assert.deepStrictEqual(error.attempts.map(({ stopCause }) => stopCause), ["limiter"])
      assert.include(error.message, "Not tried again (limiter).")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), {
      resilience: { rate: { requests: 1, window: Duration.minutes(10) } }
    }))))
})
