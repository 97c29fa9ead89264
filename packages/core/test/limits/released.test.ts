import { Documents, type LanguageServiceConfig, RequestSignal, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { create, download, read, Sample, Wire } from "../support/index.ts"

const wait = Documents.use((documents) => documents.wait(Sample.document))

/** A client that is released before the end of the test. */
const client = Effect.fnUntraced(function*(script: Wire.Script, options: Partial<LanguageServiceConfig.Options> = {}) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Wire.layer(script, options), scope)
  return { context, sent: Context.get(context, Wire.Wire).sent, release: Scope.close(scope, Exit.void) }
})

/** Releases a client while it makes a call, which ends at once. */
const released = Effect.fnUntraced(function*<A, E>(
  call: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Wire.layer>>>,
  script: Wire.Script,
  options: Partial<LanguageServiceConfig.Options> = {},
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

const unread = Effect.flatMap(download, ({ stream }) => Stream.runDrain(stream))
const stalled = Wire.streamed(200, Stream.concat(Stream.make(new Uint8Array(3)), Stream.never))
const backoff = Wire.answer(503, "", { "retry-after": "20" })
const notSent = { ...refused, attempts: [] }
const lost = { _tag: "ConnectionLost", outcome: "unknown" }

interface Case {
  readonly call: Effect.Effect<object | void, Sample.AnyFailure, Layer.Success<ReturnType<typeof Wire.layer>>>
  readonly script: Wire.Reply
  readonly resilience?: ResiliencePolicy.Options
  /** Of so many equal calls the last one has this error. */
  readonly calls?: number
  readonly error: object
  /** Whether an attempt has ended with the release. */
  readonly isStopped?: boolean
}

const cases: Readonly<Record<string, Case>> = {
  "in flight: the outcome of a creation is unknown": {
    call: create,
    script: Wire.silent,
    error: { _tag: "OutcomeUnknown", cause: "ConnectionLost" },
    isStopped: true
  },
  "in flight: it is not repeated, even if that were allowed": { call: read, script: Wire.silent, error: lost },
  "in flight without a timeout": {
    call: read,
    script: Wire.silent,
    resilience: ResiliencePolicy.none,
    error: lost
  },
  "without a connection: nothing was sent": { call: create, script: waiting, error: refused, isStopped: true },
  "in backoff: with its last error": {
    call: create,
    script: backoff,
    error: { _tag: "ServiceUnavailable", outcome: "refused" },
    isStopped: true
  },
  "in the queue for a place in flight: nothing was sent": {
    call: create,
    script: Wire.silent,
    resilience: { concurrency: 1 },
    calls: 3,
    error: notSent
  },
  "in the queue for a slot of the rate: nothing was sent": {
    call: create,
    script: Wire.silent,
    resilience: { rate: { requests: 1, window: Duration.minutes(1) } },
    calls: 2,
    error: notSent
  },
  "between two polls: with the document that is not ready": {
    call: wait,
    script: Wire.translating,
    resilience: { pollBase: Duration.seconds(10) },
    error: refused
  },
  "during a download": {
    call: unread,
    script: stalled,
    error: { _tag: "DownloadInterrupted", bytesReceived: 3 }
  },
  "in the queue for the place of a stream: nothing was sent": {
    call: unread,
    script: stalled,
    resilience: { openStreams: 1 },
    calls: 2,
    error: notSent
  }
}

describe("a call at the release of its layer ends at once", () => {
  it.effect.each(Object.entries(cases))(
    "%s",
    ([, { call, calls, error: expected, isStopped = false, resilience = {}, script }]) =>
      Effect.gen(function*() {
        const { errors, requests } = yield* released(call, script, { resilience }, calls)
        const error = errors.at(-1)
        assert.deepInclude<object>(error ?? {}, expected)
        if (script !== backoff) assert.include(error?.message, "The layer of the client was released")
        if (isStopped) assert.strictEqual(error?.attempts.at(-1)?.stopCause, "released")
        assert.strictEqual(requests, 1)
      })
  )
})
