import { CustomRequests, GlossariesV2, StyleRules } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { vi } from "vitest"
import { errorOverTime, overTime, read, Sample, valueOverTime, Wire } from "../support/index.ts"

const bytes = (status: number, ...body: ReadonlyArray<number | string>) =>
  Wire.streamed(
    status,
    Stream.fromIterable(body.map((part) => typeof part === "string" ? Buffer.from(part) : Uint8Array.of(part)))
  )

const damaged: ReadonlyArray<readonly [what: string, reply: (status: number) => Wire.Reply, problem: string]> = [
  ["JSON that is cut", (status) => Wire.answer(status, "[{\"name\": \"vo"), "is not JSON"],
  ["the page of a gateway", (status) => Wire.answer(status, "<html>Please log in</html>"), "is not JSON"],
  ["nothing", (status) => Wire.answer(status, ""), "is not JSON"],
  ["JSON with a byte that is not UTF-8", (status) => bytes(status, "[{\"name\": \"", 0xe9, "\"}]"), "is not UTF-8"],
  ["JSON with a zero byte", (status) => bytes(status, "[", 0, "]"), "is not JSON"]
]

const right = Wire.answer(200, [{ name: "voice", features: [] }])
const called = Sample.operation

describe("garbled", () => {
  it.effect.each(damaged)("a read is repeated after %s", ([, reply, problem]) =>
    Effect.gen(function*() {
      assert.lengthOf(yield* valueOverTime(read), 1)
      assert.strictEqual(yield* Wire.count, 2)
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, {
        _tag: "UnexpectedResponse",
        status: 200,
        outcome: "unknown",
        isTransient: true
      })
      assert.include(error.message, problem)
      assert.deepStrictEqual(
        error.attempts.map(({ failure, outcome, status }) => [status, failure, outcome]),
        [[200, "UnexpectedResponse", "unknown"], [200, "UnexpectedResponse", "unknown"]]
      )
    }).pipe(Effect.provide(Wire.layer([reply(200), right, reply(200), reply(200)], { resilience: { attempts: 2 } }))))

  it.effect.each(damaged)(
    "a metered call is repeated by default, and a creation is not, after %s",
    ([, reply]) =>
      Effect.gen(function*() {
        assert.lengthOf([yield* valueOverTime(called("Translation.translate").call)], 1)
        assert.strictEqual(yield* Wire.count, 2)
        const error = yield* errorOverTime(called("StyleRules.create").call)
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "UnexpectedResponse" })
        assert.strictEqual(yield* Wire.count, 3)
      }).pipe(Effect.provide(Wire.layer([reply(200), called("Translation.translate").success, reply(201)])))
  )

  it.effect.each(damaged)(
    "%s in answer to one poll does not end the wait for a document",
    ([, reply]) =>
      Effect.gen(function*() {
        const status = yield* valueOverTime(
          Effect.flatMap(called("Documents.download").call, () => called("Documents.status").call)
        )
        assert.deepInclude<unknown>(status, { status: "done" })
      }).pipe(Effect.provide(Wire.layer([
        Wire.answer(503),
        Wire.translating,
        reply(200),
        Wire.done,
        called("Documents.download").success,
        Wire.done
      ])))
  )

  it.effect("a text with a byte that is not UTF-8 is rejected instead of altered", () =>
    Effect.gen(function*() {
      const entries = yield* valueOverTime(
        GlossariesV2.use((glossaries) => glossaries.entries({ glossaryId: Sample.glossaryId }))
      )
      assert.strictEqual(entries, "café\tCafé")
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([bytes(200, "caf", 0xe9, "\tCaf", 0xe9), Wire.answer(200, "café\tCafé")]))))

  it.effect("a response that is requested as bytes need not be UTF-8", () =>
    Effect.gen(function*() {
      const get = CustomRequests.use((requests) =>
        requests.send({
          method: "GET",
          path: "/v3/image",
          success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array())
        })
      )
      assert.deepStrictEqual(yield* get, Uint8Array.of(0xe9, 0, 0xff))
      assert.deepStrictEqual(yield* get, Uint8Array.of(0x1f, 0x8b, 0xff))
    }).pipe(Effect.provide(Wire.layer([bytes(200, 0xe9, 0, 0xff), bytes(200, 0x1f, 0x8b, 0xff)]))))

  it.effect("intact JSON of another shape is not requested again, as it would be the same", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", outcome: "unknown", isTransient: false })
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { resources: [] })]))))

  it.effect("an unrequested compression is named in the error, and the call is not repeated", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", outcome: "unknown", isTransient: false })
      assert.include(error.message, "compressed with gzip")
      const refused = yield* errorOverTime(read)
      assert.deepInclude<object>(refused, { _tag: "BadRequest", description: "" })
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([bytes(200, 0x1f, 0x8b, 8, 0, 0xff), bytes(400, 0x1f, 0x8b, 8, 0, 0xff)]))))

  it.effect("the body of a success is parsed once", () => {
    const parse = vi.spyOn(JSON, "parse")
    return Effect.gen(function*() {
      yield* StyleRules.use((rules) => rules.get({ styleId: Sample.styleId }))
      const parsed = parse.mock.calls.filter(([text]) => text.includes(Sample.list.name))
      assert.lengthOf(parsed, 1)
    }).pipe(
      Effect.ensuring(Effect.sync(() => parse.mockRestore())),
      Effect.provide(Wire.layer([Wire.answer(200, Sample.list)]))
    )
  })

  it.effect("an undeclared 404 has the hint that the host may not support the operation", () =>
    Effect.gen(function*() {
      const without = Sample.contract.filter(({ statuses }) => !statuses.includes(404))
      assert.isAtLeast(without.length, 10)
      for (const { operation } of without) {
        const error = yield* Effect.flip(called(operation).call)
        assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", status: 404, outcome: "refused" }, operation)
        assert.include(error.message, "the host, or the path of the base URL, probably does not have this operation")
      }
    }).pipe(Effect.provide(Wire.layer(Wire.answer(404, "Not found")))))
})

it.effect("the status of an error is known after two seconds without its body", () =>
  Effect.gen(function*() {
    assert.strictEqual((yield* overTime(Effect.flip(read))).took, 2000)
  }).pipe(Effect.provide(Wire.layer(Wire.streamed(400, Stream.never)))))

it.effect("the status of an error without its body is known also if the platform takes its time to end the response", () =>
  Effect.gen(function*() {
    const error = yield* errorOverTime(read)
    assert.deepInclude<object>(error, { _tag: "BadRequest", outcome: "refused" })
    assert.strictEqual(yield* Wire.count, 1)
  }).pipe(
    Effect.provide(Wire.layer(
      [Wire.streamed(400, Stream.ensuring(Stream.never, Effect.sleep("700 millis"))), right],
      { resilience: { bodyIdleTimeout: "1 second" } }
    ))
  ))
