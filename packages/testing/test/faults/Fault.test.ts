import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber } from "effect"
import { HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { client, send } from "../support/client.ts"

const fake = FakeLanguageService
const resources = "/v3/languages/resources"
const status = Effect.map(send("GET", resources), (answer) => answer.status)
const create = Effect.flatMap(client, (api) => api.StyleRules.create({ payload: { name: "House", language: "en" } }))

describe("Fault", () => {
  it.effect("hits the next calls of one operation only", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ operation: "StyleRules.create", count: 2, fault: Fault.rateLimited() })
      assert.strictEqual(yield* status, 200)
      assert.strictEqual((yield* Effect.flip(create))._tag, "RateLimited")
      assert.strictEqual((yield* Effect.flip(create))._tag, "RateLimited")
      yield* create
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 1)
      assert.deepStrictEqual((yield* service.requests).map((request) => [request.status, request.fault]), [
        [200, undefined],
        [429, { status: 429 }],
        [429, { status: 429 }],
        [201, undefined]
      ])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("hits any operation, and scripts are played in their order", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ fault: Fault.overloaded() })
      yield* service.script({ fault: Fault.unavailable() })
      yield* service.script({ fault: Fault.serverError() })
      assert.deepStrictEqual([yield* status, yield* status, yield* status, yield* status], [529, 503, 500, 200])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("is answered like any other failure, with a hint to wait", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ fault: { status: 429, retryAfter: "1500 millis", description: "Slow down" } })
      const error = yield* Effect.flip(create)
      assert.deepInclude(error, { _tag: "RateLimited", description: "Slow down" })
      assert.deepStrictEqual("retryAfter" in error ? error.retryAfter : undefined, Duration.seconds(2))
      yield* service.script({ fault: { status: 503, retryAfter: DateTime.makeUnsafe(60_000) } })
      const dated = yield* send("GET", resources)
      assert.strictEqual(dated.headers["retry-after"], "Thu, 01 Jan 1970 00:01:00 GMT")
      assert.match(dated.headers["x-trace-id"] ?? "", /^[0-9a-f]{32}$/)
      yield* service.script({ fault: { status: 502, body: "<html>Bad Gateway</html>", headers: { server: "proxy" } } })
      const gateway = yield* Effect.flip(create)
      assert.deepInclude(gateway, { _tag: "BadGateway", description: "Bad Gateway" })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("can lose the answer to work that was done", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ operation: "StyleRules.create", fault: Fault.serverError({ afterEffect: true }) })
      assert.strictEqual((yield* Effect.flip(create))._tag, "InternalServerError")
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 1)
      assert.strictEqual((yield* (yield* client).StyleRules.listPage({ query: {} })).styleRules.length, 1)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("can break the connection, before or after the work", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ fault: Fault.reset() })
      yield* service.script({ fault: Fault.reset({ afterEffect: true }) })
      for (const count of [0, 1]) {
        const error = yield* Effect.flip(create)
        if (!HttpClientError.isHttpClientError(error)) return assert.fail("the client sees a broken connection")
        assert.strictEqual(error.reason._tag, "TransportError")
        assert.deepInclude(error.cause, { code: "ECONNRESET" })
        assert.strictEqual((yield* service.effects)["StyleRules.create"].count, count)
      }
      assert.deepStrictEqual((yield* service.requests).map((request) => request.status), [undefined, undefined])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("can come late, and so can the right answer", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ fault: { status: 504, delay: "30 seconds" } })
      const failing = yield* Effect.forkChild(status)
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(failing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(failing), 504)
      for (const [afterEffect, count] of [[false, 0], [true, 2]] as const) {
        yield* service.script({ fault: Fault.slow("10 seconds", { afterEffect }) })
        const slow = yield* Effect.forkChild(create)
        yield* TestClock.adjust("9 seconds")
        assert.isUndefined(slow.pollUnsafe())
        assert.strictEqual((yield* service.effects)["StyleRules.create"].count, count)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(slow)).version, 1)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("comes after its delay, of whatever kind it is", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const delay = "30 seconds"
      for (
        const fault of [
          Fault.rateLimited({ delay }),
          Fault.reset({ delay }),
          Fault.truncated({ delay }),
          Fault.stalled({ delay }),
          Fault.malformed({ delay }),
          Fault.wrongLength(-1, { delay }),
          Fault.altered("empty", { delay }),
          Fault.jobFails("File is damaged", { delay })
        ]
      ) {
        yield* service.script({ fault })
        const path = "jobFails" in fault ? "/v1/quality-evaluation" : "/v2/translate"
        const body = JSON.stringify({
          text: ["a"],
          target_lang: "de",
          metadata: { source_language: "en", target_language: "de" },
          segments: [{ source: "a", target: "b" }]
        })
        const fiber = yield* Effect.forkChild(Effect.exit(send("POST", path, { body })))
        // A broken connection has no answer, and the body of a stalled one does not end.
        const isThere = Effect.map(
          service.requests,
          (requests) => fiber.pollUnsafe() !== undefined || requests.at(-1)?.answerTime !== undefined
        )
        yield* TestClock.adjust("29 seconds")
        assert.isFalse(yield* isThere, Fault.format(fault))
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* isThere, Fault.format(fault))
        assert.deepStrictEqual((yield* service.requests).at(-1)?.fault, fault)
        yield* Fiber.interrupt(fiber)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("does not touch requests to no operation", () =>
    Effect.gen(function*() {
      yield* (yield* fake).script({ fault: Fault.serverError() })
      assert.strictEqual((yield* send("GET", "/nowhere")).status, 404)
      assert.strictEqual(yield* status, 500)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("is refused where it makes no sense", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const unknown: string = "Writing.paraphrase"
      const scripts = [
        { fault: { status: 99 } },
        { fault: { status: 429 }, count: -1 },
        { fault: { status: 429 }, count: 1.5 },
        { fault: { status: 429, retryAfter: JSON.parse("{}") } },
        { fault: Fault.slow(JSON.parse(`{"second":5}`)) },
        JSON.parse(`{ "status": 429 }`),
        JSON.parse("null"),
        JSON.parse(`{ "fault": {} }`),
        JSON.parse(`{ "fault": { "status": 429 }, "operation": "${unknown}" }`)
      ]
      for (const script of scripts) {
        assert.strictEqual((yield* Effect.flip(service.script(script)))._tag, "InvalidFault")
      }
      assert.match((yield* Effect.flip(service.script(scripts[5]))).message, /^fault: Missing key/)
      const error = yield* Effect.flip(service.script(scripts[8]))
      assert.match(error.message, /^operation: Expected "Documents\.upload" \| .*"Writing\.rephrase"/)
      assert.include(error.message, `got "${unknown}"`)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  const printed: ReadonlyArray<readonly [fault: Fault.Fault, line: string]> = [
    [Fault.rateLimited(), "status 429"],
    [Fault.overloaded({ retryAfter: DateTime.makeUnsafe(60_000) }), "status 529, Retry-After 1970-01-01T00:01:00.000Z"],
    [Fault.serverError({ description: "Oh", afterEffect: true }), `status 500, "Oh", after the effect`],
    [{ status: 200, body: "<html>", headers: { server: "proxy" } }, `status 200, server: proxy, body "<html>"`],
    [{ status: 200, body: "x".repeat(1000) }, `status 200, body "${"x".repeat(60)}..."`],
    [Fault.reset({ delay: "2 seconds" }), "connection reset, 2s late"],
    [Fault.slow("1500 millis", { afterEffect: true }), "right response, 1s 500ms late, after the effect"],
    [Fault.truncated(), "body cut after 50 %"],
    [Fault.truncated({ bytes: 1 }), "body cut after 1 byte"],
    [Fault.stalled({ share: 0.9, delay: 10 }), "body stalled after 90 %, 10ms late"],
    [Fault.malformed(), "body malformed"],
    [Fault.wrongLength(-1), "1 result too few"],
    [Fault.wrongLength(2), "2 results too many"],
    [Fault.altered("empty"), "texts empty"],
    [Fault.jobFails("File is damaged"), "job fails: \"File is damaged\""]
  ]

  it.each(printed)("reads as a line: %j", (fault, line) => assert.strictEqual(Fault.format(fault), line))
})
