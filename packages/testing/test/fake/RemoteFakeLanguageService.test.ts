// The handle from outside, over the control endpoint of a fake on a socket.
import { Fault, Script } from "@effect-lingua/testing"
import {
  ControlApi,
  FakeLanguageService,
  NodeFakeLanguageService,
  RemoteFakeLanguageService
} from "@effect-lingua/testing/fake"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { client, send } from "../support/client.ts"

/** The handle in the process of the fake, with which the remote one is compared. */
class Near extends Context.Service<Near, FakeLanguageService["Service"]>()(
  "@effect-lingua/testing/test/fake/RemoteFakeLanguageService.test/Near"
) {}

const remote = (options?: NodeFakeLanguageService.Options) =>
  Layer.unwrap(Effect.map(Near, ({ url }) => RemoteFakeLanguageService.layer({ url }))).pipe(
    Layer.provideMerge(
      Layer.effect(Near, FakeLanguageService).pipe(Layer.provide(NodeFakeLanguageService.layer(options)))
    ),
    Layer.provideMerge(NodeHttpClient.layerNodeHttp)
  )

/** A duration may be written in another way on the other side. */
const readable = ({ fault, ...request }: FakeLanguageService.RecordedRequest) => ({
  ...request,
  fault: fault && Fault.format(fault)
})

const correct = (text: string) => send("POST", "/v2/write/correct", { body: JSON.stringify({ text: [text] }) })

const defectOf = <A>(effect: Effect.Effect<A>) =>
  Effect.map(Effect.exit(effect), (exit) => Exit.isFailure(exit) ? Cause.squash(exit.cause) : assert.fail("it worked"))

const notThere = (url: string) => Effect.flip(Effect.scoped(Layer.build(RemoteFakeLanguageService.layer({ url }))))

