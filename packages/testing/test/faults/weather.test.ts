// A client in bad weather (random faults): many calls of all kinds against the fake in process, on virtual time.
import { LanguageService, ResiliencePolicy } from "@effect-lingua/core"
import { FakeLanguageService, VirtualTime, type Weather } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Random, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import * as ManyCalls from "../support/manyCalls.ts"

const calls = scaled(80, 4000)
const seed = "a wet day in November"

/** Three of ten attempts are hit; half of those with an unknown outcome after their work was done. */
const bad: Weather.Weather = {
  rate429: 0.08,
  rate529: 0.03,
  rate503: 0.04,
  rate500: 0.04,
  rate502: 0.02,
  rate504: 0.02,
  rateReset: 0.04,
  rateSlow: 0.005,
  rateTruncated: 0.01,
  rateStalled: 0.005,
  rateMalformed: 0.005,
  rateWrongLength: 0.005,
  // Longer than the time of an attempt.
  slowBy: "15 seconds",
  afterEffect: 0.5
}
const retryAfter = Duration.seconds(3)
const outage: Weather.Weather = { rate503: 0.5, rateReset: 0.5, afterEffect: 0.5 }

/** A number of calls in a weather that changes each half minute. */
interface Story {
  readonly what: string
  readonly calls: number
  readonly policy: ResiliencePolicy.ResiliencePolicy
  readonly weather: (halfMinute: number) => Weather.Weather
}

const base = { ...ResiliencePolicy.defaults, jobDeadline: Duration.minutes(5) }

const stories: ReadonlyArray<Story> = [
  {
    what: "three of ten attempts hit",
    calls,
    policy: {
      ...base,
      // Short enough that it ends some calls.
      deadline: Duration.seconds(10),
      attemptTimeout: Duration.seconds(10),
      bodyIdleTimeout: Duration.seconds(2)
    },
    // The service says in every other half minute when to come back.
    weather: (halfMinute) => halfMinute % 2 === 0 ? bad : { ...bad, retryAfter }
  },
  {
    what: "outages, and the policy's defaults",
    calls: scaled(100, 3000),
    policy: base,
    weather: (halfMinute) => halfMinute % 4 === 1 ? outage : { rate429: 0.05, rateReset: 0.02, afterEffect: 0.5 }
  }
]

const client = (policy: ResiliencePolicy.ResiliencePolicy) =>
  LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test", resilience: policy }).pipe(
    Layer.provideMerge(FakeLanguageService.layer({ seed, latency: "20 millis" }))
  )

describe("weather", () => {
  it.effect.each(stories.map((story) => [`${story.calls} calls, ${story.what}`, story] as const))(
    "nothing happens twice, nothing is lost in silence, all ends in time: %s",
    ([, story]) =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const run = yield* ManyCalls.make({
          calls: story.calls,
          deadline: story.policy.deadline,
          jobDeadline: story.policy.jobDeadline,
          readyWithin: Duration.seconds(5),
          pause: Duration.seconds(1)
        })
        const work = yield* Effect.forkChild(Effect.delay(Effect.andThen(run.prepare, run.work), 1))
        yield* TestClock.adjust("1281 millis")
        for (let halfMinute = 0; work.pollUnsafe() === undefined; halfMinute++) {
          assert.isBelow(halfMinute, 100_000, "every call ends")
          yield* fake.weather(story.weather(halfMinute))
          yield* TestClock.adjust("30 seconds")
        }
        yield* Fiber.join(work)
        yield* fake.weather({})
        yield* TestClock.adjust("10 minutes")
        yield* VirtualTime.run(run.verify)
      }).pipe(Effect.provide(client(story.policy)), Random.withSeed(seed)),
    600_000
  )
})
