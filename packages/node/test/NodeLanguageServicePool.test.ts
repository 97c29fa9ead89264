import * as Attempt from "@effect-lingua/core/Attempt"
import { Languages } from "@effect-lingua/core/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as ResiliencePolicy from "@effect-lingua/core/ResiliencePolicy"
import { StyleRules } from "@effect-lingua/core/StyleRules"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Redacted } from "effect"
import type { ServerResponse } from "node:http"
import { heldServer, json } from "./support/heldServer.ts"

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
const read = Languages.use((languages) => languages.resources())

const later = (millis: number, run: () => void): void => {
  Effect.runFork(Effect.delay(Effect.sync(run), millis))
}

/** A client over fewer connections than it has calls in flight. */
const narrow = (baseUrl: string, connections: number, resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  Layer.provide(
    LanguageService.layer({ key, baseUrl, resilience }),
    NodeLanguageService.layerHttpClient({ connections })
  )

describe("a pool with fewer connections than calls", () => {
  it.live("each call has the whole attempt timeout once it has a connection", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* heldServer((_, response) => later(400, () => json(response, list)))
      const results = yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.result(create), {
        concurrency: "unbounded"
      }).pipe(Effect.provide(narrow(url, 4, { attemptTimeout: Duration.seconds(2) })))
      assert.deepStrictEqual(results.filter(({ _tag }) => _tag === "Failure"), [])
      assert.strictEqual(requests.length, 40)
    }).pipe(Effect.scoped), 20_000)

  it.live("a call whose deadline passes in line was not sent, and says so", () =>
    Effect.gen(function*() {
      const arrived = Deferred.makeUnsafe<ServerResponse>()
      const { requests, url } = yield* heldServer((_, response) => {
        Deferred.doneUnsafe(arrived, Effect.succeed(response))
      })
      yield* Effect.gen(function*() {
        const first = yield* Effect.forkChild(create)
        const response = yield* Deferred.await(arrived)
        const error = yield* create.pipe(
          Effect.provideService(ResiliencePolicy.Override, { deadline: Duration.millis(200) }),
          Effect.flip
        )
        assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused", attempts: [] })
        assert.include(error.message, "Nothing was sent, as no connection was free in time")
        json(response, list)
        yield* Fiber.join(first)
        assert.deepStrictEqual(requests, ["POST /v3/style_rules"])
      }).pipe(Effect.provide(narrow(url, 1)))
    }).pipe(Effect.scoped))

  it.live("the time in line is in the ledger, apart from the time of the attempt", () =>
    Effect.gen(function*() {
      const { url } = yield* heldServer((_, response) => later(300, () => json(response, [])))
      const ledgers = yield* Effect.forEach([1, 2], () => Attempt.record(read), { concurrency: 2 }).pipe(
        Effect.provide(narrow(url, 1))
      )
      const queued = ledgers.map(([, [attempt]]) => Duration.toMillis(attempt?.queued ?? 0)).toSorted((a, b) => a - b)
      assert.isBelow(queued[0] ?? 0, 250)
      assert.isAtLeast(queued[1] ?? 0, 250)
      for (const [, [attempt]] of ledgers) assert.isAtLeast(Duration.toMillis(attempt?.took ?? 0), 250)
    }).pipe(Effect.scoped))
})

const at = (pool: NodeLanguageService.PoolOptions, resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  NodeLanguageService.layer({ key, baseUrl: "https://service.test", journal: "memory", pool, resilience })

describe("connections and policy", () => {
  it.effect.each<
    readonly [what: string, pool: NodeLanguageService.PoolOptions, Partial<ResiliencePolicy.ResiliencePolicy>]
  >([
    ["connections that hold all calls and streams", { connections: 164 }, { concurrency: 100, openStreams: 64 }],
    ["few connections, which bound calls and streams", { connections: 2 }, {}],
    ["few connections, and calls that leave some for streams", { connections: 10 }, { concurrency: 8 }],
    ["any number of both", {}, { concurrency: Infinity, openStreams: Infinity }]
  ])("%s", ([, pool, resilience]) => Effect.scoped(Layer.build(at(pool, resilience))))

  it.effect("a number of connections that the policy contradicts is refused, with both fields and what to do", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(at({ connections: 64 }, { concurrency: 100 }))))
      assert.strictEqual(
        error.message,
        "pool.connections is 64, and resilience.concurrency (100) and resilience.openStreams (16) need 116: " +
          "leave it out or raise it to that, or lower the two"
      )
    }))

  it.effect.each([0, 1, 1.5, Number.NaN])("%s connections are refused", (connections) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(at({ connections }))))
      assert.include(error.message, "pool.connections must be a whole number from 2")
    }))

  it.live(
    "by default as many calls are in flight as the policy allows, and as many wait",
    () =>
      Effect.gen(function*() {
        const held: Array<ServerResponse> = []
        const all = Deferred.makeUnsafe<void>()
        const { open, url } = yield* heldServer((_, response) => {
          held.push(response)
          if (held.length === 100) Deferred.doneUnsafe(all, Effect.void)
          if (held.length > 100) json(response, [])
        })
        yield* Effect.gen(function*() {
          const calls = yield* Effect.forkChild(
            Effect.forEach(Array.from({ length: 200 }), () => read, { concurrency: "unbounded" })
          )
          yield* Deferred.await(all)
          assert.strictEqual(open(), 100)
          for (const response of held.splice(0, 100)) json(response, [])
          held.length = 100
          yield* Fiber.join(calls)
        }).pipe(Effect.provide(NodeLanguageService.layer({ key, baseUrl: url, journal: "memory" })))
      }).pipe(Effect.scoped),
    20_000
  )
})

describe("calls after one another", () => {
  it.live("use one connection", () =>
    Effect.gen(function*() {
      const { opened, requests, url } = yield* heldServer((_, response) => json(response, []))
      yield* Effect.forEach(Array.from({ length: 20 }), () => read).pipe(
        Effect.provide(NodeLanguageService.layer({ key, baseUrl: url, journal: "memory" }))
      )
      assert.strictEqual(requests.length, 20)
      assert.strictEqual(opened(), 1)
    }).pipe(Effect.scoped))
})
