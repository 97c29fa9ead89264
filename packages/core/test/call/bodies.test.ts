import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { vi } from "vitest"
import { create, download, errorOverTime, read, Wire } from "../support/index.ts"

const trace = { "x-trace-id": "0AF1" }

/** An endless body, and the number of bytes read from it. */
const endless = () => {
  const chunk = new Uint8Array(64 * 1024)
  const body = {
    read: 0,
    stream: Stream.fromEffectRepeat(Effect.sync(() => {
      body.read += chunk.length
      return chunk
    }))
  }
  return body
}

const mebibyte = 1024 * 1024

describe("bodies", () => {
  it.effect.each<readonly [headers: Wire.Headers, most: number]>([
    [{}, 33 * mebibyte],
    // A length over the limit is enough; a length below it hides nothing, also not of a compressed body.
    [{ "content-length": String(33 * mebibyte) }, mebibyte],
    [{ "content-length": "100000" }, 33 * mebibyte],
    [{ "content-length": "100", "content-encoding": "gzip" }, 33 * mebibyte]
  ])("reading an endless body with the headers %j stops at the limit", ([headers, most]) => {
    const body = endless()
    return Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, {
        _tag: "UnexpectedResponse",
        status: 200,
        outcome: "unknown",
        traceId: "0AF1"
      })
      assert.include(error.description, "larger than 33554432 bytes")
      assert.isAtMost(body.read, most)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(200, body.stream, { ...trace, ...headers })])))
  })

  it.effect("the limit is configurable, and a body of exactly the limit passes", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read, [])
      assert.strictEqual((yield* Effect.flip(read))._tag, "UnexpectedResponse")
    }).pipe(
      Effect.provide(Wire.layer([Wire.answer(200, "[  ]"), Wire.answer(200, "[   ]")], {
        resilience: { maxBodyBytes: 4 }
      }))
    ))

  it.effect("an error with an endless body keeps its status and trace id, and closes its connection", () => {
    const body = endless()
    let released = 0
    const stream = Stream.ensuring(body.stream, Effect.sync(() => released++))
    return Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, { _tag: "BadRequest", status: 400, outcome: "refused", traceId: "0AF1" })
      assert.isAtMost(body.read, 128 * 1024)
      assert.strictEqual(released, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(400, stream, trace)])))
  })

  it.effect.each<readonly [how: string, headers: Wire.Headers]>([
    ["a promised length", { "content-length": String(16 * mebibyte) }],
    ["none", {}]
  ])("of an error with an array of 16 MiB, with %s, only the start is looked at", ([, headers]) => {
    const parse = vi.spyOn(JSON, "parse")
    const array = new TextEncoder().encode(`[${"1,".repeat(8 * mebibyte)}1]`)
    return Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.deepInclude<object>(error, { _tag: "BadRequest", status: 400, outcome: "refused" })
      assert.isAtMost(error.message.length, 1000)
      for (const [text] of parse.mock.calls) assert.isAtMost(text.length, 64 * 1024)
    }).pipe(
      Effect.ensuring(Effect.sync(() => parse.mockRestore())),
      Effect.provide(Wire.layer([Wire.streamed(400, Stream.make(array), headers)]))
    )
  })

  it.effect.each<readonly [status: number, cause: string]>([
    [201, "UnexpectedResponse"],
    [500, "InternalServerError"]
  ])("a creating call that is answered %d without end may have created", ([status, cause]) => {
    const body = endless()
    return Effect.gen(function*() {
      const error = yield* errorOverTime(create)
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause, traceId: "0AF1" })
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(status, body.stream, trace)])))
  })

  it.effect.each<readonly [status: number, tag: string]>([
    [206, "UnexpectedResponse"],
    [404, "DocumentNotFound"]
  ])("a download that is answered %d without end is given up", ([status, tag]) => {
    const body = endless()
    return Effect.gen(function*() {
      const error = yield* errorOverTime(download)
      assert.deepInclude<object>(error, { _tag: tag, status, traceId: "0AF1" })
      assert.isAtMost(body.read, status < 400 ? 33 * mebibyte : 128 * 1024)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(status, body.stream, trace)])))
  })

  it.effect("a download has no limit and a small read-ahead", () => {
    const body = endless()
    return Effect.gen(function*() {
      const { stream } = yield* download
      assert.strictEqual(body.read, 64 * 1024)
      const size = yield* stream.pipe(Stream.take(1024), Stream.runFold(() => 0, (sum, chunk) => sum + chunk.length))
      assert.strictEqual(size, 64 * mebibyte)
    }).pipe(Effect.provide(Wire.layer([Wire.streamed(200, body.stream)])))
  })
})
