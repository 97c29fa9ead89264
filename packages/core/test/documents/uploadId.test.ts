import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import { idOf, Journal } from "@effect-lingua/core/documents/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { sampled } from "../../../../test/support/scale.ts"
import { entries, issued, layer, put, questions, slowStore, states, status, uploaded } from "../support/documents.ts"
import { errorOverTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const uploadId = "message-1"

const upload = (options: Partial<UploadOptions> = {}) =>
  Documents.use((documents) => documents.upload({ ...Sample.upload, uploadId, ...options }))

const translate = Documents.use((documents) => documents.translate({ ...Sample.upload, uploadId }))

describe("an upload with an id", () => {
  it.effect("returns the document of an earlier one, and sends nothing", () =>
    Effect.gen(function*() {
      const first = yield* valueOverTime(upload())
      const second = yield* valueOverTime(upload())
      const { documentId, documentKey } = first
      assert.deepStrictEqual<object>(second, { documentId, documentKey })
      assert.strictEqual(yield* Wire.count, 1)
      assert.deepStrictEqual((yield* valueOverTime(entries)).map((entry) => entry.uploadId), [uploadId])
      yield* valueOverTime(upload({ uploadId: "message-2" }))
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(layer({ journal: Journal.make({ store: slowStore() }) }))))

  it.effect("fails with Busy during the first", () =>
    Effect.gen(function*() {
      const results = yield* valueOverTime(
        Effect.all([Effect.result(upload()), Effect.result(upload())], { concurrency: 2 })
      )
      assert.deepStrictEqual(
        results.map((result) => Result.isSuccess(result) ? "uploaded" : result.failure._tag),
        ["uploaded", "Busy"]
      )
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(layer({ upload: [Wire.late(10, issued)] }))))

  it.effect.each(
    [
      ["another file name", { fileName: "other.txt" }, "fileName"],
      ["another language", { targetLanguage: "fr" }, "targetLanguage"],
      ["further fields", { formality: "more" }, "formality"],
      ["another content", { content: new Uint8Array(9) }, "content"],
      ["the content of another file", { content: new Blob(["Good Day"]) }, "content"],
      ["another stream", { content: Stream.make(new Uint8Array(4), new Uint8Array(4)) }, "content"]
    ] as const
  )("refuses %s, and names the difference", ([, options, difference]) =>
    Effect.gen(function*() {
      yield* upload()
      const error = yield* Effect.flip(upload(options))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "uploadId", outcome: "refused" })
      assert.include(error.message, `the id of an upload with another ${difference},`)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(layer())))

  const bytes = Sample.upload.content

  it.effect.each(
    [
      ["bytes", bytes, undefined],
      ["a file", new Blob([bytes]), undefined],
      ["a stream", Stream.make(bytes.subarray(0, 3), bytes.subarray(3)), undefined],
      ["a stream of known length", Stream.make(bytes.subarray(0, 3), bytes.subarray(3)), bytes.length]
    ] as const
  )("knows the content of %s again, whatever it is given as", ([, content, size]) =>
    Effect.gen(function*() {
      const first = yield* upload({ content, size })
      const [{ contentHash } = {}] = yield* entries
      assert.strictEqual(contentHash, createHash("sha256").update(bytes).digest("hex"))
      for (const again of [bytes, new Blob([bytes]), Stream.make(bytes)]) {
        assert.strictEqual((yield* upload({ content: again })).documentId, first.documentId)
      }
      const failing = Stream.fail(new Error("gone"))
      assert.strictEqual((yield* Effect.flip(upload({ content: failing })))._tag, "SourceFailed")
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(layer())))

  it.effect.each(["", "a b", "a/b", "a\\b", "ä", "x".repeat(61), JSON.parse("1")])(
    "refuses the id %j",
    (id) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(upload({ uploadId: id }))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "uploadId" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("refuses the id of a document in the journal, which stays resumable", () =>
    Effect.gen(function*() {
      const { documentId } = yield* valueOverTime(upload())
      const error = yield* errorOverTime(upload({ uploadId: documentId }))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "uploadId", outcome: "refused" })
      assert.strictEqual(yield* Wire.count, 1)
      assert.deepStrictEqual((yield* entries).map(({ _tag, uploadId }) => [_tag, uploadId]), [["Uploaded", uploadId]])
    }).pipe(Effect.provide(layer())))

  it.effect("uploads again after a lost response, in the same entry, which stays if the service refuses", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(upload()))._tag, "OutcomeUnknown")
      assert.strictEqual((yield* errorOverTime(upload()))._tag, "BadRequest")
      assert.deepStrictEqual((yield* entries).map((entry) => idOf(entry)), [uploadId])
      yield* valueOverTime(upload())
      assert.deepStrictEqual((yield* entries).map((entry) => idOf(entry)), [Sample.documentId])
    }).pipe(Effect.provide(layer({ upload: [Wire.broken("ECONNRESET"), Wire.answer(400), issued] }))))

  it.effect("is independent of an upload of another key with the id", () =>
    Effect.gen(function*() {
      yield* put({ ...uploaded, account: "another", uploadId })
      yield* valueOverTime(upload())
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(layer({ upload: [Wire.answer(200, { document_id: "d2", document_key: "k" })] }))))

  it.effect("of translate resumes the document, wherever the first one was interrupted", () =>
    Effect.forEach(sampled(Array.from({ length: 40 }, (_, at) => at * 10), 14), (at) =>
      Effect.gen(function*() {
        const read = Effect.flatMap(translate, ({ stream }) => Stream.mkString(Stream.decodeText(stream)))
        const fiber = yield* Effect.forkChild(Effect.delay(read, 1))
        yield* TestClock.adjust(at)
        const interrupt = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(interrupt)
        const before = yield* questions
        const text = yield* Effect.result(valueOverTime(read))
        assert.isTrue(Result.isSuccess(text), `after ${at} ms`)
        const asked = yield* questions
        assert.deepStrictEqual(yield* valueOverTime(states), [])
        return `${before.join()} | ${asked.slice(before.length).join()}`
      }).pipe(Effect.provide(layer({
        journal: Journal.make({ store: slowStore() }),
        upload: [Wire.late(50, issued)],
        status: [Wire.late(50, status("translating")), Wire.late(50, status("done"))]
      })))).pipe(
        Effect.tap((seen) =>
          Effect.sync(() =>
            assert.deepStrictEqual([...new Set(seen)], [
              " | upload,status,status,result",
              "upload | upload,status,status,result",
              "upload | status,status,result",
              "upload,status | status,result"
            ])
          )
        )
      ))
})
