import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { send } from "../support/client.ts"

const fake = FakeLanguageService.FakeLanguageService

const limited = { rateLimit: { requests: 2, per: "90 seconds" } } as const

const ask = (key = "fake-key") =>
  send("GET", "/v3/languages/resources", { headers: { authorization: `Service-Auth-Key ${key}` } })

const statuses = (count: number, key?: string) =>
  Effect.map(
    Effect.all(Array.from({ length: count }, () => ask(key))),
    (answers) => answers.map(({ status }) => status)
  )

describe("RateLimit", () => {
  it.effect("answers 429 with the seconds to wait, until the window is over", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* statuses(2), [200, 200])
      yield* TestClock.adjust("10500 millis")
      const { headers, json, status } = yield* ask()
      assert.deepStrictEqual([status, json, headers["retry-after"]], [429, { message: "Too many requests" }, "80"])
      yield* TestClock.adjust("79499 millis")
      assert.deepStrictEqual(yield* statuses(1), [429])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* statuses(3), [200, 200, 429])
    }).pipe(Effect.provide(FakeLanguageService.layer(limited))))

  it.effect("counts each key for itself, and no request without one", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* statuses(3, "wrong"), [403, 403, 403])
      assert.deepStrictEqual(yield* statuses(3, "one"), [200, 200, 429])
      assert.deepStrictEqual(yield* statuses(3, "two"), [200, 200, 429])
    }).pipe(
      Effect.provide(
        FakeLanguageService.layer({ ...limited, keys: [{ key: "one", tier: "paid" }, { key: "two", tier: "free" }] })
      )
    ))

  it.effect("changes nothing, spends no fault and ends with a reset", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* statuses(2)
      yield* service.script({ fault: { status: 500 } })
      const create = send("POST", "/v3/style_rules", { body: `{"name":"House","language":"en"}` })
      assert.strictEqual((yield* create).status, 429)
      assert.strictEqual((yield* service.effects())["StyleRules.create"].count, 0)
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* create).status, 500)
      yield* service.reset()
      assert.deepStrictEqual(yield* statuses(3), [200, 200, 429])
    }).pipe(Effect.provide(FakeLanguageService.layer(limited))))

  it.effect("lets a client through that waits as long as it is told", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      for (let call = 0; call < 2; call++) yield* languages.resources()
      yield* TestClock.adjust("65 seconds")
      const fiber = yield* Effect.forkChild(languages.resources())
      yield* TestClock.adjust("24999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).length, 7)
      const [, , refused, repeated] = yield* (yield* fake).requests()
      assert.deepStrictEqual([refused?.status, refused?.time], [429, 65_000])
      assert.strictEqual(repeated?.status, 200)
      assert.isAtLeast(repeated?.time ?? 0, 90_000)
      assert.isAtMost(repeated?.time ?? 0, yield* Clock.currentTimeMillis)
    }).pipe(Effect.provide(
      LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" }).pipe(
        Layer.provideMerge(FakeLanguageService.layer(limited))
      )
    )))
})
