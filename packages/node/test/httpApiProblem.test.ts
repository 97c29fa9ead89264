// A server of its own `HttpApi` reports failed calls to a client that Effect derives from the same `HttpApi`, on a socket.
import { HttpApiProblem, Problem, ServiceError } from "@effect-lingua/core"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Arbitrary, Data, Duration, Effect, Layer, Logger, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiClient,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  OpenApi
} from "effect/http-api"
import { readFileSync } from "node:fs"
import { effect, effectWith } from "../../../test/support/tests.ts"
import { classes } from "./support/errorClasses.ts"

const Shop = HttpApi.make("Shop").add(
  HttpApiGroup.make("Reviews").add(
    HttpApiEndpoint.post("translate", "/reviews", {
      payload: Schema.Struct({ name: Schema.NonEmptyString }),
      success: Schema.Struct({ german: Schema.String }),
      error: HttpApiProblem.errors
    })
  )
).middleware(HttpApiMiddleware.ProblemDetails)

/** An error of each class. */
const errorOf = (name: string) =>
  Effect.gen(function*() {
    const Class = classes.get(name)
    if (Class === undefined) return yield* Effect.die(`there is no ${name}`)
    const [error] = yield* Effect.orDie(Arbitrary.sampleEffect(Arbitrary.schema(Class), { count: 1, seed: name }))
    return Problem.isSource(error) ? error : yield* Effect.die(`${name} is not of the library`)
  })

const Reviews = HttpApiBuilder.group(
  Shop,
  "Reviews",
  (handlers) =>
    handlers.handle("translate", ({ payload }) =>
      errorOf(payload.name).pipe(
        Effect.flatMap((error) => Effect.fail(HttpApiProblem.fromError(error, { instance: `/calls/${payload.name}` })))
      ))
)

const server = HttpRouter.serve(
  HttpApiBuilder.layer(Shop).pipe(Layer.provide(Reviews), Layer.provide(HttpApiMiddleware.layerProblemDetails())),
  { disableListenLog: true, disableLogger: true }
).pipe(Layer.provideMerge(NodeHttpServer.layerTest))

const declared = Object.keys(OpenApi.fromApi(Shop).paths["/reviews"]?.post?.responses ?? {})

const test = effectWith(server)

describe("problems of an HttpApi", () => {
  test("arrive at a derived client as they were, for each category of error", function*() {
    const { Reviews: { translate } } = yield* HttpApiClient.make(Shop)
    const seen = { categories: new Set<string>(), statuses: new Set<string>(["200"]) }
    for (const name of classes.keys()) {
      const error = yield* errorOf(name)
      const problem = yield* Effect.flip(translate({ payload: { name } }))
      assert.instanceOf(problem, HttpApiProblem.HttpApiProblem)
      assert.deepStrictEqual(problem, HttpApiProblem.fromError(error, { instance: `/calls/${name}` }))
      assert.strictEqual(problem.message, Problem.toProblem(error).body.detail)
      seen.categories.add(error.category ?? "")
      seen.statuses.add(String(problem.status))
    }
    const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8")
    const categories = Array.from(page.matchAll(/^\| `\w+` \| `(\w+)` \|/gm), ([, category]) => category)
    assert.deepStrictEqual(seen.categories, new Set(categories))
    assert.deepStrictEqual([...seen.statuses].toSorted(), declared.toSorted())
  })

  test("are problem details on the wire, with nothing else of the error", function*() {
    const response = yield* HttpClientRequest.post("/reviews").pipe(
      HttpClientRequest.bodyJsonUnsafe({ name: "CircuitOpen" }),
      HttpClient.execute
    )
    const { body, headers, status } = Problem.toProblem(yield* errorOf("CircuitOpen"), {
      instance: "/calls/CircuitOpen"
    })
    assert.strictEqual(response.status, status)
    assert.deepInclude(response.headers, headers)
    assert.deepStrictEqual<unknown>(yield* response.json, body)
  })

  effect("leave the time out that is none, and read that of a proxy", function*() {
    const source = { _tag: "Any", category: "throttled", isTransient: true } as const
    const never = HttpApiProblem.fromError({ ...source, retryAfter: Duration.infinity })
    assert.isUndefined(never.retryAfter)
    assert.deepStrictEqual(
      HttpApiProblem.fromError({ ...source, retryAfter: Duration.millis(1500) }).retryAfter,
      Duration.seconds(2)
    )
    const unavailable = HttpApiProblem.errors.find((schema) => Schema.is(schema)(never))
    const decoded = yield* Schema.decodeUnknownEffect(unavailable ?? HttpApiProblem.errors[0] ?? Schema.Never)({
      body: { title: "Busy", status: 503 },
      headers: { "retry-after": "Wed, 25 Nov 2026 20:00:00 GMT" }
    })
    assert.deepStrictEqual(decoded, new HttpApiProblem.HttpApiProblem({ status: 503, title: "Busy" }))
  })

  test("are those of requests that the server cannot decode too", function*() {
    const transformClient = HttpClient.mapRequest(HttpClientRequest.bodyJsonUnsafe({ name: "" }))
    const { Reviews: { translate } } = yield* HttpApiClient.make(Shop, { transformClient })
    const problem = yield* Effect.flip(translate({ payload: { name: "CircuitOpen" } }))
    assert.instanceOf(problem, HttpApiProblem.HttpApiProblem)
    assert.strictEqual(problem.status, 400)
  })

  effect("are the errors of a handler, an unknown one as 500, logged once, and a problem as it is", function*() {
    const logged: Array<unknown> = []
    class Unknown extends Data.Error {}
    const unknown = new Unknown()
    const busy = new HttpApiProblem.HttpApiProblem({ status: 503, title: "Busy" })
    const statusOf = (error: Unknown | ServiceError.ServiceUnavailable | HttpApiProblem.HttpApiProblem) =>
      Effect.map(Effect.flip(HttpApiProblem.mapErrors(Effect.fail(error))), ({ status }) => status)
    const statuses = yield* Effect.forEach(
      [new ServiceError.ServiceUnavailable({}), unknown, unknown, busy],
      statusOf
    ).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => logged.push(message))])))
    assert.deepStrictEqual(statuses, [503, 500, 500, 503])
    assert.lengthOf(logged, 1)
  })

  it("are in the description of the server, each status with its phrase", () => {
    const { 503: unavailable } = OpenApi.fromApi(Shop).paths["/reviews"]?.post?.responses ?? {}
    assert.strictEqual(unavailable?.description, "Service Unavailable")
    assert.deepStrictEqual(Object.keys(unavailable?.content ?? {}), ["application/problem+json"])
    assert.deepStrictEqual(Object.keys(unavailable?.headers ?? {}), ["retry-after"])
  })

  it("have one type", () => {
    expectTypeOf<HttpApiEndpoint.Error<typeof Shop["groups"]["Reviews"]["endpoints"]["translate"]>["Type"]>()
      .toEqualTypeOf<HttpApiProblem.HttpApiProblem>()
  })
})
