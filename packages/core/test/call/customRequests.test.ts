import { CustomRequests, type RequestOptions } from "@effect-lingua/core/call/CustomRequests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema, Tracer } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { scaled } from "../../../../test/support/scale.ts"
import { errorOverTime, tracing, valueOverTime, Wire } from "../support/index.ts"

const Job = Schema.Struct({ job_id: Schema.String, expires_at: Schema.optionalKey(Schema.DateTimeUtcFromString) })
const job = { job_id: "j 1" }

interface Tree {
  readonly of: ReadonlyArray<string | number | Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  of: Schema.Array(Schema.Union([Schema.String, Schema.Number, Schema.suspend((): Schema.Codec<Tree> => Tree)]))
})

const read = <A = void>(options?: Partial<RequestOptions<A>>) =>
  CustomRequests.use((requests) => requests.send({ method: "GET", path: "/v1/jobs", ...options, repeat: "Read" }))

const make = (options?: Partial<RequestOptions<void>>) =>
  CustomRequests.use((requests) => requests.send({ method: "POST", path: "/v1/jobs", ...options }))

const paths: ReadonlyArray<string> = [
  "",
  "v1/jobs",
  "/",
  "//evil.test/v1/jobs",
  "/\\evil.test",
  "https://evil.test/v1/jobs",
  "/v1/../../admin",
  "/v1/./jobs",
  "/v1/%2e%2e/admin",
  "/v1//jobs",
  "/v1/jobs/",
  "/v1/jobs?a=b",
  "/v1/jobs#a",
  "/v1/\tjobs",
  "/v1/jobs\r\nX-Evil: 1",
  "/v1/jobs/:job-id",
  "/v1/jobs/:",
  "/@evil.test:80/v1",
  "/v1/jöbs"
]

/** Options as a caller without types may give them. */
const untyped = (options: object): Partial<RequestOptions<void>> => options

const refused: ReadonlyArray<readonly [what: string, parameter: string, options: Partial<RequestOptions<void>>]> = [
  ["a part of the path without its value", "params.job_id", { path: "/v1/jobs/:job_id" }],
  ["a value that is a dot segment", "params.job_id", { path: "/v1/jobs/:job_id", params: { job_id: ".." } }],
  ["a value that is empty", "params.job_id", { path: "/v1/jobs/:job_id", params: { job_id: " " } }],
  ["a value with a line break", "params.job_id", { path: "/v1/jobs/:job_id", params: { job_id: "a\nb" } }],
  ["a value that every object has", "params.toString", { path: "/v1/jobs/:toString" }],
  ["a value that the path does not have", "params.job_id", { params: { job_id: "a" } }],
  ["a value with a slash", "params.job_id", { path: "/v1/jobs/:job_id", params: { job_id: "../a" } }],
  ["a query with a lone surrogate", "query.name", { query: { name: ["a", "\ud800"] } }],
  ["a header with a line break", "headers.x-a", { headers: { "x-a": "a\r\nX-Evil: 1" } }],
  ["a header whose name has a space", "headers", { headers: { "x a": "a" } }],
  ...["Authorization", "USER-AGENT", "host", "content-length", "content-type"].map((name) =>
    [`the header ${name}`, `headers.${name}`, { headers: { [name]: "a" } }] as const
  ),
  ["a content type with a line break", "contentType", { body: {}, contentType: "a\r\nX-Evil: 1" }],
  ["a GET with a body", "body", { method: "GET", body: {} }],
  ...Object.entries({
    "a function": () => 1,
    "a bigint": 1n,
    "a symbol": Symbol("a"),
    "an address": new URL("https://host.test"),
    "a map": new Map(),
    "an undefined item": [undefined],
    "a hole": Object.assign([], { 1: 1 }),
    "an object with its own form": new (class {
      a = 1
      toJSON() {
        return "b"
      }
    })(),
    "a hidden secret": Redacted.make("a"),
    "a field that cannot be read": {
      get a() {
        throw new Error("no")
      }
    },
    "a cycle": (() => {
      const cycle: { a?: unknown } = {}
      cycle.a = cycle
      return cycle
    })(),
    "a great depth": Array.from({ length: 100_000 }).reduce<unknown>((of) => [of], 1)
  }).flatMap(([what, value]) =>
    [value, { a: [value] }].map((body) => [`a body of ${what}`, "body", untyped({ body })] as const)
  ),
  ...[null, {}, new Map(), Symbol("a"), 1n, Number.NaN, [undefined]].map((value) =>
    [`a query of ${value === null ? "null" : typeof value}`, "input", untyped({ query: { a: value } })] as const
  ),
  ["an unknown method", "input", untyped({ method: "TRACE" })],
  ["headers of null", "input", untyped({ headers: null })],
  ["a success that is no schema", "input", untyped({ success: {} })]
]

