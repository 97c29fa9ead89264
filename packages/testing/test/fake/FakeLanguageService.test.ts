import { Documents } from "@effect-lingua/core/documents/Documents"
import { FakeLanguageService, Fault, Script } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { isFull, scaled } from "../../../../test/support/scale.ts"
import { client, send } from "../support/client.ts"

const body = JSON.stringify({ text: ["Das ist ein Haus."] })
const fake = FakeLanguageService

/** The ids that a fake makes from a seed. */
const play = (seed?: number) =>
  Effect.gen(function*() {
    const api = yield* client
    const { documentId, documentKey } = yield* (yield* fake).addDocument({ content: "a" })
    const list = yield* api.StyleRules.create({ payload: { name: "House", language: "en" } })
    const { headers } = yield* send("GET", "/v3/languages/resources")
    return [documentId, Redacted.value(documentKey), list.styleId, headers["x-trace-id"]]
  }).pipe(Effect.provide(FakeLanguageService.layer({ seed })))

describe("FakeLanguageService", () => {
  it.effect("gives every answer a trace id of its own and the date of the clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 1, 8))
      const answers = yield* Effect.all([
        send("POST", "/v3/detect/language", { body }),
        send("POST", "/v3/detect/language", { body: "{}" }),
        send("GET", "/v3/languages?resource=write", { headers: { authorization: "" } }),
        send("GET", "/nowhere"),
        send("DELETE", "/v3/languages")
      ])
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 400, 403, 404, 404])
      const traces = answers.map(({ headers }) => headers["x-trace-id"] ?? "")
      assert.isTrue(traces.every((trace) => /^[0-9a-f]{32}$/.test(trace)))
      assert.strictEqual(new Set(traces).size, 5)
      assert.isTrue(answers.every(({ headers }) => headers["date"] === "Sun, 01 Mar 2026 08:00:00 GMT"))
      assert.isTrue(answers.slice(1).every(({ json }) => typeof json.message === "string"))
      assert.isTrue(answers.every(({ headers }) => headers["cache-control"] === "no-store"))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("knows methods and paths to the letter, and what it does not know meets no fault", () =>
    Effect.gen(function*() {
      yield* (yield* fake).script({ fault: Fault.overloaded() })
      const paths = ["/V3/languages/resources", "/v3/languages/resources//", "//v3/languages/resources"]
      const answers = yield* Effect.forEach(paths, (path) => send("GET", path))
      assert.deepStrictEqual(answers.map(({ status }) => status), [404, 404, 404])
      assert.strictEqual((yield* send("HEAD", "/v3/languages/resources")).status, 404)
      assert.strictEqual((yield* send("GET", "/v3/languages/resources")).status, 529)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes a path with a slash at its end, as some clients send it, for the same", () =>
    Effect.gen(function*() {
      const uploaded = yield* send("POST", "/v2/document/", {
        contentType: "multipart/form-data; boundary=x",
        body: [
          "--x\r\ncontent-disposition: form-data; name=\"target_lang\"\r\n\r\nde",
          "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext",
          "--x--\r\n"
        ].join("\r\n")
      })
      assert.strictEqual(uploaded.status, 200)
      const { document_id, document_key } = uploaded.json
      const status = yield* send("POST", `/v2/document/${document_id}/`, { body: JSON.stringify({ document_key }) })
      assert.strictEqual(status.json.status, "queued")
      const plain = yield* send("GET", "/v3/languages?resource=write")
      assert.deepStrictEqual((yield* send("GET", "/v3/languages/?resource=write")).json, plain.json)
      assert.deepStrictEqual((yield* (yield* fake).requests).map(({ operation }) => operation), [
        "Documents.upload",
        "Documents.status",
        "Languages.list",
        "Languages.list"
      ])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("names what it cannot decode", () =>
    Effect.gen(function*() {
      const missing = yield* send("POST", "/v3/style_rules", { body: `{"name":"House"}` })
      assert.deepStrictEqual([missing.status, missing.json.message], [400, "Missing parameter language."])
      const wrong = yield* send("POST", "/v2/translate", { body: `{"text":[1],"target_lang":"de"}` })
      assert.strictEqual(wrong.status, 400)
      assert.match(wrong.json.message, /'text\.0'/)
      const broken = yield* send("POST", "/v2/translate", { body: `{"text":` })
      assert.deepStrictEqual([broken.status, broken.json.message], [
        400,
        "Bad request. Reason: Expected a valid JSON body"
      ])
      const empty = yield* send("POST", "/v2/translate", { body: "" })
      assert.strictEqual(empty.status, 400)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("has no names of its own for a body that is no object", () =>
    Effect.gen(function*() {
      const paths = [
        "/v2/write/correct",
        "/v2/write/rephrase",
        "/v2/translate",
        "/v3/detect/language",
        "/v3/style_rules",
        "/v3/style_rules/a/custom_instructions",
        "/v2/document/a/result"
      ]
      for (const path of paths) {
        for (const body of ["[]", "5", "null"]) {
          const { json, status } = yield* send("POST", path, { body })
          assert.deepStrictEqual([status, json.message], [400, "Bad request. Reason: Expected an object"], path)
        }
      }
      const body = `{"name":"a","language":"en","custom_instructions":[5]}`
      assert.strictEqual(
        (yield* send("POST", "/v3/style_rules", { body })).json.message,
        "Bad request. Reason: Value for 'custom_instructions.0' not supported. Expected an object"
      )
      const empty = yield* send("POST", "/v2/write/correct", { body: "" })
      assert.notMatch(empty.json.message, /Correct/)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes only the content types of the contract", () =>
    Effect.gen(function*() {
      const paths = [
        ["/v3/detect/language", 415],
        ["/v2/write/correct", 415],
        ["/v2/translate", 400],
        ["/v3/style_rules", 400]
      ] as const
      for (const [path, expected] of paths) {
        const { json, status } = yield* send("POST", path, { body: "text", contentType: "text/plain" })
        assert.strictEqual(status, expected)
        assert.match(json.message, /^Called with an unsupported media type\./)
      }
      const parameters = yield* send("POST", "/v3/detect/language", {
        body,
        contentType: "Application/JSON; charset=utf-8"
      })
      assert.strictEqual(parameters.status, 200)
      assert.strictEqual((yield* send("POST", "/v3/detect/language")).status, 415)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("refuses a body that no operation would read", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send("POST", "/v2/translate", { body: "x".repeat(131_073) })).status, 413)
      if (!isFull) return
      const { status } = yield* send("POST", "/v3/detect/language", { body: "x".repeat(33 * 1024 * 1024) })
      assert.strictEqual(status, 413)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("remembers requests with the key redacted", () =>
    Effect.gen(function*() {
      yield* send("POST", "/v3/detect/language", { body })
      yield* TestClock.adjust("1 second")
      const { headers } = yield* send("GET", "/nowhere?a=1")
      const [first, second] = yield* (yield* fake).requests
      assert.strictEqual(first?.operation, "Detection.detect")
      assert.strictEqual(first?.status, 200)
      assert.strictEqual(first?.body, body)
      assert.deepStrictEqual(first?.payload, { text: ["Das ist ein Haus."] })
      assert.strictEqual(first?.headers["authorization"], "<redacted>")
      assert.isFalse(JSON.stringify(first).includes(FakeLanguageService.defaultKey))
      assert.deepInclude(second, {
        number: 2,
        time: 1000,
        traceId: headers["x-trace-id"] ?? "",
        operation: undefined,
        method: "GET",
        url: "/nowhere?a=1",
        status: 404
      })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("has a content type for each name of a document", () =>
    Effect.gen(function*() {
      const types = {
        "a.constructor": "octet-stream",
        "a.toString": "octet-stream",
        a: "octet-stream",
        "a.pdf": "pdf",
        "a.docx": "vnd.openxmlformats-officedocument.wordprocessingml.document"
      }
      for (const [fileName, type] of Object.entries(types)) {
        const issued = yield* (yield* fake).addDocument({ content: "a", fileName, readyAfter: 0 })
        const { contentType } = yield* (yield* Documents).download(issued)
        assert.strictEqual(contentType, `application/${type}`, fileName)
      }
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("remembers no key that stands in an address or in another header, and no cookie", () =>
    Effect.gen(function*() {
      const { addDocument, requests } = yield* fake
      const documentKey = Redacted.value((yield* addDocument({ content: "a" })).documentKey)
      const digest = "AB".repeat(32)
      const { json } = yield* send("POST", `/v2/document/a/result?auth_key=my-key%26more&document_key=${documentKey}`, {
        body: `{"document_key":"${documentKey}"}`,
        headers: {
          "x-api-key": "my-key&more",
          "x-longer": "my-key&more-still",
          "x-document-key": `key ${documentKey}`,
          "x-digest": digest,
          "proxy-authorization": "Basic YTpi",
          cookie: "session=1",
          "x-note": "short"
        }
      })
      assert.isString(json.message)
      const [request] = yield* requests
      assert.strictEqual(request?.url, "/v2/document/a/result?auth_key=<redacted>&document_key=<redacted>")
      assert.deepInclude(request?.headers, {
        authorization: "<redacted>",
        "x-api-key": "<redacted>",
        "x-longer": "<redacted>",
        "x-document-key": "key <redacted>",
        "x-digest": digest,
        "proxy-authorization": "<redacted>",
        cookie: "<redacted>",
        "x-note": "short"
      })
      assert.include(request?.body, documentKey)
    }).pipe(
      Effect.provide(FakeLanguageService.layer({
        keys: [
          { key: FakeLanguageService.defaultKey, tier: "paid" },
          { key: "my-key&more", tier: "free" },
          { key: "my-key&more-still", tier: "free" },
          { key: "short", tier: "free" }
        ]
      }))
    ))

  it.effect("remembers the last requests only", () =>
    Effect.gen(function*() {
      yield* Effect.forEach([1, 2, 3, 4, 5], () => send("GET", "/v3/languages/resources"))
      const service = yield* fake
      assert.deepStrictEqual((yield* service.requests).map(({ number }) => number), [3, 4, 5])
      const names = ["a", "b", "c", "d", "e"]
      yield* Effect.forEach(names, (name) =>
        send("POST", "/v3/style_rules", { body: `{"name":"${name}","language":"en"}` }))
      const { count, ids } = (yield* service.effects)["StyleRules.create"]
      assert.deepStrictEqual([count, ids.length], [5, 3])
    }).pipe(Effect.provide(FakeLanguageService.layer({ remembered: 3 }))))

  it.effect("remembers the start of a long body, and not more bodies than memory takes", () =>
    Effect.gen(function*() {
      const { requests } = yield* fake
      const long = JSON.stringify({ text: "a".repeat(270_000) })
      yield* Effect.replicateEffect(send("POST", "/v3/style_rules", { body: long }), scaled(2, 130))
      const last = yield* requests
      assert.deepStrictEqual([last.length, last[0]?.number], isFull ? [128, 3] : [2, 1])
      assert.strictEqual(last[0]?.body, long.slice(0, 262_144))
      assert.strictEqual(last[0]?.payload, undefined)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("makes the same ids from the same seed, and others from another", () =>
    Effect.gen(function*() {
      const first = yield* play(1)
      assert.deepStrictEqual(yield* play(1), first)
      const other = yield* play(2)
      assert.isTrue(other.every((id, index) => id !== first[index]))
      assert.match(first[0] ?? "", /^[0-9A-F]{32}$/)
      assert.match(first[1] ?? "", /^[0-9A-F]{64}$/)
      assert.match(first[2] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }))

  it.effect("makes other ids than the other fakes of a program without a seed", () =>
    Effect.gen(function*() {
      const [documentId, documentKey, styleId] = yield* play()
      const other = yield* play()
      assert.notInclude(other, documentId)
      assert.notInclude(other, documentKey)
      assert.notInclude(other, styleId)
    }))

  it.effect("starts anew after a reset", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const api = yield* client
      const create = api.StyleRules.create({ payload: { name: "House", language: "en" } })
      const before = yield* create
      yield* service.setQuota({ characters: 1 })
      yield* service.script({ fault: { status: 500 } })
      yield* service.weather({ rate529: 1 })
      yield* service.reset
      assert.deepStrictEqual(yield* service.requests, [])
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 0)
      assert.strictEqual((yield* service.quota()).characters, 1_000_000_000_000)
      assert.deepStrictEqual(yield* create, before)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("ends what is under way with a reset, and takes nothing of it over", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const create = Effect.forkChild(
        Effect.flip(send("POST", "/v3/style_rules", { body: "{\"name\":\"A\",\"language\":\"en\"}" }))
      )
      yield* service.script(Script.next(1, Fault.slow("10 seconds")))
      const late = yield* create
      yield* TestClock.adjust("5 seconds")
      const waiting = yield* create
      yield* TestClock.adjust("1 second")
      yield* service.reset
      yield* service.script({ fault: Fault.rateLimited() })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        [yield* Fiber.join(late), yield* Fiber.join(waiting)].map((error) => error.reason._tag),
        ["TransportError", "TransportError"]
      )
      assert.deepStrictEqual((yield* service.state).styleRuleLists, [])
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 0)
      assert.strictEqual((yield* service.unplayed).length, 1)
    }).pipe(Effect.provide(FakeLanguageService.layer({ latency: "2 seconds" }))))

  it.effect("keeps two fakes of one program apart", () =>
    Effect.gen(function*() {
      class Other extends Context.Service<Other, FakeLanguageService["Service"]>()(
        "@effect-lingua/testing/test/fake/FakeLanguageService.test/Other"
      ) {}
      const other = Layer.effect(Other, fake).pipe(Layer.provide(FakeLanguageService.layer({ seed: "other" })))
      yield* Effect.gen(function*() {
        yield* (yield* client).StyleRules.create({ payload: { name: "House", language: "en" } })
        assert.strictEqual((yield* (yield* fake).requests).length, 1)
        assert.strictEqual((yield* (yield* Other).requests).length, 0)
      }).pipe(Effect.provide([FakeLanguageService.layer(), other]))
    }))

  it.effect("stands at a base path where it is told to, and nowhere else", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* fake).url, "https://fake.test/lingua")
      assert.strictEqual((yield* (yield* client).Languages.resources()).length, 7)
      const [request] = yield* (yield* fake).requests
      assert.strictEqual(request?.url, "/lingua/v3/languages/resources")
      assert.strictEqual((yield* send("GET", "/../v3/languages/resources")).status, 404)
    }).pipe(Effect.provide(FakeLanguageService.layer({ basePath: "/lingua/" }))))

  it.effect("answers late and with more headers where it is told to", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(send("GET", "/v3/languages/resources"))
      yield* TestClock.adjust("99 millis")
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepInclude((yield* (yield* fake).requests)[0], { method: "GET", status: undefined })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).headers["server"], "fake")
    }).pipe(Effect.provide(FakeLanguageService.layer({ latency: "100 millis", headers: { server: "fake" } }))))

  it.effect("lets a client go away while it waits", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        (yield* client).StyleRules.create({ payload: { name: "House", language: "en" } })
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      const service = yield* fake
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 0)
      assert.isUndefined((yield* service.requests)[0]?.status)
    }).pipe(Effect.provide(FakeLanguageService.layer({ latency: "10 seconds" }))))
})
