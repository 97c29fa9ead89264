import { Attempt, type Documents, type Languages, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { create, download, errorOverTime, overTime, read, success, valueOverTime, Wire } from "../support/index.ts"

const once = { resilience: { attempts: 1 } }

const bytes = (text: string) => new TextEncoder().encode(text)

/** Bytes one by one, with a pause before each. */
const trickle = (text: string, pause: Duration.Input) =>
  Stream.fromIterable(bytes(text)).pipe(Stream.map((byte) => Uint8Array.of(byte))).pipe(
    Stream.tap(() => Effect.sleep(pause))
  )

/** Some bytes, and then nothing on an open connection. */
const stalled = Stream.concat(Stream.make(bytes("[")), Stream.never)

/** Some bytes and then the end of the connection. */
const cut = Stream.concat(
  Stream.make(bytes("[")),
  Stream.fail(
    new Error("terminated", { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) })
  )
)

/** The signals of all requests. */
const aborted = Effect.map(Wire.Wire, ({ sent }) => sent.map(({ signal }) => signal.aborted))

/** Interrupts an effect after some time and measures the interruption. */
const interruptAfter = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>, time: Duration.Input) {
  const fiber = yield* Effect.forkChild(Effect.delay(effect, 1))
  yield* TestClock.adjust(1)
  yield* TestClock.adjust(time)
  const before = yield* Clock.currentTimeMillis
  yield* Fiber.interrupt(fiber)
  return (yield* Clock.currentTimeMillis) - before
})

