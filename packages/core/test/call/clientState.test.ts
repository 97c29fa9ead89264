import { ClientState, Documents, ResiliencePolicy } from "@effect-lingua/core"
import { Event } from "@effect-lingua/core/telemetry/Events"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Random, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Metrics, read, success, watch, Wire, within } from "../support/index.ts"

const state = ClientState.use((client) => client.get)

const policy = (fields: ResiliencePolicy.Options) => ({ resilience: { ...ResiliencePolicy.none, ...fields } })

/** Failing calls, the last of which opens the circuit: after 15 s, and for 20 s, as the service says. */
const opening = Effect.forEach(Array.from({ length: 4 }), () => Effect.exit(read)).pipe(
  Effect.provideService(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })
)
const outage = Wire.layer(Wire.answer(503, "", { "retry-after": "20" }), policy({ concurrency: 100 }))

/** Starts calls, and waits until they wait for something. */
const started = (number: number) =>
  Effect.tap(Effect.forEach(Array.from({ length: number }), () => Effect.forkChild(read)), () => TestClock.adjust(1))

describe("client state", () => {
  it.effect("an unused client has nothing in flight, and a closed circuit", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* state, {
        breaker: { state: "Closed", retryAfter: Duration.zero },
        inFlight: 0,
        queued: 0,
        concurrency: 2,
        rate: Number.POSITIVE_INFINITY,
        rateDelay: Duration.zero,
        openStreams: 0,
        pendingDocuments: 0,
        isClosing: false
      })
    }).pipe(Effect.provide(Wire.layer(success))))

  it.effect("an open circuit shows the time until its probe, and is half open from then on, without any call", () =>
    Effect.gen(function*() {
      const seen = yield* watch
      yield* within(opening, "25 seconds")
      assert.deepStrictEqual((yield* state).breaker, { state: "Open", retryAfter: Duration.seconds(10) })
      assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 2)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* state).breaker, { state: "HalfOpen", retryAfter: Duration.zero })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 1)
      const changes = (yield* seen).filter(Event.$is("BreakerChanged"))
      assert.deepStrictEqual(changes.map(({ from, to }) => `${from} ${to}`), ["Closed Open", "Open HalfOpen"])
    }).pipe(Effect.provide(outage), Metrics.isolated))

  it.effect("calls over the limit of concurrency are queued, until they are interrupted or have their place", () =>
    Effect.gen(function*() {
      const calls = yield* started(5)
      const busy = yield* state
      assert.deepStrictEqual([busy.inFlight, busy.queued], [2, 3])
      yield* Fiber.interruptAll(calls.slice(0, 1))
      yield* TestClock.adjust(1)
      const next = yield* state
      assert.deepStrictEqual([next.inFlight, next.queued], [2, 2])
      yield* Fiber.interruptAll(calls)
      const idle = yield* state
      assert.deepStrictEqual([idle.inFlight, idle.queued], [0, 0])
    }).pipe(Effect.provide(Wire.layer(Wire.silent, policy({ concurrency: 2 })))))

  it.effect("the delay by a limit of rate grows with the calls that wait", () =>
    Effect.gen(function*() {
      const calls = yield* started(4)
      const { queued, rateDelay } = yield* state
      assert.isAbove(queued, 0)
      assert.isAtLeast(Duration.toMillis(rateDelay), 2000)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.awaitAll(calls)
      assert.strictEqual(Duration.toMillis((yield* state).rateDelay), 0)
    }).pipe(Effect.provide(Wire.layer(success, policy({ rate: { requests: 1, window: Duration.seconds(1) } })))))

  it.effect("counts the documents of the journal", () =>
    Effect.gen(function*() {
      const content = new TextEncoder().encode("Guten Tag")
      yield* Documents.use((documents) =>
        documents.upload({ fileName: "letter.txt", content, targetLanguage: "en-US" })
      )
      assert.strictEqual((yield* state).pendingDocuments, 1)
    }).pipe(Effect.provide(
      Wire.layer(Wire.answer(200, { document_id: "7A2D0C4E5B6F48129D3E0F1A2B3C4D5E", document_key: "key" }))
    )))

  it.effect("a released client is closing", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Wire.layer(success), scope)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue((yield* Effect.provideContext(state, context)).isClosing)
    }))
})
