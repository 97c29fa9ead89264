import * as Attempt from "@effect-lingua/core/errors/Attempt"
import type * as Bulk from "@effect-lingua/core/texts/Bulk"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { assert, describe, it } from "@effect/vitest"
import { Clock, type Duration, Effect, Fiber, Random, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { echo, textsSent } from "../support/bulk.ts"
import { overTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`)

const detectAll = (texts: Bulk.Texts, concurrency?: number | "learned") =>
  Stream.unwrap(Detection.useSync((detection) => detection.detectAll(texts, { concurrency })))

/** What a service has seen. */
interface Seen {
  accepted: number
  refused: number
  inFlight: number
  mostInFlight: number
}

const nothingSeen = (): Seen => ({ accepted: 0, refused: 0, inFlight: 0, mostInFlight: 0 })

/** Takes 200 ms for a request and refuses those that it does not admit. */
const admitting = (seen: Seen, admits: (now: number) => boolean, status = 429): Wire.Reply => (request, sent) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (!admits(now)) {
      seen.refused++
      return Wire.answer(status)(request, sent)
    }
    seen.accepted++
    seen.inFlight++
    seen.mostInFlight = Math.max(seen.mostInFlight, seen.inFlight)
    return Effect.ensuring(Wire.late("200 millis", echo())(request, sent), Effect.sync(() => seen.inFlight--))
  })

/** So many at the same time. */
const atOnce = (most: number) => (seen: Seen) => admitting(seen, () => seen.inFlight < most)

/** So many a second, and as many more after a pause. */
const aSecond = (rate: number) => (seen: Seen) => {
  let tokens = rate
  let last = 0
  return admitting(seen, (now) => {
    tokens = Math.min(rate, tokens + (now - last) * rate / 1000)
    last = now
    if (tokens < 1) return false
    tokens--
    return true
  }, 529)
}

/** So many in each window of ten seconds, with the rest of the window as `Retry-After`. */
const inWindows = (most: number) => (seen: Seen): Wire.Reply => {
  let start = 0
  let count = 0
  return (request, sent) => {
    if (sent.at >= start + 10_000) {
      start = sent.at
      count = 0
    }
    if (count === most) {
      seen.refused++
      return Wire.answer(429, "", { "retry-after": String(Math.ceil((start + 10_000 - sent.at) / 1000)) })(
        request,
        sent
      )
    }
    count++
    return admitting(seen, () => true)(request, sent)
  }
}

const measured = (service: (seen: Seen) => Wire.Reply, texts: number, concurrency: number | "learned", most = 100) => {
  const seen = nothingSeen()
  return Effect.gen(function*() {
    const { exit, took } = yield* overTime(Stream.runCount(detectAll(numbered(texts), concurrency)))
    assert.strictEqual(yield* exit, texts)
    return { took, refused: seen.refused / (seen.refused + seen.accepted), mostInFlight: seen.mostInFlight }
  }).pipe(
    Random.withSeed("learned"),
    Effect.provide(Wire.layer(service(seen), {
      limits: { detectionTexts: 1 },
      resilience: { attempts: 100, concurrency: most }
    }))
  )
}

const seconds = (count: number) => Array.from({ length: count }, () => "1 second" as const)

/** How many requests a run sends in each of some times. */
const roundsOf = (times: ReadonlyArray<Duration.Input>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Stream.runDrain(detectAll(numbered(100_000), "learned")), {
      startImmediately: true
    })
    const rounds: Array<number> = []
    for (const time of times) {
      const before = yield* Wire.count
      yield* TestClock.adjust(time)
      rounds.push((yield* Wire.count) - before)
    }
    yield* Fiber.interrupt(fiber)
    return rounds
  })

describe("learned concurrency", () => {
  it.effect.each(
    sampled(
      [["4 at the same time", atOnce(4)], ["20 a second", aSecond(20)], ["60 in ten seconds", inWindows(60)]] as const,
      1
    )
  )(
    "is refused less than half as much as 8, and is no slower, where the service takes %s",
    ([, service]) =>
      Effect.gen(function*() {
        const fixed = yield* measured(service, scaled(300, 500), 8)
        const learned = yield* measured(service, scaled(300, 500), "learned")
        assert.isBelow(learned.refused, fixed.refused / 2)
        assert.isBelow(learned.took, fixed.took * 1.05)
      })
  )

  it.effect.each(sampled([["50 at the same time", atOnce(50)], ["100 a second", aSecond(100)]] as const, 1))(
    "takes less than half the time of 8, and is hardly refused, where the service takes %s",
    ([, service]) =>
      Effect.gen(function*() {
        const texts = scaled(600, 2000)
        const fixed = yield* measured(service, texts, 8)
        const learned = yield* measured(service, texts, "learned")
        assert.isBelow(learned.took, fixed.took / 2)
        assert.isBelow(learned.refused, 0.01)
      })
  )

  it.effect.each([3, 20])("is never more than that of the policy, which is %d", (most) =>
    Effect.gen(function*() {
      const { mostInFlight } = yield* measured(atOnce(1000), scaled(400, 1000), "learned", most)
      assert.strictEqual(mostInFlight, most)
    }))

  it.effect("follows that of the client up to 8, and then tries one more in each round", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* roundsOf(["999 millis", ...seconds(5)]), [2, 4, 8, 9, 10, 11])
    }).pipe(Effect.provide(Wire.layer(Wire.late("1 second", echo())))))

  it.effect("is halved once for all that are refused together, and then tries one more in four rounds", () =>
    Effect.gen(function*() {
      // The eight are repeated after ten seconds, and four more take their places.
      assert.deepStrictEqual(
        yield* roundsOf(["9 seconds", "2500 millis", ...seconds(9)]),
        [8, 8 + 4, 4, 4, 5, 5, 5, 5, 6, 6, 6]
      )
    }).pipe(
      Effect.provide(
        Wire.layer(
          (request, sent) =>
            Wire.late("1 second", sent.at < 5000 ? Wire.answer(429, "", { "retry-after": "9" }) : echo())(
              request,
              sent
            ),
          {
            resilience: { concurrency: Number.POSITIVE_INFINITY }
          }
        )
      )
    ))

  it.effect("sends no more ahead of a reader who is slow, and learns nothing from it", () =>
    Effect.gen(function*() {
      const read = yield* Ref.make(0)
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(detectAll(numbered(100_000), "learned"), () =>
          Effect.delay(Ref.update(read, (count) => count + 1), "1 second")),
        { startImmediately: true }
      )
      yield* TestClock.adjust("2000 seconds")
      assert.strictEqual(yield* Ref.get(read), 2000)
      assert.isAtMost(yield* Wire.count, 40 + 8 + 1)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("leaves the attempts to those who record them", () =>
    Effect.gen(function*() {
      const [count, attempts] = yield* Attempt.record(Stream.runCount(detectAll(numbered(120), "learned")))
      assert.strictEqual(count, 120)
      assert.deepStrictEqual(attempts.map(({ status }) => status), [200, 200, 200])
      assert.deepStrictEqual((yield* textsSent).flat(), numbered(120))
    }).pipe(Effect.provide(Wire.layer(echo()))))
})
