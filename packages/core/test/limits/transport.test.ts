import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientError } from "effect/http"
import { create, read, Wire } from "../support/index.ts"

const once = { resilience: { attempts: 1 } }

/** Errors of a request that was not sent, and if they are transient. */
const failed: ReadonlyArray<readonly [code: string, isTransient: boolean]> = [
  ["EAI_AGAIN", true],
  ["ECONNREFUSED", true],
  ["EHOSTDOWN", true],
  ["EHOSTUNREACH", true],
  ["ENETDOWN", true],
  ["ENETUNREACH", true],
  ["UND_ERR_CONNECT_TIMEOUT", true],
  ["ENOTFOUND", false],
  ["EPROTO", false],
  ["CERT_HAS_EXPIRED", false],
  ["CERT_NOT_YET_VALID", false],
  ["CERT_REVOKED", false],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", false],
  ["SELF_SIGNED_CERT_IN_CHAIN", false],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", false],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", false],
  ["ERR_TLS_CERT_ALTNAME_INVALID", false],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false],
  ["HOSTNAME_MISMATCH", false],
  ["ERR_INVALID_URL", false],
  ["UND_ERR_INVALID_ARG", false]
]

/** Errors of a request that may have been sent. */
const lost = [
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ERR_HTTP2_STREAM_ERROR",
  "EWHATEVER",
  undefined
]

const broken = (
  cause: unknown,
  Reason: typeof HttpClientError.EncodeError | typeof HttpClientError.InvalidUrlError = HttpClientError.EncodeError
): Wire.Reply =>
(request) => Effect.fail(new HttpClientError.HttpClientError({ reason: new Reason({ request, cause }) }))

/** An error that is its own cause. */
const circular = () => {
  const error = new Error("round and round")
  error.cause = error
  return error
}

describe("transport", () => {
  it.effect("has the words of the system, or else those of the HTTP client", () =>
    Effect.forEach(
      [
        [{ cause: new Error("the cable is cut") }, "the cable is cut"],
        [{ cause: new Error(""), description: "no connection" }, "no connection"],
        [{ description: "no connection" }, "no connection"],
        [{}, ""]
      ] as const,
      ([fields, description]) =>
        Effect.gen(function*() {
          assert.deepInclude<object>(yield* Effect.flip(read), { _tag: "ConnectionLost", description })
        }).pipe(Effect.provide(Wire.layer([Wire.failing(fields)], once)))
    ))

  it.effect.each(failed)(
    "%s is ConnectionFailed, also of a creation, transient: %s",
    ([code, isTransient]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(read)
        assert.deepInclude<object>(error, {
          _tag: "ConnectionFailed",
          operation: "Languages.resources",
          code,
          isTransient,
          outcome: "refused"
        })
        assert.include(error.message, isTransient ? "Check that the host responds" : "Check LANGUAGE_SERVICE_BASE_URL")
        assert.strictEqual((yield* Effect.flip(create))._tag, "ConnectionFailed")
      }).pipe(Effect.provide(Wire.layer(Wire.broken(code), once)))
  )

  it.effect.each<readonly [code: string, setting: string]>([
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "pool.tls.client"],
    ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", "pool.tls.client"],
    ["ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE", "pool.tls.client"],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "pool.tls.client"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "pool.tls.ca"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "NODE_EXTRA_CA_CERTS"]
  ])("the message of %s names the setting %s", ([code, setting]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(create)
      assert.deepInclude<object>(error, { _tag: "ConnectionFailed", isTransient: false })
      assert.include(error.message, setting)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.broken(code)]))))

  it.effect.each(lost)("%s is ConnectionLost", (code) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read)
      if (error._tag !== "ConnectionLost") return assert.fail(error._tag)
      assert.deepInclude<object>(error, { isTransient: true, outcome: "unknown" })
      assert.strictEqual(error.code, code)
    }).pipe(Effect.provide(Wire.layer([Wire.broken(code)], once))))

  it.effect.each([HttpClientError.EncodeError, HttpClientError.InvalidUrlError])(
    "a request that cannot be built is ConnectionFailed (%#)",
    (Reason) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(read)
        assert.deepInclude<object>(error, { _tag: "ConnectionFailed", isTransient: false, outcome: "refused" })
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(Wire.layer([broken(new Error("no"), Reason)])))
  )

  it.effect("the message of the platform becomes a bounded line", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read)
      assert.strictEqual(error._tag, "ConnectionLost")
      assert.include(error.message, "first line second line")
      assert.notMatch(error.message, /\p{Cc}/u)
      assert.isAtMost(error.message.length, 1000)
    }).pipe(Effect.provide(Wire.layer([
      Wire.failing({ cause: new Error(`first line\r\nsecond line\u001b[31m${"x".repeat(5000)}`) })
    ], once))))

  it.effect.each<readonly [what: string, cause: unknown]>([
    ["a circular cause", circular()],
    ["no error", "a text"],
    ["nothing", undefined],
    ["a code that is a number", Object.assign(new Error("no"), { code: 42 })]
  ])("%s as the cause does no harm", ([, cause]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read)
      if (error._tag !== "ConnectionLost") return assert.fail(error._tag)
      assert.isUndefined(error.code)
    }).pipe(Effect.provide(Wire.layer([Wire.failing({ cause })], once))))
})
