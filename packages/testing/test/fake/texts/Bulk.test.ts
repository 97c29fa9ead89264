import { Translation, Writing } from "@effect-lingua/core"
import { FakeLanguageService, VirtualTime, Weather } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { scaled } from "../../../../../test/support/scale.ts"

const fake = FakeLanguageService

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => `This is sentence number ${index} of teh long letter.`)

describe("work in bulk against the fake", () => {
  for (
    const [name, weather, concurrency] of [
      ["rough weather", Weather.rough, undefined],
      ["a storm", Weather.storm, undefined],
      ["a storm with as many requests as the client permits", Weather.storm, 100]
    ] as const
  ) {
    it.effect(`gives every text its result, in order, in ${name}`, () =>
      Effect.gen(function*() {
        const writing = yield* Writing
        const given = texts(scaled(800, 2000))
        const results = yield* VirtualTime.run(
          Stream.runCollect(writing.correctAll(given, { concurrency, targetLanguage: "en-GB", onError: "result" }))
        )
        assert.strictEqual(results.length, given.length)
        let failed = 0
        for (const [index, result] of results.entries()) {
          if (Result.isSuccess(result)) {
            assert.strictEqual(result.success.text, `This is sentence number ${index} of the long letter.`)
          } else {
            failed++
            const { texts } = result.failure
            assert.isTrue(texts !== undefined && texts.first <= index && index <= texts.last)
          }
        }
        assert.isBelow(failed, given.length / 2)
      }).pipe(Effect.provide(FakeLanguageService.layerServices({ seed: "bulk", weather, client: { resilience: {} } }))))
  }

  it.effect("pays for no text twice when nothing may be repeated, whatever is lost", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const given = texts(500)
      const results = yield* VirtualTime.run(
        Stream.runCollect(translation.translateAll(given, { targetLanguage: "de", onError: "result" }))
      )
      assert.strictEqual(results.length, 500)
      assert.isTrue(results.some(Result.isFailure) && results.some(Result.isSuccess))
      const { used } = yield* (yield* fake).quota()
      assert.isAtMost(used, given.join("").length)
    }).pipe(Effect.provide(FakeLanguageService.layerServices({
      seed: 7,
      weather: { rateReset: 0.2, rate500: 0.2, afterEffect: 1, operations: ["Translation.translate"] },
      client: { resilience: { repeatMetered: "never" } }
    }))))
})
