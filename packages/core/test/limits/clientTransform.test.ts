import { Attempt, Detection, Documents, Languages, LanguageServiceConfig } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Formatter, Stream } from "effect"
import { Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import * as Docs from "../support/documents.ts"
import { echo, errorOverTime, overTime, printedOf, Sample, valueOverTime, Wire } from "../support/index.ts"

const detect = (text: string) => Detection.use((detection) => detection.detect(text))

const resources = Languages.use((languages) => languages.resources)

/** Numbers the attempts in a header. */
const numbering = (): LanguageServiceConfig.ClientTransform => {
  let number = 0
  return HttpClient.mapRequest((request) => HttpClientRequest.setHeader(request, "x-number", `${++number}`))
}

const header = (name: string) => Effect.map(Wire.sent, (sent) => sent.map(({ headers }) => headers[name]))

const withHeader = (name: string, value: string) => HttpClient.mapRequest(HttpClientRequest.setHeader(name, value))

/** Copies a header of a request into another one. */
const copying = (from: string, to: string) =>
  HttpClient.mapRequest((request) => HttpClientRequest.setHeader(request, to, request.headers[from] ?? "nothing"))

const slow = (time: Duration.Input): LanguageServiceConfig.ClientTransform =>
  HttpClient.mapRequestEffect((request) => Effect.delay(Effect.succeed(request), time))

const refused = (request: HttpClientRequest.HttpClientRequest, cause: Error) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, cause }) }))

const failing = (cause: Error): LanguageServiceConfig.ClientTransform =>
  HttpClient.mapRequestEffect((request) => refused(request, cause))

/** Gets another token when the service rejects the first. */
const refreshing: LanguageServiceConfig.ClientTransform = (client) =>
  HttpClient.transformResponse(
    client,
    (sending) => Effect.flatMap(sending, (response) => response.status < 300 ? Effect.succeed(response) : sending)
  )

