import { FakeLanguageService, Fault, Weather } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { client, send } from "../support/client.ts"

const fake = FakeLanguageService
const resources = "/v3/languages/resources"
const status = Effect.map(send("GET", resources), (answer) => answer.status)
const create = Effect.flatMap(client, (api) => api.StyleRules.create({ payload: { name: "House", language: "en" } }))

const rephrase = Effect.map(
  send("POST", "/v2/write/rephrase", { body: `{ "text": ["Good day", "Good night"], "target_lang": "en-US" }` }),
  ({ status }) => status
)

const isFault = Schema.is(Fault.Fault)

/** The faults of so many calls in a weather (rates of random faults), as lines. */
const play = Effect.fnUntraced(function*(seed: string, weather: Weather.Weathers, calls: number) {
  return yield* Effect.gen(function*() {
    const service = yield* fake
    yield* Effect.forEach(Array.from({ length: calls }), () => Effect.exit(Effect.timeout(rephrase, 1000)), {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.forkChild, Effect.tap(() => TestClock.adjust("1 minute")), Effect.flatMap(Fiber.join))
    return (yield* service.requests).map(({ fault }) => {
      if (fault === undefined) return ""
      assert.isTrue(isFault(fault), JSON.stringify(fault))
      return Fault.format(fault)
    })
  }).pipe(Effect.provide(FakeLanguageService.layer({ seed, weather })))
})

const all: Weather.Weather = {
  rate429: 0.08,
  rate500: 0.07,
  rate502: 0.06,
  rate503: 0.05,
  rate504: 0.04,
  rate529: 0.03,
  rateReset: 0.07,
  rateSlow: 0.06,
  rateTruncated: 0.05,
  rateStalled: 0.04,
  rateMalformed: 0.03,
  rateWrongLength: 0.06,
  retryAfter: "4 seconds",
  slowBy: "3 seconds",
  afterEffect: 0.25
}

/** What of each fault is expected of a call in this weather. */
const shares: ReadonlyArray<readonly [line: string, share: number]> = [
  ["status 429, Retry-After 4s", 0.08],
  ["status 500", 0.07 * 0.75],
  ["status 500, after the effect", 0.07 * 0.25],
  ["status 502", 0.06 * 0.75],
  ["status 502, after the effect", 0.06 * 0.25],
  ["status 503, Retry-After 4s", 0.05],
  ["status 504", 0.04 * 0.75],
  ["status 504, after the effect", 0.04 * 0.25],
  ["status 529, Retry-After 4s", 0.03],
  ["connection reset", 0.07 * 0.75],
  ["connection reset, after the effect", 0.07 * 0.25],
  ["right response, 3s late", 0.06 * 0.75],
  ["right response, 3s late, after the effect", 0.06 * 0.25],
  ["body cut after 50 %", 0.05],
  ["body stalled after 50 %", 0.04],
  ["body malformed", 0.03],
  ["1 result too few", 0.03],
  ["1 result too many", 0.03],
  ["", 0.36]
]

const total = (weather: Weather.Weather) =>
  Object.entries(weather).reduce((sum, [name, rate]) => sum + (name.startsWith("rate") ? Number(rate) : 0), 0)

describe("Weather", () => {
  it.effect("brings each of its faults at its rate, as a test of goodness of fit finds", () =>
    Effect.gen(function*() {
      for (const seed of sampled(["a", "b"], 1)) {
        const lines = yield* play(seed, all, scaled(1000, 2500))
        assert.deepStrictEqual([...new Set(lines)].toSorted(), shares.map(([line]) => line).toSorted())
        const chiSquared = shares.reduce((total, [line, share]) => {
          const expected = share * lines.length
          return total + (lines.filter((got) => got === line).length - expected) ** 2 / expected
        }, 0)
        // 99.9 % of fair samples with 18 degrees of freedom are below.
        assert.isBelow(chiSquared, 42.3)
      }
    }))

  it.effect("is the same for the same seed and another for another", () =>
    Effect.gen(function*() {
      const first = yield* play("a", all, 100)
      assert.deepStrictEqual(yield* play("a", all, 100), first)
      assert.notDeepEqual(yield* play("b", all, 100), first)
    }))

  it.effect("can be of several kinds at once, the first that hits is the one", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.weather([
        { rate429: 0.5, operations: ["Writing.rephrase"] },
        { rate503: 1, operations: ["Writing.rephrase", "StyleRules.create"] }
      ])
      const got = yield* Effect.forEach(Array.from({ length: 200 }), () => rephrase)
      assert.approximately(got.filter((status) => status === 429).length, 100, 25)
      assert.isTrue(got.every((status) => status === 429 || status === 503))
      assert.strictEqual((yield* Effect.flip(create))._tag, "ServiceUnavailable")
      assert.strictEqual(yield* status, 200)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("leaves operations alone that have no body to harm", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.weather([{ rateWrongLength: 1 }, { rateMalformed: 1, operations: ["StyleRules.remove"] }])
      assert.strictEqual(yield* status, 200)
      assert.strictEqual((yield* send("DELETE", "/v3/style_rules/x")).status, 404)
      assert.isTrue((yield* service.requests).every(({ fault }) => fault === undefined))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it("of the presets has the rates that their words say", () => {
    assert.strictEqual(total(Weather.calm), 0)
    assert.approximately(total(Weather.rough), 0.1, 1e-9)
    assert.approximately(total(Weather.storm), 0.5, 1e-9)
    const presets: ReadonlyArray<Weather.Weather> = [Weather.calm, Weather.rough, Weather.storm]
    assert.isTrue(presets.every(({ rateStalled = 0 }) => rateStalled === 0))
  })

  it("names the effect of faults only where they can have one", () => {
    assert.strictEqual(Weather.format({ rate429: 0.2, afterEffect: 0.5 }), "20 % status 429")
    assert.strictEqual(Weather.format({ rate500: 0.2 }), "20 % status 500")
  })

  it.effect("is read from JSON, and refused there with the place and what is allowed", () =>
    Effect.gen(function*() {
      const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Weather.Weathers))
      const weather = yield* decode(`{ "rate429": 0.1, "retryAfter": "2 seconds", "operations": ["Writing.rephrase"] }`)
      assert.deepStrictEqual(weather, { rate429: 0.1, retryAfter: "2 seconds", operations: ["Writing.rephrase"] })
      assert.deepStrictEqual(yield* decode(`[{ "rateSlow": 1, "slowBy": 500 }, {}]`), [
        { rateSlow: 1, slowBy: 500 },
        {}
      ])
      const message = (json: string) => Effect.map(Effect.flip(decode(json)), (error) => error.message)
      assert.match(yield* message(`{ "rate429": 1.5 }`), /^Expected a rate between 0 and 1\s+at \["rate429"\]$/)
      assert.match(yield* message(`{ "rate501": 0.5 }`), /no such key.*rate429, .*\["rate501"\]$/s)
      assert.match(yield* message(`[{ "operations": ["x"] }]`), /"Writing\.rephrase".*\[0\]\["operations"\]\[0\]$/s)
      assert.match(yield* message(`{ "operations": [] }`), /\["operations"\]$/)
      assert.match(yield* message(`{ "slowBy": "long" }`), /"2 seconds".*\["slowBy"\]$/s)
    }))

  it.effect("hints to wait, keeps to its operations, and gives way to scripts", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.weather({ rate429: 1, retryAfter: "2 seconds", operations: ["Languages.resources"] })
      yield* service.script({ fault: Fault.overloaded() })
      yield* service.script({ operation: "StyleRules.listPage", fault: Fault.unavailable() })
      assert.strictEqual(yield* status, 529)
      const limited = yield* send("GET", resources)
      assert.deepStrictEqual([limited.status, limited.headers["retry-after"]], [429, "2"])
      yield* create
      assert.strictEqual((yield* send("GET", "/v3/style_rules")).status, 503)
      yield* service.weather({})
      assert.strictEqual(yield* status, 200)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("can lose answers to work that was done", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.weather({ rate500: 0.5, rateReset: 0.5, afterEffect: 0.5 })
      const exits = yield* Effect.forEach(Array.from({ length: 60 }), () => Effect.exit(create))
      assert.isTrue(exits.every(Exit.isFailure))
      assert.approximately((yield* service.effects)["StyleRules.create"].count, 30, 12)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("is refused with rates that make no sense", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const message = (given: Weather.Weather) =>
        Effect.map(Effect.flip(service.weather(given)), (error) => error.message)
      assert.strictEqual(yield* message({ rate429: 1.5 }), "rate429: Expected a rate between 0 and 1, got 1.5")
      assert.match(yield* message({ rate500: -1 }), /rate500/)
      assert.match(yield* message({ afterEffect: 2 }), /afterEffect/)
      assert.match(yield* message({ rate429: 0.6, rate529: 0.6 }), /at most 1/)
      // These sum up to a little more than 1.
      yield* service.weather({ rate429: 0.05, rate529: 0.55, rate503: 0.3, rate500: 0.1 })
      const exit = yield* Effect.exit(Effect.provide(status, FakeLanguageService.layer({ weather: { rate429: 2 } })))
      assert.match(String(exit), /rate429/)
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
