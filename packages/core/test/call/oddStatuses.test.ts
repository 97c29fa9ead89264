import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import { create, download, errorOverTime, read, Sample, valueOverTime, Wire } from "../support/index.ts"

const text = Effect.flatMap(download, ({ stream }) => Stream.mkString(Stream.decodeText(stream)))

const notReady = Wire.answer(503, { message: "not ready" })
const reset = Wire.broken("ECONNRESET")
const taken = Wire.answer(404, { message: "Document already downloaded" }, { "x-trace-id": "0AF1" })
const gone = Wire.answer(404, "", { "x-trace-id": "0AF1" })

/** Responses with a truncated body, with and without a length, and with a stalled one. */
const cuts = (status: number, headers: Wire.Headers = {}): ReadonlyArray<Wire.Reply> => {
  const part = Stream.make(new TextEncoder().encode("{\"message\": \"N"))
  const cut = Stream.concat(part, Stream.fail(new Error("terminated")))
  return [
    Wire.streamed(status, cut, headers),
    Wire.streamed(status, cut, { "content-length": "100", ...headers }),
    Wire.streamed(status, Stream.concat(part, Stream.never), headers)
  ]
}

describe("a document that is gone", () => {
  it.effect.each<readonly [before: string, then: string, first: Wire.Reply, second: Wire.Reply]>([
    ["a connection that broke", "a plain 404", reset, gone],
    ["a connection that broke", "a 404 with that message", reset, taken],
    ["a 504", "a plain 404", Wire.answer(504), gone],
    ["a 504", "a 404 with that message", Wire.answer(504), taken],
    ["a 502", "a plain 404", Wire.answer(502), gone]
  ])("after %s, answered by %s, was taken by the lost answer", ([, , first, second]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(download)
      assert.deepInclude<object>(error, {
        _tag: "DownloadInterrupted",
        operation: "Documents.download",
        documentId: Sample.documentId,
        bytesReceived: 0,
        outcome: "unknown",
        isTransient: false,
        traceId: "0AF1"
      })
      assert.strictEqual(error.attempts.length, 2)
      assert.include(error.message, "The service has deleted it: upload it again")
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([first, second]))))

  it.effect.each<readonly [how: string, script: ReadonlyArray<Wire.Reply>]>([
    ["at once", [gone]],
    ["after a 429", [Wire.answer(429), gone]],
    ["after a connection that was refused", [Wire.broken("ECONNREFUSED"), gone]],
    ["after a 502 and a poll that found it there", [Wire.answer(502), ...Wire.readyAfter(1), gone]],
    ["after polls", [...Wire.readyAfter(2), gone]]
  ])("%s is not found", ([, script]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(download)
      assert.deepInclude<object>(error, { _tag: "DocumentNotFound", status: 404, outcome: "refused" })
      assert.strictEqual(error.attempts.length, script.length)
      assert.strictEqual(yield* Wire.count, script.length)
    }).pipe(Effect.provide(Wire.layer(script))))

  it.effect("after a poll and a lost answer was taken by that answer", () =>
    Effect.gen(function*() {
      assert.deepInclude<object>(yield* errorOverTime(download), { _tag: "DownloadInterrupted", bytesReceived: 0 })
    }).pipe(Effect.provide(Wire.layer([...Wire.readyAfter(0), reset, gone]))))

  it.effect("after a lost answer to a poll was not taken by it", () =>
    Effect.gen(function*() {
      assert.deepInclude<object>(yield* errorOverTime(download), { _tag: "DocumentNotFound" })
    }).pipe(Effect.provide(Wire.layer([notReady, reset, Wire.done, gone]))))
})

describe("polls", () => {
  const polls = Array.from({ length: 20 }, () => notReady)

  it.effect("two lost answers with polls between them do not end a download", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(text), "bytes")
      assert.strictEqual(yield* Wire.count, 45)
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(502),
      ...Wire.readyAfter(20),
      Wire.answer(502),
      // The document may become available later than its status says.
      ...polls,
      Wire.answer(200, "bytes")
    ]))))

  it.effect("refusals with polls between them do not use up the attempts", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(text), "bytes")
      assert.strictEqual(yield* Wire.count, 18)
    }).pipe(Effect.provide(Wire.layer([
      notReady,
      ...Array.from({ length: 7 }, () => [Wire.answer(429), Wire.translating]).flat(),
      Wire.answer(429),
      Wire.done,
      Wire.answer(200, "bytes")
    ]))))

  it.effect("two lost answers in a row end a download", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(text))._tag, "BadGateway")
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(Effect.provide(Wire.layer([notReady, Wire.done, Wire.answer(502), Wire.answer(502)]))))

  it.effect("an error after more than a hundred polls shows the first and the last of them", () =>
    Effect.gen(function*() {
      const { attempts, ...error } = yield* errorOverTime(download)
      const { message } = yield* errorOverTime(download)
      assert.strictEqual(error._tag, "DocumentNotReady")
      assert.isAbove(attempts.length, 100)
      const last = (yield* Wire.count) - attempts.length
      assert.isAbove(last, 100)
      assert.isBelow(message.length, 1500)
      assert.include(message, "#1 503")
      for (const number of [2, 3, last - 2, last - 1, last]) assert.include(message, `#${number} 200`)
      assert.notInclude(message, "#50 200")
      assert.include(message, `Tried ${last} times`)
    }).pipe(Effect.provide(Wire.layer(Wire.inTranslation))))
})

describe("an unknown status", () => {
  it.effect.each([[422, 1], [501, 1], [505, 1], [520, 5]])(
    "%d has the message of the service, and is sent %d times",
    ([status = 0, count = 0]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(read)
        assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", status, isTransient: count > 1 })
        assert.include(error.description, "The moon is full")
        assert.include(error.message, "The moon is full")
        assert.strictEqual(yield* Wire.count, count)
      }).pipe(Effect.provide(Wire.layer(Wire.answer(status, { message: "The moon is full" }))))
  )

  it.effect("does not quote a body that is not an error of the service", () =>
    Effect.gen(function*() {
      assert.notInclude((yield* errorOverTime(read)).message, "private")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(422, "private text")))))

  it.effect("520 is not repeated for a call that creates", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "UnexpectedResponse" })
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(520)))))
})

describe("an error status with a truncated body", () => {
  it.effect.each(cuts(403, { "x-trace-id": "0AF1" }).map((reply) => [reply] as const))(
    "is still access denied (%#)",
    ([reply]) =>
      Effect.gen(function*() {
        assert.deepInclude<object>(yield* errorOverTime(read), {
          _tag: "AccessDenied",
          status: 403,
          outcome: "refused",
          traceId: "0AF1"
        })
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(Wire.layer([reply])))
  )

  it.effect.each(cuts(429, { "retry-after": "7" }).map((reply) => [reply] as const))(
    "keeps its Retry-After (%#)",
    ([reply]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(read)
        if (error._tag !== "RateLimited") return assert.fail(error._tag)
        assert.strictEqual(error.retryAfter && Duration.toSeconds(error.retryAfter), 7)
      }).pipe(Effect.provide(Wire.layer([reply], { resilience: { attempts: 1 } })))
  )
})
