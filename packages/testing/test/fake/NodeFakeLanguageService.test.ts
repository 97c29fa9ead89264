import { FakeLanguageService, Fault, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { client, send } from "../support/client.ts"

const onSocket = NodeFakeLanguageService.layer().pipe(Layer.provideMerge(NodeHttpClient.layerNodeHttp))

describe("NodeFakeLanguageService", () => {
  it.effect("serves the contract on a loopback socket, on the Effect clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 1, 8))
      const { addDocument, requests, url } = yield* FakeLanguageService
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
      const api = yield* client
      const { improvements } = yield* api.Writing.correct({ payload: { text: ["i am here"], targetLanguage: "en-GB" } })
      assert.strictEqual(improvements[0]?.text, "I am here.")
      const content = "Hallo Welt. ".repeat(20_000)
      const { documentId, documentKey } = yield* addDocument({ content })
      const download = api.Documents.download({ params: { documentId }, payload: { documentKey } })
      assert.strictEqual((yield* Effect.flip(download))._tag, "DocumentNotReady")
      yield* TestClock.adjust("3 seconds")
      const { body, headers } = yield* download
      assert.strictEqual(headers["content-length"], "240000")
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(body)), content)
      assert.strictEqual((yield* Effect.flip(download))._tag, "DocumentAlreadyDownloaded")
      const missing = yield* send("GET", "/nowhere")
      assert.strictEqual(missing.status, 404)
      assert.match(missing.headers["x-trace-id"] ?? "", /^[0-9a-f]{32}$/)
      assert.strictEqual(missing.headers["date"], "Sun, 01 Mar 2026 08:00:03 GMT")
      const form = yield* send("POST", "/v3/detect/language", {
        body: "text=Das+ist+ein+Haus.",
        contentType: "application/x-www-form-urlencoded"
      })
      assert.deepStrictEqual(form.json.results, [{ detection_status: "success", detected_language: "de" }])
      assert.deepStrictEqual((yield* requests).map(({ status }) => status), [200, 503, 200, 404, 404, 200])
    }).pipe(Effect.provide(onSocket)))

  it.effect("cuts the connection", () =>
    Effect.gen(function*() {
      const { effects, script } = yield* FakeLanguageService
      const api = yield* client
      const create = api.StyleRules.create({ payload: { name: "House", language: "en" } })
      yield* script({ fault: Fault.reset() })
      yield* script({ fault: Fault.reset({ afterEffect: true }) })
      for (const count of [0, 1]) {
        const error = yield* Effect.flip(create)
        if (!HttpClientError.isHttpClientError(error)) return assert.fail("the client sees a broken connection")
        assert.strictEqual(error.reason._tag, "TransportError")
        assert.deepInclude(error.cause, { code: "ECONNRESET" })
        assert.strictEqual((yield* effects)["StyleRules.create"].count, count)
      }
      yield* create
    }).pipe(Effect.provide(onSocket)))

  it.effect("answers fetch too", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* (yield* client).Languages.resources()).length, 7)
    }).pipe(Effect.provide(NodeFakeLanguageService.layer().pipe(Layer.provideMerge(FetchHttpClient.layer)))))

  it.effect("says so when its port is in use", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const port = Number(new URL(url).port)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(NodeFakeLanguageService.layer({ port }))))
      assert.deepInclude(error, { _tag: "PortInUse", port })
    }).pipe(Effect.provide(NodeFakeLanguageService.layer())))
})
