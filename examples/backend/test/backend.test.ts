import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Exit, Fiber, FileSystem, Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { TestClock } from "effect/testing"
import { Clients } from "../src/Clients.ts"
import * as DocumentJobs from "../src/DocumentJobs.ts"
import * as Routes from "../src/Routes.ts"
import * as Stopping from "../src/Stopping.ts"
import * as Tenants from "../src/Tenants.ts"

/** The server as a function, on a folder: each is a process of its own. */
const server = (
  folder: string,
  url: string,
  keys: Record<string, string> = { EU_LANGUAGE_SERVICE_KEY: "fake-key", US_LANGUAGE_SERVICE_KEY: "wrong-key" }
): Effect.Effect<(request: Request) => Promise<Response>, never, Scope.Scope> => {
  const env = {
    ...keys,
    DATA_FOLDER: folder,
    EU_LANGUAGE_SERVICE_BASE_URL: url,
    US_LANGUAGE_SERVICE_BASE_URL: url
  }
  const services = Layer.provideMerge(DocumentJobs.layer, Layer.mergeAll(Clients.layer, Tenants.layer, Stopping.layer))
    .pipe(
      Layer.provideMerge(NodeHttpServer.layerHttpServices),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
  const layer = Layer.orDie(HttpRouter.provideRequest(services)(Routes.layer))
  return Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => HttpRouter.toWebHandler(layer, { disableLogger: true })),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) => (request) => handler(request)
  )
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  new Request(`http://backend.test${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", "x-tenant": "shop", ...headers }
  })
const get = (path: string, tenant = "shop") =>
  new Request(`http://backend.test${path}`, { headers: { "x-tenant": tenant } })

const text = JSON.stringify({ text: "Good day", targetLanguage: "de" })

/** A fake, an empty folder, and the server. */
const setUp = Effect.gen(function*() {
  const fake = Context.get(
    yield* Layer.build(NodeFakeLanguageService.layer({ readyAfter: "100 millis" })),
    FakeLanguageService
  )
  const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
  const send = yield* server(folder, fake.url)
  const answer = (request: Request) =>
    Effect.promise(async () => {
      const response = await send(request)
      return { status: response.status, headers: response.headers, body: await response.text() }
    })
  return { answer, fake, folder }
}).pipe(Effect.provide(NodeServices.layer))

describe("backend", () => {
  it.live("translates a text", () =>
    Effect.gen(function*() {
      const { answer } = yield* setUp
      const { body, status } = yield* answer(post("/translate", text))
      assert.deepStrictEqual([status, body], [200, `{"text":"[de] Good day"}`])
    }))

  it.live("refuses a request without a tenant, with an unknown region, or with a time that cannot be", () =>
    Effect.gen(function*() {
      const { answer } = yield* setUp
      const timeouts = ["0", "-1", "soon", "Infinity", "60001"].map((timeout) => ({ "x-timeout-ms": timeout }))
      for (const headers of [{ "x-tenant": "" }, { "x-region": "MARS" }, ...timeouts]) {
        assert.strictEqual((yield* answer(post("/translate", text, headers))).status, 400)
      }
    }))

  it.live("a failed call is a problem without secrets or ledger, with the time of a retry", () =>
    Effect.gen(function*() {
      const { answer, fake } = yield* setUp
      yield* fake.weather({ rate429: 1, retryAfter: "2 minutes" })
      const { body, headers, status } = yield* answer(post("/translate", text))
      assert.strictEqual(status, 503)
      assert.strictEqual(headers.get("content-type"), "application/problem+json")
      assert.strictEqual(headers.get("retry-after"), "120")
      assert.notInclude(body, "attempts")
    }))

  it.live("a call ends at the deadline of its caller", () =>
    Effect.gen(function*() {
      const { answer, fake } = yield* setUp
      yield* fake.weather({ rateSlow: 1, slowBy: "1 minute" })
      const { status } = yield* answer(post("/translate", text, { "x-timeout-ms": "200" }))
      assert.strictEqual(status, 504)
    }))

  it.live("a region with a wrong key affects only its callers, and its key is the server's problem", () =>
    Effect.gen(function*() {
      const { answer } = yield* setUp
      const us = yield* answer(post("/translate", text, { "x-region": "US" }))
      assert.strictEqual(us.status, 500)
      assert.notInclude(us.body, "key")
      assert.strictEqual((yield* answer(post("/translate", text))).status, 200)
    }))

  it.live("a document reports its progress and is there in the end, also after a restart", () =>
    Effect.gen(function*() {
      const { answer, fake, folder } = yield* setUp
      const { body, status } = yield* answer(post("/documents?fileName=letter.txt&to=de", "Good day"))
      assert.strictEqual(status, 202)
      const path = `/documents/${JSON.parse(body).id}`
      const events = yield* answer(get(`${path}/events`))
      assert.include(events.body, "\"state\":\"translating\"")
      assert.isTrue(events.body.trimEnd().endsWith("data: {\"state\":\"done\"}"))
      assert.strictEqual((yield* answer(get(path))).body, "[de] Good day")

      const restarted = yield* server(folder, fake.url)
      const again = yield* Effect.promise(async () => (await restarted(get(`${path}/events`))).text())
      assert.strictEqual(again.trim(), "event: state\ndata: {\"state\":\"done\"}")
      assert.lengthOf(yield* fake.documents, 1)
    }))

  it.live("a document is known to its tenant only, and may not be too large", () =>
    Effect.gen(function*() {
      const { answer } = yield* setUp
      const { body } = yield* answer(post("/documents?fileName=letter.txt&to=de", "Good day"))
      const path = `/documents/${JSON.parse(body).id}`
      yield* answer(get(`${path}/events`))
      for (const [tenant, expected] of [["shop", 200], ["other", 404], ["", 400]] as const) {
        assert.strictEqual((yield* answer(get(path, tenant))).status, expected)
        assert.strictEqual((yield* answer(get(`${path}/events`, tenant))).status, expected)
      }
      const large = post("/documents?fileName=letter.txt&to=de", "x".repeat(21 * 1024 * 1024))
      assert.strictEqual((yield* answer(large)).status, 413)
    }))

  it.live("a job that a stopped server has accepted is finished by the next one, with one upload", () =>
    Effect.gen(function*() {
      const { answer, fake, folder } = yield* setUp
      const first = yield* Effect.scoped(Effect.gen(function*() {
        const send = yield* server(`${folder}/other`, fake.url)
        const { id } = yield* Effect.promise(async () =>
          (await send(post("/documents?fileName=letter.txt&to=de", "Good day"))).json()
        )
        yield* fake.awaitRequest("Documents.upload")
        return String(id)
      }))
      assert.strictEqual((yield* answer(get(`/documents/${first}`))).status, 404)
      const next = yield* server(`${folder}/other`, fake.url)
      yield* Effect.promise(async () => (await next(get(`/documents/${first}/events`))).text())
      const saved = yield* Effect.promise(async () => (await next(get(`/documents/${first}`))).text())
      assert.strictEqual(saved, "[de] Good day")
    }))

  it.live("is ready, and says so for each region", () =>
    Effect.gen(function*() {
      const { answer } = yield* setUp
      const { body, status } = yield* answer(get("/health/ready"))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        JSON.parse(body).clients.map(({ breaker, region }: { breaker: string; region: string }) => [region, breaker]),
        [["EU", "Closed"], ["US", "Closed"]]
      )
    }))

  it.live("is ready for its other regions without the key of one, and reports it", () =>
    Effect.gen(function*() {
      const { fake, folder } = yield* setUp
      const send = yield* server(folder, fake.url, { EU_LANGUAGE_SERVICE_KEY: "fake-key" })
      const response = yield* Effect.promise(() => send(get("/health/ready")))
      assert.strictEqual(response.status, 200)
      const { clients } = yield* Effect.promise(() => response.json())
      assert.strictEqual(clients[0].breaker, "Closed")
      assert.deepStrictEqual(clients[1], { region: "US", problem: "ConfigError" })
    }))

  it.effect("is not ready any more, and still accepts requests, while it drains", () =>
    Effect.gen(function*() {
      const env = { DRAIN_TIME: "5 seconds" }
      const released: Array<string> = []
      const http = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => released.push("http"))))
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(
        Stopping.layerFlag.pipe(
          Layer.provideMerge(http),
          Layer.provideMerge(Stopping.layer),
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        ),
        scope
      )
      const state = Context.get(context, Stopping.Stopping)
      assert.isFalse(state.isStopping)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual([state.isStopping, released], [true, []])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.deepStrictEqual(released, ["http"])
    }))
})
