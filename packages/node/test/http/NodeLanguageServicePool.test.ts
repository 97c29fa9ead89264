import {
  Attempt,
  Documents,
  Languages,
  LanguageService,
  ResiliencePolicy,
  StyleRules,
  Translation
} from "@effect-lingua/core"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { NodeLanguageService, NodePool } from "@effect-lingua/node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Redacted, Scope, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { scaled } from "../../../../test/support/scale.ts"
import { effect, live } from "../../../../test/support/tests.ts"
import { until } from "../support/documents.ts"
import { httpServer, json } from "../support/httpServer.ts"

const key = Redacted.make("key")

const list = {
  style_id: "A".repeat(8),
  name: "a",
  creation_time: "2026-01-01T00:00:00Z",
  updated_time: "2026-01-01T00:00:00Z",
  language: "en",
  version: 1,
  configured_rules: {},
  custom_instructions: []
}

const create = StyleRules.use((rules) => rules.create({ name: "a", language: "en" }))
const read = Languages.use((languages) => languages.resources)

const later = (millis: number, run: () => void): void => void Effect.runFork(Effect.delay(Effect.sync(run), millis))

/** A client with fewer connections than calls in flight. */
const narrow = (baseUrl: string, connections: number, resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  Layer.provide(LanguageService.layer({ key, baseUrl, resilience }), NodePool.layerHttpClient({ connections }))

describe.concurrent("a pool with fewer connections than calls", () => {
  live("each call has the whole attempt timeout once it has a connection", function*() {
    const { requests, url } = yield* httpServer((_, response) => later(200, () => json(response, list)))
    const results = yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.result(create), {
      concurrency: "unbounded"
    }).pipe(Effect.provide(narrow(url, 4, { attemptTimeout: Duration.millis(1500) })))
    assert.deepStrictEqual(results.filter(({ _tag }) => _tag === "Failure"), [])
    assert.strictEqual(requests.length, 40)
  })

  live("a call whose deadline passes in the queue fails as not sent", function*() {
    const arrived = Deferred.makeUnsafe<ServerResponse>()
    const { requests, url } = yield* httpServer((_, response) => {
      Deferred.doneUnsafe(arrived, Effect.succeed(response))
    })
    yield* Effect.gen(function*() {
      const first = yield* Effect.forkChild(create)
      const response = yield* Deferred.await(arrived)
      const error = yield* create.pipe(ResiliencePolicy.within({ deadline: Duration.millis(200) }), Effect.flip)
      assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused", attempts: [] })
      assert.include(error.message, "Nothing was sent: no connection was free before the deadline")
      json(response, list)
      yield* Fiber.join(first)
      assert.deepStrictEqual(requests, ["POST /v3/style_rules"])
    }).pipe(Effect.provide(narrow(url, 1)))
  })

  live("an upload of a stream has the whole document timeout once it has a connection", function*() {
    const arrived = Deferred.makeUnsafe<ServerResponse>()
    const { requests, url } = yield* httpServer(({ url }, response) => {
      if (url === "/v2/document") json(response, { document_id: "A".repeat(32), document_key: "B".repeat(64) })
      else Deferred.doneUnsafe(arrived, Effect.succeed(response))
    })
    const content = Stream.make(new TextEncoder().encode("Hallo"))
    const upload = Documents.use((documents) =>
      documents.upload({ content, size: 5, fileName: "letter.txt", targetLanguage: "en-US" })
    )
    yield* Effect.gen(function*() {
      const first = yield* Effect.forkChild(create)
      const response = yield* Deferred.await(arrived)
      const second = yield* Effect.forkChild(Attempt.record(upload), { startImmediately: true })
      // A second more than is asserted, in which a busy machine can begin the upload.
      yield* Effect.sleep(2000)
      json(response, list)
      yield* Fiber.join(first)
      const [, [attempt]] = yield* Fiber.join(second)
      assert.isAtLeast(Duration.toMillis(attempt?.queued ?? 0), 1000)
      assert.deepStrictEqual(requests, ["POST /v3/style_rules", "POST /v2/document"])
    }).pipe(Effect.provide(narrow(url, 1, { documentTimeout: Duration.seconds(1) })))
  })

  live("the ledger has the time in the queue apart from the time of the attempt", function*() {
    const { url } = yield* httpServer((_, response) => later(500, () => json(response, [])))
    const calls = Effect.forEach([1, 2], () => Effect.timed(Attempt.record(read)), { concurrency: 2 })
    const ledgers = yield* calls.pipe(Effect.provide(narrow(url, 1)))
    for (const [elapsed, [, [attempt]]] of ledgers) {
      const { queued, took } = attempt ?? assert.fail("no attempt")
      // Both are rounded to milliseconds.
      assert.isAtMost(Duration.toMillis(queued ?? 0) + Duration.toMillis(took), Duration.toMillis(elapsed) + 2)
    }
    assert.isAbove(Math.max(...ledgers.map(([, [, [attempt]]]) => Duration.toMillis(attempt?.queued ?? 0))), 0)
  })
})

