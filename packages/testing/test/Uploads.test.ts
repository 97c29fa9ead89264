import { type DocumentRef, Documents, type UploadOptions } from "@effect-lingua/core/Documents"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/FakeLanguageService"
import * as Fakes from "@effect-lingua/testing/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/Fault"
import * as NodeFakeLanguageService from "@effect-lingua/testing/NodeFakeLanguageService"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"

const bytes = new TextEncoder().encode("Guten Tag\n\nbis morgen")
const options = { fileName: "brief.txt", targetLanguage: "en-US", content: bytes } satisfies UploadOptions

const upload = (given: Partial<UploadOptions> = {}) =>
  Documents.use((documents) => documents.upload({ ...options, ...given }))

const text = (ref: DocumentRef) =>
  Documents.use((documents) => documents.download(ref)).pipe(
    Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream)))
  )

const socket = Effect.gen(function*() {
  const { url } = yield* FakeLanguageService
  return LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url })
}).pipe(
  Layer.unwrap,
  Layer.provide(NodeHttpClient.layerUndici),
  Layer.provideMerge(NodeFakeLanguageService.layer())
)

class Unreadable extends Data.TaggedError("Unreadable")<{}> {}

describe("Uploads", () => {
  for (const [where, layer] of [["in process", Fakes.layerServices()], ["on a socket", socket]] as const) {
    it.live(`of bytes, of a file and of a stream are the same ${where}`, () =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const blob = new Blob([bytes])
        const chunks = Stream.make(bytes.subarray(0, 7), bytes.subarray(7))
        for (
          const content of [{ content: bytes }, { content: blob }, { content: chunks }, {
            content: chunks,
            size: bytes.length
          }]
        ) {
          const issued = yield* upload({ ...content, sourceLanguage: "de", formality: "default" })
          yield* fake.advance("1 minute")
          assert.strictEqual(yield* text(issued), "[en-US] Guten Tag\n\n[en-US] bis morgen")
        }
        const requests = yield* fake.requestsOf("Documents.upload")
        const decoded = { file: "brief.txt", targetLanguage: "en-US", sourceLanguage: "de", formality: "default" }
        assert.deepStrictEqual(requests.map(({ decoded }) => decoded?.payload), Array(4).fill(decoded))
        assert.strictEqual((yield* fake.effects)["Documents.upload"].count, 4)
        if (where === "on a socket") {
          assert.deepStrictEqual(
            requests.map(({ headers }) => [headers["content-length"] !== undefined, headers["transfer-encoding"]]),
            [[true, undefined], [true, undefined], [false, "chunked"], [true, undefined]]
          )
        }
      }).pipe(Effect.provide(layer)))

    it.live(`break off with a stream that fails ${where}`, () =>
      Effect.gen(function*() {
        const content = Stream.make(bytes).pipe(Stream.concat(Stream.fail(new Unreadable())))
        const error = yield* Effect.flip(upload({ content }))
        assert.strictEqual(error._tag, "SourceFailed")
        assert.strictEqual(error.operation, "Documents.upload")
        assert.instanceOf(error.cause, Unreadable)
        const fake = yield* FakeLanguageService
        assert.deepStrictEqual(yield* fake.documents, [])
      }).pipe(Effect.provide(layer)))
  }

  it.effect("are followed by their status", () =>
    Effect.gen(function*() {
      const issued = yield* upload()
      const status = Documents.use((documents) => documents.status(issued))
      assert.deepStrictEqual(yield* status, { documentId: issued.documentId, status: "queued" })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* status, { status: "translating", secondsRemaining: 2 })
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* status, { status: "done", billedCharacters: 21 })
      yield* text(issued)
      assert.strictEqual((yield* Effect.flip(status))._tag, "DocumentAlreadyDownloaded")
      const fake = yield* FakeLanguageService
      const failing = yield* fake.addDocument({ content: "x", fails: "File is damaged", readyAfter: 0 })
      assert.deepInclude(yield* Documents.use((documents) => documents.status(failing)), {
        status: "error",
        errorMessage: "File is damaged"
      })
      const wrong = { ...issued, documentKey: Redacted.make("other") }
      assert.strictEqual((yield* Effect.flip(Documents.use((d) => d.status(wrong))))._tag, "DocumentNotFound")
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are not repeated when nobody knows what became of the first", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Fault.next(1, Fault.reset({ afterEffect: true }), "Documents.upload"))
      const error = yield* Effect.flip(upload())
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual((yield* fake.effects)["Documents.upload"].count, 1)
      assert.strictEqual((yield* fake.requests).length, 1)
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are repeated when the service refused, with the stream run anew", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Fault.sequence([Fault.rateLimited(), Fault.overloaded()], "Documents.upload"))
      let runs = 0
      const content = Stream.suspend(() => {
        runs++
        return Stream.make(bytes)
      })
      const fiber = yield* Effect.forkChild(upload({ content }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* fake.requests).length, 3)
      assert.isAtLeast(runs, 1)
      assert.strictEqual((yield* fake.effects)["Documents.upload"].count, 1)
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("tell too many documents from too many requests", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const description = "Too many documents wait to be downloaded"
      yield* fake.script([
        { count: 5, fault: Fault.rateLimited({ description }) },
        { count: 5, fault: Fault.rateLimited() }
      ])
      const tags = yield* Effect.forkChild(Effect.forEach([1, 2], () => Effect.flip(upload())))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual((yield* Fiber.join(tags)).map(({ _tag }) => _tag), ["TooManyDocuments", "RateLimited"])
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are refused before anything is sent", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const parameters = yield* Effect.forEach([
        { fileName: "" },
        { fileName: "../brief.txt" },
        { fileName: "a\nb.txt" },
        { content: new Uint8Array() },
        { content: new Blob() },
        { content: Stream.empty, size: 0 },
        { glossaryId: "x" as never },
        { translationMemoryThreshold: 101 }
      ], (given) => Effect.map(Effect.flip(upload(given)), (error) => error._tag === "InvalidInput" && error.parameter))
      assert.deepStrictEqual(parameters, [
        "fileName",
        "fileName",
        "fileName",
        "content",
        "content",
        "content",
        "sourceLanguage",
        "translationMemoryThreshold"
      ])
      assert.deepStrictEqual(yield* fake.requests, [])
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are refused by the service", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const refused = (given: Partial<UploadOptions>) =>
        Effect.map(Effect.flip(upload(given)), ({ _tag, description }) => `${_tag}: ${description}`)
      assert.match(yield* refused({ fileName: "a.exe" }), /^BadRequest: .*"exe"/)
      assert.match(yield* refused({ targetLanguage: "en" }), /^BadRequest: Value for 'target_lang'/)
      assert.match(yield* refused({ outputFormat: "docx" }), /^BadRequest: Value for 'output_format'/)
      assert.match(yield* refused({ styleId: "nothing" as never }), /^NotFound: Style rule list/)
      assert.match(yield* refused({ content: Stream.empty }), /^BadRequest: .*empty/)
      yield* fake.setQuota({ characters: 20 })
      assert.match(yield* refused({}), /^QuotaExceeded/)
      assert.strictEqual((yield* fake.quota).used, 0)
      assert.deepStrictEqual(yield* fake.documents, [])
    }).pipe(Effect.provide(Fakes.layerServices())))
})
