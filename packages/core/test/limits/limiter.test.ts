import { ClientState, ResiliencePolicy, Translation } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { clockWith, download, echo, read, rephrase, Sample, success, Wire } from "../support/index.ts"
import { errorOverTime, overTime, valueOverTime } from "../support/time.ts"

const options = (resilience: Partial<ResiliencePolicy.ResiliencePolicy>) => ({
  resilience: { attempts: 1, ...resilience }
})

const rate = (requests: number, window: Duration.Input) => ({
  rate: { requests, window: Duration.fromInputUnsafe(window) }
})

const patient = { deadline: Duration.hours(2), retryAfterCap: Duration.hours(2) }

const many = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.exit(effect), { concurrency: "unbounded" })

const times = Effect.map(Wire.Wire, ({ sent }) => sent.map(({ at }) => at))

/** The largest excess over the rate in any window that starts and ends with a request. */
const burst = (at: ReadonlyArray<number>, requests: number, window: number): number =>
  at.reduce(
    (most, from, i) =>
      at.slice(i).reduce((inner, to, n) => Math.max(inner, n + 1 - ((to - from) * requests) / window), most),
    0
  )

/** Counts the requests in flight. */
const counting = (reply: Wire.Reply) => {
  let inFlight = 0
  let most = 0
  const counted: Wire.Reply = (request, sent) =>
    Effect.suspend(() => {
      most = Math.max(most, ++inFlight)
      return reply(request, sent)
    }).pipe(Effect.ensuring(Effect.sync(() => inFlight--)))
  return { reply: counted, most: () => most, inFlight: () => inFlight }
}

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Makes calls with pauses between them. */
const Arrivals = Schema.Array(between(0, 3000)).check(Schema.isMinLength(1), Schema.isMaxLength(40))

const arriving = (pauses: ReadonlyArray<number>, call: Sample.Operation["call"]) =>
  Effect.gen(function*() {
    const fibers: Array<Fiber.Fiber<unknown>> = []
    for (const pause of pauses) {
      // Most calls come in bursts.
      yield* Effect.sleep(pause < 1500 ? 1 : pause)
      fibers.push(yield* Effect.forkChild(Effect.exit(call)))
    }
    yield* Fiber.awaitAll(fibers)
  })

/** Polls take a second and find no document ready. */
const unready: Wire.Reply = (request, sent) =>
  sent.url.includes("/document/")
    ? Wire.late("1 second", Wire.inTranslation)(request, sent)
    : Wire.late("1 second", sent.url.includes("rephrase") ? Wire.answer(200, Sample.improvements) : success)(
      request,
      sent
    )

const inQueue = scaled(500, 1500)