describe("attempts", () => {
  it.effect.each<readonly [what: string, reply: Wire.Reply, seconds: number]>([
    ["an attempt without headers", Wire.silent, 45],
    ["a stalled body of unknown length", Wire.streamed(200, stalled), 30],
    ["a stalled body of a small length", Wire.streamed(200, stalled, { "content-length": "2" }), 30],
    ["a stalled body of a large length", Wire.streamed(200, stalled, { "content-length": "1000000" }), 30]
  ])("%s times out, with that time, and aborts its request", ([, reply, seconds]) =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(read))
      const error = yield* exit
      if (error._tag !== "AttemptTimeout") return assert.fail(error._tag)
      assert.strictEqual(took, seconds * 1000)
      assert.strictEqual(Duration.toSeconds(error.limit), seconds)
      assert.include(error.message, `no response within ${seconds} s`)
      assert.deepStrictEqual(yield* aborted, [true])
    }).pipe(Effect.provide(Wire.layer([reply], once))))

  it.effect("headers just in time and a slow body do not end an attempt", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(read)
      assert.deepStrictEqual(yield* exit, [])
      assert.strictEqual(took, 9999 + 2 * 29_999)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.late("9999 millis", Wire.streamed(200, trickle("[]", "29999 millis")))]))))

  it.effect.each<readonly [how: string, headers: Wire.Headers]>([
    ["of unknown length", {}],
    ["of a small length", { "content-length": "2" }]
  ])("a body %s that is cut is a lost connection", ([, headers]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      if (error._tag !== "ConnectionLost") return assert.fail(error._tag)
      assert.strictEqual(error.code, "UND_ERR_SOCKET")
      assert.strictEqual(error.traceId, "0AF1")
      assert.strictEqual(error.attempts.length, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(200, cut, { ...headers, "x-trace-id": "0AF1" })], once))))

  it.effect("the deadline ends an attempt in flight", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(read))
      const error = yield* exit
      if (error._tag !== "DeadlineExceeded") return assert.fail(error._tag)
      assert.strictEqual(took, 5000)
      assert.strictEqual(Duration.toSeconds(error.deadline), 5)
      assert.strictEqual(error.outcome, "unknown")
      assert.include(error.message, "the deadline of 5 s passed")
      assert.deepStrictEqual(yield* aborted, [true])
    }).pipe(Effect.provide(Wire.layer([Wire.silent], { resilience: { deadline: Duration.seconds(5) } }))))

  it.effect("the deadline ends a body that is still received", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(read))
      assert.strictEqual((yield* exit)._tag, "DeadlineExceeded")
      assert.strictEqual(took, 100_000)
      assert.deepStrictEqual(yield* aborted, [true])
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(200, trickle("[".repeat(100), "20 seconds"))]))))

  it.effect("an error has its status, though its body stalls and the deadline is near", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(read))._tag, "AccessDenied")
    }).pipe(
      Effect.provide(Wire.layer([Wire.streamed(403, stalled)], { resilience: { deadline: Duration.seconds(1) } }))
    ))

  it.effect("a creation that the deadline ends has an unknown outcome", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      if (error._tag !== "OutcomeUnknown") return assert.fail(error._tag)
      assert.strictEqual(error.cause, "DeadlineExceeded")
    }).pipe(Effect.provide(Wire.layer([Wire.silent], { resilience: { deadline: Duration.seconds(5) } }))))

  it.effect.each<readonly [where: string, reply: Wire.Reply, call: typeof read | typeof download]>([
    ["during a wait", Wire.answer(429, "", { "retry-after": "20" }), read],
    ["in the middle of a request", Wire.silent, read],
    ["in the middle of a body", Wire.streamed(200, stalled), read],
    ["in the middle of a small body", Wire.streamed(200, stalled, { "content-length": "2" }), read],
    ["between two polls", Wire.inTranslation, download]
  ])(
    "an interruption %s ends the call at once, and aborts its request",
    ([, reply, call]) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* interruptAfter<unknown, unknown, Languages | Documents>(call, "3 seconds"), 0)
        assert.isTrue((yield* aborted).at(-1))
        const count = yield* Wire.count
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* Wire.count, count)
      }).pipe(Effect.provide(Wire.layer(reply)))
  )

  it.effect("an error has the ledger of all attempts", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepStrictEqual(error.attempts, [
        new Attempt.Attempt({
          operation: "Languages.resources",
          number: 1,
          status: 429,
          failure: "RateLimited",
          outcome: "refused",
          traceId: "A1",
          waited: Duration.zero,
          took: Duration.seconds(2)
        }),
        new Attempt.Attempt({
          operation: "Languages.resources",
          number: 2,
          failure: "ConnectionFailed",
          outcome: "refused",
          waited: Duration.seconds(20),
          waitCause: "retry-after",
          took: Duration.zero
        }),
        new Attempt.Attempt({
          operation: "Languages.resources",
          number: 3,
          status: 400,
          failure: "BadRequest",
          outcome: "refused",
          traceId: "A3",
          waited: error.attempts[2]?.waited ?? Duration.zero,
          waitCause: "backoff",
          took: Duration.zero
        })
      ])
      assert.include(error.message, "Tried 3 times: #1 429 RateLimited (trace A1), waited 20 s (retry-after), #2 Conn")
    }).pipe(Effect.provide(Wire.layer([
      Wire.late("2 seconds", Wire.answer(429, "", { "retry-after": "20", "x-trace-id": "A1" })),
      Wire.broken("ECONNREFUSED"),
      Wire.answer(400, "", { "x-trace-id": "A3" })
    ]))))

  it.effect("a success has the ledger on request, over all calls of the effect", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const calls = Effect.all([read, writing.correct({ text: [] }), download])
      const [, attempts] = yield* valueOverTime(Attempt.record(calls))
      assert.deepStrictEqual(
        attempts.map(({ failure, number, operation, waitCause }) => [operation, number, failure, waitCause]),
        [
          ["Languages.resources", 1, "ServiceUnavailable", undefined],
          ["Languages.resources", 2, undefined, "backoff"],
          ["Documents.download", 1, "DocumentNotReady", undefined],
          ["Documents.status", 2, undefined, "poll"],
          ["Documents.download", 3, undefined, undefined]
        ]
      )
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), success, ...Wire.readyAfter(0), Wire.answer(200)]))))
})
