import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { client } from "../../support/client.ts"

const fake = FakeLanguageService

const download = Effect.fnUntraced(function*({ documentId, documentKey }: FakeLanguageService.IssuedDocument) {
  const api = yield* client
  return yield* api.Documents.download({ params: { documentId }, payload: { documentKey } })
})

const statuses = Effect.flatMap(
  fake,
  ({ documents }) => Effect.map(documents, (all) => all.map(({ status }) => status))
)

describe("Documents", () => {
  it.effect("come in pieces, with the headers of a file", () =>
    Effect.gen(function*() {
      const content = Uint8Array.from({ length: 40_000 }, (_, index) => index % 251)
      const document = yield* (yield* fake).addDocument({ content, fileName: `Bericht "neu" ü.pdf`, readyAfter: 0 })
      const { body, headers } = yield* download(document)
      assert.match(headers["x-trace-id"] ?? "", /^[0-9a-f]{32}$/)
      assert.deepInclude(headers, {
        "content-type": "application/pdf",
        "content-length": "40000",
        "content-disposition": `attachment; filename="Bericht _neu_ _.pdf"`
      })
      const pieces = yield* Stream.runCollect(body)
      assert.deepStrictEqual(pieces.map(({ length }) => length), [16_384, 16_384, 7232])
      assert.deepStrictEqual(Array.from(pieces).flatMap((piece) => Array.from(piece)), Array.from(content))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("are taken by one of two that ask at the same time", () =>
    Effect.gen(function*() {
      const document = yield* (yield* fake).addDocument({ content: "a", readyAfter: 0 })
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(Effect.result(download(document))))
      const results = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(results.map(({ _tag }) => _tag).toSorted(), ["Failure", "Failure", "Success"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("bill their characters when they are taken, office files 50,000 at least", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const text = yield* service.addDocument({ content: "Grüße 👋", readyAfter: 0 })
      const office = yield* service.addDocument({ content: "x", fileName: "a.docx", readyAfter: 0 })
      const own = yield* service.addDocument({ content: "x", fileName: "a.docx", characters: 12, readyAfter: 0 })
      assert.strictEqual((yield* service.quota()).used, 0)
      yield* download(text)
      assert.strictEqual((yield* service.quota()).used, 7)
      yield* download(office)
      assert.strictEqual((yield* service.quota()).used, 50_007)
      yield* download(own)
      assert.deepStrictEqual((yield* service.documents).map(({ billedCharacters }) => billedCharacters), [
        7,
        50_000,
        12
      ])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("are gone when they were not fetched in time, without a word of a download", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const usual = yield* service.addDocument({ content: "a", readyAfter: "10 seconds" })
      const short = yield* service.addDocument({ content: "a", readyAfter: 0, expiresAfter: "1 second" })
      const failed = yield* service.addDocument({ content: "a", readyAfter: 0, fails: "File is damaged" })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* statuses, ["translating", "gone", "error"])
      assert.deepInclude(yield* Effect.flip(download(short)), {
        _tag: "DocumentNotFound",
        status: 404,
        description: "Document not found"
      })
      yield* TestClock.adjust("68999 millis")
      assert.deepStrictEqual(yield* statuses, ["done", "gone", "error"])
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(download(usual)))._tag, "DocumentNotFound")
      assert.strictEqual((yield* Effect.flip(download(failed)))._tag, "DocumentNotReady")
      assert.strictEqual((yield* service.quota()).used, 0)
      assert.strictEqual((yield* service.effects)["Documents.download"].count, 0)
    }).pipe(Effect.provide(FakeLanguageService.layer({ expiresAfter: "1 minute" }))))

  it.effect("are kept for good unless they are told to expire, and translated for ever where they are told so", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const document = yield* service.addDocument({ content: "a" })
      const never = yield* service.addDocument({ content: "a", readyAfter: Duration.infinity })
      yield* TestClock.adjust("1000 days")
      assert.deepStrictEqual(yield* statuses, ["done", "queued"])
      yield* download(document)
      assert.strictEqual((yield* Effect.flip(download(never)))._tag, "DocumentNotReady")
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("have the content type of their extension", () =>
    Effect.gen(function*() {
      const types = [["docx", "openxmlformats-officedocument.wordprocessingml"], ["srt", "x-subrip"], [
        "htm",
        "text/html"
      ]]
      for (const [extension, type = ""] of [...types, ["XLF", "xliff+xml"], ["json", "application/json"]]) {
        const fileName = `a.${extension}`
        const document = yield* (yield* fake).addDocument({ content: "a", fileName, readyAfter: 0 })
        assert.include((yield* download(document)).headers["content-type"], type)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("give nothing but their bytes, whatever they are", () =>
    Effect.gen(function*() {
      for (const content of [new Uint8Array(), Uint8Array.of(0, 255, 10), "{}", "x".repeat(16_384)]) {
        const document = yield* (yield* fake).addDocument({ content, fileName: "a.bin", readyAfter: 0 })
        const { body, headers } = yield* download(document)
        const bytes = Array.from(yield* Stream.runCollect(body)).flatMap((piece) => Array.from(piece))
        assert.deepStrictEqual(bytes, Array.from(typeof content === "string" ? Buffer.from(content) : content))
        assert.strictEqual(headers["content-type"], "application/octet-stream")
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
