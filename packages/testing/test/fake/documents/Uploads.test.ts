import { GlossaryId, StyleId } from "@effect-lingua/core/contract/Ids"
import { type DocumentRef, Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Fakes from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Script from "@effect-lingua/testing/faults/Script"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { send } from "../../support/client.ts"

const bytes = new TextEncoder().encode("Guten Tag\n\nbis morgen")
const options = { fileName: "brief.txt", targetLanguage: "en-US", content: bytes } satisfies UploadOptions

const upload = (given: Partial<UploadOptions> = {}) =>
  Documents.use((documents) => documents.upload({ ...options, ...given }))

const text = (ref: DocumentRef) =>
  Documents.use((documents) => documents.download(ref)).pipe(
    Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream)))
  )

const socketWith = (options: NodeFakeLanguageService.Options) =>
  Effect.gen(function*() {
    const { url } = yield* FakeLanguageService
    return LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url })
  }).pipe(
    Layer.unwrap,
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provideMerge(NodeFakeLanguageService.layer(options))
  )

const socket = socketWith({})

/** A form as anyone could send it: each part with the parameters of its disposition, and more headers perhaps. */
const sendForm = (parts: ReadonlyArray<readonly [disposition: string, value: string]>, key = "fake-key") =>
  send("POST", "/v2/document", {
    body: `${
      parts.map(([name, value]) => `--x\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`).join("")
    }--x--\r\n`,
    contentType: "multipart/form-data; boundary=x",
    headers: { authorization: `Service-Auth-Key ${key}` }
  })

class Unreadable extends Data.TaggedError("Unreadable")<{}> {}

const refused = (given: Partial<UploadOptions>) =>
  Effect.map(Effect.flip(upload(given)), ({ _tag, description }) => `${_tag}: ${description}`)

const words = (answer: { readonly status: number; readonly json: unknown }) =>
  `${answer.status} ${JSON.stringify(answer.json)}`

const multipart = (body: string) =>
  send("POST", "/v2/document", { body, contentType: "multipart/form-data; boundary=x" })