describe("RemoteFakeLanguageService", () => {
  it.effect("adds documents, as text and as bytes, and sees them as the fake does", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const near = yield* Near
      const api = yield* client
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
      const issued = [
        yield* fake.addDocument({
          content: "Grüß dich, 世界",
          fileName: "a.html",
          readyAfter: "1 second",
          characters: 7
        }),
        yield* fake.addDocument({ content: bytes, contentType: "image/x-test", readyAfter: 0 }),
        yield* fake.addDocument({ content: "", readyAfter: 0, fails: "no reason" })
      ]
      assert.deepStrictEqual(yield* fake.documents, yield* near.documents)
      assert.deepStrictEqual((yield* fake.documents).map(({ status }) => status), ["queued", "done", "error"])
      assert.isTrue(issued.every(({ documentKey }) => Redacted.isRedacted(documentKey)))
      yield* fake.advance("1 second")
      const download = Effect.fnUntraced(function*(index: number) {
        const { documentId, documentKey } = issued[index] ?? assert.fail()
        const { body, headers } = yield* api.Documents.download({ params: { documentId }, payload: { documentKey } })
        return { type: headers["content-type"], bytes: yield* Stream.runCollect(body) }
      })
      const text = yield* download(0)
      assert.strictEqual(text.type, "text/html")
      assert.strictEqual(Buffer.concat(text.bytes).toString(), "Grüß dich, 世界")
      const binary = yield* download(1)
      assert.strictEqual(binary.type, "image/x-test")
      assert.deepStrictEqual(Buffer.concat(binary.bytes), Buffer.from(bytes))
      assert.deepInclude((yield* fake.documents)[0], { status: "gone", billedCharacters: 7 })
    }).pipe(Effect.provide(remote())))

  it.effect("moves the time of the fake, which its documents, its quota and its dates go by", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { documentId } = yield* fake.addDocument({ content: "a", readyAfter: "5 hours" })
      yield* fake.setQuota({ characters: 20, used: 20, period: "1 day" })
      assert.strictEqual((yield* send("POST", "/v2/write/correct", { body: `{"text":["a"]}` })).status, 456)
      assert.strictEqual((yield* fake.advance("5 hours")).epochMilliseconds, 5 * 3_600_000)
      assert.deepInclude((yield* fake.documents)[0], { documentId, status: "done" })
      assert.strictEqual((yield* fake.quota()).used, 20)
      yield* fake.advance("19 hours")
      assert.deepInclude(yield* fake.quota(), { characters: 20, used: 0 })
      const { headers, status } = yield* send("POST", "/v2/write/correct", { body: `{"text":["a"]}` })
      assert.deepStrictEqual([status, headers["date"]], [200, "Fri, 02 Jan 1970 00:00:00 GMT"])
      assert.strictEqual((yield* fake.requests)[1]?.time, 86_400_000)
      // What is added now begins now.
      yield* fake.addDocument({ content: "a", readyAfter: "1 hour" })
      assert.strictEqual((yield* fake.documents)[1]?.status, "queued")
      yield* fake.advance("1 day")
      yield* fake.setQuota({ used: 3 })
      assert.strictEqual((yield* fake.quota()).used, 3)
      yield* fake.reset
      assert.strictEqual((yield* fake.advance(0)).epochMilliseconds, 0)
    }).pipe(Effect.provide(remote())))

  it.effect("scripts faults and changes the weather", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const near = yield* Near
      const get = Effect.map(
        send("GET", "/v3/languages/resources"),
        ({ headers, status }) => [status, headers["retry-after"]]
      )
      yield* fake.script([
        Script.next(1, Fault.rateLimited({ retryAfter: "2 seconds" }), "Languages.resources"),
        Script.next(3, Fault.slow("1 second", { afterEffect: true }), ["Writing.correct", "Writing.rephrase"])
      ])
      assert.deepStrictEqual(yield* get, [429, "2"])
      assert.deepStrictEqual(yield* get, [200, undefined])
      assert.strictEqual((yield* fake.unplayed).length, 1)
      assert.deepStrictEqual((yield* fake.unplayed).map(Script.format), (yield* near.unplayed).map(Script.format))
      yield* fake.weather({ rate529: 1, operations: ["Languages.resources"], retryAfter: "5 seconds" })
      assert.deepStrictEqual(yield* get, [529, "5"])
      yield* fake.reset
      assert.deepStrictEqual(yield* get, [200, undefined])
    }).pipe(Effect.provide(remote())))

  it.effect("refuses what cannot be played in the words of the fake", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const near = yield* Near
      const wrong: Array<(handle: FakeLanguageService["Service"]) => Effect.Effect<void, Fault.InvalidFault>> = [
        ({ script }) => script({ fault: { status: 700 } }),
        ({ script }) => script({ count: -1, fault: { status: 500 } }),
        ({ weather }) => weather({ rate429: 2 }),
        ({ weather }) => weather({ rate429: 0.6, rate500: 0.6 })
      ]
      for (const play of wrong) {
        const [far, there] = [yield* Effect.flip(play(fake)), yield* Effect.flip(play(near))]
        assert.instanceOf(far, Fault.InvalidFault)
        assert.strictEqual(far.reason, there.reason)
      }
      assert.deepStrictEqual(yield* fake.unplayed, [])
    }).pipe(Effect.provide(remote())))

  it.effect("sees the same requests and effects as the fake, and leaves none of its own", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const near = yield* Near
      yield* fake.script([
        Script.next(1, Fault.unavailable({ retryAfter: "2 seconds", delay: 0 })),
        Script.next(1, Fault.reset({ afterEffect: true }))
      ])
      const create = send("POST", "/v3/style_rules", { body: `{"name":"House","language":"en"}` })
      yield* create
      yield* Effect.flip(create)
      yield* create
      yield* send("GET", "/nowhere", { body: "text" }).pipe(Effect.ignore)
      const requests = yield* near.requests
      assert.strictEqual(requests.length, 4)
      assert.deepStrictEqual((yield* fake.requests).map(readable), requests.map(readable))
      assert.strictEqual((yield* fake.effects)["StyleRules.create"].count, 2)
      assert.deepStrictEqual(yield* fake.effects, yield* near.effects)
      assert.strictEqual(fake.url, near.url)
    }).pipe(Effect.provide(remote({ basePath: "/lingua" }))))

  it.effect("adds style rule lists, and sees all that the service holds, and its secrets", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const near = yield* Near
      const list = yield* fake.addStyleRuleList({
        name: "House",
        language: "en",
        configuredRules: { dates_and_times: { calendar_era: "use_bc_and_ad" } },
        customInstructions: [{ label: "Short", prompt: "Be short", sourceLanguage: "de" }]
      })
      assert.deepInclude(list, { name: "House", version: 1 })
      assert.deepStrictEqual(list.configuredRules, { dates_and_times: { calendar_era: "use_bc_and_ad" } })
      assert.deepInclude(list.customInstructions[0], { label: "Short", sourceLanguage: "de" })
      yield* fake.addGlossary({ sourceLanguage: "en", targetLanguage: "de" })
      yield* fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de", "fr"] })
      yield* fake.addDocument({ content: "a", readyAfter: 0, expiresAfter: "1 hour" })
      yield* fake.addDocument({ content: "a", readyAfter: 0, expiresAfter: "Infinity" })
      yield* fake.advance("1 hour")
      const [memory] = (yield* fake.state).translationMemories
      yield* send("POST", `/v3/translation_memories/${memory?.translationMemoryId}/export`)
      const state = yield* fake.state
      assert.deepStrictEqual(
        state.translationMemoryJobs.map(({ operation, translationMemoryId }) => [operation, translationMemoryId]),
        [["export", memory?.translationMemoryId]]
      )
      assert.deepStrictEqual(state, yield* near.state)
      assert.deepStrictEqual((yield* fake.undownloadedDocuments).map(({ status }) => status), ["gone", "done"])
      const values = Effect.map(
        fake.secrets,
        (secrets) => secrets.map((secret) => [secret.label, Redacted.value(secret)])
      )
      assert.deepStrictEqual(
        yield* values,
        (yield* near.secrets).map((secret) => [secret.label, Redacted.value(secret)])
      )
      assert.strictEqual((yield* values).length, 5)
    }).pipe(Effect.provide(remote())))

  it.effect("waits for a request in real time, and decodes it", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const waiting = yield* Effect.forkChild(
        fake.awaitRequest("Writing.correct", { count: 2, where: ({ status }) => status === 200 })
      )
      yield* correct("one")
      yield* fake.script({ fault: { status: 500 } })
      yield* correct("two")
      yield* correct("three")
      assert.deepStrictEqual((yield* Fiber.join(waiting)).decoded?.payload, { text: ["three"] })
      assert.strictEqual((yield* fake.requestsOf("Writing.correct")).length, 3)
      assert.deepStrictEqual(yield* fake.requestsOf("Writing.rephrase"), [])
    }).pipe(Effect.provide(remote())))

  it.effect("fails when no control answers at its address", () =>
    Effect.gen(function*() {
      const { url } = yield* Near
      const switchedOff = yield* notThere(url)
      assert.strictEqual(switchedOff._tag, "ControlUnavailable")
      assert.match(switchedOff.message, new RegExp(`^The control endpoint ${url}/_fake cannot be used: `))
      assert.match((yield* notThere("http://127.0.0.1:1")).message, /127\.0\.0\.1:1\/_fake cannot be used/)
      assert.match((yield* notThere("nonsense")).message, /this is not a URL/)
    }).pipe(Effect.provide(
      Layer.effect(Near, FakeLanguageService).pipe(
        Layer.provide(NodeFakeLanguageService.layer({ control: false })),
        Layer.provideMerge(NodeHttpClient.layerNodeHttp)
      )
    )))

  it.effect("dies when the fake goes away in the middle of a test", () =>
    Effect.gen(function*() {
      const handle = yield* Effect.provide(FakeLanguageService, remote())
      assert.instanceOf(yield* defectOf(handle.documents), RemoteFakeLanguageService.ControlUnavailable)
    }))
})

