import { CallError, Documents, Ids } from "@effect-lingua/core"
import { idOf, Journal } from "@effect-lingua/core/documents/Journal"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  content,
  entries,
  issued,
  layer,
  put,
  questions,
  slowStore,
  states,
  status,
  uploaded
} from "../support/documents.ts"
import { errorOverTime, overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const { documentId } = Sample
const translate = Documents.use((documents) => documents.translate(Sample.upload))
const resume = (id: string) => Documents.use((documents) => documents.resume({ entryId: id }))
const forget = (id: string) => Documents.use((documents) => documents.forget({ entryId: id }))
const pending = Documents.use((documents) => documents.pending)

const textOf = ({ stream }: Documents.TranslatedDocument) => Stream.mkString(Stream.decodeText(stream))

const translating = status("translating")
const { fileName: _fileName, ...known } = uploaded
const { account, host, startedAt } = known
const uploading: Journal.Entry = { _tag: "Uploading", account, host, startedAt, uploadId: "upload-1" }
const part = { path: "/tmp/letter.part", bytes: 3 }
const downloading: Journal.Entry = { ...uploaded, _tag: "Downloading" }
const lost: Journal.Entry = { ...uploaded, _tag: "Lost", reason: "Gone", bytesReceived: 3, parts: [part] }

/** What the answer to an upload cannot be: the id would change the path of all that is asked then. */
const namesNothing = { document_id: "..", document_key: "key" }
const leadsElsewhere = { document_id: "../account", document_key: "key" }

describe("the translation of a document", () => {
  it.effect("is its upload, the wait for it, and its download", () =>
    Effect.gen(function*() {
      const translated = yield* valueOverTime(translate)
      const { stream: _stream, ...about } = translated
      assert.deepStrictEqual(about, {
        ...Sample.document,
        billedCharacters: 9,
        completeness: "verified",
        contentLength: content.length,
        contentType: "text/plain",
        fileName: "letter.txt",
        traceId: "0AF2"
      })
      assert.strictEqual(yield* textOf(translated), content)
      assert.deepStrictEqual(yield* questions, ["upload", "status", "status", "result"])
      assert.deepStrictEqual(yield* entries, [])
    }).pipe(Effect.provide(layer({ status: [translating, status("done", { billed_characters: 9 })] }))))

  it.effect("does not say what is billed when the service does not", () =>
    Effect.gen(function*() {
      assert.notProperty(yield* valueOverTime(translate), "billedCharacters")
    }).pipe(Effect.provide(layer({ status: [status("done")] }))))

  it.effect.each<readonly [operation: string, tag: string, replies: object, after: ReadonlyArray<string>]>([
    ["Documents.upload", "PayloadTooLarge", { upload: [Wire.answer(413)] }, []],
    ["Documents.upload", "OutcomeUnknown", { upload: [Wire.answer(500)] }, ["Uploading"]],
    ["Documents.upload", "OutcomeUnknown", { upload: [Wire.answer(200, namesNothing)] }, ["Uploading"]],
    ["Documents.upload", "OutcomeUnknown", { upload: [Wire.answer(200, leadsElsewhere)] }, ["Uploading"]],
    ["Documents.wait", "DocumentFailed", { status: [status("error")] }, []],
    [
      "Documents.download",
      "DocumentFailed",
      { status: [status("done"), status("error")], result: [Wire.answer(503)] },
      []
    ],
    ["Documents.wait", "DocumentNotFound", { status: [Wire.answer(404)] }, ["Uploaded"]],
    ["Documents.wait", "DocumentNotReady", { status: [translating] }, ["Uploaded"]],
    ["Documents.download", "QuotaExceeded", { result: [Wire.answer(456)] }, ["Uploaded"]]
  ])(
    "fails in %s with %s, and the journal has what is left",
    ([operation, tag, replies, after]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(translate)
        assert.deepInclude<object>(error, { _tag: tag, operation })
        assert.deepStrictEqual(yield* states, after)
      }).pipe(Effect.provide(layer(replies)))
  )
})

