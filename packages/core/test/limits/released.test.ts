import * as RequestSignal from "@effect-lingua/core/call/RequestSignal"
import type { Options } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { create, download, read } from "../support/calls.ts"
import * as Sample from "../support/operations.ts"
import * as Wire from "../support/Wire.ts"

const wait = Documents.use((documents) => documents.wait(Sample.document))

/** A client that is released before the end of the test. */
const client = Effect.fnUntraced(function*(script: Wire.Script, options: Partial<Options> = {}) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Wire.layer(script, options), scope)
  return { context, sent: Context.get(context, Wire.Wire).sent, release: Scope.close(scope, Exit.void) }
})

/** Releases a client while it makes a call, which ends at once. */
const released = Effect.fnUntraced(function*<A, E>(
  call: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Wire.layer>>>,
  script: Wire.Script,
  options: Partial<Options> = {},
  calls = 1
) {
  const { context, release, sent } = yield* client(script, options)
  const fibers = yield* Effect.forEach(
    Array.from({ length: calls }),
    () => Effect.forkChild(Effect.flip(Effect.provide(call, context)), { startImmediately: true })
  )
  yield* TestClock.adjust("1 second")
  const start = yield* Clock.currentTimeMillis
  yield* release
  const errors = yield* Effect.forEach(fibers, Fiber.join)
  assert.strictEqual(yield* Clock.currentTimeMillis, start)
  return { errors, requests: sent.length }
})

const waiting: Wire.Reply = () =>
  Effect.andThen(Effect.map(RequestSignal.Current, (signal) => signal?.waiting()), Effect.never)

const refused = { _tag: "ConnectionFailed", outcome: "refused", isTransient: false, code: "ERR_CLIENT_RELEASED" }

describe("a call on a released layer", () => {
  it.effect("is refused at once, with the reason", () =>
    Effect.gen(function*() {
      const { context, release, sent } = yield* client(Wire.answer(200, []))
      yield* Effect.provide(read, context)
      yield* release
      const errors = yield* Effect.all([
        Effect.flip(create),
        Effect.flip(read),
        Effect.flip(wait),
        Effect.flip(download)
      ]).pipe(Effect.provide(context))
      for (const error of errors) {
        assert.deepInclude<object>(error, { ...refused, attempts: [] })
        assert.include(error.message, "The layer of the client was released")
        assert.include(error.message, "Nothing was sent")
      }
      assert.strictEqual(sent.length, 1)
    }))
})

describe("a call at the release of its layer ends at once", () => {
  it.effect("in flight: its outcome is unknown", () =>
    Effect.gen(function*() {
      const { errors: [error] } = yield* released(create, Wire.silent)
      assert.deepInclude<object>(error ?? {}, { _tag: "OutcomeUnknown", cause: "ConnectionLost" })
      assert.include(error?.message, "The layer of the client was released")
      assert.deepStrictEqual(error?.attempts.map(({ stopCause }) => stopCause), ["released"])
    }))

  it.effect("in flight: it is not repeated, even if that were allowed", () =>
    Effect.gen(function*() {
      const { errors: [error], requests } = yield* released(read, Wire.silent)
      assert.deepInclude<object>(error ?? {}, { _tag: "ConnectionLost", outcome: "unknown" })
      assert.strictEqual(requests, 1)
    }))

  it.effect("in flight without a timeout", () =>
    Effect.gen(function*() {
      const { errors: [error] } = yield* released(read, Wire.silent, { resilience: ResiliencePolicy.none })
      assert.deepInclude<object>(error ?? {}, { _tag: "ConnectionLost", outcome: "unknown" })
    }))

  it.effect("without a connection: nothing was sent", () =>
    Effect.gen(function*() {
      const { errors: [error] } = yield* released(create, waiting)
      assert.deepInclude<object>(error ?? {}, refused)
      assert.deepStrictEqual(error?.attempts.map(({ stopCause }) => stopCause), ["released"])
    }))

  it.effect("in backoff: with its last error", () =>
    Effect.gen(function*() {
      const { errors: [error], requests } = yield* released(create, Wire.answer(503, "", { "retry-after": "20" }))
      assert.deepInclude<object>(error ?? {}, { _tag: "ServiceUnavailable", outcome: "refused" })
      assert.deepStrictEqual(error?.attempts.map(({ stopCause }) => stopCause), ["released"])
      assert.strictEqual(requests, 1)
    }))

  it.effect("in the queue for a place in flight: nothing was sent", () =>
    Effect.gen(function*() {
      const { errors, requests } = yield* released(create, Wire.silent, { resilience: { concurrency: 1 } }, 3)
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag), ["OutcomeUnknown", "ConnectionFailed", "ConnectionFailed"])
      for (const error of errors.slice(1)) assert.deepInclude<object>(error, { ...refused, attempts: [] })
      assert.strictEqual(requests, 1)
    }))

  it.effect("in the queue for its turn: nothing was sent", () =>
    Effect.gen(function*() {
      const rate = { requests: 1, window: Duration.minutes(1) }
      const { errors } = yield* released(create, Wire.silent, { resilience: { rate } }, 2)
      assert.deepInclude<object>(errors[1] ?? {}, { ...refused, attempts: [] })
    }))

  it.effect("between two polls: with the document that is not ready", () =>
    Effect.gen(function*() {
      const { errors: [error], requests } = yield* released(wait, Wire.translating, {
        resilience: { pollBase: Duration.seconds(10) }
      })
      assert.deepInclude<object>(error ?? {}, refused)
      assert.strictEqual(requests, 1)
    }))

  it.effect("during a download", () =>
    Effect.gen(function*() {
      const body = Stream.concat(Stream.make(new Uint8Array(3)), Stream.never)
      const { errors: [error] } = yield* released(
        Effect.flatMap(download, ({ stream }) => Stream.runDrain(stream)),
        Wire.streamed(200, body)
      )
      assert.deepInclude<object>(error ?? {}, { _tag: "DownloadInterrupted", bytesReceived: 3 })
      assert.include(error?.message, "The layer of the client was released")
    }))

  it.effect("in the queue for the place of a stream: nothing was sent", () =>
    Effect.gen(function*() {
      const body = Stream.concat(Stream.make(new Uint8Array(3)), Stream.never)
      const { errors, requests } = yield* released(
        Effect.flatMap(download, ({ stream }) => Stream.runDrain(stream)),
        Wire.streamed(200, body),
        { resilience: { openStreams: 1 } },
        2
      )
      assert.deepInclude<object>(errors[1] ?? {}, { ...refused, attempts: [] })
      assert.strictEqual(requests, 1)
    }))
})
