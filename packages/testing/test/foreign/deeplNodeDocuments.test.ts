import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DeepLError, DocumentTranslationError, QuotaExceededError } from "deepl-node"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { open, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { folder } from "../../../node/test/support/documents.ts"
import { call, effectCounts, layer, make, record, refused } from "./client.ts"

/** The client waits 5 seconds of the real clock between two polls, so documents are ready at once where it polls. */
const atOnce = layer({ readyAfter: 0 })

const file = Effect.fnUntraced(function*(content: string, name = "brief.txt") {
  const path = join(yield* folder, name)
  yield* Effect.promise(() => writeFile(path, content))
  return path
})

describe("documents by deepl-node, against the fake on a socket", () => {
  it.effect("are uploaded from a path, a buffer and a handle, and their status goes on with the clock", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const path = yield* file("Guten Tag")
      const sources = [
        () => client.uploadDocument(path, "de", "en-US"),
        () => client.uploadDocument(Buffer.from("Guten Tag"), "de", "en-US", { filename: "brief.txt" }),
        async () => client.uploadDocument(await open(path), "de", "en-US", { filename: "brief.txt" })
      ]
      for (const source of sources) {
        const handle = yield* call(source)
        const status = () => client.getDocumentStatus(handle)
        assert.deepInclude(yield* call(status), { status: "queued" })
        yield* TestClock.adjust("2 seconds")
        assert.deepInclude(yield* call(status), { status: "translating", secondsRemaining: 1 })
        yield* TestClock.adjust("1 second")
        const done = yield* call(status)
        assert.deepInclude(done, { status: "done", billedCharacters: 9 })
        assert.isTrue(done.done())
      }
      const fake = yield* FakeLanguageService
      assert.deepStrictEqual(
        (yield* fake.documents).map(({ fileName, targetLanguage }) => [fileName, targetLanguage?.toLowerCase()]),
        Array.from({ length: 3 }, () => ["brief.txt", "en-us"])
      )
      assert.strictEqual((yield* fake.quota()).used, 0)
    }).pipe(Effect.provide(layer())))

  it.effect("are translated in one call, which uploads, polls and downloads", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const path = yield* file("Guten Tag\nbis morgen")
      const target = `${path}.en.txt`
      const status = yield* call(() => client.translateDocument(path, target, null, "en-US"))
      assert.deepInclude(status, { status: "done", billedCharacters: 20 })
      assert.strictEqual(
        yield* Effect.promise(() => readFile(target, "utf8")),
        "[en-US] Guten Tag\n[en-US] bis morgen"
      )
      const fake = yield* FakeLanguageService
      assert.strictEqual((yield* fake.quota()).used, 20)
      assert.deepStrictEqual(yield* record, [
        ["Documents.upload", 200],
        ["Documents.status", 200],
        ["Documents.download", 200]
      ])
      assert.deepStrictEqual(yield* effectCounts, { "Documents.upload": 1, "Documents.download": 1 })
    }).pipe(Effect.provide(atOnce)))

  it.effect("take the options of the client", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const fake = yield* FakeLanguageService
      const glossary = yield* fake.addGlossary({ sourceLanguage: "de", targetLanguage: "en" })
      const path = yield* file("%PDF", "a.doc")
      yield* call(() => client.uploadDocument(path, "de", "en-US", { formality: "prefer_more", glossary }))
      const [request] = yield* fake.requestsOf("Documents.upload")
      assert.deepInclude<object>(request?.decoded?.payload ?? {}, {
        file: "a.doc",
        sourceLanguage: "de",
        formality: "prefer_more",
        glossaryId: glossary
      })
      assert.deepStrictEqual((yield* fake.documents).map(({ fileName }) => fileName), ["a.docx"])
    }).pipe(Effect.provide(atOnce)))

  it.effect("leave no file behind when they are refused, and the error has the words of the service", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const path = yield* file("Guten Tag", "a.exe")
      yield* refused(
        () => client.translateDocument(path, `${path}.out`, null, "en-US"),
        DocumentTranslationError,
        "\"exe\" is not supported"
      )
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(join(path, ".."))), ["a.exe"])
      const text = Buffer.from("Guten Tag")
      const options = { filename: "a.txt" }
      yield* refused(() => client.uploadDocument(Buffer.from(""), null, "en-US", options), DeepLError, "empty")
      const unknown = { documentId: "other", documentKey: "other" }
      yield* refused(() => client.getDocumentStatus(unknown), DeepLError, "Not found")
      const fake = yield* FakeLanguageService
      assert.deepStrictEqual(yield* fake.documents, [])
      yield* fake.setQuota({ characters: 8 })
      yield* refused(() => client.uploadDocument(text, null, "en-US", options), QuotaExceededError, "Quota")
      assert.deepStrictEqual(yield* effectCounts, {})
    }).pipe(Effect.provide(atOnce)))
})