describe("a document of the journal", () => {
  it.effect.each<readonly [state: string, entry: Journal.Entry]>([
    ["Uploaded", uploaded],
    ["Downloading", downloading],
    ["Lost", lost]
  ])("is resumed where the service has it: %s", ([, entry]) =>
    Effect.gen(function*() {
      yield* put(entry)
      const translated = yield* valueOverTime(resume(documentId))
      assert.deepInclude<object>(translated, { ...Sample.document, billedCharacters: 9 })
      assert.strictEqual(yield* textOf(translated), content)
      assert.deepStrictEqual(yield* questions, ["status", "status", "result"])
      assert.deepStrictEqual(yield* pending, [])
    }).pipe(Effect.provide(layer({ status: [translating, status("done", { billed_characters: 9 })] }))))

  it.effect.each<readonly [state: string, entry: Journal.Entry, error: object, after: object]>([
    [
      "Uploaded",
      uploaded,
      { _tag: "DocumentNotFound", operation: "Documents.wait" },
      { reason: "Not here", bytesReceived: 0, parts: [] }
    ],
    [
      "Downloading",
      downloading,
      { _tag: "DownloadInterrupted", operation: "Documents.resume", available: false, bytesReceived: 0 },
      { reason: "An earlier download consumed the document and did not complete", bytesReceived: 0, parts: [] }
    ],
    [
      "Lost",
      lost,
      { _tag: "DownloadInterrupted", operation: "Documents.resume", available: false, bytesReceived: 3 },
      { bytesReceived: 3, parts: [part] }
    ]
  ])("is lost where the service has it no more: %s", ([, entry, expected, after]) =>
    Effect.gen(function*() {
      yield* put(entry)
      assert.deepInclude<object>(yield* errorOverTime(resume(documentId)), expected)
      const [left, ...others] = yield* pending
      assert.deepInclude<unknown>(left, { _tag: "Lost", ...Sample.document, fileName: "letter.txt", ...after })
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.provide(layer({ status: [Wire.answer(404, { message: "Not here" })] }))))

  it.effect.each<readonly [why: string, id: string, entry: Journal.Entry, description: string]>([
    ["that nobody knows", "d1", uploaded, "The journal has no such entry"],
    [
      "whose upload was not answered",
      "upload-1",
      uploading,
      "The response to its upload was lost, so its id is unknown. Upload it again"
    ],
    [
      "whose bytes go to a file",
      documentId,
      { ...downloading, temporary: "/tmp/.letter.txt.part" },
      "It is downloaded to /tmp/.letter.txt.part; resume it with NodeDocuments"
    ],
    [
      "of another service",
      documentId,
      { ...uploaded, host: "https://other.test/" },
      "It is a document of https://other.test/"
    ],
    [
      "that has come",
      documentId,
      { ...uploaded, _tag: "Received", parts: [part, { path: "/tmp/b", bytes: 4 }] },
      "It was already received: /tmp/letter.part, /tmp/b"
    ]
  ])("is not resumed %s", ([, id, entry, description]) =>
    Effect.gen(function*() {
      yield* put(entry)
      const before = yield* entries
      const error = yield* Effect.flip(resume(id))
      assert.deepInclude<object>(error, {
        _tag: "NotResumable",
        operation: "Documents.resume",
        id,
        description,
        outcome: "refused",
        isTransient: false
      })
      assert.include(error.message, `${id} cannot be resumed. ${description}`)
      assert.strictEqual(yield* Wire.count, 0)
      assert.deepStrictEqual(yield* entries, before)
    }).pipe(Effect.provide(layer())))

  it.effect("stays after a failure that has nothing to do with it", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      assert.strictEqual((yield* errorOverTime(resume(documentId)))._tag, "InvalidKey")
      assert.deepStrictEqual(yield* entries, [uploaded])
    }).pipe(Effect.provide(layer({ status: [Wire.answer(401)] }))))

  it.effect("is listed at its service only, the oldest first", () =>
    Effect.gen(function*() {
      for (
        const [id, host, at] of [["a", known.host, 2], ["b", "https://other.test/", 1], ["c", known.host, 1]] as const
      ) {
        yield* put({ ...uploaded, documentId: Ids.DocumentId.make(id), host, startedAt: DateTime.makeUnsafe(at) })
      }
      assert.deepStrictEqual((yield* pending).map((entry) => idOf(entry)), ["c", "a"])
    }).pipe(Effect.provide(layer())))

  it.effect("is told from one at another path of the same host", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      assert.deepStrictEqual(yield* pending, [])
      yield* put({ ...uploaded, host: "https://service.test/lingua" })
      assert.strictEqual((yield* pending).length, 1)
    }).pipe(Effect.provide(layer({ options: { baseUrl: "https://service.test/lingua" } }))))

  it.effect("is forgotten when it is asked for, whatever its state", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      yield* put(uploading)
      yield* forget(documentId)
      yield* forget("upload-1")
      yield* forget("unknown")
      assert.deepStrictEqual(yield* entries, [])
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(layer())))

  it.effect.each<readonly [answer: string, reply: Wire.Reply, expected: boolean | undefined]>([
    ["done", status("done"), true],
    ["in translation", translating, true],
    ["gone", Wire.answer(404), false],
    ["downloaded before", Wire.answer(404, { message: "Document already downloaded" }), false],
    ["a refusal", Wire.answer(403), undefined],
    ["nothing", Wire.silent, undefined]
  ])("is asked for, whether the service still has it: %s", ([, reply, expected]) =>
    Effect.gen(function*() {
      const isAvailable = Documents.use((documents) => documents.isAvailable(Sample.document))
      const { exit, took } = yield* overTime(isAvailable)
      assert.strictEqual(yield* exit, expected)
      assert.isAtMost(took, 10_000)
    }).pipe(Effect.provide(layer({ status: [reply] }))))

  it.effect.each(["", "..", "a\u0000b"])("has an id, which %j is not", (id) =>
    Effect.gen(function*() {
      assert.deepInclude<object>(yield* Effect.flip(resume(id)), {
        _tag: "InvalidInput",
        parameter: "entryId",
        operation: "Documents.resume"
      })
      assert.deepInclude<object>(yield* Effect.flip(forget(id)), {
        _tag: "InvalidInput",
        parameter: "entryId",
        operation: "Documents.forget"
      })
    }).pipe(Effect.provide(layer())))
})

