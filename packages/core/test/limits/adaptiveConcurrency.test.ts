import { ClientState, Documents, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { isFull, sampled } from "../../../../test/support/scale.ts"
import { errorOverTime, Metrics, overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

/** A call that no other one answers. */
const read = Documents.use((documents) => documents.status(Sample.document))
const upload = Sample.operation("Documents.upload").call
const success = Wire.done

const most = 20

const options = (resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) => ({
  resilience: { attempts: 1, concurrency: most, ...resilience }
})

const layer = (script: Wire.Script, resilience?: Partial<ResiliencePolicy.ResiliencePolicy>) =>
  Wire.layer(script, options(resilience))

const many = (count: number, call = read) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.exit(call), { concurrency: "unbounded" })

const within = (deadline: Duration.Input) => ResiliencePolicy.within(read, { deadline })

const learned = Effect.map(ClientState.use((client) => client.get), ({ concurrency }) => concurrency)

/** Signs of overload, and how many earlier ones a cut needs. */
const signs = [
  ["ServiceUnavailable", 2, Wire.late("1 second", Wire.answer(503))],
  ["ConnectionLost", 2, Wire.late("1 second", Wire.broken("ECONNRESET"))],
  ["ConnectionFailed", 2, Wire.late("1 second", Wire.broken("ECONNREFUSED"))],
  ["AttemptTimeout", 0, Wire.silent]
] as const

/** Ends that are no sign. */
const others = {
  "a success": Wire.late("1 second", success),
  "a refusal": Wire.late("1 second", Wire.answer(403)),
  "a 500, which is of one operation": Wire.late("1 second", Wire.answer(500)),
  "a slow success": Wire.late("19 seconds", success)
}

/** A service that works until the client has grown to its limit, and then replies otherwise: a number of times, or always. */
const then = (
  reply: Wire.Reply,
  times = Number.POSITIVE_INFINITY,
  resilience?: Partial<ResiliencePolicy.ResiliencePolicy>
) =>
  Layer.suspend(() => {
    let count = 0
    return layer((request, sent) => {
      count++
      return (count > 60 && count <= 60 + times ? reply : Wire.late("1 second", success))(request, sent)
    }, resilience)
  })

const grow = overTime(many(60))

describe("the learned number of attempts in flight", () => {
  it.effect.each(signs)(
    "is half of those in flight after three signs in a row, or one timeout beside other attempts: %s",
    ([sign, earlier, reply]) =>
      Effect.gen(function*() {
        yield* grow
        yield* overTime(many(earlier))
        assert.strictEqual(yield* learned, most)
        yield* overTime(many(20))
        // The third sign is the first of these, with all of them in flight.
        assert.strictEqual(yield* learned, 10)
        assert.strictEqual(yield* Metrics.gauge("concurrency"), 10)
        assert.deepStrictEqual(yield* Metrics.counts("cuts"), [[{ sign }, 1]])
      }).pipe(Effect.provide(then(reply)), Metrics.isolated)
  )

  it.effect("is not raised by responses that take longer than 15 seconds", () =>
    Effect.gen(function*() {
      yield* overTime(many(6))
      assert.strictEqual(yield* learned, 2)
    }).pipe(Effect.provide(layer(Wire.late("16 seconds", success)))))

  it.effect("begins with two, and doubles in each round until the first cut", () =>
    Effect.gen(function*() {
      yield* Effect.forkChild(many(80), { startImmediately: true })
      for (const size of [2, 4, 8, 16, most, most]) {
        assert.strictEqual(yield* learned, size)
        yield* TestClock.adjust("1 second")
      }
    }).pipe(Effect.provide(layer(Wire.late("1 second", success)))))

  it.effect.each(sampled(Object.entries(others), 1))("stays after %s", ([, reply]) =>
    Effect.gen(function*() {
      yield* grow
      yield* overTime(many(60))
      assert.strictEqual(yield* learned, most)
    }).pipe(Effect.provide(then(reply))))

  it.effect("stays while attempts fail by chance, in a row that is rare for their share", () =>
    Effect.gen(function*() {
      yield* overTime(Effect.repeat(Effect.exit(read), { times: 119 }))
      assert.deepStrictEqual(yield* Metrics.counts("cuts"), [])
    }).pipe(
      Effect.provide(
        layer(Array.from({ length: 120 }, (_, n) => n % (n < 60 ? 3 : 7) === 0 ? success : Wire.answer(503)))
      ),
      Metrics.isolated
    ))

  it.effect("is no sign what a caller cuts before two seconds, and one what it cuts after them", () =>
    Effect.gen(function*() {
      yield* grow
      yield* overTime(many(20, within("1500 millis")))
      assert.strictEqual(yield* learned, most)
      yield* overTime(many(20, within("3 seconds")))
      assert.isBelow(yield* learned, 20)
    }).pipe(Effect.provide(then(Wire.silent))))

  it.effect.each(isFull ? ["5 seconds", "2 seconds", "1 second"] as const : [])(
    "lets calls succeed soon after a minute without enough capacity, where callers have %s",
    (deadline) => {
      let free = 0
      /** Works through a queue, in which requests stay whose callers have given up. */
      const queueing: Wire.Reply = (request, sent) => {
        const perSecond = sent.at > 30_000 && sent.at < 90_000 ? 10 : 25
        free = Math.max(sent.at, free) + 1000 / perSecond
        return Wire.late(free - sent.at, success)(request, sent)
      }
      const ends: Array<boolean> = []
      return Effect.gen(function*() {
        const call = Effect.map(Effect.exit(within(deadline)), (exit) => ends.push(Exit.isSuccess(exit)))
        yield* Effect.forkChild(call).pipe(
          Effect.andThen(Effect.sleep(1000 / 24)),
          Effect.replicateEffect(24 * 150, { discard: true })
        )
        assert.isAtLeast(ends.slice(-24 * 30).filter((isSuccess) => isSuccess).length, 0.9 * 24 * 30)
      }).pipe(valueOverTime, Effect.provide(Wire.layer(queueing)))
    }
  )

  it.effect.each([[within("1 second"), {}], [read, { attemptTimeout: Duration.seconds(1) }]] as const)(
    "ends in a pause where calls have one second and a host is silent, also after a minute without calls",
    ([call, resilience]) =>
      Effect.gen(function*() {
        yield* grow
        yield* overTime(Effect.sleep("61 seconds"))
        yield* overTime(Effect.repeat(many(20, call), { times: 5 }))
        assert.strictEqual(yield* learned, 1)
      }).pipe(Effect.provide(then(Wire.silent, undefined, resilience)))
  )

  it.effect("grows by one in a round after a cut, as long as it is used", () =>
    Effect.gen(function*() {
      yield* grow
      yield* overTime(many(8))
      assert.strictEqual(yield* learned, 3)
      yield* overTime(many(9))
      assert.strictEqual(yield* learned, 4)
      yield* overTime(Effect.repeat(read, { times: 20 }))
      assert.strictEqual(yield* learned, 4)
    }).pipe(Effect.provide(then(Wire.late("1 second", Wire.answer(503)), 8))))

  it.effect("lets no more in flight than it says, and the others wait for their turn", () =>
    Effect.gen(function*() {
      yield* grow
      yield* overTime(many(8))
      const before = yield* Wire.count
      const fiber = yield* Effect.forkChild(many(10))
      yield* TestClock.adjust("500 millis")
      const { concurrency, inFlight, queued } = yield* ClientState.use((client) => client.get)
      assert.deepStrictEqual([concurrency, inFlight, queued], [3, 3, 7])
      assert.strictEqual(yield* Wire.count, before + 3)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue((yield* Fiber.join(fiber)).every(({ _tag }) => _tag === "Success"))
    }).pipe(Effect.provide(then(Wire.late("1 second", Wire.answer(503)), 8))))

  it.effect("pauses a client with one attempt in flight, from a second to twenty", () =>
    Effect.gen(function*() {
      yield* overTime(Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(read)))
      const gaps = yield* Wire.gaps
      // The third failure is the first sign that counts.
      for (const [index, gap] of gaps.slice(2).entries()) {
        const bound = Math.min(20_000, 1000 * 2 ** index)
        assert.isAtLeast(gap, bound / 2)
        assert.isAtMost(gap, bound)
      }
    }).pipe(Random.withSeed("pauses"), Effect.provide(layer(Wire.answer(503)))))

  it.effect("an upload that has waited for the end of a pause does not end the next one", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 3; call++) yield* Effect.exit(read)
      const waiting = Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(upload), { concurrency: "unbounded" })
      yield* Effect.forkChild(waiting, { startImmediately: true })
      yield* Effect.exit(read)
      yield* Effect.sleep(500)
      const [took] = yield* Effect.timed(Effect.exit(read))
      assert.isAtLeast(Duration.toMillis(took), 500)
    }).pipe(valueOverTime, Random.withSeed("pauses"), Effect.provide(layer(Wire.answer(503)))))

  it.effect("grows soon after an outage of any length", () =>
    Effect.gen(function*() {
      let isDown = true
      const late = Wire.late("1 second", success)
      const reply: Wire.Reply = (request, sent) => (isDown ? Wire.answer(503) : late)(request, sent)
      yield* Effect.gen(function*() {
        yield* overTime(Effect.forEach(Array.from({ length: 200 }), () => Effect.exit(read)))
        assert.strictEqual(yield* learned, 1)
        isDown = false
        yield* overTime(Effect.repeat(read, { times: 7 }))
        yield* overTime(many(2))
        assert.strictEqual(yield* learned, 2)
      }).pipe(Effect.provide(layer(reply)))
    }))

  it.effect("is not taught by an upload, which waits for the end of a pause like a call", () =>
    Effect.gen(function*() {
      yield* overTime(
        Effect.forEach(Array.from({ length: 12 }), () => Effect.exit(upload), { concurrency: "unbounded" })
      )
      assert.strictEqual(yield* learned, 2)
      for (let call = 0; call < 3; call++) yield* Effect.exit(read)
      const uploading = yield* Effect.forkChild(upload, { startImmediately: true })
      const before = yield* Wire.count
      yield* TestClock.adjust("400 millis")
      assert.strictEqual(yield* Wire.count, before)
      yield* Fiber.interrupt(uploading)
    }).pipe(Effect.provide(layer(Wire.answer(503)))))

  it.effect.each([["8 seconds", 8000, 0], ["16 seconds", 25_000, 3000]] as const)(
    "pauses for most of the time of an attempt that was silent for ten seconds: %s",
    ([deadline, gap, range]) =>
      Effect.gen(function*() {
        yield* overTime(Effect.andThen(Effect.exit(within(deadline)), within(deadline)))
        assert.closeTo((yield* Wire.gaps)[0] ?? 0, gap, range)
      }).pipe(Effect.provide(layer([Wire.silent, success], { concurrency: 1 })))
  )

  it.effect("a call that ends during a pause was not sent", () =>
    Effect.gen(function*() {
      yield* overTime(Effect.forEach(Array.from({ length: 3 }), () => Effect.exit(read)))
      yield* Effect.forEach(Array.from({ length: 9 }), () => overTime(Effect.exit(read)))
      yield* Effect.exit(read)
      const before = yield* Wire.count
      const fiber = yield* Effect.forkChild(Effect.flip(within("2 seconds")))
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(fiber)
      assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused" })
      assert.include(error.message, "the deadline of 2 s cannot be met. Nothing was sent: the service fails too often")
      assert.deepStrictEqual(yield* Metrics.counts("unsent"), [[{ operation: "Documents.status" }, 1]])
      assert.strictEqual(yield* Wire.count, before)
    }).pipe(Effect.provide(layer(Wire.answer(503))), Metrics.isolated))

  it.effect("a call that has waited is not sent if responses take longer than its time, and one with a short time is", () =>
    Effect.gen(function*() {
      yield* valueOverTime(read)
      const fibers = yield* Effect.forEach(
        ["30 seconds", "14 seconds"] as const,
        (deadline) => Effect.forkChild(Effect.exit(within(deadline)), { startImmediately: true })
      )
      yield* TestClock.adjust("1 minute")
      const [first, second] = yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(first?._tag, "Success")
      const error = second === undefined ? assert.fail() : yield* Effect.flip(second)
      assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused" })
      assert.include(error.message, "responses take longer than the time left")
      assert.strictEqual(yield* Wire.count, 2)
      assert.strictEqual((yield* errorOverTime(within("5 seconds")))._tag, "DeadlineExceeded")
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(layer(Wire.late("10 seconds", success), { concurrency: 1 }))))

  it.effect("an operation that was slow is sent again after a minute, although others are in flight", () => {
    const rules = Sample.operation("StyleRules.get").call
    let isSlow = true
    const reply: Wire.Reply = (request, sent) =>
      request.url.includes("/style_rules/")
        ? Wire.late(isSlow ? "20 seconds" : "1 second", Wire.answer(200, Sample.list))(request, sent)
        : Wire.late("5 minutes", success)(request, sent)
    return Effect.gen(function*() {
      yield* rules
      isSlow = false
      yield* Effect.forkChild(read)
      yield* Effect.sleep("61 seconds")
      yield* ResiliencePolicy.within(rules, { deadline: Duration.seconds(5) })
    }).pipe(
      valueOverTime,
      Effect.provide(layer(reply, { attemptTimeout: Duration.minutes(10), deadline: Duration.minutes(10) }))
    )
  })

  it.effect("is off without a limit of the policy", () =>
    Effect.gen(function*() {
      yield* overTime(many(20))
      assert.strictEqual(yield* learned, Number.POSITIVE_INFINITY)
      yield* many(20)
      assert.deepStrictEqual((yield* Wire.gaps).slice(20), Array.from({ length: 19 }, () => 0))
    }).pipe(Effect.provide(layer(Wire.answer(503), { concurrency: Number.POSITIVE_INFINITY }))))
})
