import { type Events, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { download, Metrics, read, Sample, success, watch, Wire } from "../support/index.ts"
import { errorOverTime, valueOverTime, within } from "../support/time.ts"

const upload = Sample.operation("Documents.upload").call
const second = 1000

const cut = Wire.streamed(
  200,
  Stream.concat(Stream.make(new TextEncoder().encode("[")), Stream.fail(new Error("terminated")))
)

/** A client whose calls do not wait for a service that is unavailable. */
const options = (policy: Partial<ResiliencePolicy.ResiliencePolicy> = {}) => ({
  resilience: { attempts: 1, whenUnavailable: "fail" as const, ...policy }
})

/** Calls that fail one after the other, after which the circuit is open: three signs, and one after the first pause. */
const opening = Effect.forEach(Array.from({ length: 4 }), () => Effect.flip(read))

const region = (fields: ResiliencePolicy.Options) => ResiliencePolicy.within(fields)

/** The answer to a call, and its meaning for the breaker. */
const meanings = {
  unavailable: { reply: Wire.answer(503), means: "failure" },
  lost: { reply: Wire.broken("ECONNRESET"), means: "failure" },
  broken: { reply: Wire.answer(500), means: "nothing" },
  quota: { reply: Wire.answer(456), means: "success" },
  refused: { reply: Wire.answer(400), means: "success" },
  success: { reply: success, means: "success" }
} as const

const Met = Schema.Literals(["unavailable", "lost", "broken", "quota", "refused", "success"])

/** Answers all requests with the last reply that was set. */
const played = (first: Wire.Reply) => {
  let current = first
  const reply: Wire.Reply = (request, sent) => current(request, sent)
  return {
    reply,
    play: (next: Wire.Reply) => {
      current = next
    }
  }
}

/** A model of the breaker after its documentation, for calls that follow each other. Times are in milliseconds. */
class Model {
  isOpen = false
  failures = 0
  failuresPerSuccess = 0
  pauses = 0
  until = 0
  readonly changes: Array<readonly [from: Events.BreakerState, to: Events.BreakerState]> = []
  state(now: number): Events.BreakerState {
    return this.isOpen ? now < this.until ? "Open" : "HalfOpen" : "Closed"
  }
  change(to: Events.BreakerState): void {
    const from = this.changes.at(-1)?.[1] ?? "Closed"
    if (from !== to) this.changes.push([from, to])
  }
  ended(now: number, means: "failure" | "success" | "nothing"): void {
    if (means === "nothing") return
    if (means === "success") {
      this.failuresPerSuccess += (Math.min(3, this.failures) - this.failuresPerSuccess) / 5
      this.failures = 0
      this.isOpen = false
      this.pauses = Math.max(0, this.pauses - 1)
    } else if (++this.failures >= 3 * (1 + 3 * this.failuresPerSuccess)) {
      this.until = now + Math.min(20_000, 1000 * 2 ** this.pauses)
      this.isOpen = this.pauses > 0
      this.pauses = Math.min(5, this.pauses + 1)
    }
    this.change(this.state(now))
  }
}

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Steps = Schema.Array(Schema.Struct({ pause: between(0, 7), met: Met })).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(30)
)

const stateNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

const changesOf = (events: ReadonlyArray<Events.Event>) =>
  events.flatMap((event) => event._tag === "BreakerChanged" ? [[event.from, event.to] as const] : [])