describe("operations that the contract does not have", () => {
  it.effect("are sent with their path, query, headers and body, and the key", () =>
    Effect.gen(function*() {
      const answered = yield* CustomRequests.use((requests) =>
        requests.send({
          method: "POST",
          path: "/v1/jobs/:job_id/parts",
          params: { job_id: "ab ?c:d" },
          query: { page: 2, deep: true, name: ["a b", "ü&c"], none: undefined, empty: [] },
          headers: { "x-part": "1", "X-Host": "call" },
          body: { text: ["größer 😀"], none: null },
          success: Job
        })
      )
      assert.deepStrictEqual(answered, job)
      const [sent] = yield* Wire.sent
      assert.strictEqual(
        sent?.url,
        "https://service.test/gateway/v1/jobs/ab%20%3Fc%3Ad/parts?page=2&deep=true&name=a+b&name=%C3%BC%26c"
      )
      assert.strictEqual(sent?.body, `{"text":["größer 😀"],"none":null}`)
      assert.deepInclude<object>(sent?.headers ?? {}, {
        authorization: `Service-Auth-Key ${Wire.key}`,
        "content-type": "application/json",
        "x-part": "1",
        "x-host": "call",
        "x-every": "configured"
      })
    }).pipe(
      Effect.provide(
        Wire.layer([Wire.answer(201, job)], {
          baseUrl: "https://service.test/gateway",
          headers: { "x-host": "configured", "x-every": "configured" }
        })
      )
    ))

  it.effect("accept bytes of any type, and return text or bytes", () =>
    Effect.gen(function*() {
      const bytes = new TextEncoder().encode("<tmx/>")
      yield* make({ body: bytes })
      yield* make({ method: "PUT", body: bytes, contentType: "application/xml" })
      const text = yield* read({ success: Schema.String.pipe(HttpApiSchema.asText()) })
      const raw = yield* read({ success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()) })
      assert.deepStrictEqual([text, new TextDecoder().decode(raw)], ["a\tb", "a\tb"])
      assert.deepStrictEqual((yield* Wire.sent).map(({ body, headers }) => [headers["content-type"], body]), [
        ["application/octet-stream", "<tmx/>"],
        ["application/xml", "<tmx/>"],
        [undefined, ""],
        [undefined, ""]
      ])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(200, "a\tb")))))

  it.effect.each([200, 201, 202])("a success with status %i is decoded", (status) =>
    Effect.gen(function*() {
      const { expires_at } = yield* read({ success: Job })
      assert.strictEqual(expires_at?.toString(), "DateTime.Utc(2026-03-01T08:15:00.000Z)")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(status, { ...job, expires_at: "2026-03-01T08:15:00Z" })]))))

  it.effect.each([200, 201, 202, 204])(
    "the body of a success with status %i is ignored without a schema",
    (status) =>
      Effect.gen(function*() {
        assert.isUndefined(yield* make())
      }).pipe(Effect.provide(Wire.layer([Wire.answer(status, status === 204 ? "" : job)])))
  )

  it.effect("a success without a body is accepted if its schema has undefined, or nothing but null", () =>
    Effect.gen(function*() {
      const success = Schema.UndefinedOr(Job)
      assert.isUndefined(yield* read({ success }))
      assert.isNull(yield* read({ success: Schema.Null }))
      assert.strictEqual((yield* read({ success }))?.job_id, "j 1")
    }).pipe(Effect.provide(
      Wire.layer([Wire.answer(204), Wire.answer(200), Wire.answer(200, { ...job, text: `"${"[".repeat(300)}` })], {
        resilience: { attempts: 1 }
      })
    )))

  it.effect("a success of another shape is an unexpected response", () =>
    Effect.gen(function*() {
      const shape = yield* Effect.flip(read({ success: Job }))
      for (const success of [Job, Schema.NullOr(Job)]) {
        const empty = yield* Effect.flip(read({ success }))
        assert.deepStrictEqual([shape._tag, empty._tag], ["UnexpectedResponse", "UnexpectedResponse"])
      }
      assert.strictEqual(shape.operation, "CustomRequests.send")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, {}), Wire.answer(204), Wire.answer(204)]))))

  it.effect.each([250, 20_000])(
    "a success of a recursive schema, %i levels deep, is decoded or unexpected",
    (depth) =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(read({ success: Tree }))
        if (depth < 256) return assert.isTrue(Exit.isSuccess(exit))
        const error = yield* Effect.flip(exit)
        assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", isTransient: false })
        assert.include(error.message, "the body is nested more than 256 levels deep")
      }).pipe(Effect.provide(Wire.layer([
        Wire.answer(200, `${`{"of":["[\\"",`.repeat(depth / 2)}0${"]}".repeat(depth / 2)}`, {
          "content-type": "application/json"
        })
      ])))
  )

  it.effect("the errors of the service have their classes", () =>
    Effect.gen(function*() {
      const errors = yield* Effect.forEach(Array.from({ length: 6 }), () => Effect.flip(read()))
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag), [
        "BadRequest",
        "NotFound",
        "UnexpectedResponse",
        "UriTooLong",
        "UnsupportedMediaType",
        "QuotaExceeded"
      ])
    }).pipe(Effect.provide(Wire.layer([400, 404, 409, 414, 415, 456].map((status) => Wire.answer(status))))))

  it.effect.each(paths)("the path %j is refused, and nothing is sent", (path) =>
    Effect.gen(function*() {
      // A caller without types may pass any text.
      const error = yield* Effect.flip(make({ path: JSON.parse(JSON.stringify(path)) }))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "path", operation: "CustomRequests.send" })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each(refused)("%s is refused, and nothing is sent", ([, parameter, options]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(make(options))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.prop(
    "no path and no value moves a request outside of the base address",
    [
      Schema.Array(Schema.Union([Schema.String, Schema.Literals(["..", ".", ":id", "v1", "%2e%2e", "\\", "/"])])),
      Schema.Union([Schema.String, Schema.Literals(["..", "../..", "/", "//evil.test", "?a", "#a"])])
    ],
    ([parts, id]) =>
      Effect.gen(function*() {
        const params = parts.includes(":id") ? { id } : {}
        const path = `/${parts.join("/")}` as const
        const sent = yield* Effect.exit(read({ path, params }))
        const urls = (yield* Wire.sent).map(({ url }) => new URL(url))
        assert.strictEqual(urls.length, sent._tag === "Success" ? 1 : 0)
        for (const url of urls) {
          assert.strictEqual(url.origin, "https://service.test")
          const [, base, ...rest] = url.pathname.split("/")
          assert.strictEqual(base, "gateway")
          assert.strictEqual(rest.length, path.split("/").length - 1)
          assert.strictEqual(`${url.search}${url.hash}`, "")
        }
      }).pipe(Effect.provide(Wire.layer(Wire.answer(200), { baseUrl: "https://service.test/gateway" }))),
    { arbitrary: { runs: scaled(40, 100) } }
  )

  describe("repeats", () => {
    const failing = [Wire.answer(500), Wire.answer(200)]

    it.effect("a GET without a declared repeat is sent again", () =>
      Effect.gen(function*() {
        yield* valueOverTime(CustomRequests.use((requests) => requests.send({ method: "GET", path: "/v1/jobs" })))
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer(failing))))

    it.effect("any other method without a declared repeat is not sent again after an unknown outcome", () =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(make())
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", cause: "InternalServerError" })
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(Wire.layer(failing))))

    it.effect("a creation that was refused is sent again", () =>
      Effect.gen(function*() {
        yield* valueOverTime(make())
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer([Wire.answer(429), Wire.answer(200)]))))

    it.effect.each(["Read", "Replace", "Metered"] as const)(
      "%s is sent again after an unknown outcome",
      (repeat) =>
        Effect.gen(function*() {
          const send = CustomRequests.use((requests) => requests.send({ method: "PUT", path: "/v1/jobs", repeat }))
          yield* valueOverTime(send)
          assert.strictEqual(yield* Wire.count, 2)
        }).pipe(Effect.provide(Wire.layer(failing)))
    )

    it.effect("a repeated DELETE that finds nothing succeeds, unless its answer has a schema", () =>
      Effect.gen(function*() {
        const remove = { method: "DELETE", path: "/v1/jobs", repeat: "Replace" } as const
        assert.isUndefined(yield* valueOverTime(CustomRequests.use((requests) => requests.send(remove))))
        const error = yield* errorOverTime(CustomRequests.use((requests) => requests.send({ ...remove, success: Job })))
        assert.strictEqual(error._tag, "NotFound")
      }).pipe(Effect.provide(Wire.layer([Wire.answer(500), Wire.answer(404), Wire.answer(500), Wire.answer(404)]))))

    it.effect("requests follow the policy of their service", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* errorOverTime(read())).attempts.length, 2)
      }).pipe(Effect.provide(Wire.layer(Wire.answer(503), { serviceResilience: { CustomRequests: { attempts: 2 } } }))))
  })

  it.effect("telemetry has the template of the path, and no ids", () =>
    Effect.gen(function*() {
      const { spans, tracer } = tracing()
      yield* Effect.provideService(
        read({ path: "/v1/jobs/:job_id", params: { job_id: "private-id" } }),
        Tracer.Tracer,
        tracer
      )
      assert.deepStrictEqual(spans.map(({ name }) => name), ["CustomRequests.send", "GET /v1/jobs/{job_id}"])
      assert.notInclude(JSON.stringify(spans.map(({ attributes }) => Object.fromEntries(attributes))), "private-id")
    }).pipe(Effect.provide(Wire.layer(Wire.answer(200)))))

  it.effect("a key that the service repeats is in no error", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read())
      assert.notInclude(`${error.message}${JSON.stringify(error)}`, "SECRET-KEY-0123")
    }).pipe(
      Effect.provide(
        Wire.layer([Wire.answer(400, { message: "The key SECRET-KEY-0123 is good." })], {
          key: Redacted.make("SECRET-KEY-0123")
        })
      )
    ))
})