describe("a transform of the client", () => {
  it.effect("is made once, and runs for each attempt, retries included, with the body as it is sent", () => {
    const bodies: Array<string> = []
    const numbered = numbering()
    let made = 0
    const transformClient: LanguageServiceConfig.ClientTransform = (client) => {
      made++
      return HttpClient.tapRequest(numbered(client), ({ body }) =>
        Effect.sync(() => {
          bodies.push(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : body._tag)
        }))
    }
    return Effect.gen(function*() {
      // This client, and that of administration.
      assert.strictEqual(made, 2)
      yield* valueOverTime(detect("a"))
      assert.deepStrictEqual(yield* header("x-number"), ["1", "2"])
      assert.deepStrictEqual(bodies, [`{"text":["a"]}`, `{"text":["a"]}`])
      assert.strictEqual(made, 2)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), echo()], { transformClient })))
  })

  it.effect("runs for uploads, polls and downloads", () =>
    Effect.gen(function*() {
      const { stream } = yield* valueOverTime(Documents.use((documents) => documents.translate(Sample.upload)))
      yield* Stream.runDrain(stream)
      assert.deepStrictEqual(yield* header("x-number"), ["1", "2", "3"])
    }).pipe(Effect.provide(Docs.layer({ options: { transformClient: numbering() } }))))

  it.effect("has the context of the call", () => {
    const Tenant = Context.Reference("test/Tenant", { defaultValue: () => "none" })
    const transformClient: LanguageServiceConfig.ClientTransform = HttpClient.mapRequestEffect((request) =>
      Effect.map(Tenant, (tenant) => HttpClientRequest.setHeader(request, "x-tenant", tenant))
    )
    return Effect.gen(function*() {
      yield* Effect.exit(Effect.provideService(resources, Tenant, "north"))
      assert.deepStrictEqual(yield* header("x-tenant"), ["north"])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(400)], { transformClient })))
  })

  it.effect("of the options is nearest to the network: its signature covers what a region adds", () =>
    Effect.gen(function*() {
      yield* Effect.exit(resources.pipe(LanguageServiceConfig.withClientTransform(withHeader("x-tenant", "north"))))
      yield* Effect.exit(resources)
      assert.deepStrictEqual(yield* header("x-signed"), ["north", "nothing"])
      assert.deepStrictEqual(yield* header("x-tenant"), ["north", undefined])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400), { transformClient: copying("x-tenant", "x-signed") }))))

  it.effect("of a region within another is applied to the client of the outer one", () =>
    Effect.gen(function*() {
      yield* Effect.exit(
        LanguageServiceConfig.withClientTransform(
          resources.pipe(LanguageServiceConfig.withClientTransform(copying("x-tenant", "x-inner"))),
          withHeader("x-tenant", "outer")
        )
      )
      assert.deepStrictEqual(yield* header("x-inner"), ["outer"])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400)))))

  it.effect("that fails to encode a request refuses it: nothing is sent, nor retried, and the circuit stays closed", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 100; call++) {
        const error = yield* errorOverTime(
          detect("a").pipe(LanguageServiceConfig.withClientTransform(failing(new Error("No token"))))
        )
        assert.deepInclude<object>(error, { _tag: "ConnectionFailed", outcome: "refused", isTransient: false })
        assert.include(error.message, "No token")
        assert.strictEqual(error.attempts.length, 1)
      }
      assert.strictEqual(yield* Wire.count, 0)
      assert.strictEqual((yield* Effect.flip(resources))._tag, "BadRequest")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(400)]))))

  it.effect("keeps a defect a defect", () =>
    Effect.gen(function*() {
      const bugs: ReadonlyArray<LanguageServiceConfig.ClientTransform> = [
        HttpClient.mapRequestEffect(() => Effect.die(new Error("a bug"))),
        () => {
          throw new Error("a bug")
        }
      ]
      for (const bug of bugs) {
        assert.isTrue(
          Exit.hasDies(yield* Effect.exit(detect("a").pipe(LanguageServiceConfig.withClientTransform(bug))))
        )
      }
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("takes time of the attempt, and is a part of its entry in the ledger", () =>
    Effect.gen(function*() {
      const [, [attempt, ...others]] = yield* valueOverTime(
        Attempt.record(detect("a").pipe(LanguageServiceConfig.withClientTransform(slow("5 seconds"))))
      )
      assert.deepStrictEqual([attempt?.took, others], [Duration.seconds(14), []])
      const { exit } = yield* overTime(detect("a").pipe(LanguageServiceConfig.withClientTransform(slow("1 minute"))))
      assert.deepInclude<object>(yield* Effect.flip(exit), { _tag: "AttemptTimeout", outcome: "unknown" })
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.late("9 seconds", echo()), { resilience: { attempts: 1 } }))))

  it.effect("that sends a request again is one attempt", () =>
    Effect.gen(function*() {
      const [, attempts] = yield* valueOverTime(
        Attempt.record(detect("a").pipe(LanguageServiceConfig.withClientTransform(refreshing)))
      )
      assert.deepStrictEqual(attempts.map(({ number, status }) => [number, status]), [[1, 200]])
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(401), echo()]))))

  const token = "token-of-the-gateway"
  const authorized = withHeader("x-gateway", `Bearer ${token}`)

  it.effect.each<readonly [what: string, reply: Wire.Reply]>([
    ["message", Wire.answer(400, { message: `the token ${token} is bad` }, { "x-trace-id": token })],
    ["page of a proxy", Wire.answer(502, `<html>${token}</html>`, { "x-trace-id": token })],
    ["success of another shape", Wire.answer(200, { [token]: token }, { "x-trace-id": token })],
    ["failure of the platform", (request) => refused(request, new TypeError(`Invalid value "Bearer ${token}"`))]
  ])(
    "a header that it adds is in nothing that is printed, also where a %s repeats it",
    ([, reply]) =>
      Effect.gen(function*() {
        const { exit, printed } = yield* printedOf(
          resources.pipe(LanguageServiceConfig.withClientTransform(authorized))
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.include(printed.map(([, said]) => said).join(), "[redacted]")
        for (const [where, said] of printed) assert.notInclude(said, token, where)
      }).pipe(Effect.provide(Wire.layer(reply, { resilience: { attempts: 2 } })))
  )

  it.effect("a header in Headers.CurrentRedactedNames is hidden where a program itself prints the request", () =>
    Effect.gen(function*() {
      const printed: Array<string> = []
      const printing = HttpClient.tapRequest((request) =>
        Effect.sync(() => printed.push(Formatter.format(request.headers)))
      )
      const call = Effect.exit(
        resources.pipe(LanguageServiceConfig.withClientTransform((client) => printing(authorized(client))))
      )
      yield* call
      yield* Effect.updateService(call, Headers.CurrentRedactedNames, (names) => [...names, "x-gateway"])
      assert.deepStrictEqual(printed.map((said) => said.includes(token)), [true, false])
      for (const said of printed) assert.notInclude(said, Wire.key)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400)))))
})