describe("breaker", () => {
  it.effect.prop("it opens, probes and closes as its model does", [Steps], ([steps]) => {
    const wire = played(success)
    return Effect.gen(function*() {
      const model = new Model()
      const events = yield* watch
      let sent = 0
      for (const { met, pause } of steps) {
        yield* Effect.sleep(pause * second)
        wire.play(meanings[met].reply)
        const before = yield* Clock.currentTimeMillis
        const state = model.state(before)
        model.change(state)
        const exit = yield* Effect.exit(read)
        const now = yield* Clock.currentTimeMillis
        if (state === "Open") {
          const error = yield* Effect.flip(exit)
          assert.strictEqual(error._tag, "CircuitOpen")
          assert.deepStrictEqual(error.attempts, [])
        } else {
          sent++
          model.ended(now, meanings[met].means)
          assert.strictEqual(Exit.isSuccess(exit), met === "success")
        }
        assert.strictEqual(yield* Wire.count, sent)
        assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), stateNumber[model.state(now)])
      }
      // A listener runs after the call whose event it receives.
      yield* Effect.sleep(1)
      assert.deepStrictEqual(changesOf(yield* events), model.changes)
    }).pipe(valueOverTime, Effect.scoped, Effect.provide(Wire.layer(wire.reply, options())), Metrics.isolated)
  }, { arbitrary: { runs: scaled(20, 80) } })

  const failures: ReadonlyArray<readonly [what: string, reply: Wire.Reply]> = [
    ...[408, 429, 502, 503, 504, 529].map((status) => [String(status), Wire.answer(status)] as const),
    ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "EAI_AGAIN"].map((code) => [code, Wire.broken(code)] as const),
    ["no answer", Wire.silent],
    ["a cut body", cut]
  ]

  it.effect.each(failures)(
    "%s is a failure: after four of them the next call is rejected",
    ([, reply]) =>
      Effect.gen(function*() {
        yield* opening
        const error = yield* Effect.flip(read)
        assert.strictEqual(error._tag, "CircuitOpen")
        assert.strictEqual(error.outcome, "refused")
        assert.isTrue(error.isTransient)
        assert.strictEqual(yield* Wire.count, 4)
        assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 2)
      }).pipe(valueOverTime, Effect.provide(Wire.layer(reply, options())), Metrics.isolated)
  )

  it.effect.each([400, 401, 403, 404, 413, 414, 456, 500])("%d is no failure", (status) =>
    Effect.gen(function*() {
      yield* Effect.andThen(opening, opening)
      assert.strictEqual(yield* Wire.count, 8)
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(status), options()))))

  it.effect("a document that is polled until it is ready does not open the circuit", () =>
    Effect.gen(function*() {
      yield* valueOverTime(download)
      assert.strictEqual(yield* Wire.count, 22)
    }).pipe(Effect.provide(Wire.layer([...Wire.readyAfter(19), Wire.answer(200, "bytes")], options()))))

  it.effect("TooManyDocuments counts neither as a success nor as a failure", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 6; call++) {
        assert.strictEqual((yield* Effect.flip(upload))._tag, "TooManyDocuments")
      }
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(429, { message: "Too many documents" }), options()))))

  it.effect("a document is not uploaded to a service that is unavailable", () =>
    Effect.gen(function*() {
      yield* opening
      assert.strictEqual((yield* Effect.flip(upload))._tag, "CircuitOpen")
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(503), options()))))

  it.effect("a call waits for the next probe, as long as its deadline allows, unless it is to fail", () =>
    Effect.gen(function*() {
      yield* opening
      const [took] = yield* Effect.timed(read)
      assert.isAtLeast(Duration.toMillis(took), 1000)
      assert.isAtMost(Duration.toMillis(took), 2000)
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        [...Array.from({ length: 4 }, () => Wire.answer(503)), success],
        options({ whenUnavailable: "wait" })
      ))
    ))

  it.effect("a region fails at once where the others wait", () =>
    Effect.gen(function*() {
      yield* opening
      assert.strictEqual((yield* Effect.flip(region({ whenUnavailable: "fail" })(read)))._tag, "CircuitOpen")
      assert.strictEqual((yield* Effect.flip(read))._tag, "ServiceUnavailable")
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(503), options({ whenUnavailable: "wait" })))))

  it.effect("calls that wait for their turn fail at once when the circuit opens", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(Array.from({ length: 3 }), () => Effect.flip(read))
      const [took, errors] = yield* Effect.timed(
        Effect.forEach(Array.from({ length: 20 }), () => Effect.flip(read), { concurrency: "unbounded" })
      )
      assert.isAtMost(Duration.toMillis(took), 1000)
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag).slice(1), Array.from({ length: 19 }, () => "CircuitOpen"))
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(503), options()))))

  it.effect("a call whose retry is rejected ends with its own last failure, and the ledger has the cause", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.strictEqual(error._tag, "ServiceUnavailable")
      assert.deepStrictEqual(error.attempts.map(({ status }) => status), [503, 503, 503, 503])
      assert.strictEqual(error.attempts.at(-1)?.stopCause, "breaker")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), options({ attempts: 9, backoffBase: Duration.millis(1) })))))

  it.effect("a retry is rejected also if its wait is longer than the pause", () =>
    Effect.gen(function*() {
      const [took, error] = yield* Effect.timed(Effect.flip(read))
      assert.strictEqual(error.attempts.at(-1)?.stopCause, "breaker")
      assert.strictEqual(error.attempts.length, 4)
      // Three waits of 30 s.
      assert.isAtMost(Duration.toSeconds(took), 90)
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        Wire.answer(503, "", { "retry-after": "30" }),
        options({ attempts: 9, deadline: Duration.minutes(10) })
      ))
    ))

  it.effect("one probe is sent at a time, and concurrent calls are rejected with a time to come back", () =>
    Effect.gen(function*() {
      yield* opening
      yield* Effect.sleep("2 seconds")
      const probe = yield* Effect.forkChild(read, { startImmediately: true })
      const concurrent = yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.flip(read), {
        concurrency: "unbounded"
      })
      for (const error of concurrent) {
        if (error._tag !== "CircuitOpen") return assert.fail(error._tag)
        assert.isAbove(Duration.toMillis(error.retryAfter), 0)
      }
      assert.strictEqual(yield* Wire.count, 5)
      yield* Fiber.join(probe)
      yield* read
      assert.strictEqual(yield* Wire.count, 6)
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        [...Array.from({ length: 4 }, () => Wire.answer(529)), Wire.late("1 second", success), success],
        options()
      ))
    ))

  it.effect("after a probe that was interrupted, or cut by its caller's deadline, the next call is the probe", () =>
    Effect.gen(function*() {
      yield* opening
      yield* Effect.sleep("2 seconds")
      yield* Fiber.interrupt(yield* Effect.forkChild(read, { startImmediately: true }))
      yield* Effect.flip(region({ deadline: Duration.millis(30) })(read))
      yield* read
      yield* read
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        [...Array.from({ length: 4 }, () => Wire.answer(503)), Wire.silent, Wire.silent, success, success],
        options()
      ))
    ))

  it.effect("a Retry-After keeps the circuit open for that long, up to 20 s", () =>
    Effect.gen(function*() {
      yield* opening
      const error = yield* Effect.flip(read)
      assert.deepStrictEqual(error._tag === "CircuitOpen" ? error.retryAfter : undefined, Duration.seconds(20))
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(503, "", { "retry-after": "30" }), options()))))

  it.effect("a success halves the next pause", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(Array.from({ length: 15 }), () => Effect.delay(Effect.exit(read), "8 seconds"))
      const error = yield* Effect.flip(read)
      if (error._tag !== "CircuitOpen") return assert.fail(error._tag)
      assert.strictEqual(Duration.toMillis(error.retryAfter), 4000)
    }).pipe(
      valueOverTime,
      Effect.provide(Wire.layer(
        Array.from({ length: 15 }, (_, call) => call === 5 ? success : Wire.answer(503)),
        options()
      ))
    ))

  it.effect("the message of a rejected call has the time to come back and that nothing was sent", () =>
    Effect.gen(function*() {
      yield* opening
      assert.strictEqual(
        (yield* Effect.flip(read)).message,
        "Languages.resources: the circuit breaker is open. Retry in 2 s. " +
          "Nothing was sent, because the service fails too often; try later."
      )
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.answer(529), options()))))

  const impatient: ReadonlyArray<readonly [what: string, policy: Partial<ResiliencePolicy.ResiliencePolicy>]> = [
    ["a deadline of 30 ms", { deadline: Duration.millis(30) }],
    ["an attempt timeout of 30 ms", { attemptTimeout: Duration.millis(30), attempts: 1 }]
  ]

  it.effect.each(impatient)(
    "60 calls with %s do not open it if the service answers in 150 ms",
    ([, fields]) =>
      Effect.gen(function*() {
        for (let call = 0; call < 60; call++) {
          const error = yield* within(Effect.flip(region(fields)(read)), "30 millis")
          assert.include(["DeadlineExceeded", "AttemptTimeout"], error._tag)
        }
        yield* valueOverTime(read)
        assert.strictEqual(yield* Wire.count, 61)
      }).pipe(Effect.provide(Wire.layer(Wire.late("150 millis", success), options())))
  )

  it.effect("calls that their callers interrupt do not open it", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 60; call++) {
        const fiber = yield* Effect.forkChild(read, { startImmediately: true })
        yield* TestClock.adjust("30 millis")
        yield* Fiber.interrupt(fiber)
      }
      yield* valueOverTime(read)
    }).pipe(Effect.provide(Wire.layer(Wire.late("150 millis", success), options()))))
})
