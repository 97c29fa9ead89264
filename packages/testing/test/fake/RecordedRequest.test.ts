import { Documents, type Ids, Languages, type Resources, StyleRules } from "@effect-lingua/core"
import { Detection, Translation, Writing } from "@effect-lingua/core/texts"
import { FakeLanguageService, RecordedRequest } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { expectTypeOf } from "vitest"
import { send } from "../support/client.ts"

const { layer, layerServices } = FakeLanguageService

/** What the last request asks for, decoded for whatever operation it is of. */
const lastDecoded = Effect.gen(function*() {
  const request = (yield* (yield* FakeLanguageService).requests).at(-1)
  return request?.operation === undefined ? undefined : RecordedRequest.decode(request, request.operation)
})

describe("RecordedRequest.decode", () => {
  it.effect("gives what a caller gave, for every kind of operation", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const rules = yield* StyleRules
      const rephrase = { text: ["a"], targetLanguage: "en-GB", tone: "friendly" } as const
      yield* Writing.use((writing) => writing.rephrase(rephrase))
      assert.deepStrictEqual(yield* lastDecoded, { payload: rephrase })
      const translate = { text: ["a"], targetLanguage: "de", showBilledCharacters: true } as const
      yield* Translation.use((translation) => translation.translate(translate))
      assert.deepStrictEqual(yield* lastDecoded, { payload: translate })
      yield* Detection.use((detection) => detection.detect({ text: ["a"] }))
      assert.deepStrictEqual(yield* lastDecoded, { payload: { text: ["a"] } })
      yield* Languages.use((languages) => Stream.runCollect(languages.list({ resource: "write", include: ["beta"] })))
      assert.deepStrictEqual(yield* lastDecoded, { query: { resource: "write", include: ["beta"] } })
      yield* Languages.use((languages) => languages.resources)
      assert.deepStrictEqual(yield* lastDecoded, {})
      const { styleId } = yield* rules.create({ name: "House", language: "en" })
      yield* rules.listPage({ page: 2, pageSize: 5, detailed: true })
      assert.deepStrictEqual(yield* lastDecoded, { query: { page: 2, pageSize: 5, detailed: true } })
      const instruction = yield* rules.addInstruction({ styleId, label: "l", prompt: "p", sourceLanguage: "de" })
      assert.deepStrictEqual(yield* lastDecoded, {
        params: { styleId },
        payload: { label: "l", prompt: "p", sourceLanguage: "de" }
      })
      yield* rules.removeInstruction({ styleId, instructionId: instruction.instructionId })
      assert.deepStrictEqual(yield* lastDecoded, { params: { styleId, instructionId: instruction.instructionId } })
      const document = yield* fake.addDocument({ content: "a", readyAfter: 0 })
      yield* Documents.use((documents) => documents.download(document))
      const [download] = yield* fake.requestsOf("Documents.download")
      assert.strictEqual(download?.decoded?.params.documentId, document.documentId)
      const key = download?.decoded?.payload.documentKey
      assert.isTrue(Redacted.isRedacted(key))
      assert.strictEqual(key === undefined ? "" : Redacted.value(key), Redacted.value(document.documentKey))
    }).pipe(Effect.provide(layerServices())))

  it.effect("reads forms, queries with one item, ids with odd characters, and what stands behind a base path", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* send("POST", "/v2/write/correct", {
        body: "text=a+b&text=c&target_lang=en-GB",
        contentType: "application/x-www-form-urlencoded"
      })
      assert.deepStrictEqual(yield* lastDecoded, { payload: { text: ["a b", "c"], targetLanguage: "en-GB" } })
      yield* send("GET", "/v3/languages?resource=write&include=beta")
      assert.deepStrictEqual(yield* lastDecoded, { query: { resource: "write", include: ["beta"] } })
      yield* send("GET", "/v3/style_rules/a%2Fb%20c")
      assert.deepStrictEqual(yield* lastDecoded, { params: { styleId: "a/b c" } })
      assert.strictEqual((yield* fake.requests)[0]?.url, "/v3/lingua/v2/write/correct")
    }).pipe(Effect.provide(layer({ basePath: "/v3/lingua" }))))

  it.effect("gives nothing for what the contract does not know", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* send("POST", "/v3/style_rules", { body: `{"name":1}` })
      yield* send("POST", "/v3/style_rules", { body: `{"name":` })
      yield* send("POST", "/v3/style_rules", { body: `{"name":"a","language":"en"}`, contentType: "text/plain" })
      yield* send("POST", "/v3/style_rules", { body: `{"name":"${"a".repeat(300_000)}","language":"en"}` })
      yield* send("GET", "/v3/style_rules?page=a")
      for (const name of ["StyleRules.create", "StyleRules.listPage"] as const) {
        for (const { decoded } of yield* fake.requestsOf(name)) assert.isUndefined(decoded)
      }
      yield* send("GET", "/v3/style_rules?page=1")
      const request = (yield* fake.requests).at(-1)
      assert(request !== undefined)
      assert.deepStrictEqual(RecordedRequest.decode(request, "StyleRules.listPage"), { query: { page: 1 } })
      assert.isUndefined(RecordedRequest.decode(request, "StyleRules.create"))
      yield* send("GET", "/nowhere")
      assert.isUndefined(yield* lastDecoded)
    }).pipe(Effect.provide(layer())))

  it("has the types of the contract", () => {
    expectTypeOf<RecordedRequest.Decoded<"Writing.rephrase">>().toEqualTypeOf<
      { readonly payload: Resources.WritingApi.RephraseBody }
    >()
    expectTypeOf<RecordedRequest.Decoded<"StyleRules.get">>().toEqualTypeOf<{
      readonly params: { readonly styleId: Ids.StyleId }
    }>()
    expectTypeOf<RecordedRequest.Decoded<"Documents.download">["payload"]["documentKey"]>().toEqualTypeOf<
      Ids.DocumentKey
    >()
    expectTypeOf<RecordedRequest.Of<"StyleRules.get">["operation"]>().toEqualTypeOf<"StyleRules.get">()
  })
})

