import { Languages } from "@effect-lingua/core/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { overTime } from "./support/time.ts"
import * as Wire from "./support/Wire.ts"

const read = Languages.use((languages) => languages.resources())
const success = Wire.answer(200, [])

const at = Effect.map(Wire.Wire, ({ sent }) => sent.map(({ at }) => at - 1))

const rate = { requests: 4, window: Duration.seconds(1) }

const many = (count: number) => Effect.forEach(Array.from({ length: count }), () => read, { concurrency: "unbounded" })

describe("rate", () => {
  it.effect("requests are spread evenly over the window, from the first on", () =>
    Effect.gen(function*() {
      yield* overTime(many(8))
      assert.deepStrictEqual(yield* at, [0, 250, 500, 750, 1000, 1250, 1500, 1750])
    }).pipe(Effect.provide(Wire.layer(success, { resilience: { rate } }))))

  it.effect("a pause is not made up for", () =>
    Effect.gen(function*() {
      yield* overTime(Effect.andThen(Effect.delay(read, "10 seconds"), many(4)))
      assert.deepStrictEqual(yield* at, [10_000, 10_250, 10_500, 10_750, 11_000])
    }).pipe(Effect.provide(Wire.layer(success, { resilience: { rate } }))))
})
