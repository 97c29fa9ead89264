import { Documents, type Journal, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  content,
  entries,
  evenly,
  layer,
  put,
  questions,
  result,
  states,
  status,
  uploaded
} from "../support/documents.ts"
import { download, errorOverTime, overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const text = Effect.flatMap(download, ({ stream }) => Stream.mkString(Stream.decodeText(stream)))
const notReady = Wire.answer(503)
const busy = Wire.answer(429)
const translating = status("translating")
const bytes = new TextEncoder().encode("abc")
const cut = Wire.streamed(200, Stream.concat(Stream.make(bytes), Stream.fail(new Error("terminated"))), {
  "content-length": "9"
})

describe("the download of a document", () => {
  it.effect("that is not ready goes over to questions for its status", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(text), content)
      assert.deepStrictEqual(yield* questions, ["result", "status", "status", "result"])
    }).pipe(Effect.provide(layer({ result: [notReady, result], status: [translating, status("done")] }))))

  it.effect("waits as long as the service asks for", () =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(text))
      assert.deepStrictEqual(yield* Wire.gaps, [90_000, 0])
    }).pipe(Effect.provide(layer({ result: [Wire.answer(503, "", { "retry-after": "90" }), result] }))))

  it.effect("waits as long as the service asks for in later polls too, after which its backoff begins anew", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(evenly(text)), content)
      assert.deepStrictEqual(yield* Wire.gaps, [1000, 0, 750, 1500, 90_000, 750])
    }).pipe(Effect.provide(layer({
      result: [notReady, busy, busy, Wire.answer(503, "", { "retry-after": "90" }), busy, result]
    }))))

  it.effect("of a document whose translation failed ends at the first question", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(evenly(Effect.flip(download)))
      const error = yield* exit
      assert.deepInclude<object>(error, {
        _tag: "DocumentFailed",
        operation: "Documents.download",
        description: "No text",
        documentId: Sample.documentId
      })
      assert.deepStrictEqual(error.attempts.map(({ operation }) => operation), [
        "Documents.download",
        "Documents.status"
      ])
      assert.strictEqual(took, 1000)
    }).pipe(Effect.provide(layer({ result: [notReady], status: [status("error", { error_message: "No text" })] }))))

  it.effect("fails at once when polling is off", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(download)
      assert.deepInclude<object>(error, { _tag: "DocumentNotReady", status: 503 })
      assert.deepStrictEqual(yield* questions, ["result"])
    }).pipe(Effect.provide(layer({ result: [notReady], options: { resilience: { polling: false } } }))))

  it.effect("ends by the deadline, and the question for the bytes counts to it", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(download))
      assert.strictEqual((yield* exit)._tag, "DocumentNotReady")
      assert.isAtMost(took, 60_000)
      assert.isAbove(took, 40_000)
    }).pipe(
      Effect.provide(layer({
        result: [notReady],
        status: [translating, translating, translating, status("done")],
        options: { resilience: { jobDeadline: Duration.minutes(1) } }
      }))
    ))

  describe("is in the journal", () => {
    it.effect("while its bytes come, and no more when they have come", () =>
      Effect.gen(function*() {
        const { stream } = yield* valueOverTime(download)
        assert.deepStrictEqual(yield* entries, [{
          _tag: "Downloading",
          ...Sample.document,
          host: "https://service.test/",
          account: uploaded.account,
          startedAt: DateTime.makeUnsafe(1)
        }])
        yield* Stream.runDrain(stream)
        assert.deepStrictEqual(yield* entries, [])
      }).pipe(Effect.provide(layer())))

    it.effect("with all that its upload said", () =>
      Effect.gen(function*() {
        yield* put({ ...uploaded, source: "/a", target: { path: "/b", overwrite: true }, uploadId: "upload-1" })
        yield* valueOverTime(download)
        assert.deepStrictEqual(yield* entries, [{
          ...uploaded,
          _tag: "Downloading",
          source: "/a",
          target: { path: "/b", overwrite: true },
          uploadId: "upload-1"
        }])
      }).pipe(Effect.provide(layer())))

    it.effect("without what else came with its reference", () =>
      Effect.gen(function*() {
        const ref = { ...Sample.document, note: "mine" }
        yield* valueOverTime(Documents.use((documents) => documents.download(ref)))
        assert.notProperty((yield* entries)[0], "note")
      }).pipe(Effect.provide(layer())))

    it.effect("when its reader stops early", () =>
      Effect.gen(function*() {
        const { stream } = yield* download
        const fiber = yield* Effect.forkChild(Stream.runDrain(stream))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* states, ["Downloading"])
      }).pipe(Effect.provide(layer({ result: [Wire.streamed(200, Stream.never)] }))))

    it.effect.each<readonly [what: string, answer: Wire.Reply, after: ReadonlyArray<string>]>([
      ["the service still has it", status("done"), ["Uploaded"]],
      ["it is gone", Wire.answer(404), ["Lost"]],
      ["nothing can be found out", Wire.answer(403), ["Downloading"]]
    ])("when its bytes stop, as far as it is known: %s", ([, answer, after]) =>
      Effect.gen(function*() {
        yield* put(uploaded)
        const error = yield* errorOverTime(text)
        assert.strictEqual(error._tag, "DownloadInterrupted")
        assert.deepStrictEqual(yield* states, after)
        const [entry] = yield* entries
        assert.deepInclude<unknown>(entry, { fileName: "letter.txt", documentId: Sample.documentId })
        if (entry?._tag === "Lost") {
          assert.deepInclude(entry, { bytesReceived: 3, parts: [], reason: "The connection broke" })
        }
      }).pipe(Effect.provide(layer({ result: [cut], status: [answer] }))))

    it.effect("no more once it has come, however often its stream is run", () => {
      let runs = 0
      const once = Stream.suspend(() => runs++ === 0 ? Stream.make(bytes) : Stream.fail(new Error("body used")))
      return Effect.gen(function*() {
        const { stream } = yield* valueOverTime(download)
        yield* Stream.runDrain(stream)
        const error = yield* errorOverTime(Stream.runDrain(stream))
        assert.strictEqual(error._tag, "DownloadInterrupted")
        assert.deepStrictEqual(yield* entries, [])
      }).pipe(Effect.provide(layer({ result: [Wire.streamed(200, once)], status: [Wire.answer(404)] })))
    })

    it.effect.each<readonly [what: string, reply: Wire.Reply]>([
      ["404", Wire.answer(404)],
      ["456", Wire.answer(456)],
      ["a status that the contract does not know", Wire.answer(418)],
      ["no connection", Wire.broken("ECONNREFUSED")]
    ])("as before after a refusal: %s", ([, reply]) =>
      Effect.gen(function*() {
        yield* errorOverTime(download)
        assert.deepStrictEqual(yield* entries, [])
        yield* put(uploaded)
        yield* errorOverTime(download)
        assert.deepStrictEqual(yield* entries, [uploaded])
      }).pipe(Effect.provide(layer({ result: [reply] }))))

    it.effect.each<readonly [what: string, ...result: ReadonlyArray<Wire.Reply>]>([
      ["500", Wire.answer(500)],
      ["a status from 500 on that the contract does not know", Wire.answer(520)],
      ["a broken connection", Wire.broken("ECONNRESET")],
      ["a broken connection and refusals", Wire.broken("ECONNRESET"), busy],
      ["silence", Wire.silent]
    ])("as one that may have been taken after %s", ([, ...result]) =>
      Effect.gen(function*() {
        yield* put(uploaded)
        assert.strictEqual((yield* errorOverTime(download)).outcome, "unknown")
        assert.deepStrictEqual(yield* states, ["Downloading"])
      }).pipe(Effect.provide(layer({ result }))))

    it.effect("as lost when an answer was lost and took it along", () =>
      Effect.gen(function*() {
        yield* put(uploaded)
        const error = yield* errorOverTime(download)
        assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", available: false, bytesReceived: 0 })
        assert.deepStrictEqual(yield* states, ["Lost"])
      }).pipe(Effect.provide(layer({ result: [Wire.broken("ECONNRESET"), Wire.answer(404)] }))))

    it.effect.each<readonly [whose: string, entry: Journal.Entry]>([
      ["another key", { ...uploaded, documentKey: Redacted.make("another key") }],
      ["another service", { ...uploaded, host: "https://other.test/" }]
    ])("as it was, where it is that of %s", ([, entry]) =>
      Effect.gen(function*() {
        yield* put(entry)
        for (let time = 0; time < 2; time++) {
          yield* overTime(Effect.exit(text))
          assert.deepStrictEqual(yield* entries, [entry])
        }
      }).pipe(Effect.provide(layer({ result: [Wire.answer(500), Wire.answer(500), Wire.answer(500), result] }))))

    it.effect("as its writer keeps it, where somebody writes it to a file", () =>
      Effect.gen(function*() {
        const entry: Journal.Entry = { ...uploaded, _tag: "Downloading", temporary: "/tmp/letter.part" }
        yield* put(entry)
        yield* valueOverTime(text)
        assert.deepStrictEqual(yield* entries, [entry])
      }).pipe(Effect.provide(layer())))
  })

  it.effect("is promised no length that no document has", () =>
    Effect.gen(function*() {
      const { contentLength, stream } = yield* valueOverTime(download)
      assert.isUndefined(contentLength)
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(stream)), content)
    }).pipe(Effect.provide(layer({ result: [Wire.answer(200, content, { "content-length": "9007199254740993" })] }))))

  it.effect("finds out whether the document is still there with patience of its own", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(
        ResiliencePolicy.within(text, { attemptTimeout: Duration.seconds(60), deadline: Duration.seconds(90) })
      )
      assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", available: true })
    }).pipe(Effect.provide(layer({ result: [cut] }))))
})