const post = (path: string, body: unknown) => send("POST", path, { body: JSON.stringify(body) })

describe("ControlApi", () => {
  it.effect("speaks JSON that a person can write", () =>
    Effect.gen(function*() {
      const issued = yield* post("/_fake/documents", { base64: "SGFsbG8=", fileName: "a.txt", readyAfter: "1 hour" })
      assert.match(issued.json.documentId, /^[0-9A-F]{32}$/)
      assert.match(issued.json.documentKey, /^[0-9A-F]{64}$/)
      assert.deepStrictEqual((yield* post("/_fake/clock/advance", { duration: 3_600_000 })).json, {
        time: "1970-01-01T01:00:00.000Z"
      })
      const { url } = yield* Near
      const download = HttpClientRequest.post(`${url}/v2/document/${issued.json.documentId}/result`).pipe(
        HttpClientRequest.setHeaders({ authorization: "Service-Auth-Key fake-key" }),
        HttpClientRequest.bodyText(JSON.stringify({ document_key: issued.json.documentKey }), "application/json")
      )
      assert.strictEqual(yield* Effect.flatMap(HttpClient.execute(download), ({ text }) => text), "Hallo")
      assert.strictEqual((yield* send("GET", "/_fake/documents")).json[0].status, "gone")
      assert.deepStrictEqual((yield* send("GET", "/_fake/quota")).json, {
        characters: 1_000_000_000_000,
        used: 5,
        period: 2_592_000_000
      })
    }).pipe(Effect.provide(remote())))

  it.effect("finds requests by operation and status, and the last of them", () =>
    Effect.gen(function*() {
      const { url } = yield* Near
      const control = yield* HttpApiClient.make(ControlApi.ControlApi, { baseUrl: url })
      yield* send("GET", "/v3/languages/resources")
      yield* send("GET", "/nowhere")
      yield* send("GET", "/v3/languages/resources", { headers: { authorization: "" } })
      const numbers = (query: Parameters<typeof control.requests>[0]["query"]) =>
        Effect.map(control.requests({ query }), (requests) => requests.map(({ number }) => number))
      assert.deepStrictEqual(yield* numbers({}), [1, 2, 3])
      assert.deepStrictEqual(yield* numbers({ operation: "Languages.resources" }), [1, 3])
      assert.deepStrictEqual(yield* numbers({ status: 404 }), [2])
      assert.deepStrictEqual(yield* numbers({ operation: "Languages.resources", last: 1 }), [3])
      assert.deepStrictEqual(yield* numbers({ last: 0 }), [])
    }).pipe(Effect.provide(remote())))

  it.effect("names the place of what it cannot read", () =>
    Effect.gen(function*() {
      const { requests } = yield* FakeLanguageService
      const script = yield* post("/_fake/scripts", [{ fault: { status: 500 } }, {
        operation: "Writing.none",
        fault: {}
      }])
      assert.strictEqual(script.status, 400)
      assert.deepStrictEqual(script.json.errors[0].path, ["payload", 1, "operation"])
      const typo = yield* post("/_fake/documents", { text: "a", filename: "a.txt" })
      assert.strictEqual(typo.status, 400)
      assert.include(JSON.stringify(typo.json.errors), "filename")
      assert.strictEqual((yield* post("/_fake/clock/advance", { duration: "-1 hour" })).status, 400)
      assert.strictEqual((yield* post("/_fake/clock/advance", { duration: "Infinity" })).status, 400)
      const nowhere = yield* send("GET", "/_fake/nowhere")
      assert.deepStrictEqual([nowhere.status, nowhere.json.message], [
        404,
        "No such control endpoint. See /_fake/openapi.json for its endpoints."
      ])
      assert.deepStrictEqual(Object.keys((yield* send("GET", "/_fake/openapi.json")).json.paths).length, 15)
      assert.deepStrictEqual(yield* requests, [])
    }).pipe(Effect.provide(remote())))

  it.effect("stands outside of weather, latency and authorization", () =>
    Effect.gen(function*() {
      const { url } = yield* Near
      const { status } = yield* HttpClient.get(`${url}/_fake/effects`)
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(remote({ weather: { rate500: 1 }, latency: "1 hour" }))))
})