/** The text of a document that is resumed after a time, or the name of the error. */
const resumedAfter = (at: number) =>
  Effect.match(Effect.delay(Effect.flatMap(resume(documentId), textOf), at), {
    onFailure: ({ _tag }) => _tag,
    onSuccess: (text) => text
  })

describe("a document that somebody works at", () => {
  const busy = { _tag: "Busy", id: documentId, holder: "this program", outcome: "refused", isTransient: true }

  it.effect("is left to him, until he has ended", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const fiber = yield* Effect.forkChild(Effect.delay(resume(documentId), 1))
      yield* TestClock.adjust("1 second")
      const resumed = yield* Effect.flip(resume(documentId))
      assert.deepInclude<object>(resumed, { ...busy, operation: "Documents.resume" })
      assert.include(resumed.message, `Documents.resume: ${documentId} is claimed by this program.`)
      assert.deepInclude<object>(yield* Effect.flip(forget(documentId)), { ...busy, operation: "Documents.forget" })
      yield* Fiber.interrupt(fiber)
      yield* forget(documentId)
      assert.deepStrictEqual(yield* entries, [])
    }).pipe(Effect.provide(layer({ status: [translating] }))))

  it.effect("is left to him as long as its bytes come", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const { stream } = yield* resume(documentId)
      const fiber = yield* Effect.forkChild(Stream.mkString(Stream.decodeText(stream)))
      yield* TestClock.adjust("1 second")
      assert.deepInclude<object>(yield* Effect.flip(resume(documentId)), busy)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), "abc")
      assert.deepStrictEqual(yield* entries, [])
      assert.strictEqual((yield* Effect.flip(resume(documentId)))._tag, "NotResumable")
    }).pipe(
      Effect.provide(layer({
        result: [
          Wire.streamed(
            200,
            Stream.fromIterable(["a", "b", "c"]).pipe(
              Stream.map((letter) => new TextEncoder().encode(letter)),
              Stream.tap(() => Effect.sleep("10 seconds"))
            )
          )
        ]
      }))
    ))

  it.effect("is resumed by one of two at once", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const { exit } = yield* overTime(Effect.all([resumedAfter(0), resumedAfter(0)], { concurrency: 2 }))
      assert.deepStrictEqual(yield* exit, [content, "Busy"])
      assert.deepStrictEqual(yield* entries, [])
    }).pipe(Effect.provide(layer({ status: [translating, status("done")] }))))

  it.effect("is not resumed once more by somebody who looked before he ended", () => {
    const journal = Journal.make({ store: slowStore() })
    return Effect.gen(function*() {
      yield* valueOverTime(put(uploaded))
      // Whenever the second one comes, the document is received once and never said to be lost.
      for (let at = 0; at < 80; at += 3) {
        yield* valueOverTime(put(uploaded))
        const { exit } = yield* overTime(Effect.all([resumedAfter(0), resumedAfter(at)], { concurrency: 2 }))
        const [first, other] = yield* exit
        assert.strictEqual(first, content)
        assert.include(["Busy", "NotResumable"], other, `after ${at} ms`)
        assert.deepStrictEqual(yield* valueOverTime(states), [])
      }
    }).pipe(Effect.provide(layer({ journal })))
  })

  it.effect("may be worked at by another program too", () =>
    Effect.gen(function*() {
      yield* put({ ...uploaded, documentKey: Redacted.make("k") })
      const error = yield* Effect.flip(resume(documentId))
      assert.deepInclude<object>(error, { ...busy, holder: "process 42", operation: "Documents.resume" })
      const other = yield* errorOverTime(translate)
      assert.deepInclude<object>(other, { ...busy, holder: "process 42", operation: "Documents.translate" })
      assert.deepStrictEqual(yield* states, ["Uploaded"])
    }).pipe(Effect.provide(layer({
      upload: [issued],
      journal: Journal.make({
        claim: (id) =>
          id === documentId
            ? Effect.fail(new CallError.Busy({ id, holder: "process 42" }))
            : Effect.void
      })
    }))))
})