const field = (name: string, length: number) => [`name="${name}"`, "x".repeat(length)] as const

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
        assert.deepStrictEqual(
          requests.map(({ decoded }) => decoded?.payload),
          Array.from({ length: 4 }, () => decoded)
        )
        assert.strictEqual((yield* fake.effects())["Documents.upload"].count, 4)
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
        assert.deepStrictEqual(yield* fake.documents(), [])
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
      const wrong = { documentId: issued.documentId, documentKey: Redacted.make("other") }
      assert.strictEqual((yield* Effect.flip(Documents.use((d) => d.status(wrong))))._tag, "DocumentNotFound")
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are not repeated while the outcome of the first is unknown", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.upload"))
      const error = yield* Effect.flip(upload())
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual((yield* fake.effects())["Documents.upload"].count, 1)
      assert.strictEqual((yield* fake.requests()).length, 1)
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are repeated when the service refused, with the stream run anew", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Script.sequence([Fault.rateLimited(), Fault.overloaded()], "Documents.upload"))
      let runs = 0
      const content = Stream.suspend(() => {
        runs++
        return Stream.make(bytes)
      })
      const fiber = yield* Effect.forkChild(upload({ content }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* fake.requests()).length, 3)
      assert.isAtLeast(runs, 1)
      assert.strictEqual((yield* fake.effects())["Documents.upload"].count, 1)
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
        { fileName: "a.exe" },
        { fileName: "txt" },
        { content: JSON.parse(`"text"`) },
        { content: JSON.parse("null") },
        { content: new Uint8Array() },
        { content: new Blob() },
        { content: Stream.empty, size: 0 },
        { glossaryId: GlossaryId.make("x") },
        { translationMemoryThreshold: 101 }
      ], (given) => Effect.map(Effect.flip(upload(given)), (error) => error._tag === "InvalidInput" && error.parameter))
      assert.deepStrictEqual(parameters, [
        "fileName",
        "fileName",
        "fileName",
        "fileName",
        "fileName",
        "content",
        "content",
        "content",
        "content",
        "content",
        "sourceLanguage",
        "translationMemoryThreshold"
      ])
      assert.deepStrictEqual(yield* fake.requests(), [])
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are refused by the service", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      assert.match(yield* refused({ anyType: true, fileName: "a.exe" }), /^BadRequest: .*"exe"/)
      assert.match(yield* refused({ targetLanguage: "en" }), /^BadRequest: Value for 'target_lang'/)
      assert.match(yield* refused({ outputFormat: "docx" }), /^BadRequest: Value for 'output_format'/)
      assert.match(yield* refused({ styleId: StyleId.make("nothing") }), /^NotFound: Style rule list/)
      yield* fake.setQuota({ characters: 20 })
      assert.match(yield* refused({}), /^QuotaExceeded/)
      assert.strictEqual((yield* fake.quota()).used, 0)
      assert.deepStrictEqual(yield* fake.documents(), [])
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("may have their parts in any order, and the name of the file in a field", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const file = `name="file"; filename="brief.txt"`
      const nameless = `name="file"\r\nContent-Type: application/octet-stream`
      const target = `name="target_lang"`
      const name = `name="filename"`
      for (
        const parts of [
          [[file, "a"], [target, "en-US"]],
          [[target, "en-US"], [file, "a"]],
          [[nameless, "a"], [target, "en-US"], [name, "brief.txt"]],
          [[name, "brief.txt"], [`name="file"`, "a"], [target, "en-US"]],
          // The name in the header of the part wins.
          [[name, "brief.exe"], [file, "a"], [target, "en-US"]]
        ] as const
      ) {
        const { json, status } = yield* sendForm(parts)
        assert.strictEqual(status, 200)
        assert.sameMembers(Object.keys(json), ["document_id", "document_key"])
      }
      const empty = yield* sendForm([[file, ""], [target, "en-US"]])
      assert.strictEqual(empty.status, 400)
      assert.include(empty.json.message, "the file is empty")
      const names = (yield* fake.documents()).map(({ fileName, targetLanguage }) => [fileName, targetLanguage])
      assert.deepStrictEqual(names, Array.from({ length: 5 }, () => ["brief.txt", "en-US"]))
    }).pipe(Effect.provide(Fakes.layer())))

  it.effect("name glossaries in one field with commas, or in several", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const pair = { sourceLanguage: "de", targetLanguage: "en" }
      const [one, two] = [yield* fake.addGlossary(pair), yield* fake.addGlossary(pair)]
      const rest = [[`name="file"; filename="a.txt"`, "a"], [`name="target_lang"`, "en-US"], [
        `name="source_lang"`,
        "de"
      ]] as const
      const ids = `name="glossary_ids"`
      assert.strictEqual((yield* sendForm([...rest, [ids, `${one},${two}`]])).status, 200)
      assert.strictEqual((yield* sendForm([...rest, [ids, one], [ids, two]])).status, 200)
      assert.strictEqual((yield* sendForm([...rest, [ids, `${one},other`]])).status, 404)
      const { decoded } = (yield* fake.requestsOf("Documents.upload"))[0] ?? {}
      assert.deepInclude<object>(decoded?.payload ?? {}, { glossaryIds: [one, two] })
    }).pipe(Effect.provide(Fakes.layer())))

  it.effect("that cannot be read as a form are refused in the words of the service", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const target = [`name="target_lang"`, "en-US"] as const
      assert.match(words(yield* sendForm([target])), /^400 .*Missing parameter file/)
      assert.match(words(yield* sendForm([[`name="file"; filename="a.txt"`, "a"]])), /^400 .*target_lang/)
      assert.match(
        words(
          yield* sendForm([[`name="file"; filename="a.txt"`, "a"], target, [
            `name="translation_memory_threshold"`,
            "many"
          ]])
        ),
        /^400 .*translation_memory_threshold/
      )
      assert.match(words(yield* multipart("no form")), /^400 .*"message"/)
      assert.match(
        words(yield* multipart("--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\na")),
        /^400 .*"message"/
      )
      const noBoundary = yield* send("POST", "/v2/document", { body: "--x--", contentType: "multipart/form-data" })
      assert.match(words(noBoundary), /^400 .*"message"/)
      const json = yield* send("POST", "/v2/document", { body: "{}" })
      assert.match(words(json), /^400 .*multipart\/form-data/)
      assert.deepStrictEqual(yield* fake.documents(), [])
    }).pipe(Effect.provide(Fakes.layer())))

  for (
    const [where, layer] of [
      ["in process", Fakes.layerServices({ maxDocumentBytes: 1000 })],
      ["on a socket", socketWith({ maxDocumentBytes: 1000 })]
    ] as const
  ) {
    it.live(`that are too large are refused with 413 ${where}`, () =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        yield* upload({ content: new Uint8Array(1000).fill(65) })
        const blob = new Blob([new Uint8Array(100_000)])
        assert.strictEqual((yield* Effect.flip(upload({ content: blob })))._tag, "PayloadTooLarge")
        const error = yield* Effect.flip(upload({ content: new Uint8Array(1001).fill(65) }))
        assert.strictEqual(error._tag, "PayloadTooLarge")
        const chunks = Stream.fromIterable(Array.from({ length: 20 }, () => new Uint8Array(100).fill(65)))
        assert.strictEqual((yield* Effect.flip(upload({ content: chunks })))._tag, "PayloadTooLarge")
        assert.strictEqual((yield* fake.documents()).length, 1)
      }).pipe(Effect.provide(layer)))
  }

  it.effect("are counted when they are downloaded, and checked before", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.setQuota({ characters: 30 })
      const first = yield* upload()
      const second = yield* upload()
      assert.strictEqual((yield* fake.quota()).used, 0)
      yield* TestClock.adjust("3 seconds")
      yield* text(first)
      assert.strictEqual((yield* fake.quota()).used, 21)
      assert.strictEqual((yield* Effect.flip(upload()))._tag, "QuotaExceeded")
      assert.strictEqual((yield* Effect.flip(text(second)))._tag, "QuotaExceeded")
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("are limited in number until they are downloaded, fail or are gone", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.addDocument({ content: "x", fails: "File is damaged", readyAfter: 0 })
      yield* fake.addDocument({ content: "x", readyAfter: 0, expiresAfter: "1 hour" })
      const issued = yield* upload()
      const refused = Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.flip(upload()))
        yield* TestClock.adjust("10 minutes")
        return yield* Fiber.join(fiber)
      })
      const error = yield* refused
      assert.strictEqual(error._tag, "TooManyDocuments")
      assert.include(error.message, "2 at most")
      assert.isAbove(error.attempts.length, 1)
      yield* text(issued)
      yield* upload()
      assert.strictEqual((yield* refused)._tag, "TooManyDocuments")
      yield* TestClock.adjust("1 hour")
      yield* upload()
    }).pipe(Effect.provide(Fakes.layerServices({ maxDocuments: 2 }))))

  it.effect("of an account do not count for another", () =>
    Effect.gen(function*() {
      yield* upload()
      const parts = [[`name="file"; filename="a.txt"`, "a"], [`name="target_lang"`, "en-US"]] as const
      assert.strictEqual((yield* sendForm(parts, "other")).status, 200)
      assert.strictEqual((yield* sendForm(parts, "other")).status, 429)
    }).pipe(Effect.provide(
      Fakes.layerServices({
        maxDocuments: 1,
        keys: [{ key: "fake-key", tier: "paid" }, { key: "other", tier: "paid", account: "them" }]
      })
    )))

  it.effect("are there when only their answer is lost, and are not when the fault came before", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Script.next(1, Fault.reset(), "Documents.upload"))
      assert.strictEqual((yield* Effect.flip(upload()))._tag, "OutcomeUnknown")
      assert.deepStrictEqual(yield* fake.documents(), [])
      yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.upload"))
      assert.strictEqual((yield* Effect.flip(upload()))._tag, "OutcomeUnknown")
      assert.deepStrictEqual((yield* fake.documents()).map(({ fileName }) => fileName), ["brief.txt"])
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("give the types that the specification lists, and doc becomes docx", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const types = "docx pptx xlsx pdf htm html txt xlf xliff srt idml xml json dita mif jpeg jpg png DOCX".split(" ")
      for (const type of types) yield* upload({ fileName: `a.${type}` })
      yield* upload({ fileName: "a.doc" })
      yield* upload({ fileName: "a.pdf", outputFormat: "docx" })
      assert.deepStrictEqual(
        (yield* fake.documents()).map(({ fileName }) => fileName),
        [...types.map((type) => `a.${type.toLowerCase()}`), "a.docx", "a.docx"]
      )
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("can name a style rule list of the target language", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { styleId } = yield* fake.addStyleRuleList({ name: "House", language: "en" })
      const other = yield* fake.addStyleRuleList({ name: "Haus", language: "de" })
      yield* upload({ styleId })
      assert.strictEqual((yield* Effect.flip(upload({ styleId: other.styleId })))._tag, "BadRequest")
    }).pipe(Effect.provide(Fakes.layerServices())))

  it.effect("that failed tell why under both names of the wire", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { documentId, documentKey } = yield* fake.addDocument({
        content: "",
        fails: "It is damaged",
        readyAfter: 0
      })
      const key = Redacted.value(documentKey)
      const path = `/v2/document/${documentId}`
      const answers = [
        yield* send("POST", path, { body: JSON.stringify({ document_key: key }) }),
        yield* send("POST", path, {
          body: `document_key=${key}`,
          contentType: "application/x-www-form-urlencoded"
        })
      ]
      for (const { json, status } of answers) {
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json, {
          document_id: documentId,
          status: "error",
          error_message: "It is damaged",
          message: "It is damaged"
        })
      }
      assert.strictEqual((yield* send("POST", path, { body: `{"document_key":"x"}` })).status, 404)
      assert.strictEqual((yield* send("POST", path, { body: "{}" })).status, 400)
    }).pipe(Effect.provide(Fakes.layer())))

  it.effect("with fields that are too long are not kept", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const parts = [[`name="file"; filename="a.txt"`, "a"], [`name="target_lang"`, "en-US"]] as const
      assert.strictEqual((yield* sendForm([...parts, field("a", 5000), field("b", 5000)])).status, 200)
      assert.strictEqual((yield* sendForm([...parts, field("a", 10_000)])).status, 413)
      assert.deepStrictEqual((yield* fake.requests()).map(({ payload }) => payload), [undefined, undefined])
    }).pipe(Effect.provide(Fakes.layer())))
})
