import type { Documents } from "@effect-lingua/core/documents/Documents"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Result, Stream } from "effect"
import { sampled } from "../../../test/support/scale.ts"
import { version } from "../src/config/internal/version.ts"
import { Sample, Wire } from "./support/index.ts"

/** The request with all of its headers. */
const sentOf = ([method, path, body = ""]: Sample.Operation["request"]) => ({
  method,
  url: `https://service.test${path}`,
  headers: {
    ...(body === "" ? undefined : {
      "content-type": body.startsWith("--") ? "multipart/form-data; boundary=BOUNDARY" : "application/json",
      "content-length": String(new TextEncoder().encode(body).length)
    }),
    "user-agent": `effect-lingua/${version}`,
    authorization: `Service-Auth-Key ${
      path.startsWith("/v2/admin/") ? "admin-key-of-the-tests:adm" : "key-of-the-tests"
    }`
  },
  body
})

const boundary = /form-[0-9a-f]{12,}/g

/** A request with a name in the place of the boundary of a form. */
const withoutBoundary = (sent: Effect.Success<typeof Wire.sent>[number]) => {
  const body = sent.body.replaceAll(boundary, "BOUNDARY")
  return {
    ...sent,
    body,
    headers: Object.fromEntries(
      Object.entries(sent.headers).map(([name, value]) => [
        name,
        name === "content-length"
          ? String(Number(value) + new TextEncoder().encode(body).length - new TextEncoder().encode(sent.body).length)
          : value.replace(boundary, "BOUNDARY")
      ])
    )
  }
}

/** A download with its bytes in the place of its stream. */
const collect = ({ stream, ...rest }: Documents.Download) =>
  Effect.map(Stream.mkString(Stream.decodeText(stream)), (bytes) => ({ ...rest, bytes }))

const isDownload = (value: unknown): value is Documents.Download =>
  Predicate.hasProperty(value, "stream") && Stream.isStream(value.stream)

/** The success of an operation under another status. One that needs no body has one here, unless the status forbids it. */
const under = (status: number, { success, value }: Sample.Operation): Wire.Reply => {
  if (status === 204) return Wire.answer(204)
  const reply = value === undefined ? Wire.answer(200, {}) : success
  return (request, sent) =>
    Effect.map(reply(request, sent), (response) => Object.create(response, { status: { value: status } }))
}

/** The value of an operation under a status, or the message of its error: a body that is needed has to be whole. */
const outcomeUnder = (status: number, { body, value }: Sample.Operation): unknown =>
  value === undefined || status < 204 || (status === 206 && body !== undefined)
    ? value
    : `status ${status} is undocumented for this operation`

describe("wire", () => {
  it("has a row for every operation of the contract", () => {
    const names = Sample.contract.map(({ operation }) => operation).toSorted()
    assert.deepStrictEqual(Object.keys(Sample.operations).toSorted(), names)
  })

  it.effect.each(Object.entries(Sample.operations))(
    "%s sends the request and reads the answer",
    ([, { call, request, success, value }]) =>
      Effect.gen(function*() {
        const [given, sent] = yield* Effect.gen(function*() {
          const result = yield* call
          return [isDownload(result) ? yield* collect(result) : result, yield* Wire.sent] as const
        }).pipe(Effect.provide(Wire.layer([success])))
        assert.deepStrictEqual<unknown>(sent.map(withoutBoundary), [sentOf(request)])
        assert.deepStrictEqual(given, value)
      })
  )

  it.effect.each(Object.entries(Sample.operations))(
    "%s reads its success under any status of success",
    ([, operation]) =>
      Effect.forEach(sampled([200, 201, 202, 203, 204, 206], 3), (status) =>
        Effect.gen(function*() {
          const outcome = yield* Effect.result(operation.call)
          const expected = outcomeUnder(status, operation)
          if (Result.isFailure(outcome)) return assert.include(outcome.failure.message, String(expected))
          const result = outcome.success
          assert.deepStrictEqual(isDownload(result) ? yield* collect(result) : result, expected, String(status))
          assert.strictEqual(yield* Wire.count, 1)
        }).pipe(Effect.provide(Wire.layer([under(status, operation)]))))
  )
})
