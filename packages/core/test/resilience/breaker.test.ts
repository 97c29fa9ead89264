import type * as Events from "@effect-lingua/core/client/Events"
import { type Breaker, Override, type ResiliencePolicy } from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { watch } from "../support/events.ts"
import * as Metrics from "../support/metrics.ts"
import * as Sample from "../support/operations.ts"
import { errorOverTime, lead, overTime, valueOverTime, within } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const read = Languages.use((languages) => languages.resources())
const download = Documents.use((documents) => documents.download(Sample.document))
const success = Wire.answer(200, [])
const second = 1000

const cut = Wire.streamed(
  200,
  Stream.concat(Stream.make(new TextEncoder().encode("[")), Stream.fail(new Error("terminated")))
)

const options = (breaker: Partial<Breaker>, policy: Partial<ResiliencePolicy> = {}) => ({
  resilience: {
    attempts: 1,
    retryBudget: undefined,
    // Nothing else holds back a call.
    concurrency: Number.POSITIVE_INFINITY,
    breaker: { failureRate: 1, attempts: 1, open: Duration.seconds(5), openCap: Duration.seconds(60), ...breaker },
    ...policy
  }
})

const region = (fields: Partial<ResiliencePolicy>) => Effect.provideService(Override, fields)

/** The answer to a call, and its meaning for the breaker. */
const meanings = {
  overloaded: { reply: Wire.answer(529), means: "failure" },
  unavailable: { reply: Wire.answer(503), means: "failure" },
  lost: { reply: Wire.broken("ECONNRESET"), means: "failure" },
  throttled: { reply: Wire.answer(429), means: "nothing" },
  quota: { reply: Wire.answer(456), means: "success" },
  refused: { reply: Wire.answer(400), means: "success" },
  success: { reply: success, means: "success" }
} as const

const Met = Schema.Literals(["overloaded", "unavailable", "lost", "throttled", "quota", "refused", "success"])

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

/** A model of the breaker after its documentation. Times are in milliseconds. */
class Model {
  readonly policy: Breaker
  state: Events.BreakerState = "Closed"
  attempts: Array<boolean> = []
  openings = 0
  openUntil = 0
  openFor = 0
  calmAt = 0
  readonly changes: Array<readonly [from: Events.BreakerState, to: Events.BreakerState]> = []
  constructor(policy: Breaker) {
    this.policy = policy
  }
  change(to: Events.BreakerState): void {
    this.changes.push([this.state, to])
    this.state = to
  }
  open(now: number): void {
    this.openings++
    this.openFor = Math.min(
      Duration.toMillis(this.policy.open) * 2 ** (this.openings - 1),
      Duration.toMillis(this.policy.openCap)
    )
    this.openUntil = now + this.openFor
    this.change("Open")
  }
  /** The milliseconds after which a rejected call may be repeated, or `undefined` if the call is admitted. */
  admit(now: number): number | undefined {
    if (this.state === "Closed" && now >= this.calmAt) this.openings = 0
    if (this.state !== "Open") return undefined
    if (now < this.openUntil) return this.openUntil - now
    this.change("HalfOpen")
    return undefined
  }
  ended(now: number, means: "failure" | "success" | "nothing"): void {
    if (means === "nothing") return
    if (this.state === "HalfOpen") {
      if (means === "failure") return this.open(now)
      this.calmAt = now + this.openFor
      this.attempts = []
      return this.change("Closed")
    }
    this.attempts = [...this.attempts, means === "failure"].slice(-this.policy.attempts)
    const failures = this.attempts.filter((failed) => failed).length
    if (
      this.attempts.length === this.policy.attempts && failures > 0 &&
      failures / this.attempts.length >= this.policy.failureRate
    ) {
      this.attempts = []
      this.open(now)
    }
  }
}

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Policy = Schema.Struct({
  failureRate: between(1, 4),
  attempts: between(1, 5),
  open: between(1, 3),
  openCap: between(0, 9)
})

const Steps = Schema.Array(Schema.Struct({ pause: between(0, 7), met: Met })).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(30)
)

const stateNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

const changesOf = (events: ReadonlyArray<Events.Event>) =>
  events.flatMap((event) => event._tag === "BreakerChanged" ? [[event.from, event.to] as const] : [])

