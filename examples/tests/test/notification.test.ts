import { FakeAssert, FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { notification } from "../src/notification.ts"

it.effect("translates", () =>
  Effect.gen(function*() {
    assert.strictEqual(yield* notification("Your order is here.", "de"), "[de] Your order is here.")
    yield* FakeAssert.calledWith("Translation.translate", { payload: { targetLanguage: "de" } })
  }).pipe(Effect.provide(FakeLanguageService.layerServices())))

it.effect("waits as long as a throttling service asks, and translates then", () =>
  Effect.gen(function*() {
    const { awaitRequest, script } = yield* FakeLanguageService
    yield* script({ fault: Fault.rateLimited({ retryAfter: "10 seconds" }) })
    const call = yield* Effect.forkChild(notification("Your order is here.", "de"))
    yield* awaitRequest("Translation.translate", { where: ({ status }) => status === 429 })
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* Fiber.join(call), "[de] Your order is here.")
    yield* FakeAssert.retryAfterHonoured()
  }).pipe(Effect.provide(FakeLanguageService.layerServices())))

it.effect("shows the original without a quota, and does not ask again", () =>
  Effect.gen(function*() {
    assert.strictEqual(yield* notification("Your order is here.", "de"), "Your order is here.")
    yield* FakeAssert.called("Translation.translate", 1)
  }).pipe(Effect.provide(FakeLanguageService.layerServices({ quota: { characters: 0 } }))))

it.effect.prop(
  "keeps every text",
  [Schema.NonEmptyString.check(Schema.isMaxLength(200))],
  ([text]) =>
    Effect.gen(function*() {
      assert.include(yield* notification(text, "de"), text)
    }).pipe(Effect.provide(FakeLanguageService.layerServices()))
)
