import { ClientState } from "@effect-lingua/core/client/ClientState"
import * as AttemptMiddleware from "@effect-lingua/core/config/AttemptMiddleware"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { assert, describe, it } from "@effect/vitest"
import { Context, Data, Duration, Effect, Exit, Fiber, Formatter, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { echo } from "../support/bulk.ts"
import * as Docs from "../support/documents.ts"
import * as Metrics from "../support/metrics.ts"
import * as Sample from "../support/operations.ts"
import { errorOverTime, overTime, valueOverTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

class NoToken extends Data.TaggedError("NoToken")<{ readonly isTransient?: boolean }> {}

const detect = (text: string) => Detection.use((detection) => detection.detect(text))

const translate = Translation.use((translation) => translation.translate({ text: ["Hello"], targetLanguage: "de" }))

const resources = Languages.use((languages) => languages.resources())

/** Numbers the attempts in a header. */
const numbering = () => {
  let number = 0
  return AttemptMiddleware.mapRequest((request) =>
    Effect.sync(() => HttpClientRequest.setHeader(request, "x-number", `${++number}`))
  )
}

const header = (name: string) => Effect.map(Wire.sent, (sent) => sent.map(({ headers }) => headers[name]))

const withHeader = (name: string, value: string): AttemptMiddleware.AttemptMiddleware =>
  HttpClient.mapRequest(HttpClientRequest.setHeader(name, value))

const slow = (time: Duration.Input) =>
  AttemptMiddleware.mapRequest((request) => Effect.delay(Effect.succeed(request), time))

/** Gets another token when the service rejects the first. */
const refreshing: AttemptMiddleware.AttemptMiddleware = (client) =>
  HttpClient.transformResponse(
    client,
    (sending) => Effect.flatMap(sending, (response) => response.status < 300 ? Effect.succeed(response) : sending)
  )

const recorded = (middleware: AttemptMiddleware.AttemptMiddleware) =>
  Effect.map(
    valueOverTime(
      Attempt.record(Effect.exit(Effect.provideService(translate, AttemptMiddleware.Current, middleware)))
    ),
    ([, attempts]) => attempts.map(({ failure, number, outcome, status }) => [number, status, failure, outcome])
  )

describe("the middleware of attempts", () => {
  it.effect("runs around each attempt, retries included, with the body as it is sent", () => {
    const bodies: Array<string> = []
    const numbered = numbering()
    const attemptMiddleware: AttemptMiddleware.AttemptMiddleware = (client) =>
      HttpClient.tapRequest(numbered(client), ({ body }) =>
        Effect.sync(() => {
          bodies.push(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : body._tag)
        }))
    return Effect.gen(function*() {
      yield* valueOverTime(detect("a"))
      assert.deepStrictEqual(yield* header("x-number"), ["1", "2"])
      assert.deepStrictEqual(bodies, [`{"text":["a"]}`, `{"text":["a"]}`])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), echo()], { attemptMiddleware })))
  })

  it.effect("runs around uploads, polls and downloads", () =>
    Effect.gen(function*() {
      const { stream } = yield* valueOverTime(Documents.use((documents) => documents.translate(Sample.upload)))
      yield* Stream.runDrain(stream)
      assert.deepStrictEqual(yield* header("x-number"), ["1", "2", "3"])
    }).pipe(Effect.provide(Docs.layer({ options: { attemptMiddleware: numbering() } }))))

  it.effect("has the context of the call", () => {
    const Tenant = Context.Reference("test/Tenant", { defaultValue: () => "none" })
    const attemptMiddleware = AttemptMiddleware.mapRequest((request) =>
      Effect.map(Tenant, (tenant) => HttpClientRequest.setHeader(request, "x-tenant", tenant))
    )
    return Effect.gen(function*() {
      yield* Effect.exit(Effect.provideService(resources, Tenant, "north"))
      assert.deepStrictEqual(yield* header("x-tenant"), ["north"])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(400)], { attemptMiddleware })))
  })

  it.effect("of the client comes after that of a region", () =>
    Effect.gen(function*() {
      yield* Effect.exit(Effect.provideService(resources, AttemptMiddleware.Current, withHeader("x-tenant", "north")))
      assert.deepStrictEqual(yield* header("x-signed"), ["north"])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(400)], {
      attemptMiddleware: HttpClient.mapRequest((request) =>
        HttpClientRequest.setHeader(request, "x-signed", request.headers["x-tenant"] ?? "nothing")
      )
    }))))

  it.effect("is retried when it fails, and the call then has its error, with the outcome refused", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(detect("a"))
      assert.deepInclude<object>(error, {
        _tag: "ConnectionFailed",
        code: "ERR_ATTEMPT_MIDDLEWARE",
        outcome: "refused",
        isTransient: true
      })
      assert.strictEqual(error.attempts.length, 5)
      assert.include(error.message, "the attempt middleware failed")
      assert.include(error.message, "NoToken")
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([], { attemptMiddleware: AttemptMiddleware.mapRequest(() => new NoToken({})) }))))

  it.effect("is not retried when its error is not transient", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(detect("a"))
      assert.deepInclude<object>(error, { _tag: "ConnectionFailed", isTransient: false })
      assert.strictEqual(error.attempts.length, 1)
    }).pipe(
      Effect.provide(
        Wire.layer([], { attemptMiddleware: AttemptMiddleware.mapRequest(() => new NoToken({ isTransient: false })) })
      )
    ))

  it.effect("does not open the circuit breaker by its failures", () => {
    let fails = true
    const attemptMiddleware = AttemptMiddleware.mapRequest((request) =>
      Effect.suspend(() => fails ? new NoToken({ isTransient: false }) : Effect.succeed(request))
    )
    return Effect.gen(function*() {
      for (let call = 0; call < 100; call++) yield* Effect.exit(resources)
      fails = false
      assert.strictEqual((yield* Effect.flip(resources))._tag, "BadRequest")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(400)], { attemptMiddleware })))
  })

  it.effect("keeps a defect a defect", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(detect("a"))
      assert.isTrue(Exit.hasDies(exit))
    }).pipe(
      Effect.provide(
        Wire.layer([], { attemptMiddleware: AttemptMiddleware.mapRequest(() => Effect.die(new Error("a bug"))) })
      )
    ))

  it.effect("takes time of the deadline and not of the attempt, and nothing was sent until then", () => {
    return Effect.gen(function*() {
      const late = yield* overTime(
        detect("a").pipe(
          Effect.provideService(ResiliencePolicy.Override, { deadline: "40 seconds" }),
          Effect.provideService(AttemptMiddleware.Current, slow("1 minute"))
        )
      )
      assert.strictEqual(late.took, 40_000)
      const error = yield* Effect.flip(late.exit)
      assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused" })
      assert.strictEqual(yield* Wire.count, 0)
      const slower = yield* overTime(
        Effect.provideService(detect("a"), AttemptMiddleware.Current, slow("15 seconds"))
      )
      assert.strictEqual((yield* slower.exit)._tag, "Detected")
      assert.strictEqual(slower.took, 24_000)
    }).pipe(Effect.provide(Wire.layer(Wire.late("9 seconds", echo()))))
  })

  it.effect("its time is an entry of its own in the ledger, and a cause of a wait in the metrics", () =>
    Effect.gen(function*() {
      const [, [attempt, ...others]] = yield* valueOverTime(
        Attempt.record(Effect.provideService(detect("a"), AttemptMiddleware.Current, slow("15 seconds")))
      )
      if (attempt === undefined) return assert.fail("it has no attempt")
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(
        [attempt.middleware, attempt.queued, attempt.took],
        [Duration.seconds(15), undefined, Duration.seconds(9)]
      )
      assert.strictEqual(Attempt.format([attempt]), "middleware 15 s, #1 200")
      const waits = (yield* Metrics.snapshot).filter(({ name }) => name === "wait.duration")
      assert.deepStrictEqual(waits.map(({ attributes }) => attributes["cause"]), ["middleware"])
      assert.deepStrictEqual(yield* Metrics.sums("wait.duration"), [15])
    }).pipe(Effect.provide(Wire.layer(Wire.late("9 seconds", echo()))), Metrics.isolated))

  it.effect("a call whose middleware has not sent it yet is queued and not in flight", () =>
    Effect.gen(function*() {
      const counts = Effect.map(
        ClientState.use((client) => client.get()),
        ({ inFlight, queued }) => [inFlight, queued]
      )
      const fiber = yield* Effect.forkChild(
        Effect.provideService(resources, AttemptMiddleware.Current, slow("15 seconds"))
      )
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* counts, [0, 1])
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual(yield* counts, [1, 0])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* counts, [0, 0])
    }).pipe(Effect.provide(Wire.layer(Wire.silent))))

  describe("that sends a request again", () => {
    it.effect("has an entry in the ledger for each of them, and a metric", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* recorded(refreshing), [
          [1, 401, "resent", "refused"],
          [2, 200, undefined, undefined]
        ])
        const attempts = (yield* Metrics.snapshot).filter(({ name }) => name === "attempts")
        assert.sameMembers(attempts.map(({ attributes }) => attributes["result"]), ["resent", "success"])
      }).pipe(Effect.provide(Wire.layer([Wire.answer(401), echo()])), Metrics.isolated))
  })

  it.effect("its headers count as secrets, which the service may repeat in any encoding", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resources)
      assert.include(error.message, "[redacted]")
      assert.notInclude(Formatter.format(error), "token-of-the-gateway")
      assert.notInclude(JSON.stringify(error), "token-of-the-gateway")
    }).pipe(Effect.provide(Wire.layer(
      [Wire.answer(400, { message: "the token token-of-the-gateway is bad" }, {
        "x-trace-id": "token-of-the-gateway"
      })],
      { attemptMiddleware: withHeader("x-gateway", "Bearer token-of-the-gateway") }
    ))))

  it.effect("that is no function is refused as a setting", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(Effect.provide(resources, Wire.layer([], { attemptMiddleware: JSON.parse("1") })))
      assert.include(Formatter.format(exit), "attemptMiddleware must be a function")
    }))
})