describe("limiter", () => {
  it.effect.prop(
    "no window has more requests than the rate and one burst",
    [between(1, 10), between(10, 5000), Arrivals],
    ([requests, window, pauses]) =>
      Effect.gen(function*() {
        yield* valueOverTime(arriving(pauses, read))
        const at = yield* times
        assert.strictEqual(at.length, pauses.length)
        assert.isAtMost(burst(at, requests, window), requests + 1e-6)
      }).pipe(Effect.provide(Wire.layer(success, options({ ...patient, ...rate(requests, window) })))),
    { arbitrary: { runs: scaled(8, 60) } }
  )

  it.effect("requests are spread evenly over the window, from the first on", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* overTime(many(8, read))).took, 1750)
      assert.deepStrictEqual((yield* times).map((at) => at - 1), [0, 250, 500, 750, 1000, 1250, 1500, 1750])
      yield* overTime(Effect.andThen(Effect.delay(read, "10 seconds"), many(4, read)))
      const [first = 0, ...others] = (yield* times).slice(8)
      assert.deepStrictEqual(others.map((at) => at - first), [250, 500, 750, 1000], "a burst after a pause")
    }).pipe(Effect.provide(Wire.layer(success, options(rate(4, "1 second"))))))

  it.effect("a process that stalls does not send its missed calls in a burst", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const start = clock.currentTimeMillisUnsafe()
      const stall = { from: 1050, to: 4050 }
      /** Timers that are due during the stall fire after it. */
      const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
        Effect.andThen(
          clock.sleep(duration),
          Effect.suspend(() => {
            const now = clock.currentTimeMillisUnsafe() - start
            return now > stall.from && now < stall.to ? clock.sleep(Duration.millis(stall.to - now)) : Effect.void
          })
        )
      yield* overTime(Effect.provideService(many(40, read), Clock.Clock, clockWith(clock, { sleep })))
      const at = yield* times
      assert.strictEqual(at.length, 40)
      assert.isAtMost(burst(at, 10, 1000), 1)
    }).pipe(Effect.provide(Wire.layer(success, options(rate(10, "1 second"))))))

  it.effect("the rate is kept also after the service delayed all requests in flight", () =>
    Effect.gen(function*() {
      yield* overTime(many(60, read))
      assert.isAtMost(burst(yield* times, 2, 1000), 2)
    }).pipe(Effect.provide(Wire.layer(
      (request, sent) => Wire.late(sent.at < 10_000 ? 10_000 - sent.at : 1, success)(request, sent),
      options({ ...patient, ...rate(2, "1 second"), concurrency: 4 })
    ))))

  it.effect("repeats take a place of the rate too", () =>
    Effect.gen(function*() {
      yield* overTime(Effect.exit(read))
      assert.isAtMost(burst(yield* times, 1, 10_000), 1)
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(Effect.provide(Wire.layer(
      Wire.answer(503),
      options({ ...patient, ...rate(1, "10 seconds"), attempts: 4 })
    ))))

  it.effect("a repeat that the limiter refuses ends the call with the error of its last attempt", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.strictEqual(error._tag, "ServiceUnavailable")
      assert.include(error.message, "Not tried again (limiter).")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), { resilience: rate(1, "10 minutes") }))))

  it.effect.each(
    [
      ["its slot of the rate", rate(1, "10 seconds"), 10, 0],
      ["a place in flight", { concurrency: 1 }, 7, 7]
    ] as const
  )("the ledger has the time in the queue for %s", ([, limit, queued, took]) =>
    Effect.gen(function*() {
      const errors = yield* valueOverTime(Effect.all([Effect.flip(read), Effect.flip(read)], { concurrency: 2 }))
      const attempts = errors.map(({ attempts }) => attempts[0])
      assert.deepStrictEqual(attempts.map((attempt) => attempt?.queued), [undefined, Duration.seconds(queued)])
      assert.deepStrictEqual(attempts.map((attempt) => attempt?.took), [Duration.seconds(took), Duration.seconds(took)])
      assert.strictEqual(attempts[1]?.waitCause, undefined)
    }).pipe(
      Effect.provide(
        Wire.layer(took === 0 ? Wire.answer(404) : Wire.late("7 seconds", Wire.answer(404)), options(limit))
      )
    ))

  it.effect("the time in the queue counts toward the deadline", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.all([Effect.exit(read), Effect.exit(read)], { concurrency: 2 }))
      assert.strictEqual(took, 12_000)
      const [first, second] = yield* exit
      assert.isTrue(Exit.isSuccess(first))
      const error = yield* Effect.flip(second)
      assert.strictEqual(error._tag, "DeadlineExceeded")
      assert.strictEqual(error.outcome, "unknown")
      assert.deepStrictEqual(error.attempts[0]?.queued, Duration.seconds(5))
    }).pipe(Effect.provide(Wire.layer(
      [Wire.late("5 seconds", success), Wire.late("8 seconds", success)],
      options({ concurrency: 1, deadline: Duration.seconds(12) })
    ))))

  it.effect("a call whose deadline passes in the queue fails as not sent", () =>
    Effect.gen(function*() {
      yield* Effect.forkChild(read, { startImmediately: true })
      const soon = ResiliencePolicy.within(read, { deadline: Duration.seconds(3) })
      const error = yield* errorOverTime(soon)
      assert.strictEqual(error._tag, "DeadlineExceeded")
      assert.strictEqual(error.outcome, "refused")
      assert.deepStrictEqual(error.attempts, [])
      assert.strictEqual(
        error.message,
        "Languages.resources: the deadline of 3 s passed. Nothing was sent. Try later or raise the deadline."
      )
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, options({ concurrency: 1, deadline: Duration.seconds(5) })))))

  it.effect.each<readonly [what: string, policy: Partial<ResiliencePolicy.ResiliencePolicy>]>([
    ["the deadline", { deadline: Duration.seconds(29), attemptTimeout: Duration.seconds(5) }],
    ["the cap of waits", { retryAfterCap: Duration.seconds(29) }]
  ])("a turn that would come after %s fails at once, and nothing is sent", ([, policy]) =>
    Effect.gen(function*() {
      yield* read
      const { exit, took } = yield* overTime(Effect.flip(read))
      const error = yield* exit
      assert.strictEqual(took, 0)
      if (error._tag !== "RateLimited") return assert.fail(error._tag)
      assert.isTrue(error.isTransient)
      assert.strictEqual(error.outcome, "refused")
      assert.isAtLeast(Duration.toMillis(error.retryAfter ?? 0), 29_000)
      assert.include(error.message, "Nothing was sent: the client's rate limit has no free slot in time")
      assert.deepStrictEqual(error.attempts, [])
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(success, options({ ...rate(1, "30 seconds"), ...policy })))))

  it.effect("a call that is sent does not count as waiting for a slot", () =>
    Effect.gen(function*() {
      const fibers = yield* Effect.all([Effect.forkChild(read), Effect.forkChild(read)])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Wire.count, 2)
      const { rateDelay } = yield* ClientState.use((client) => client.get)
      assert.strictEqual(Duration.toMillis(rateDelay), 0)
      yield* Effect.forEach(fibers, Fiber.interrupt)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, options(rate(1, "1 second"))))))

  it.effect("of many calls those with a turn before their deadline are sent, and all others fail at once", () =>
    Effect.gen(function*() {
      const ends = yield* valueOverTime(Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.zip(Effect.exit(read), Clock.currentTimeMillis),
        { concurrency: "unbounded" }
      ))
      assert.deepStrictEqual((yield* times).map((at) => at - 1), [0, 1000, 2000, 3000, 4000, 5000])
      const refused = ends.filter(([exit]) => Exit.isFailure(exit))
      assert.deepStrictEqual(refused.map(([, at]) => at - 1), Array.from({ length: 14 }, () => 0))
    }).pipe(Effect.provide(Wire.layer(
      success,
      options({ ...rate(1, "1 second"), retryAfterCap: Duration.seconds(5) })
    ))))

  it.effect.prop(
    "the rate is kept and nothing is sent after a deadline, for any arrivals, answers and deadlines",
    [
      between(1, 5),
      between(100, 3000),
      between(1, 4),
      Schema.Array(Schema.Tuple([between(0, 4000), between(1, 6000)]))
    ],
    ([requests, window, concurrency, calls]) =>
      Effect.gen(function*() {
        const late = yield* valueOverTime(Effect.forEach(calls, ([arrives, patience], index) =>
          Effect.gen(function*() {
            yield* Effect.sleep(arrives)
            const start = yield* Clock.currentTimeMillis
            const deadline = { deadline: Duration.millis(patience) }
            const call: Sample.Operation["call"] = index % 2 === 0 ? read : rephrase
            yield* Effect.exit(ResiliencePolicy.within(call, deadline))
            return (yield* Clock.currentTimeMillis) - start - patience
          }), { concurrency: "unbounded" }))
        // Timers are no finer than a millisecond.
        for (const beyond of late) assert.isBelow(beyond, 1)
        assert.isAtMost(burst(yield* times, requests, window), requests + 1e-6)
      }).pipe(Effect.provide(Wire.layer(
        (request, sent) => Wire.late(sent.at % 1500, success)(request, sent),
        options({ ...rate(requests, window), concurrency })
      ))),
    { arbitrary: { runs: scaled(8, 80) } }
  )

  it.effect("a call has the turns of its operation between those of others, and is sent if its deadline allows that", () =>
    Effect.gen(function*() {
      for (const waiting of [many(3, read), many(4, rephrase)]) {
        yield* Effect.forkChild(waiting, { startImmediately: true })
      }
      const { exit, took } = yield* overTime(ResiliencePolicy.within(read, { deadline: Duration.millis(5500) }))
      yield* exit
      assert.approximately(took, 4000, 1)
    }).pipe(Effect.provide(Wire.layer(success, options(rate(1, "1 second"))))))

  it.effect("rejected calls leave their turns to later calls", () =>
    Effect.gen(function*() {
      yield* many(300, ResiliencePolicy.within(read, { deadline: Duration.millis(1) }))
      const { exit, took } = yield* overTime(read)
      yield* exit
      assert.isAtMost(took, 1000)
    }).pipe(Effect.provide(Wire.layer(success, options(rate(1, "1 second"))))))

  it.effect("calls that are interrupted in the queue leave their turns to later calls", () =>
    Effect.gen(function*() {
      const waiting = yield* Effect.forkChild(many(50, read), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(waiting)
      const { exit, took } = yield* overTime(read)
      yield* exit
      assert.isAtMost(took, 1000)
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(success, options(rate(1, "1 second"))))))

  it.effect("calls with short deadlines do not delay others", () =>
    Effect.gen(function*() {
      const impatient = Effect.timeoutOption(read, "1 second")
      yield* valueOverTime(
        Effect.forEach(
          Array.from({ length: 100 }),
          () => Effect.andThen(Effect.forkChild(impatient), Effect.sleep(500))
        )
      )
      // One request every two seconds for fifty seconds.
      assert.isAtLeast(yield* Wire.count, 20)
    }).pipe(Effect.provide(Wire.layer(success, options(rate(1, "2 seconds"))))))

  it.effect.prop(
    "the requests in flight never exceed the limit, and all calls end, also if some are interrupted",
    [between(1, 5), Schema.Array(Schema.Tuple([between(0, 2000), between(1, 4000)])).check(Schema.isMaxLength(30))],
    ([concurrency, calls]) => {
      const wire = counting(Wire.late("1 second", success))
      return Effect.gen(function*() {
        yield* valueOverTime(Effect.forEach(
          calls,
          ([arrives, patience]) => Effect.delay(Effect.timeoutOption(read, patience), arrives),
          { concurrency: "unbounded" }
        ))
        assert.isAtMost(wire.most(), concurrency)
        assert.strictEqual(wire.inFlight(), 0)
        yield* valueOverTime(many(30, read))
        const { took } = yield* overTime(many(concurrency, read))
        assert.strictEqual(took, 1000)
      }).pipe(Effect.provide(Wire.layer(wire.reply, options({ concurrency }))))
    },
    { arbitrary: { runs: scaled(6, 60) } }
  )

  it.effect("many waiting calls whose responses are there at once follow each other", () =>
    Effect.gen(function*() {
      const results = yield* valueOverTime(many(inQueue, read))
      assert.isTrue(results.every(Exit.isSuccess))
    }).pipe(Effect.provide(Wire.layer(
      [Wire.late("1 second", success), ...Array.from({ length: inQueue - 1 }, () => success)],
      options({ concurrency: 1 })
    ))))

  describe("fairness", () => {
    const otherCalls = Effect.gen(function*() {
      const polling = yield* Effect.forkChild(many(200, download), { startImmediately: true })
      yield* Effect.sleep("5 seconds")
      const start = yield* Clock.currentTimeMillis
      yield* Effect.all([read, rephrase], { concurrency: 2 })
      const took = (yield* Clock.currentTimeMillis) - start
      yield* Fiber.interrupt(polling)
      return took
    })

    it.effect("an operation that had its turn is behind those that waited meanwhile", () =>
      Effect.gen(function*() {
        yield* Effect.forEach([read, read, rephrase], (call) => Effect.forkChild(call, { startImmediately: true }))
        // The second of the reads has the place in flight when these come.
        yield* TestClock.adjust("1 second")
        yield* Effect.forEach([download, read], (call) => Effect.forkChild(call, { startImmediately: true }))
        yield* TestClock.adjust("5 seconds")
        const paths = (yield* Wire.sent).map(({ url }) => new URL(url).pathname.split("/")[2])
        // Calls and transfers of documents follow each other.
        assert.deepStrictEqual(paths, ["languages", "languages", "document", "write", "languages"])
      }).pipe(Effect.provide(Wire.layer(Wire.late("1 second", Wire.answer(404)), options({ concurrency: 1 })))))

    it.effect("a run of many texts does not starve a call of the same operation", () =>
      Effect.gen(function*() {
        const translation = yield* Translation
        const texts = Array.from({ length: 5000 }, () => "Good.")
        const all = translation.translateAll(texts, { targetLanguage: "de", concurrency: 100 })
        const run = yield* Effect.forkChild(Stream.runDrain(all), { startImmediately: true })
        yield* TestClock.adjust("1500 millis")
        const call = Effect.timed(translation.translate({ text: ["Well."], targetLanguage: "de" }))
        const fiber = yield* Effect.forkChild(call, { startImmediately: true })
        yield* TestClock.adjust("3 minutes")
        const [took] = yield* Fiber.join(fiber)
        assert.isAtMost(Duration.toSeconds(took), 5)
        yield* Fiber.interrupt(run)
      }).pipe(Effect.provide(Wire.layer(echo(), options({ ...patient, ...rate(1, "1 second") })))))

    it.effect.each(
      [
        ["places in flight", { concurrency: 2 }, 5000],
        ["slots of the rate", { ...patient, ...rate(1, "1 second") }, 10_000]
      ] as const
    )("polls of two hundred documents do not starve other calls of %s", ([, limits, most]) =>
      Effect.gen(function*() {
        assert.isAtMost(yield* valueOverTime(otherCalls), most)
      }).pipe(Effect.provide(Wire.layer(unready, options(limits)))))

    it.effect("other calls do not starve the polls", () =>
      Effect.gen(function*() {
        yield* valueOverTime(Effect.gen(function*() {
          const calls = yield* Effect.forkChild(many(200, Effect.forever(read)), { startImmediately: true })
          yield* Effect.sleep("1 second")
          const polling = yield* Effect.forkChild(many(4, download), { startImmediately: true })
          yield* Effect.sleep("60 seconds")
          yield* Fiber.interruptAll([calls, polling])
        }))
        const polls = (yield* Wire.sent).filter(({ url }) => url.includes("/document/")).length
        assert.isAtLeast(polls, 20)
      }).pipe(Effect.provide(Wire.layer(unready, options({ concurrency: 2 })))))
  })
})
