import { ClientState, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Random } from "effect"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { Metrics, read, Sample, success, valueOverTime, Wire } from "../support/index.ts"

/** What a service has seen. */
interface Seen {
  accepted: number
  refused: number
  inFlight: number
}

const nothingSeen = (): Seen => ({ accepted: 0, refused: 0, inFlight: 0 })

/** Takes 200 ms for a request and refuses those that it does not admit. */
const admitting = (seen: Seen, admits: (now: number) => boolean, status = 429): Wire.Reply => (request, sent) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (!admits(now)) {
      seen.refused++
      return Wire.answer(status)(request, sent)
    }
    seen.accepted++
    seen.inFlight++
    return Effect.ensuring(Wire.late("200 millis", success)(request, sent), Effect.sync(() => seen.inFlight--))
  })

/** So many at the same time. */
const atOnce = (most: number) => (seen: Seen) => admitting(seen, () => seen.inFlight < most)

/** So many a second, and as many more after a pause. */
const aSecond = (rate: number, status: number) => (seen: Seen) => {
  let tokens = rate
  let last = 0
  return admitting(seen, (now) => {
    tokens = Math.min(rate, tokens + (now - last) * rate / 1000)
    last = now
    if (tokens < 1) return false
    tokens--
    return true
  }, status)
}

/** The calls of a client, so many a second. */
const calls = (perSecond: number, seconds: number) =>
  Effect.forkChild(Effect.exit(read)).pipe(
    Effect.tap(Effect.sleep(1000 / perSecond)),
    Effect.replicateEffect(perSecond * seconds),
    Effect.flatMap(Fiber.awaitAll)
  )

const learned = Effect.map(ClientState.use((client) => client.get), ({ rate }) => rate)

const options = (resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) => ({
  resilience: { attempts: 1, ...resilience }
})

/** The requests that a service accepts in a second, and the share that it refuses, while a client calls it with half as many again. */
const measured = (limit: number, service: (seen: Seen) => Wire.Reply) => {
  const seen = nothingSeen()
  const seconds = scaled(20, 40)
  return Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(calls(1.5 * limit, 60 + seconds))
    yield* Effect.sleep("1 minute")
    const before = { ...seen }
    yield* Effect.sleep(Duration.seconds(seconds))
    const accepted = seen.accepted - before.accepted
    const refused = seen.refused - before.refused
    yield* Fiber.interrupt(fiber)
    return { perSecond: accepted / seconds, refused: refused / (accepted + refused) }
  }).pipe(
    valueOverTime,
    Random.withSeed("learned"),
    Effect.provide(Wire.layer(service(seen), { resilience: { deadline: Duration.seconds(60) } }))
  )
}

const late = Wire.late("200 millis", success)

/** Replies by the number of the request. */
const numbered = (replyTo: (number: number) => Wire.Reply): Wire.Reply => {
  let number = 0
  return (request, sent) => replyTo(++number)(request, sent)
}

/** Replies by the time in seconds. */
const timed = (replyAt: (second: number) => Wire.Reply): Wire.Reply => (request, sent) =>
  replyAt(sent.at / 1000)(request, sent)

const refusals = [429, 529].map((status) => [status, Wire.answer(status)] as const)

/** A service that asks for a wait of ten seconds after 20 requests, and the client that has learned of it. */
const throttled = (resilience?: Partial<ResiliencePolicy.ResiliencePolicy>) =>
  Layer.suspend(() =>
    Wire.layer(
      numbered((number) => number <= 20 || number > 25 ? success : Wire.answer(429, "", { "retry-after": "10" })),
      options(resilience)
    )
  )
const learning = Effect.forEach(Array.from({ length: 25 }), () => Effect.exit(Effect.delay(read, 100)))

const few = scaled(12, 20)