describe("breaker", () => {
  it.effect.prop("it opens, probes and closes as its model does", [Policy, Steps], ([input, steps]) => {
    const policy: Breaker = {
      failureRate: input.failureRate / 4,
      attempts: input.attempts,
      open: Duration.seconds(input.open),
      openCap: Duration.seconds(input.open + input.openCap)
    }
    const wire = played(success)
    return Effect.gen(function*() {
      const model = new Model(policy)
      const events = yield* watch
      let now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      let sent = 0
      for (const { met, pause } of steps) {
        yield* TestClock.adjust(pause * second)
        now += pause * second + lead
        wire.play(meanings[met].reply)
        const rejected = model.admit(now)
        const exit = yield* within(Effect.exit(read), 0)
        if (rejected === undefined) {
          sent++
          model.ended(now, meanings[met].means)
          assert.strictEqual(Exit.isSuccess(exit), met === "success")
        } else {
          const error = yield* Effect.flip(exit)
          if (error._tag !== "CircuitOpen") return assert.fail(`${error._tag} instead of CircuitOpen`)
          assert.deepStrictEqual(error.retryAfter, Duration.millis(rejected))
          assert.deepStrictEqual(error.attempts, [])
        }
        assert.strictEqual(yield* Wire.count, sent)
        assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), stateNumber[model.state])
      }
      assert.deepStrictEqual(changesOf(yield* events), model.changes)
    }).pipe(Effect.scoped, Effect.provide(Wire.layer(wire.reply, options(policy))), Metrics.isolated)
  }, { arbitrary: { runs: scaled(20, 80) } })

  const failures: ReadonlyArray<readonly [what: string, reply: Wire.Reply]> = [
    ...[408, 500, 502, 503, 504, 529].map((status) => [String(status), Wire.answer(status)] as const),
    ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "EAI_AGAIN"].map((code) => [code, Wire.broken(code)] as const),
    ["no answer", Wire.silent],
    ["a cut body", cut]
  ]

  it.effect.each(failures)("%s is a failure: the next call is rejected", ([, reply]) =>
    Effect.gen(function*() {
      yield* errorOverTime(read)
      const error = yield* Effect.flip(read)
      assert.strictEqual(error._tag, "CircuitOpen")
      assert.strictEqual(error.outcome, "refused")
      assert.isTrue(error.isTransient)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(reply, options({ open: Duration.days(1), openCap: Duration.days(1) })))))

  it.effect.each([400, 401, 403, 404, 413, 414, 429, 456])(
    "%d is no failure: the next call goes out",
    (status) =>
      Effect.gen(function*() {
        yield* errorOverTime(read)
        assert.notStrictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer(Wire.answer(status), options({}))))
  )

  it.effect("a throttled attempt counts neither as a success nor as a failure", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      yield* Effect.flip(read)
      yield* Effect.flip(read)
      assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
    }).pipe(
      Effect.provide(Wire.layer([Wire.answer(503), Wire.answer(429), Wire.answer(503)], options({ attempts: 2 })))
    ))

  it.effect("a refusal counts as a success", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 5; call++) assert.notStrictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
    }).pipe(
      Effect.provide(Wire.layer(
        [503, 456, 503, 404, 503].map((status) => Wire.answer(status)),
        options({ attempts: 2 })
      ))
    ))

  it.effect("a document that is polled until it is ready does not open the circuit", () =>
    Effect.gen(function*() {
      yield* valueOverTime(download)
      assert.strictEqual(yield* Wire.count, 22)
    }).pipe(Effect.provide(Wire.layer(
      [...Wire.readyAfter(19), Wire.answer(200, "bytes")],
      options({ failureRate: 0.1 })
    ))))

  it.effect("a call whose repeat is rejected ends with its own last failure", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.strictEqual(error._tag, "Overloaded")
      assert.deepStrictEqual(error.attempts.map(({ status }) => status), [529, 529, 529])
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(529), options({ attempts: 3 }, { attempts: 5 })))))

  it.effect("repeats wait until the circuit admits them", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      const { took } = yield* overTime(
        Effect.retry(read, {
          while: (error) =>
            error._tag === "CircuitOpen" ? Effect.as(Effect.sleep(error.retryAfter), true) : Effect.succeed(false)
        })
      )
      assert.strictEqual(took, 5000 - 1)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(529), success], options({})))))

  it.effect("one probe is sent at a time, and concurrent calls are rejected with a time to come back", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      yield* TestClock.adjust("5 seconds")
      const probe = yield* Effect.forkChild(read, { startImmediately: true })
      const concurrent = yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.flip(read), {
        concurrency: "unbounded"
      })
      for (const error of concurrent) {
        if (error._tag !== "CircuitOpen") return assert.fail(error._tag)
        assert.strictEqual(error.description, "A probe is in flight")
        assert.isAbove(Duration.toMillis(error.retryAfter), 0)
      }
      assert.strictEqual(yield* Wire.count, 2)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(probe)
      yield* within(read, "1 second")
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer(
      [Wire.answer(529), Wire.late("1 second", success), success],
      options({})
    ))))

  it.effect("after an interrupted probe the next call is the probe", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      yield* TestClock.adjust("5 seconds")
      const probe = yield* Effect.forkChild(read, { startImmediately: true })
      yield* Fiber.interrupt(probe)
      yield* read
      yield* read
    }).pipe(Effect.provide(Wire.layer([Wire.answer(529), Wire.silent, success, success], options({})))))

  it.effect("a Retry-After keeps the circuit open for that long", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      const error = yield* Effect.flip(read)
      assert.deepStrictEqual(error._tag === "CircuitOpen" ? error.retryAfter : undefined, Duration.seconds(20))
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503, "", { "retry-after": "20" })], options({})))))

  it.effect("the message of a rejected call has the time to come back and that nothing was sent", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      assert.strictEqual(
        (yield* Effect.flip(read)).message,
        "Languages.resources: the circuit breaker is open. Retry in 5 s. " +
          "Nothing was sent, as the service fails too often."
      )
    }).pipe(Effect.provide(Wire.layer([Wire.answer(529)], options({})))))

  const impatient: ReadonlyArray<readonly [what: string, policy: Partial<ResiliencePolicy>]> = [
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
      }).pipe(Effect.provide(Wire.layer(Wire.late("150 millis", success))))
  )

  it.effect("calls that their callers interrupt do not open it", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 60; call++) {
        const fiber = yield* Effect.forkChild(read, { startImmediately: true })
        yield* TestClock.adjust("30 millis")
        yield* Fiber.interrupt(fiber)
      }
      yield* valueOverTime(read)
    }).pipe(Effect.provide(Wire.layer(Wire.late("150 millis", success)))))

  it.effect("after a probe that ended by its caller's deadline the next call is the probe", () =>
    Effect.gen(function*() {
      yield* Effect.flip(read)
      yield* TestClock.adjust("5 seconds")
      yield* within(Effect.flip(region({ deadline: Duration.millis(30) })(read)), "30 millis")
      yield* valueOverTime(read)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), Wire.silent, success], options({})))))

  it.effect("a caller's deadline counts as a failure if the service was silent for the client's own timeout", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(region({ deadline: Duration.seconds(20) })(read))
      assert.strictEqual(error._tag, "DeadlineExceeded")
      assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
    }).pipe(Effect.provide(Wire.layer(Wire.silent, options({ open: Duration.days(1), openCap: Duration.days(1) })))))

  it.effect("TooManyDocuments counts neither as a success nor as a failure", () =>
    Effect.gen(function*() {
      const upload = Sample.operation("Documents.upload").call
      assert.strictEqual((yield* Effect.flip(upload))._tag, "TooManyDocuments")
      assert.strictEqual((yield* Effect.flip(upload))._tag, "TooManyDocuments")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(429, { message: "Too many documents" }), options({})))))

  it.effect("a silent service opens the circuit also if the deadline is as short as the attempt timeout", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(read))._tag, "DeadlineExceeded")
      assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
    }).pipe(Effect.provide(Wire.layer(
      Wire.silent,
      options({ open: Duration.days(1), openCap: Duration.days(1) }, { deadline: Duration.seconds(5) })
    ))))
})
