import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { send } from "../support/client.ts"

const fake = FakeLanguageService

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
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 0)
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* create).status, 500)
      yield* service.reset
      assert.deepStrictEqual(yield* statuses(3), [200, 200, 429])
    }).pipe(Effect.provide(FakeLanguageService.layer(limited))))
})
