import { Documents, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import { errorOverTime, overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const trace = { "x-trace-id": "0AF1" }
const gone = Stream.fail(new Error("terminated"))

/** The text of a document, read from its stream. */
const text = Effect.flatMap(
  Documents.use((documents) => documents.download(Sample.document)),
  ({ stream }) => Stream.mkString(Stream.decodeText(stream))
)

/** Broken responses with a document, and fields of the error. */
const interrupted: ReadonlyArray<
  readonly [how: string, reply: Wire.Reply, fields: object, description: string]
> = [
  [
    "breaks off",
    Wire.streamed(200, Stream.concat(Stream.make(bytes("abc"), bytes("de")), gone), {
      "content-length": "9",
      ...trace
    }),
    { bytesReceived: 5, bytesExpected: 9 },
    "The connection broke"
  ],
  [
    "breaks off without a length",
    Wire.streamed(200, Stream.concat(Stream.make(bytes("abc")), gone), trace),
    { bytesReceived: 3 },
    "The connection broke"
  ],
  ["breaks off before its first byte", Wire.streamed(200, gone, trace), { bytesReceived: 0 }, "The connection broke"],
  [
    "ends early",
    Wire.streamed(200, Stream.make(bytes("abc")), { "content-length": "9", ...trace }),
    { bytesReceived: 3, bytesExpected: 9 },
    "The number of bytes differs from the Content-Length"
  ],
  [
    "is too long",
    Wire.streamed(200, Stream.make(bytes("abc")), { "content-length": "2", ...trace }),
    { bytesReceived: 3, bytesExpected: 2 },
    "The number of bytes differs from the Content-Length"
  ],
  [
    "stalls",
    Wire.streamed(200, Stream.concat(Stream.make(bytes("abc")), Stream.never), { "content-length": "9", ...trace }),
    { bytesReceived: 3, bytesExpected: 9 },
    "No more bytes arrived in time"
  ]
]

const dripping = (length: number, pause: Duration.Input, headers: Wire.Headers = {}, size = 1) =>
  Wire.streamed(
    200,
    Stream.tap(Stream.fromIterable(Array.from({ length }, () => new Uint8Array(size))), () => Effect.sleep(pause)),
    headers
  )

const taken = (policy: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  Effect.flatMap(
    Documents.use((documents) => documents.download(Sample.document)),
    ({ stream }) => Stream.runFold(stream, () => 0, (sum, chunk) => sum + chunk.length)
  ).pipe(ResiliencePolicy.within(policy))

describe("downloads", () => {
  it.effect.each(interrupted)(
    "a document that %s is interrupted",
    ([, reply, fields, description]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(text)
        assert.deepInclude<object>(error, {
          _tag: "DownloadInterrupted",
          operation: "Documents.download",
          documentId: Sample.documentId,
          traceId: "0AF1",
          outcome: "unknown",
          isTransient: false,
          description,
          ...fields
        })
        assert.deepStrictEqual(error.attempts.map(({ status }) => status), [200])
        assert.isFalse(error._tag === "DownloadInterrupted" ? error.available : undefined)
        assert.include(error.message, "The service has deleted it: upload it again")
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer([reply, Wire.answer(404)])))
  )

  it.effect.each<readonly [answer: string, reply: Wire.Reply, available: boolean | undefined, advice: string]>([
    ["done", Wire.done, true, "The service still has it: resume it, or download it again"],
    ["in translation", Wire.translating, true, "The service still has it"],
    ["gone", Wire.answer(404), false, "The service has deleted it: upload it again"],
    ["nothing", Wire.silent, undefined, "Whether the service still has it is not known"],
    ["a refusal", Wire.answer(403), undefined, "Whether the service still has it is not known"]
  ])("an interrupted document is asked for once more: %s", ([, reply, available, advice]) =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(text))
      const error = yield* exit
      if (error._tag !== "DownloadInterrupted") return assert.fail(error._tag)
      assert.strictEqual(error.available, available)
      assert.include(error.message, advice)
      assert.isAtMost(took, 10_000)
    }).pipe(Effect.provide(Wire.layer((request, sent) =>
      (sent.url.endsWith("/result") ? Wire.streamed(200, gone) : reply)(request, sent)
    ))))

  it.effect("an error of a stream has the attempts before it", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(text)
      assert.deepStrictEqual(error.attempts.map(({ status }) => status), [503, 200, 200])
    }).pipe(Effect.provide(Wire.layer([...Wire.readyAfter(0), Wire.streamed(200, gone), Wire.answer(404)]))))

  it.effect("a stream that drips ends after a minute, and its bytes are counted", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(taken()))
      assert.deepInclude<object>(yield* exit, {
        _tag: "DownloadInterrupted",
        bytesReceived: 60,
        bytesExpected: 1_000_000,
        available: false
      })
      assert.strictEqual(took, 60_000)
    }).pipe(
      Effect.provide(Wire.layer([dripping(100_000, "1 second", { "content-length": "1000000" }), Wire.answer(404)]))
    ))

  it.effect.each<readonly [what: string, reply: Wire.Reply, bytes: number, policy?: object]>([
    ["that is slow", dripping(200, "29 seconds", { "content-length": "600000" }, 3000), 600_000],
    ["that keeps the least rate", dripping(140, "500 millis", undefined, 50), 7000],
    ["that drips, without an idle timeout", dripping(200, "1 second"), 200, { bodyIdleTimeout: Duration.infinity }],
    ["with one long pause", dripping(1, "65 seconds"), 1, { bodyIdleTimeout: Duration.minutes(2) }],
    ["whose last byte was slow", dripping(3, "25 seconds", { "content-length": "3" }), 3]
  ])("a stream succeeds %s", ([, reply, bytes, policy]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(taken(policy)), bytes)
    }).pipe(Effect.provide(Wire.layer([reply]))))

  it.effect("the time of the reader does not count", () =>
    Effect.gen(function*() {
      const { stream } = yield* Documents.use((documents) => documents.download(Sample.document))
      yield* valueOverTime(Stream.runForEach(stream, () => Effect.sleep("10 minutes")))
    }).pipe(Effect.provide(Wire.layer([dripping(5, 0)]))))

  it.effect.each<readonly [framing: string, headers: Wire.Headers, completeness: "verified" | "unknown"]>([
    ["a length", { "content-length": "3" }, "verified"],
    ["chunks", { "transfer-encoding": "chunked" }, "verified"],
    ["chunks of an encoded body", { "transfer-encoding": "gzip, chunked" }, "unknown"],
    ["the end of the connection", {}, "unknown"],
    ["an invalid length", { "content-length": "many" }, "unknown"],
    ["the length of an encoded body", { "content-encoding": "gzip", "content-length": "2" }, "unknown"],
    [
      "the length of a body with the encoding identity",
      { "content-encoding": "identity", "content-length": "3" },
      "verified"
    ]
  ])(
    "a download reports if a truncation can be detected, and a length that is the document's: %s",
    ([, headers, completeness]) =>
      Effect.gen(function*() {
        const download = yield* Documents.use((documents) => documents.download(Sample.document))
        assert.strictEqual(download.completeness, completeness)
        assert.strictEqual(download.contentLength, headers["content-length"] === "3" ? 3 : undefined)
        assert.strictEqual(yield* Stream.mkString(Stream.decodeText(download.stream)), "abc")
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, "abc", headers)])))
  )

  it.effect("the idle timeout of a stream is that of the call's policy", () =>
    Effect.gen(function*() {
      const download = Documents.use((documents) => documents.download(Sample.document)).pipe(
        ResiliencePolicy.within({ bodyIdleTimeout: Duration.seconds(2) })
      )
      const { exit, took } = yield* overTime(
        Effect.flatMap(download, ({ stream }) => Effect.flip(Stream.runDrain(stream)))
      )
      assert.strictEqual((yield* exit).bytesReceived, 0)
      assert.strictEqual(took, 2000)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(200, Stream.never), Wire.answer(404)]))))

  it.effect("an empty document is complete", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* text, "")
    }).pipe(Effect.provide(Wire.layer([Wire.web(() => new Response("", { headers: { "content-length": "0" } }))]))))

  it.effect("a consumer that stops aborts the request", () =>
    Effect.gen(function*() {
      const download = yield* Documents.use((documents) => documents.download(Sample.document))
      const [first] = yield* Stream.runCollect(Stream.take(download.stream, 1))
      assert.deepStrictEqual(first, bytes("abc"))
      const { sent } = yield* Wire.Wire
      assert.isTrue(sent[0]?.signal.aborted)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(200, Stream.concat(Stream.make(bytes("abc")), Stream.never))]))))
})
