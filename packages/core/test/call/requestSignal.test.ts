import { Attempt, ClientState, RequestSignal } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { create, errorOverTime, read, valueOverTime, Wire } from "../support/index.ts"

const signal = (moment: keyof RequestSignal.RequestSignal) =>
  Effect.map(RequestSignal.Current, (signal) => signal?.[moment]())

/** A response after a wait for a connection. */
const queued = (duration: Duration.Input, reply: Wire.Reply): Wire.Reply => (request, sent) =>
  signal("waiting").pipe(
    Effect.andThen(Effect.sleep(duration)),
    Effect.andThen(signal("writing")),
    Effect.andThen(reply(request, sent))
  )

/** A request that ends before it has a connection. */
const unconnected = (reply: Wire.Reply): Wire.Reply => (request, sent) =>
  Effect.andThen(signal("waiting"), reply(request, sent))

/** A request that ends after it had one. */
const connected = (reply: Wire.Reply): Wire.Reply => queued(0, reply)

describe("an HttpClient that signals the connection of a request", () => {
  it.effect("the timeout of an attempt starts with the connection", () =>
    Effect.gen(function*() {
      const [, attempts] = yield* valueOverTime(Attempt.record(read))
      assert.deepStrictEqual(
        attempts.map(({ failure, queued, took }) => [failure, queued, took]),
        [[undefined, Duration.seconds(60), Duration.seconds(9)]]
      )
    }).pipe(Effect.provide(Wire.layer(queued("60 seconds", Wire.late("9 seconds", Wire.answer(200, [])))))))

  it.effect("a call that waits for its connection is queued and not in flight", () =>
    Effect.gen(function*() {
      const counts = Effect.map(ClientState.use((client) => client.get), ({ inFlight, queued }) => [inFlight, queued])
      const fiber = yield* Effect.forkChild(read)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* counts, [0, 1])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* counts, [1, 0])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* counts, [0, 0])
    }).pipe(Effect.provide(Wire.layer(queued("50 seconds", Wire.silent)))))

  it.effect("an attempt without an answer after that times out as usual", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, { _tag: "AttemptTimeout", outcome: "unknown" })
      assert.deepStrictEqual(
        error.attempts.map(({ queued, took }) => [queued, took]),
        [[Duration.seconds(50), Duration.seconds(45)]]
      )
    }).pipe(Effect.provide(Wire.layer(queued("50 seconds", Wire.silent), { resilience: { attempts: 1 } }))))

  it.effect("only the deadline ends the wait for a connection, with an error that nothing was sent", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused", attempts: [] })
      assert.include(error.message, "Nothing was sent: no connection was free before the deadline")
    }).pipe(Effect.provide(Wire.layer(unconnected(Wire.silent)))))

  it.effect("calls that get no connection do not open the circuit", () =>
    Effect.gen(function*() {
      const errors = yield* valueOverTime(
        Effect.forEach(Array.from({ length: 100 }), () => Effect.flip(read), { concurrency: "unbounded" })
      )
      for (const error of errors) assert.strictEqual(error._tag, "DeadlineExceeded")
      yield* read
    }).pipe(Effect.provide(Wire.layer([unconnected(Wire.silent), unconnected(Wire.silent), Wire.answer(200, [])]))))

  it.effect("calls that fail to connect open the circuit", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 4; call++) assert.strictEqual((yield* Effect.flip(read))._tag, "ConnectionFailed")
      assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
    }).pipe(
      valueOverTime,
      Effect.provide(
        Wire.layer(unconnected(Wire.broken("ECONNREFUSED")), { resilience: { attempts: 1, whenUnavailable: "fail" } })
      )
    ))

  it.effect.each(["ECONNRESET", "EMFILE", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "EWHATEVER", undefined])(
    "a request that fails before its connection was not sent, so a create is repeated: %s",
    (code) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(create)
        assert.deepInclude<object>(error, { _tag: "ConnectionFailed", outcome: "refused", isTransient: true })
        assert.strictEqual(error.attempts.length, 5)
      }).pipe(Effect.provide(Wire.layer(unconnected(Wire.broken(code)))))
  )

  it.effect("a rejected certificate is not tried again", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      assert.deepInclude<object>(error, { _tag: "ConnectionFailed", outcome: "refused", isTransient: false })
      assert.strictEqual(error.attempts.length, 1)
    }).pipe(Effect.provide(Wire.layer(unconnected(Wire.broken("CERT_HAS_EXPIRED"))))))

  it.effect("a request that fails after its connection may have been sent", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "ConnectionLost" })
    }).pipe(Effect.provide(Wire.layer(connected(Wire.broken("ECONNRESET"))))))

  it.effect("a request that was written once counts as written, even if the HttpClient sends it again", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "ConnectionLost" })
    }).pipe(Effect.provide(Wire.layer(connected(unconnected(Wire.broken("ECONNRESET")))))))
})
