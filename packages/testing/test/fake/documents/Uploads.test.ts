import { Documents, LanguageService } from "@effect-lingua/core"
import { FakeLanguageService, FakeLanguageService as Fakes } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { send } from "../../support/client.ts"

const bytes = new TextEncoder().encode("Guten Tag\n\nbis morgen")
const options = { fileName: "brief.txt", targetLanguage: "en-US", content: bytes } satisfies Documents.UploadOptions

const upload = (given: Partial<Documents.UploadOptions> = {}) =>
  Documents.use((documents) => documents.upload({ ...options, ...given }))

const text = (ref: Documents.DocumentRef) =>
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
        assert.strictEqual((yield* fake.effects)["Documents.upload"].count, 4)
        if (where === "on a socket") {
          assert.deepStrictEqual(
            requests.map(({ headers }) => [headers["content-length"] !== undefined, headers["transfer-encoding"]]),
            [[true, undefined], [true, undefined], [false, "chunked"], [true, undefined]]
          )
        }
      }).pipe(Effect.provide(layer)))
  }

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
      const names = (yield* fake.documents).map(({ fileName, targetLanguage }) => [fileName, targetLanguage])
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
      assert.deepStrictEqual(yield* fake.documents, [])
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
        assert.strictEqual((yield* fake.documents).length, 1)
      }).pipe(Effect.provide(layer)))
  }

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
      assert.strictEqual((yield* fake.quota()).usedDocuments, 1)
      yield* text(issued)
      yield* upload()
      assert.strictEqual((yield* refused)._tag, "TooManyDocuments")
      yield* TestClock.adjust("1 hour")
      yield* upload()
    }).pipe(Effect.provide(Fakes.layerServices({ maxDocuments: 2, quota: { documents: 9 } }))))

  it.effect("have the last of fields with the same name", () =>
    Effect.gen(function*() {
      const fields = ["xx", "de"].map((language) => [`name="target_lang"`, language] as const)
      assert.strictEqual((yield* sendForm([[`name="file"; filename="a.txt"`, "a"], ...fields])).status, 200)
    }).pipe(Effect.provide(Fakes.layerServices())))

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

  it.effect("give the types that the specification lists, and doc becomes docx", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const types = "docx pptx xlsx pdf htm html txt xlf xliff srt idml xml json dita mif jpeg jpg png DOCX".split(" ")
      for (const type of types) yield* upload({ fileName: `a.${type}` })
      yield* upload({ fileName: "a.doc" })
      yield* upload({ fileName: "a.pdf", outputFormat: "docx" })
      assert.deepStrictEqual(
        (yield* fake.documents).map(({ fileName }) => fileName),
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
        yield* send("POST", path, { body: `document_key=${key}`, contentType: "application/x-www-form-urlencoded" })
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
      assert.deepStrictEqual((yield* fake.requests).map(({ payload }) => payload), [undefined, undefined])
    }).pipe(Effect.provide(Fakes.layer())))
})
