import { Documents, ResiliencePolicy, StyleRules } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Random, Schedule } from "effect"
import { errorOverTime, read, Sample, success, valueOverTime, Wire } from "../support/index.ts"

const schedules = (given: ResiliencePolicy.Schedules) => ResiliencePolicy.within({ schedules: given })
const everySecond = Schedule.spaced("1 second")

describe("schedules of a program's own", () => {
  it.effect("are for throttled and for other failures", () =>
    Effect.gen(function*() {
      const own = { transient: everySecond, throttled: Schedule.spaced("9 seconds") }
      yield* valueOverTime(schedules(own)(read))
      assert.deepStrictEqual(yield* Wire.gaps, [1000, 9000, 1000, 9000])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(503),
      Wire.answer(429),
      Wire.broken("ECONNRESET"),
      Wire.answer(529),
      success
    ]))))

  it.effect("know the failure, and end the call when they end", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const transient = Schedule.identity<ResiliencePolicy.Failed>().pipe(
        Schedule.map(({ input }) => seen.push(`${input._tag} ${input.status}`)),
        Schedule.upTo({ times: 2 })
      )
      const error = yield* errorOverTime(schedules({ transient })(read))
      assert.deepStrictEqual(seen, Array(3).fill("ServiceUnavailable 503"))
      assert.deepStrictEqual(error.attempts.map(({ stopCause }) => stopCause), [undefined, undefined, "attempts"])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503)))))

  it.effect("give way to a longer Retry-After", () =>
    Effect.gen(function*() {
      yield* valueOverTime(schedules({ throttled: everySecond })(read))
      assert.deepStrictEqual(yield* Wire.gaps, [7000])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(429, "", { "retry-after": "7" }), success]))))

  it.effect("leave attempts, deadline and unknown outcomes to the policy", () =>
    Effect.gen(function*() {
      const own = schedules({ transient: everySecond })
      assert.strictEqual((yield* errorOverTime(own(read))).attempts.length, 4)
      const short = ResiliencePolicy.within(own(read), { deadline: "2500 millis" })
      assert.strictEqual((yield* errorOverTime(short)).attempts.at(-1)?.stopCause, "deadline")
      const create = StyleRules.use((rules) => rules.create({ name: "a", language: "de" }))
      assert.strictEqual((yield* errorOverTime(own(create))).attempts.at(-1)?.stopCause, "outcome-unknown")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(500), { resilience: { attempts: 4 } }))))

  it.effect("are those of the nearest region that has one of the kind", () =>
    Effect.gen(function*() {
      const inner = schedules({ transient: everySecond })(read)
      yield* valueOverTime(schedules({ transient: Schedule.recurs(0), throttled: Schedule.spaced("9 seconds") })(inner))
      assert.deepStrictEqual(yield* Wire.gaps, [1000, 9000])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), Wire.answer(429), success]))))

  it.effect("begin anew for each call", () =>
    Effect.gen(function*() {
      const twice = schedules({ transient: Schedule.upTo(everySecond, { times: 2 }) })
      yield* valueOverTime(Effect.all([twice(read), twice(read)], { concurrency: "unbounded" }))
      assert.strictEqual(yield* Wire.count, 6)
    }).pipe(Effect.provide(Wire.layer([...Array.from({ length: 4 }, () => Wire.answer(503)), success, success]))))

  it.effect("are for polls, also of a download, and end the wait for a job when they end", () =>
    Effect.gen(function*() {
      const polls = Schedule.upTo(Schedule.spaced("30 seconds"), { times: 3 })
      const waiting = Documents.use((documents) => documents.wait(Sample.document))
      const error = yield* errorOverTime(schedules({ polls })(waiting))
      assert.strictEqual(error._tag, "DocumentNotReady")
      assert.include(error.message, "The schedule of polls has ended")
      assert.deepStrictEqual(yield* Wire.gaps, [30_000, 30_000, 30_000])
    }).pipe(Effect.provide(Wire.layer(Wire.translating))))
})

describe("the schedule of a policy", () => {
  it.effect("has the waits of the client", () =>
    Effect.gen(function*() {
      const { defaults } = ResiliencePolicy
      const seeded = Random.withSeed("schedule")
      yield* Effect.exit(seeded(valueOverTime(Effect.exit(read))))
      const at: Array<number> = []
      const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        at.push(now)
        return Effect.fail({ status: at.length < 3 ? 503 : 429 })
      })
      const schedule = Schedule.upTo(ResiliencePolicy.backoff(defaults), { times: 4 })
      yield* seeded(valueOverTime(Effect.exit(Effect.retry(attempt, schedule))))
      const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0))
      const own = yield* Wire.gaps
      gaps.forEach((gap, index) => assert.approximately(gap, own[index] ?? 0, 1))
      assert.strictEqual(gaps.length, 4)
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(503),
      Wire.answer(503),
      Wire.answer(429),
      Wire.answer(429),
      Wire.answer(429)
    ]))))

  it.effect("has the waits between polls", () =>
    Effect.gen(function*() {
      const { defaults } = ResiliencePolicy
      const step = yield* Schedule.toStep(ResiliencePolicy.polls(defaults))
      const waits = yield* Effect.forEach(Array.from({ length: 20 }), () => step(0, undefined))
      const [first = 0, ...others] = waits.map(([, wait]) => Duration.toMillis(wait))
      const base = Duration.toMillis(defaults.pollBase)
      assert.isTrue(first >= 0.8 * base && first <= 1.2 * base)
      assert.isAtMost(Math.max(...others), 1.2 * Duration.toMillis(defaults.pollCap))
    }))
})