const at = (pool: NodeLanguageService.PoolOptions, resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  NodeLanguageService.layer({ key, baseUrl: "https://service.test", journal: "memory", pool, resilience })

describe("connections and policy", () => {
  it.effect.each<
    readonly [title: string, pool: NodeLanguageService.PoolOptions, Partial<ResiliencePolicy.ResiliencePolicy>]
  >([
    ["connections for all calls and streams are accepted", { connections: 164 }, { concurrency: 100, openStreams: 64 }],
    ["few connections limit calls and streams", { connections: 2 }, {}],
    ["a lower concurrency leaves connections for streams", { connections: 10 }, { concurrency: 8 }],
    ["calls and streams may be unlimited", {}, { concurrency: Infinity, openStreams: Infinity }]
  ])("%s", ([, pool, resilience]) => Effect.scoped(Layer.build(at(pool, resilience))))

  effect("fewer connections than the policy needs are refused, with both fields and the remedy", function*() {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(at({ connections: 64 }, { concurrency: 100 }))))
    assert.strictEqual(
      error.message,
      "pool.connections is 64, and resilience.concurrency (100) and resilience.openStreams (16) need 116: " +
        "omit it, raise it to 116, or lower the other two"
    )
  })

  effect("errors of its connections name the client", function*() {
    const named = NodeLanguageService.layer({
      name: "eu",
      key: Redacted.make("a-key"),
      baseUrl: "https://eu.test",
      pool: { proxy: new URL("socks://proxy:1080") }
    })
    const error = yield* Effect.flip(Effect.scoped(Layer.build(named)))
    assert.include(error.message, "eu: pool.proxy ")
  })

  effect.each([0, 1, 1.5, Number.NaN])("%s connections are refused", function*(connections) {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(at({ connections }))))
    assert.include(error.message, "pool.connections must be a whole number from 2")
  })

  effect.each<readonly [setting: string, options: object]>([
    ["pool.connectTimeout", { pool: { connectTimeout: "soon" } }],
    ["pool.keepAlive", { pool: { keepAlive: Number.NaN } }],
    ["timeout", { timeout: "5 seconds" }],
    ["pool.keepalive", { pool: { keepalive: "5 seconds" } }],
    ["pool.tls.cert", { pool: { tls: { cert: "" } } }],
    ["pool.tls.client.pass", { pool: { tls: { client: { certificate: "", key, pass: "" } } } }],
    ["journal.directory", { journal: { directory: "documents" } }]
  ])("an invalid option of a caller without types is named: %s", function*([setting, given]) {
    const options = { key, baseUrl: "https://service.test", journal: "memory" as const }
    const error = yield* Effect.flip(
      Effect.scoped(Layer.build(NodeLanguageService.layer(Object.assign(options, given))))
    )
    assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting })
  })

  live("by default the policy limits the calls in flight, and the others wait", function*() {
    const held: Array<ServerResponse> = []
    const all = Deferred.makeUnsafe<void>()
    let first = 300
    const { open, url } = yield* httpServer((_, response) => {
      if (first-- > 0) return json(response, [])
      held.push(response)
      if (held.length === 100) Deferred.doneUnsafe(all, Effect.void)
      if (held.length > 100) json(response, [])
    })
    yield* Effect.gen(function*() {
      // The client has to learn that the service bears as many.
      yield* Effect.forEach(Array.from({ length: 300 }), () => read, { concurrency: "unbounded" })
      const calls = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 200 }), () => read, { concurrency: "unbounded" })
      )
      yield* Deferred.await(all)
      assert.strictEqual(open(), 100)
      for (const response of held.splice(0, 100)) json(response, [])
      held.length = 100
      yield* Fiber.join(calls)
    }).pipe(Effect.provide(NodeLanguageService.layer({ key, baseUrl: url, journal: "memory" })))
  })
})

const document = { documentId: DocumentId.make("A".repeat(32)), documentKey: Redacted.make("B".repeat(64)) }
const download = Documents.use((documents) => documents.download(document))
const translate = Translation.use((translation) => translation.translate({ text: ["Hallo"], targetLanguage: "en-US" }))

