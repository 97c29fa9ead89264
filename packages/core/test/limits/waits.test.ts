import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Random, Schema } from "effect"
import { scaled } from "../../../../test/support/scale.ts"
import { clockWith, download, overTime, read, success, valueOverTime, Wire } from "../support/index.ts"

const after = (seconds: number | string, status = 429) => Wire.answer(status, "", { "retry-after": String(seconds) })

/** Nothing but the waits of a call. */
const concurrency = Number.POSITIVE_INFINITY

const between = (low: number, high: number) => Schema.Int.check(Schema.isBetween({ minimum: low, maximum: high }))

describe("waits", () => {
  it.effect.prop(
    "a wait is a part of its bound, which doubles up to its cap",
    [Schema.Int],
    ([seed]) =>
      Effect.gen(function*() {
        const { took } = yield* overTime(Effect.exit(Random.withSeed(read, seed)))
        const gaps = yield* Wire.gaps
        assert.strictEqual(gaps.length, 11)
        assert.strictEqual(took, gaps.reduce((sum, gap) => sum + gap, 0))
        for (const [index, gap] of gaps.entries()) assert.isAtMost(gap, Math.min(500 * 2 ** index, 20_000))
      }).pipe(
        Effect.provide(Wire.layer(Wire.answer(503), { resilience: { attempts: 12, deadline: Duration.minutes(10) } }))
      ),
    { arbitrary: { runs: scaled(4, 30) } }
  )

  it.effect("waits are spread over their whole bound", () =>
    Effect.gen(function*() {
      const parts = yield* Effect.forEach(Array.from({ length: 60 }, (_, seed) => seed), (seed) =>
        Effect.gen(function*() {
          const before = yield* Wire.count
          yield* overTime(Random.withSeed(read, seed))
          return ((yield* Wire.gaps)[before] ?? 0) / 500
        }))
      const mean = parts.reduce((sum, part) =>
        sum + part, 0) / parts.length
      assert.isBelow(Math.min(...parts), 0.1)
      assert.isAbove(Math.max(...parts), 0.9)
      assert.isAbove(mean, 0.35)
      assert.isBelow(mean, 0.65)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), { resilience: { concurrency } }))))

  it.effect("a wait that ends after the deadline, as on a suspended machine, is the end of the call", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const sleep = (duration: Duration.Duration) => clock.sleep(Duration.sum(duration, Duration.minutes(5)))
      const { exit } = yield* overTime(Effect.provideService(read, Clock.Clock, clockWith(clock, { sleep })))
      assert.match(String(exit), /Not tried again \(deadline\)/)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), { resilience: { concurrency } }))))

  it.effect.each([429, 529])(
    "five attempts that are throttled with %d take 7.5 to 15 s, and the first repeat waits for at least half a second",
    (status) =>
      Effect.forEach(Array.from({ length: scaled(8, 500) }, (_, seed) => seed), (seed) =>
        Effect.gen(function*() {
          const { took } = yield* overTime(Effect.exit(Random.withSeed(read, seed)))
          const gaps = yield* Wire.gaps
          assert.strictEqual(gaps.length, 4)
          for (const [index, gap] of gaps.entries()) {
            assert.isAtLeast(gap, 500 * 2 ** index)
            assert.isAtMost(gap, 1000 * 2 ** index)
          }
          assert.isAtLeast(took, 7500)
          assert.isAtMost(took, 15_000)
        }).pipe(Effect.provide(Wire.layer(Wire.answer(status)))))
  )

  it.effect("the bound grows with each failure of any kind", () =>
    Effect.gen(function*() {
      yield* overTime(read)
      const [first = 0, second = 0, third = 0] = yield* Wire.gaps
      assert.isAtMost(first, 500)
      assert.isAtLeast(second, 1000)
      assert.isAtMost(second, 2000)
      assert.isAtMost(third, 2000)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), Wire.answer(429), Wire.answer(503), success]))))

  it.effect("no bound is above the cap, which may be below the base for throttled calls", () =>
    Effect.gen(function*() {
      const { took } = yield* overTime(Effect.exit(read))
      assert.isAtLeast(took, 4 * 250)
      assert.isAtMost(took, 4 * 500)
    }).pipe(
      Effect.provide(Wire.layer(Wire.answer(429), { resilience: { concurrency, backoffCap: Duration.millis(500) } }))
    ))

  it.effect("the waits of throttled calls have a base of their own", () =>
    Effect.gen(function*() {
      const { took } = yield* overTime(Effect.exit(read))
      assert.isAtLeast(took, 75)
      assert.isAtMost(took, 154)
    }).pipe(
      Effect.provide(Wire.layer(Wire.answer(429), { resilience: { concurrency, throttleBase: Duration.millis(10) } }))
    ))

  it.effect.each([429, 500, 502, 503, 504, 529, 408])(
    "Retry-After on %d is waited for exactly",
    (status) =>
      Effect.gen(function*() {
        yield* valueOverTime(read)
        assert.deepStrictEqual(yield* Wire.gaps, [3000, 17_000])
      }).pipe(Effect.provide(Wire.layer([after(3, status), after(17, status), success])))
  )

  it.effect("Retry-After is a minimum: a longer backoff is kept", () =>
    Effect.gen(function*() {
      yield* overTime(Random.withSeed(read, 1))
      const [first = 0] = yield* Wire.gaps
      assert.isAtLeast(first, 500)
      assert.isAtMost(first, 1000)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(429, "", { "retry-after": "0.001" }), success]))))

  it.effect.each(["61", "86400"])(
    "Retry-After of %s seconds fails at once",
    (seconds) =>
      Effect.gen(function*() {
        const { exit, took } = yield* overTime(Effect.flip(read))
        const error = yield* exit
        if (error._tag !== "RateLimited") return assert.fail(error._tag)
        assert.strictEqual(took, 0)
        assert.strictEqual(error.retryAfter && Duration.toSeconds(error.retryAfter), Number(seconds))
        assert.include(error.message, "The service asks to wait")
      }).pipe(Effect.provide(Wire.layer([after(seconds)])))
  )

  it.effect("Retry-After beyond the deadline fails at once", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(read))
      const error = yield* exit
      assert.strictEqual(error._tag, "RateLimited")
      assert.strictEqual(took, 60_000)
      assert.strictEqual(error.attempts.length, 2)
    }).pipe(Effect.provide(Wire.layer([after(60), after(40)]))))

  const outcomes = [
    Wire.answer(503),
    Wire.answer(500),
    Wire.silent,
    Wire.broken("ECONNRESET"),
    after(2),
    after(30),
    Wire.late("4 seconds", Wire.answer(429)),
    Wire.late("12 seconds", success),
    Wire.late("900 millis", success)
  ]

  it.effect.prop(
    "a call ends within its deadline and attempts after any answers",
    [
      Schema.Int,
      between(1, 120_000),
      Schema.Array(between(0, outcomes.length - 1)).check(Schema.isMinLength(5), Schema.isMaxLength(5))
    ],
    ([seed, deadline, script]) =>
      Effect.gen(function*() {
        const { took } = yield* overTime(Effect.exit(Random.withSeed(read, seed)))
        assert.isAtMost(took, deadline)
        const { sent } = yield* Wire.Wire
        assert.isAtMost(sent.length, 5)
      }).pipe(
        Effect.provide(
          Wire.layer(script.map((index) => outcomes[index] ?? success), {
            resilience: { deadline: Duration.millis(deadline) }
          })
        )
      ),
    { arbitrary: { runs: scaled(25, 100) } }
  )

  it.effect.prop(
    "a document is polled at growing intervals until it is ready",
    [Schema.Int],
    ([seed]) =>
      Effect.gen(function*() {
        yield* valueOverTime(Random.withSeed(download, seed))
        const gaps = yield* Wire.gaps
        assert.strictEqual(gaps.length, 13)
        for (const [index, gap] of gaps.slice(0, -1).entries()) {
          const interval = Math.min(1000 * 1.5 ** index, 15_000)
          assert.isAtLeast(gap, Math.floor(0.8 * interval))
          assert.isAtMost(gap, Math.ceil(1.2 * interval))
        }
      }).pipe(Effect.provide(Wire.layer([...Wire.readyAfter(11), Wire.answer(200, "bytes")]))),
    { arbitrary: { runs: scaled(4, 30) } }
  )

  it.effect("polls are spread, so that clients do not poll in step", () =>
    Effect.gen(function*() {
      const once = { ...ResiliencePolicy.defaults, jobDeadline: Duration.seconds(2) }
      const first = yield* Effect.forEach(Array.from({ length: 30 }, (_, seed) => seed), (seed) =>
        Effect.gen(function*() {
          const before = yield* Wire.count
          yield* overTime(Random.withSeed(ResiliencePolicy.within(download, once), seed))
          return (yield* Wire.gaps)[before] ?? 0
        }))
      assert.isBelow(Math.min(...first), 880)
      assert.isAbove(Math.max(...first), 1120)
      assert.isAtMost(Math.max(...first), 1200)
    }).pipe(Effect.provide(Wire.layer(Wire.inTranslation))))

  it.effect("polls do not count as failed attempts, and the first one follows Retry-After, too", () =>
    Effect.gen(function*() {
      yield* valueOverTime(download)
      const gaps = yield* Wire.gaps
      assert.strictEqual(gaps.length, 15)
      assert.strictEqual(gaps[0], 20_000)
    }).pipe(Effect.provide(Wire.layer([
      after(20, 503),
      ...[429, 503, 500, 529].map((status) => Wire.answer(status)),
      Wire.translating,
      ...[429, 503, 500, 529].map((status) => Wire.answer(status)),
      Wire.done,
      ...[429, 503, 429, 529].map((status) => Wire.answer(status)),
      Wire.answer(200)
    ]))))

  it.effect("a long Retry-After of a document is limited only by the deadline", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(download))
      assert.deepInclude<object>(yield* exit, { _tag: "DocumentNotReady", retryAfter: Duration.seconds(1801) })
      assert.strictEqual(took, 0)
    }).pipe(Effect.provide(Wire.layer([after(1801, 503)]))))

  it.effect("a long wait within the deadline is kept", () =>
    Effect.gen(function*() {
      yield* valueOverTime(download)
      assert.deepStrictEqual(yield* Wire.gaps, [1_700_000, 0])
    }).pipe(Effect.provide(Wire.layer([after(1700, 503), Wire.done, Wire.answer(200)]))))
})
