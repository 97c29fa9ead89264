import { Documents, Ids, LanguageService, Progress } from "@effect-lingua/core"
import { idOf, Journal, UploadFacts } from "@effect-lingua/core/documents/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Data, DateTime, Effect, Fiber, Redacted, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { sampled } from "../../../../test/support/scale.ts"
import { entries, issued, layer, put, slowStore, states, status, uploaded } from "../support/documents.ts"
import { errorOverTime, overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

class Unreadable extends Data.TaggedError("Unreadable") {}

const upload = (options: Partial<Documents.UploadOptions> = {}) =>
  Documents.use((documents) => documents.upload({ ...Sample.upload, ...options }))

/** What the upload of a test is about, as the journal has it. */
const about = {
  host: "https://service.test/",
  account: uploaded.account,
  fileName: "letter.txt",
  fields: { targetLanguage: "en-US", glossaryIds: [Ids.GlossaryId.make("g1")], sourceLanguage: "de" },
  source: "/home/me/letter.txt",
  target: { folder: "/home/me", overwrite: false }
}
const { fields, source, target } = about
const full = Effect.provideService(upload(fields), UploadFacts, { source, target })

/** What the journal has when a question comes in. */
const looking = (
  journal: Journal["Service"],
  seen: Array<ReadonlyArray<Journal.Entry>>,
  reply: Wire.Reply
): Wire.Reply =>
(request, sent) =>
  Effect.flatMap(journal.entries, (entries) => {
    seen.push(entries)
    return reply(request, sent)
  })

const refused: ReadonlyArray<readonly [what: string, reply: Wire.Reply, options?: Partial<Documents.UploadOptions>]> = [
  ["400", Wire.answer(400)],
  ["413", Wire.answer(413)],
  ["456", Wire.answer(456)],
  ["429 until the attempts are used up", Wire.answer(429)],
  ["a status that the contract does not know", Wire.answer(418)],
  ["no connection", Wire.broken("ECONNREFUSED")],
  ["a stream that fails", issued, { content: Stream.fail(new Unreadable()) }],
  ["a name with a folder in it", issued, { fileName: "../letter.txt" }],
  ["an empty file", issued, { content: new Uint8Array() }],
  ["too many glossaries", issued, {
    glossaryIds: Array.from({ length: 6 }, (_, index) => Ids.GlossaryId.make(`${index}`))
  }]
]

const unknown: ReadonlyArray<readonly [what: string, reply: Wire.Reply]> = [
  ["500", Wire.answer(500)],
  ["504", Wire.answer(504)],
  ["a status from 500 on that the contract does not know", Wire.answer(520)],
  ["a broken connection", Wire.broken("ECONNRESET")],
  ["silence", Wire.silent],
  ["an answer that makes no sense", Wire.answer(200, "<html>")],
  ["an answer without a key", Wire.answer(200, { document_id: Sample.documentId })]
]

describe("the journal of an upload", () => {
  it.effect("has what is uploaded while it is on the wire, and its document when the answer has come", () => {
    const journal = Journal.make()
    const seen: Array<ReadonlyArray<Journal.Entry>> = []
    return Effect.gen(function*() {
      yield* valueOverTime(Effect.provideService(full, Progress.Reporter, ({ _tag }) => {
        if (_tag === "Started") seen.push(Effect.runSync(journal.entries))
      }))
      assert.deepStrictEqual(seen.map((entries) => entries.map(({ _tag }) => _tag)), [["Uploading"], ["Uploaded"]])
      const startedAt = DateTime.makeUnsafe(1)
      const [uploading] = seen[0] ?? []
      if (uploading?._tag !== "Uploading") return assert.fail(uploading?._tag)
      assert.match(uploading.uploadId, /^upload-[0-9a-f]+$/)
      const { uploadId } = uploading
      assert.deepStrictEqual(uploading, { _tag: "Uploading", ...about, startedAt, uploadId })
      assert.deepStrictEqual(yield* entries, [{ _tag: "Uploaded", ...about, ...Sample.document, startedAt, uploadId }])
      assert.isUndefined(yield* journal.get(uploadId))
    }).pipe(Effect.provide(layer({ journal, upload: [looking(journal, seen, issued)] })))
  })

  it.effect("has the document before anything else is asked about it", () => {
    const journal = Journal.make({ store: slowStore() })
    const seen: Array<ReadonlyArray<Journal.Entry>> = []
    return Effect.gen(function*() {
      yield* valueOverTime(Documents.use((documents) => documents.translate(Sample.upload)))
      assert.deepStrictEqual(seen.map((entries) => entries.map(({ _tag }) => _tag)), [["Uploaded"], ["Downloading"]])
    }).pipe(
      Effect.provide(layer({
        journal,
        status: [looking(journal, seen, status("done"))],
        result: [looking(journal, seen, Wire.answer(200, "a"))]
      }))
    )
  })

  it.effect.each(refused)("has nothing after %s", ([, reply, options]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(upload(options))
      assert.notStrictEqual(error._tag, "OutcomeUnknown")
      assert.deepStrictEqual(yield* entries, [])
    }).pipe(Effect.provide(layer({ upload: [reply] }))))

  it.effect.each(unknown)("has the upload after %s", ([, reply]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(full)
      assert.strictEqual(error._tag, "OutcomeUnknown")
      const [entry] = yield* entries
      assert.deepInclude<unknown>(entry, { _tag: "Uploading", ...about })
      assert.deepStrictEqual(yield* states, ["Uploading"])
    }).pipe(Effect.provide(layer({ upload: [reply] }))))

  it.effect("stays right when the upload is interrupted, wherever that is", () =>
    Effect.forEach(sampled(Array.from({ length: 60 }, (_, at) => at), 20), (at) => {
      let answered = false
      const reply = Wire.late(
        10,
        (request, sent) => Effect.tap(issued(request, sent), () => Effect.sync(() => (answered = true)))
      )
      return Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.delay(full, 1))
        yield* TestClock.adjust(at)
        const interrupt = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(interrupt)
        const { exit } = yield* overTime(entries)
        const all = yield* exit
        const expected = answered
          ? ["Uploaded"]
          : (yield* Wire.count) === 1
          ? ["Uploading"]
          : all.map(({ _tag }) => _tag)
        assert.deepStrictEqual(all.map(({ _tag }) => _tag), expected, `after ${at} ms`)
        for (const entry of all) {
          // Nobody has a claim on it any more.
          yield* valueOverTime(Documents.use((documents) => documents.forget({ entryId: idOf(entry) })))
        }
        return expected.join()
      }).pipe(Effect.provide(layer({ journal: Journal.make({ store: slowStore() }), upload: [reply] })))
    }).pipe(
      Effect.tap((seen) => Effect.sync(() => assert.includeMembers([...new Set(seen)], ["Uploading", "Uploaded"])))
    ))

  it.effect("does not close its form after a stream that fails", () =>
    Effect.gen(function*() {
      let form = ""
      const client = HttpClient.make((request) =>
        Stream.fromIterable(request.body._tag === "Stream" ? [request.body.stream] : []).pipe(
          Stream.flatMap(Stream.orDie),
          Stream.decodeText,
          Stream.runForEach((text) => Effect.sync(() => (form += text))),
          Effect.as(HttpClientResponse.fromWeb(request, new Response()))
        )
      )
      const content = Stream.make(new TextEncoder().encode("Good.")).pipe(Stream.concat(Stream.fail(new Unreadable())))
      yield* Effect.exit(upload({ content })).pipe(
        Effect.provide(LanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" })),
        Effect.provideService(HttpClient.HttpClient, client)
      )
      const [, boundary] = /^--(\S+)/.exec(form) ?? []
      assert.isTrue(form.endsWith("Good."), form)
      assert.notInclude(form, `--${boundary}--`)
    }))

  it.effect("is what too many documents are named by", () =>
    Effect.gen(function*() {
      const { account, documentKey, host, startedAt } = uploaded
      const known = { host, account, startedAt, documentKey }
      const ids = ["d1", "d2", "d3", "d4", "d5", "d6"].map((id) => Ids.DocumentId.make(id))
      for (const documentId of ids) yield* put({ _tag: "Uploaded", ...known, documentId })
      yield* put({ _tag: "Downloading", ...known, documentId: Ids.DocumentId.make("d7") })
      // None of these counts at the service.
      yield* put({ _tag: "Uploaded", ...known, documentId: Ids.DocumentId.make("d8"), host: "https://other.test/" })
      yield* put({ _tag: "Uploading", host, account, startedAt, uploadId: "upload-1" })
      yield* put({
        _tag: "Received",
        ...known,
        documentId: Ids.DocumentId.make("d9"),
        parts: [{ path: "/tmp/a", bytes: 1 }]
      })
      const error = yield* errorOverTime(upload())
      if (error._tag !== "TooManyDocuments") return assert.fail(error._tag)
      assert.deepStrictEqual(error.pending, [...ids, "d7"])
      assert.include(error.message, "Resume d1, d2, d3, d4, d5 and 2 more, then upload again.")
      assert.strictEqual(error.operation, "Documents.upload")
      assert.strictEqual(error.attempts.length, 5)
    }).pipe(Effect.provide(layer({ upload: [Wire.answer(429, { message: "Too many documents" })] }))))

  it.effect("may know none of too many documents", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(upload())
      assert.deepInclude<object>(error, { _tag: "TooManyDocuments", pending: [] })
      assert.include(error.message, "they belong to another program")
    }).pipe(Effect.provide(layer({ upload: [Wire.answer(429, { message: "Too many documents" })] }))))
})