describe("the learned rate", () => {
  it.effect.each(
    sampled(
      [
        [`${few} a second`, few, aSecond(few, 429)],
        ["20 a second, with 529", 20, aSecond(20, 529)],
        ["4 at the same time", 20, atOnce(4)]
      ] as const,
      1
    )
  )(
    "is nearly that of a service, which refuses at most 5 %% from the second minute on: %s",
    ([, limit, service]) =>
      Effect.gen(function*() {
        const { perSecond, refused } = yield* measured(limit, service)
        assert.isAtLeast(perSecond / limit, 0.95)
        assert.isAtMost(refused, 0.05)
      })
  )

  it.effect.each(refusals)("begins with the fifth of several refusals: %d", ([, refusal]) =>
    Effect.gen(function*() {
      for (let call = 0; call < 29; call++) {
        yield* Effect.exit(read)
        assert.strictEqual(yield* learned, Number.POSITIVE_INFINITY)
      }
      assert.strictEqual(yield* Metrics.gauge("rate"), 0)
      yield* Effect.exit(read)
      // Before the first refusal 19 were accepted, in 200 ms each. One more is taken for accepted.
      assert.approximately(yield* learned, 20 / 3.8, 0.01)
      assert.strictEqual(yield* Metrics.gauge("rate"), yield* learned)
      assert.deepStrictEqual((yield* Metrics.counts("cuts")).map(([, count]) => count), [1])
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(numbered((number) => number <= 25 ? late : refusal), options())),
      Metrics.isolated
    ))

  it.effect.each([[30, true], [45, false]] as const)(
    "begins with refusals of one request in %d: %s",
    ([every, begins]) =>
      Effect.gen(function*() {
        yield* Effect.exit(Effect.replicateEffect(Effect.exit(read), scaled(400, 3000), { discard: true }))
        assert.strictEqual(Number.isFinite(yield* learned), begins)
      }).pipe(
        valueOverTime,
        Effect.provide(Wire.layer(numbered((number) => number % every === 0 ? Wire.answer(429) : success), options()))
      )
  )

  it.effect("is none for refusals by chance of one request in fifty, and hardly slows down those of one in ten", () =>
    Effect.gen(function*() {
      for (const [share, seconds, longer] of sampled([[0.02, scaled(20, 200), 1.01], [0.1, 200, 1.5]] as const, 1)) {
        yield* Effect.gen(function*() {
          const [took] = yield* Effect.timed(calls(20, seconds))
          assert.isBelow(Duration.toSeconds(took), seconds * longer)
        }).pipe(
          valueOverTime,
          Effect.provide(Wire.layer(
            (request, sent) =>
              Effect.flatMap(Random.next, (drawn) => (drawn < share ? Wire.answer(429) : late)(request, sent)),
            options({ deadline: Duration.minutes(10) })
          ))
        )
      }
    }).pipe(Random.withSeed("chance")))

  it.effect("does not begin while nothing is accepted: the circuit opens", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.exit(read))
      assert.strictEqual(yield* learned, Number.POSITIVE_INFINITY)
      assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(429), options({ whenUnavailable: "fail" })))))

  it.effect.each([[40, scaled(5, 10), "short"], [120, scaled(5, 20), "12"]] as const)(
    "stays nearly what it was while everything is refused, so that calls succeed soon afterwards: until %d s, %d a second, %s",
    ([end, perSecond, seed]) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(calls(perSecond, end + 50))
        yield* Effect.sleep(Duration.seconds(end + 20))
        const before = yield* Wire.count
        yield* Effect.sleep("20 seconds")
        assert.isAtLeast((yield* Wire.count) - before, 15 * perSecond)
        yield* Fiber.interrupt(fiber)
      }).pipe(
        valueOverTime,
        Random.withSeed(seed),
        Effect.provide(Wire.layer(
          timed((second) => second > 30 && second < end ? Wire.answer(429) : late),
          options({ attempts: 5 })
        ))
      )
  )

  it.effect("does not begin where accepted requests have become slow: that is a full queue, which cuts those in flight", () =>
    Effect.gen(function*() {
      yield* Effect.exit(calls(20, 30))
      assert.strictEqual(yield* learned, Number.POSITIVE_INFINITY)
      const cuts = yield* Metrics.counts("cuts")
      assert.deepInclude(cuts.map(([attributes]) => attributes), { sign: "RateLimited" })
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        numbered((number) => {
          if (number < 200) return late
          return number < 260 || number % 5 === 0 ? Wire.late("4 seconds", success) : Wire.answer(429)
        }),
        options()
      )),
      Metrics.isolated
    ))

  it.effect("is forgotten a minute after the last request", () =>
    Effect.gen(function*() {
      yield* learning
      yield* read
      assert.isBelow(yield* learned, 20)
      yield* Effect.sleep("61 seconds")
      assert.strictEqual(yield* learned, Number.POSITIVE_INFINITY)
      const [took] = yield* Effect.timed(Effect.all([read, read, read], { concurrency: 3 }))
      assert.strictEqual(Duration.toMillis(took), 0)
    }).pipe(valueOverTime, Effect.provide(throttled())))

  it.effect("grows ever faster after half a minute without a refusal, and is none after three minutes", () =>
    Effect.gen(function*() {
      yield* learning
      const rates = yield* Effect.forEach(
        [20, 60, 130],
        (seconds) => Effect.andThen(Effect.replicateEffect(Effect.delay(read, "10 seconds"), seconds / 10), learned)
      )
      assert.isBelow(rates[0] ?? 0, 10)
      assert.approximately((rates[1] ?? 0) / (rates[0] ?? 0), 1.02 ** 100, 1)
      assert.strictEqual(rates[2], Number.POSITIVE_INFINITY)
    }).pipe(valueOverTime, Effect.provide(throttled())))

  const raised = scaled(15, 60)

  it.effect("grows soon if a limit is raised", () =>
    Effect.gen(function*() {
      const seen = nothingSeen()
      const [low, high] = [aSecond(scaled(3, 5), 429)(seen), aSecond(scaled(10, 40), 429)(seen)]
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(calls(scaled(8, 30), raised + 60))
        yield* Effect.sleep(Duration.seconds(raised + 50))
        const before = seen.accepted
        yield* Effect.sleep("10 seconds")
        assert.isAtLeast(seen.accepted - before, scaled(60, 200))
        yield* Fiber.interrupt(fiber)
      }).pipe(
        valueOverTime,
        Effect.provide(Wire.layer(timed((second) => second < raised ? low : high), options({ attempts: 5 })))
      )
    }))

  it.effect("comes back within 20 s of a limit at which most calls were lost", () => {
    const seen = nothingSeen()
    const [low, high] = [aSecond(1, 429)(seen), aSecond(15, 429)(seen)]
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(calls(5, 130))
      yield* Effect.sleep("110 seconds")
      const before = seen.accepted
      yield* Effect.sleep("15 seconds")
      assert.isAtLeast(seen.accepted - before, 0.95 * 5 * 15)
      yield* Fiber.interrupt(fiber)
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        timed((second) => second > 30 && second < 90 ? low : high),
        options({ attempts: 5, deadline: Duration.seconds(5) })
      ))
    )
  })

  it.effect("at most doubles within a second, however many calls end at once because it is too low", () =>
    Effect.gen(function*() {
      yield* learning
      const before = yield* learned
      yield* Effect.forEach(
        Array.from({ length: 500 }),
        () => Effect.exit(ResiliencePolicy.within(read, { deadline: Duration.seconds(2) })),
        {
          concurrency: "unbounded"
        }
      )
      assert.isAtMost(yield* learned, 2.2 * before)
    }).pipe(valueOverTime, Effect.provide(throttled())))

  it.effect("is none where requests in flight have no limit", () =>
    Effect.gen(function*() {
      yield* learning
      assert.strictEqual(yield* learned, Number.POSITIVE_INFINITY)
    }).pipe(valueOverTime, Effect.provide(throttled({ concurrency: Number.POSITIVE_INFINITY }))))

  it.effect("holds back the calls that were waiting when it began", () => {
    const seen = nothingSeen()
    return Effect.gen(function*() {
      const fibers = yield* Effect.forEach(
        Array.from({ length: scaled(1000, 3000) }),
        () => Effect.forkChild(Effect.exit(read))
      )
      yield* Effect.sleep("10 seconds")
      assert.isAtLeast(seen.accepted, 150)
      assert.isAtMost(seen.refused, 250)
      const state = ClientState.use((client) => client.get)
      assert.isAbove(Duration.toMillis((yield* state).rateDelay), 0)
      yield* Fiber.interruptAll(fibers)
      const { inFlight, queued, rateDelay } = yield* state
      assert.deepStrictEqual([inFlight, queued, Duration.toMillis(rateDelay)], [0, 0, 0])
    }).pipe(valueOverTime, Effect.provide(Wire.layer(aSecond(20, 429)(seen), options())))
  })

  it.effect("does not hold back transfers", () =>
    Effect.gen(function*() {
      yield* learning
      const [took] = yield* Effect.timed(Effect.exit(Sample.operation("Documents.upload").call))
      assert.strictEqual(Duration.toMillis(took), 0)
    }).pipe(valueOverTime, Effect.provide(throttled())))
})
