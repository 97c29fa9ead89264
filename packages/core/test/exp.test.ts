import { Writing } from "@effect-lingua/core/Writing"
import { StyleRules } from "@effect-lingua/core/StyleRules"
import { StyleId } from "@effect-lingua/core/StyleRulesApi"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./support/Wire.ts"

describe("exp", () => {
  it.effect("a", () => Effect.gen(function*() {
    const writing = yield* Writing
    const f = yield* Effect.forkChild(Effect.exit(Effect.andThen(Effect.sleep(1), writing.rephrase({ text: ["x"] }))))
    yield* TestClock.adjust("2 hours")
    console.log(yield* Fiber.join(f))
    const s = yield* StyleRules
    console.log(yield* Effect.exit(s.list({detailed: true, page: 3})))
    console.log((yield* Wire.Wire).sent)
  }).pipe(Effect.provide(Wire.layer([Wire.answer(503), Wire.broken("ECONNRESET"), Wire.silent, Wire.answer(200, "abc", {"x-trace-id": "t1"}), Wire.answer(200, {style_rules: 1})]))))
})