const translation = { translations: [{ text: "Hello", detected_source_language: "DE", billed_characters: 5 }] }

const page = Buffer.alloc(1_000_000)

/** The open streams that a policy allows: 64 is the default. */
const openStreams = scaled(12, 64)

/** A service whose documents are larger than any read-ahead, and whose other responses are immediate. */
const documents = httpServer(({ url }, response) => {
  if (url?.endsWith("/result") === true) {
    response.writeHead(200, { "content-type": "text/plain" }).write(page)
  } else if (url?.includes("translate") === true) json(response, translation)
  else json(response, list)
})

describe.concurrent("unread downloads", () => {
  live("leave connections to calls", function*() {
    const { open, requests, url } = yield* documents
    yield* Effect.gen(function*() {
      const kept = yield* Effect.forEach(Array.from({ length: openStreams }), () => download, {
        concurrency: "unbounded"
      })
      assert.strictEqual(open(), openStreams)
      assert.strictEqual((yield* translate)[0]?.text, "Hello")
      yield* create
      assert.strictEqual(open(), openStreams + 1)
      assert.strictEqual(kept.length, openStreams)
    }).pipe(
      Effect.provide(NodeLanguageService.layer({ key, baseUrl: url, journal: "memory", resilience: { openStreams } }))
    )
    assert.strictEqual(requests.length, openStreams + 2)
  })

  live("release their connections after the idle timeout", function*() {
    const { open, opened, url } = yield* documents
    yield* Effect.gen(function*() {
      yield* Effect.forEach(Array.from({ length: openStreams + 8 }), () => download, {
        concurrency: "unbounded",
        discard: true
      })
      yield* until(() => open() === 0)
      assert.strictEqual(opened(), openStreams + 8)
    }).pipe(
      Effect.provide(NodeLanguageService.layer({
        key,
        baseUrl: url,
        journal: "memory",
        resilience: { openStreams, bodyIdleTimeout: Duration.millis(500) }
      }))
    )
  })
})

const endOf = <A, E extends { readonly _tag: string }, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<string, never, R> => Effect.match(call, { onSuccess: () => "success", onFailure: ({ _tag }) => _tag })

describe("a layer that is released", () => {
  live("ends calls in flight, in the queue and in backoff at once, and refuses new ones", function*() {
    const { open, requests, url } = yield* httpServer(({ url }, response) => {
      if (url?.includes("translate") === true) response.writeHead(503, { "retry-after": "30" }).end()
    })
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(narrow(url, 2), scope)
    const calls = yield* Effect.forEach(
      [endOf(translate), endOf(create), endOf(create), endOf(create)],
      (call) => Effect.forkChild(call, { startImmediately: true })
    ).pipe(Effect.provide(context))
    yield* until(() => requests.length === 3)
    const [took] = yield* Effect.timed(
      Effect.andThen(Scope.close(scope, Exit.void), Effect.forEach(calls, Fiber.await))
    )
    assert.isBelow(Duration.toMillis(took), 10_000)
    assert.deepStrictEqual(yield* Effect.forEach(calls, Fiber.join), [
      "ServiceUnavailable",
      "OutcomeUnknown",
      "OutcomeUnknown",
      "ConnectionFailed"
    ])
    const error = yield* Effect.provide(Effect.flip(create), context)
    assert.deepInclude<object>(error, { _tag: "ConnectionFailed", outcome: "refused", isTransient: false })
    assert.strictEqual(requests.length, 3)
    yield* until(() => open() === 0)
  })

  live("is reported also if only the layer of the connections was released", function*() {
    const { requests, url } = yield* httpServer((_, response) => json(response, list))
    const scope = yield* Scope.make()
    const http = yield* Layer.buildWithScope(NodePool.layerHttpClient(), scope)
    yield* Scope.close(scope, Exit.void)
    const error = yield* Effect.flip(create).pipe(
      Effect.provide(Layer.provide(LanguageService.layer({ key, baseUrl: url }), Layer.succeedContext(http)))
    )
    assert.deepInclude<object>(error, { _tag: "ConnectionFailed", code: "ERR_CLIENT_RELEASED", isTransient: false })
    assert.deepStrictEqual(requests, [])
  })
})

describe("consecutive calls", () => {
  live("use one connection", function*() {
    const { opened, requests, url } = yield* httpServer((_, response) => json(response, []))
    yield* Effect.forEach(Array.from({ length: 20 }), () => read).pipe(
      Effect.provide(NodeLanguageService.layer({ key, baseUrl: url, journal: "memory" }))
    )
    assert.strictEqual(requests.length, 20)
    assert.strictEqual(opened(), 1)
  })
})
