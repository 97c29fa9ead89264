import { type CurrentUsage, Usage, UsageLimit } from "@effect-lingua/core/account/Usage"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { overTime, Sample, Wire } from "../support/index.ts"

const get = Usage.use((usage) => usage.get)
const remaining = Usage.use((usage) => usage.remaining)

const noLimit = 1_000_000_000_000

/** An answer with so many characters used, of 100. */
const used = (count: number, more: object = {}) =>
  Wire.answer(200, { character_count: count, character_limit: 100, ...more })

/** Thresholds of an account that looks like this at each look, one a minute. */
const told = (options: Usage.ThresholdOptions, minutes: number) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const usage = yield* Usage
    const fiber = yield* usage.thresholds(options).pipe(
      Stream.runForEach((event) => Effect.sync(() => seen.push(`${event.of} ${event.percent}: ${event.used}`))),
      Effect.forkChild
    )
    const looks: Array<ReadonlyArray<string>> = []
    for (let minute = 0; minute < minutes; minute++) {
      yield* minute === 0 ? Effect.yieldNow : TestClock.adjust("1 minute")
      looks.push(seen.splice(0))
    }
    return { looks, fiber }
  })

describe("usage", () => {
  it.effect("tells no limit and an unknown one from numbers", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<unknown>> = []
      for (let index = 0; index < 4; index++) {
        const { characterLimit, keyCharacterLimit } = yield* get
        seen.push([characterLimit, keyCharacterLimit])
      }
      assert.deepStrictEqual(seen, [
        ["unlimited", "unknown"],
        [500_000, undefined],
        [undefined, undefined],
        [noLimit + 1, "unknown"]
      ])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { character_limit: noLimit, api_key_character_limit: 0 }),
      Wire.answer(200, { character_count: 1, character_limit: 500_000 }),
      Wire.answer(200, { character_limit: null }),
      Wire.answer(200, { character_limit: noLimit + 1, api_key_character_limit: -1 })
    ]))))

  it.effect.each([0, 1, 500_000, noLimit])("keeps the limit %d on its way", (sent) =>
    Effect.gen(function*() {
      const limit = yield* Schema.decodeEffect(UsageLimit)(sent)
      assert.strictEqual(yield* Schema.encodeEffect(UsageLimit)(limit), sent)
    }))

  it.effect("takes an answer without any field, and products that nobody knows", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* get, { products: [] })
      assert.deepStrictEqual((yield* get).products, [{ product: "dreams", billingUnit: "nights" }, { product: "" }])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { products: null, start_time: null, new_field: 1 }),
      Wire.answer(200, {
        products: [{ product_type: "dreams", billing_unit: "nights", account_unit_count: null }, { product_type: null }]
      })
    ]))))

  it.effect("asks what is left", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* remaining, 70)
      assert.strictEqual(yield* remaining, "unlimited")
    }).pipe(Effect.provide(Wire.layer([used(30), Wire.answer(200, Sample.usage)]))))

  const account = { characterCount: 30, characterLimit: 100 }
  it.each<readonly [what: string, usage: Partial<typeof CurrentUsage.Type>, expected: UsageLimit]>([
    ["of the account", account, 70],
    ["of the key, where it has less", { ...account, keyCharacterCount: 5, keyCharacterLimit: 20 }, 15],
    ["of the account, where it has less", { ...account, keyCharacterCount: 5, keyCharacterLimit: 200 }, 70],
    ["of the key of an account without limit", { characterLimit: "unlimited", keyCharacterLimit: 20 }, 20],
    ["of the account, where nothing is known of the key", { ...account, keyCharacterLimit: "unknown" }, 70],
    ["nothing, when more is used than may be", { characterCount: 130, characterLimit: 100 }, 0],
    ["all, when no count is told", { characterLimit: 100 }, 100],
    ["not known, when no limit is told", { characterCount: 30 }, "unknown"],
    ["not known, when the limit is not", { characterLimit: "unknown" }, "unknown"],
    ["without bound", { characterLimit: "unlimited", keyCharacterLimit: "unlimited" }, "unlimited"]
  ])("what is left is that %s", (_, usage, expected) => {
    assert.strictEqual(Usage.remaining({ products: [], ...usage }), expected)
  })

  it.effect("tells each threshold once", () =>
    Effect.gen(function*() {
      const { fiber, looks } = yield* told({}, 6)
      assert.deepStrictEqual(looks, [[], ["account 80: 80"], [], ["account 95: 100", "account 100: 100"], [], []])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer([79, 80, 94, 100, 100, 101].map((count) => used(count))))))

  it.effect("tells it at its character, not before", () =>
    Effect.gen(function*() {
      const { fiber, looks } = yield* told({ at: [80] }, 2)
      assert.deepStrictEqual(looks, [[], ["account 80: 400000"]])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer([399_999, 400_000].map((count) => used(count, { character_limit: 500_000 }))))))

  it.effect("tells a threshold again in the next period, and after the limit was raised", () =>
    Effect.gen(function*() {
      const { fiber, looks } = yield* told({ at: [50] }, 5)
      assert.deepStrictEqual(looks, [["account 50: 60"], ["account 50: 55"], [], [], ["account 50: 110"]])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer([
      used(60, { start_time: "2026-03-01T00:00:00Z" }),
      used(55, { start_time: "2026-04-01T00:00:00Z" }),
      used(56, { start_time: "2026-04-01T00:00:00Z" }),
      used(60, { start_time: "2026-04-01T00:00:00Z", character_limit: 200 }),
      used(110, { start_time: "2026-04-01T00:00:00Z", character_limit: 200 })
    ]))))

  it.effect("tells of the key beside the account, with all that the service told", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const events = yield* Stream.runCollect(Stream.take(usage.thresholds({ at: [100, 50] }), 3))
      assert.deepStrictEqual(
        events.map(({ limit, of, percent, used }) => [of, percent, used, limit]),
        [["account", 50, 60, 100], ["key", 50, 10, 10], ["key", 100, 10, 10]]
      )
      assert.deepStrictEqual(events[0]?.usage.startTime, DateTime.makeUnsafe("2026-03-01T00:00:00Z"))
    }).pipe(Effect.provide(Wire.layer([
      used(60, { api_key_character_count: 10, api_key_character_limit: 10, start_time: "2026-03-01T00:00:00Z" })
    ]))))

  it.effect("tells nothing where there is no limit, or none that is known", () =>
    Effect.gen(function*() {
      const { fiber, looks } = yield* told({ at: [1] }, 3)
      assert.deepStrictEqual(looks, [[], [], []])
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { character_count: 2, character_limit: noLimit }),
      Wire.answer(200, { character_count: 2, character_limit: 0 }),
      Wire.answer(200, { character_limit: 1 })
    ]))))

  it.effect("looks on after a look that failed for the time being, and ends with any other error", () =>
    Effect.gen(function*() {
      const { fiber, looks } = yield* told({}, 4)
      assert.deepStrictEqual(looks, [["account 80: 80"], [], ["account 95: 95"], []])
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "InvalidKey")
    }).pipe(Effect.provide(Wire.layer(
      [used(80), Wire.answer(503), used(95), Wire.answer(403, { message: "Invalid key" })],
      { resilience: { attempts: 1 } }
    ))))

  it.effect.each<readonly [options: Usage.ThresholdOptions, parameter: string]>([
    [{ at: [80, 0] }, "at"],
    [{ at: [101] }, "at"],
    [{ at: [Number.NaN] }, "at"],
    [{ at: JSON.parse("80") }, "at"],
    [{ every: 0 }, "every"],
    [{ every: JSON.parse("\"soon\"") }, "every"]
  ])("refuses thresholds that are none: %j", ([options, parameter]) =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { exit } = yield* overTime(Effect.flip(Stream.runDrain(usage.thresholds(options))))
      assert.deepInclude(yield* exit, { _tag: "InvalidInput", parameter, operation: "Usage.thresholds" })
    }).pipe(Effect.provide(Wire.layer([]))))

  it("estimates texts by code points, and tags as free where they are handled", () => {
    assert.strictEqual(Usage.estimateText("Good day 👋"), 10)
    assert.strictEqual(Usage.estimateText(["ab", "", "👩‍👧"]), 5)
    assert.strictEqual(Usage.estimateText("<b>Hi</b>"), 9)
    assert.strictEqual(Usage.estimateText("<b>Hi</b>", { tagHandling: "html" }), 2)
  })

  const bytes = new TextEncoder().encode("Grüße 👋")
  it.each<readonly [fileName: string, content: Uint8Array | number, expected: number]>([
    ["letter.txt", bytes, 7],
    ["letter.txt", 12, 12],
    ["letter", bytes, 7],
    ["letter.docx", bytes, 50_000],
    ["LETTER.PDF", 80_000, 50_000],
    ["letter.doc", 1, 50_000],
    ["slides.pptx", 1, 50_000],
    ["table.xlsx", 1, 50_000],
    ["page.html", bytes, 7],
    ["photo.jpg", 80_000, 0]
  ])("estimates %s", (fileName, content, expected) => {
    assert.strictEqual(Usage.estimateDocument(fileName, content), expected)
  })
})
