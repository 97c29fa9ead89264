import { ClientState } from "@effect-lingua/core/client/ClientState"
import * as Events from "@effect-lingua/core/client/Events"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { watch } from "../support/events.ts"
import * as Metrics from "../support/metrics.ts"
import { within } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const read = Languages.use((languages) => languages.resources())
const state = ClientState.use((client) => client.get())
const success = Wire.answer(200, [])

const policy = (fields: ResiliencePolicy.Options) => ({ resilience: { ...ResiliencePolicy.none, ...fields } })

const breaker = { failureRate: 1, attempts: 1, open: Duration.seconds(30), openCap: Duration.minutes(5) }

/** Starts calls, and waits until they wait for something. */
const started = (number: number) =>
  Effect.tap(
    Effect.forEach(Array.from({ length: number }), () => Effect.forkChild(read)),
    () => TestClock.adjust(1)
  )

describe("client state", () => {
  it.effect("an unused client has nothing in flight, and a closed circuit", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* state, {
        breaker: { state: "Closed", retryAfter: Duration.zero },
        retryTokens: [],
        inFlight: 0,
        queued: 0,
        concurrency: 100,
        rateDelay: Duration.zero,
        openStreams: 0,
        pendingDocuments: 0,
        isClosing: false
      })
    }).pipe(Effect.provide(Wire.layer(success))))

  it.effect("an open circuit shows the time until its probe, and is half open from then on, without any call", () =>
    Effect.gen(function*() {
      const seen = yield* watch
      yield* Effect.exit(read)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* state).breaker, { state: "Open", retryAfter: Duration.seconds(20) })
      assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 2)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual((yield* state).breaker, { state: "HalfOpen", retryAfter: Duration.zero })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 1)
      const changes = (yield* seen).filter(Events.Event.$is("BreakerChanged"))
      assert.deepStrictEqual(changes.map(({ from, to }) => `${from} ${to}`), ["Closed Open", "Open HalfOpen"])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), policy({ breaker }))), Metrics.isolated))

  it.effect("the gauge of an open circuit follows time by the clock of the client, whatever that of the failing caller", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const stopped: Clock.Clock = Object.create(clock, { sleep: { value: () => Effect.never } })
      yield* Effect.provideService(Effect.exit(read), Clock.Clock, stopped)
      assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 2)
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(503), policy({ breaker }))), Metrics.isolated))

  it.effect("the tokens of a retry budget return with time, without any call", () =>
    Effect.gen(function*() {
      yield* within(Effect.exit(read), "100 millis")
      const gauge = Metrics.gauge("retry_budget", { operation: "Languages.resources" })
      assert.strictEqual(yield* gauge, 4)
      yield* TestClock.adjust("3 seconds")
      assert.closeTo((yield* gauge) ?? 0, 7, 1)
      const [tokens] = (yield* state).retryTokens
      assert.strictEqual(tokens?.operation, "Languages.resources")
      assert.closeTo(tokens?.tokens ?? 0, 7, 0.2)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* gauge, 10)
    }).pipe(
      Effect.provide(Wire.layer(
        Wire.answer(503),
        policy({
          attempts: 2,
          backoffBase: Duration.millis(1),
          retryBudget: { tokens: 10, refused: 6, unknown: 6, success: 0, perSecond: 1 }
        })
      )),
      Metrics.isolated
    ))

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
    }).pipe(Effect.provide(
      Wire.layer(success, policy({ rate: { requests: 1, window: Duration.seconds(1) } }))
    )))

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
