// What a fake on a socket serves beside the contract, and to whom.
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { readFileSync } from "node:fs"
import { send } from "../support/client.ts"

const origin = "https://app.example"

const served = (options?: NodeFakeLanguageService.Options) =>
  NodeFakeLanguageService.layer(options).pipe(Layer.provideMerge(NodeHttpClient.layerNodeHttp))

const preflight = (path: string, headers?: Record<string, string>) =>
  send("OPTIONS", path, {
    headers: {
      origin,
      authorization: "",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
      ...headers
    }
  })

describe("a fake on a socket, for browsers", () => {
  it.effect("answers preflight requests, outside of faults and record", () =>
    Effect.gen(function*() {
      const { requests, script } = yield* FakeLanguageService
      yield* script({ fault: { status: 500 } })
      for (const path of ["/v2/write/rephrase", "/v3/style_rules/any-id", "/nowhere"]) {
        const { headers, status, text } = yield* preflight(path)
        assert.deepStrictEqual([status, text], [204, ""])
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.strictEqual(headers["access-control-allow-headers"], "authorization,content-type")
        assert.include(headers["access-control-allow-methods"] ?? "", "DELETE")
        assert.isUndefined(headers["access-control-allow-private-network"])
      }
      const local = yield* preflight("/v2/write/rephrase", { "access-control-request-private-network": "true" })
      assert.strictEqual(local.headers["access-control-allow-private-network"], "true")
      assert.deepStrictEqual(yield* requests, [])
      assert.strictEqual((yield* send("GET", "/v3/languages/resources")).status, 500)
    }).pipe(Effect.provide(served())))

  it.effect("lets pages of any origin read answers, refusals and faults", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const get = send("GET", "/v3/languages/resources", { headers: { origin } })
      const ok = yield* get
      yield* script({ fault: { status: 429, retryAfter: "2 seconds" } })
      const faulty = yield* get
      const refused = yield* send("GET", "/v3/languages/resources", { headers: { origin, authorization: "" } })
      const missing = yield* send("GET", "/nowhere", { headers: { origin } })
      const answers = [ok, faulty, refused, missing]
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 429, 403, 404])
      for (const { headers } of answers) {
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.strictEqual(headers["access-control-expose-headers"], "X-Trace-ID,Retry-After,Content-Disposition")
      }
    }).pipe(Effect.provide(served())))

  it.effect("treats a request that names no origin as the service does", () =>
    Effect.gen(function*() {
      const options = yield* send("OPTIONS", "/v3/languages/resources")
      assert.strictEqual(options.status, 404)
      assert.isUndefined((yield* send("GET", "/v3/languages/resources")).headers["access-control-allow-origin"])
    }).pipe(Effect.provide(served())))
})

const statusAt = (host: string) => Effect.map(send("GET", "/_fake", { headers: { host } }), ({ status }) => status)

describe("the control endpoint and web pages", () => {
  it.effect("refuses pages of other origins and allows its own", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      for (const foreign of [origin, "null", "http://localhost:1", "http://127.0.0.1"]) {
        const { headers, json, status } = yield* send("POST", "/_fake/reset", { headers: { origin: foreign } })
        assert.strictEqual(status, 403)
        assert.strictEqual(json.message, `The control endpoint is not for web pages of ${foreign}.`)
        assert.isUndefined(headers["access-control-allow-origin"])
        assert.strictEqual((yield* send("GET", "/_fake/requests", { headers: { origin: foreign } })).status, 403)
      }
      assert.strictEqual((yield* preflight("/_fake/weather")).status, 403)
      const own = yield* send("POST", "/_fake/reset", { headers: { origin: url } })
      assert.strictEqual(own.status, 204)
      assert.strictEqual(own.headers["x-content-type-options"], "nosniff")
    }).pipe(Effect.provide(served())))

  it.effect("refuses hosts that are not this machine where only this machine is to reach it", () =>
    Effect.gen(function*() {
      for (
        const host of ["evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil.example"]
      ) {
        assert.strictEqual(yield* statusAt(host), 403)
      }
      for (const host of ["localhost", "LOCALHOST:80", "app.localhost:3000", "127.0.0.1", "127.1.2.3:80", "[::1]:80"]) {
        assert.strictEqual(yield* statusAt(host), 200)
      }
    }).pipe(Effect.provide(served())))

  it.effect("goes by any name where more than this machine is to reach it", () =>
    Effect.gen(function*() {
      const { status } = yield* send("GET", "/_fake", { headers: { host: "fake:8080" } })
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(served({ host: "0.0.0.0" }))))

  it.effect("is not there when it is switched off", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send("POST", "/_fake/reset")).status, 404)
      assert.strictEqual((yield* (yield* FakeLanguageService).requests).length, 1)
    }).pipe(Effect.provide(served({ control: false }))))
})

describe("the description of the contract", () => {
  it.effect("is a page that brings everything with it, and may ask nobody else", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* FakeLanguageService
      const { headers, status, text } = yield* HttpClient.get(`${url}/docs`).pipe(
        Effect.flatMap(({ headers, status, text }) => Effect.map(text, (text) => ({ headers, status, text })))
      )
      assert.strictEqual(status, 200)
      assert.match(headers["content-type"] ?? "", /^text\/html/)
      const policy = headers["content-security-policy"]?.split("; ") ?? []
      assert.includeMembers(policy, ["default-src 'none'", "connect-src 'self'", "img-src 'self' data:"])
      assert.isTrue(policy.every((directive) => !/https?:|\*|\w\.\w/.test(directive)))
      // Tags stand at the beginning of a line; the strings inside of the script do not.
      assert.deepStrictEqual(
        text.match(/^\s*<(?:script|link|img|iframe|object|embed)\b[^>]*>/gim)?.map((tag) => tag.trim()),
        [`<script id="swagger-spec" type="application/json">`, "<script>"]
      )
      const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? assert.fail("the page has a style")
      assert.isFalse(/@import|url\((?!["']?data:)/.test(style))
      assert.include(text, "/v2/write/rephrase")
      assert.deepStrictEqual(yield* requests, [])
    }).pipe(Effect.provide(served())))

  it.effect("is the contract as OpenAPI", () =>
    Effect.gen(function*() {
      const { json } = yield* send("GET", "/openapi.json")
      assert.deepStrictEqual(json, JSON.parse(readFileSync("docs/openapi.json", "utf8")))
      assert.strictEqual((yield* send("GET", "/favicon.ico")).status, 204)
      assert.deepStrictEqual(yield* (yield* FakeLanguageService).requests, [])
    }).pipe(Effect.provide(served())))

  it.effect("is not there when it is switched off", () =>
    Effect.gen(function*() {
      for (const path of ["/docs", "/openapi.json"]) assert.strictEqual((yield* send("GET", path)).status, 404)
    }).pipe(Effect.provide(served({ docs: false }))))

  it.effect("names the base path where there is one, and stands before it", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const { json: description } = yield* send("GET", "/../openapi.json")
      assert.deepStrictEqual(description.servers, [{ url: "/lingua" }])
      assert.match(url, /\/lingua$/)
    }).pipe(Effect.provide(served({ basePath: "/lingua" }))))
})