describe("RecordedRequest.format", () => {
  it.effect("has neither headers nor bodies, and so no key", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const document = yield* fake.addDocument({ content: "a", readyAfter: 0 })
      yield* Documents.use((documents) => documents.status(document))
      yield* Detection.use((detection) => detection.detect("a secret text"))
      const requests = yield* fake.requests
      const sent = JSON.stringify(requests)
      const text = RecordedRequest.format(requests)
      for (const part of ["user-agent", Redacted.value(document.documentKey), "a secret text"]) {
        assert.include(sent, part)
        assert.notInclude(text, part)
      }
      assert.notInclude(text, FakeLanguageService.defaultKey)
    }).pipe(Effect.provide(layerServices())))

  it.effect("shows the last of them, and how many there were before", () =>
    Effect.gen(function*() {
      assert.strictEqual(RecordedRequest.format([]), "(no requests)")
      yield* TestClock.setTime(Date.UTC(2026, 2, 1, 8))
      for (const path of ["/a", `/${"b".repeat(200)}`, "/c?access_token=1&x=2"]) {
        yield* send("GET", path)
        yield* TestClock.adjust("1500 millis")
      }
      const requests = yield* (yield* FakeLanguageService).requests
      const lines = RecordedRequest.format(requests, { last: 2 }).split("\n")
      assert.strictEqual(lines.length, 3)
      assert.strictEqual(lines[0], "(1 earlier)")
      assert.match(
        lines[1] ?? "",
        /^#2 {2}\+1s 500ms {2}\(no operation\) {2}GET \/b{99}… {2}404 {2}no effect {2}no fault {2}trace/
      )
      assert.match(lines[2] ?? "", /^#3 {2}\+3s {8}\(no operation\) {2}GET \/c\?access_token=REDACTED&x=2 +404/)
      assert.strictEqual(RecordedRequest.format(requests).split("\n").length, 3)
    }).pipe(Effect.provide(layer())))
})
