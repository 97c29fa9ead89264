import type { Options } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Voice } from "@effect-lingua/voice/Voice"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { errorOverTime, valueOverTime } from "../../../packages/core/test/support/time.ts"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/wire.ts"

const jobId = Sample.jobId
const content = new TextEncoder().encode("talk")
const { targets } = Sample.speech
const file = { content, fileName: "talk.mp3", contentType: "audio/mpeg", targets }
const signature = "s1gn4ture-of-upload"

const { signed_upload_url: _, ...unsigned } = Sample.started
const started = Wire.answer(201, unsigned)
const standing = (states: ReadonlyArray<string>, headers?: Wire.Headers, fields: object = {}) =>
  Wire.answer(200, { job_id: jobId, results: states.map((status) => ({ status, ...fields })) }, headers)
const complete = standing(["complete"])
const taken = Wire.answer(204)

const translate = Voice.use((voice) => voice.translate(file))
const download = Voice.use((voice) => Stream.mkString(Stream.decodeText(voice.download({ jobId, targetIndex: 0 }))))
const request = (options: Partial<Voice.RequestSessionOptions> = {}) =>
  Voice.use((voice) => voice.requestSession({ sourceMediaContentType: "audio/webm", ...options }))

const over = (script: Wire.Script, options?: Partial<Options>) => Effect.provide(Wire.layer(script, options))

const withHeader = HttpClient.mapRequest(HttpClientRequest.setHeader("x-gateway", "token"))

const sentTo = (host: string) => Effect.map(Wire.sent, (sent) => sent.filter(({ url }) => new URL(url).host === host))

describe("the file of a voice job", () => {
  it.effect("goes up with its signature, by the scheme of the client, and without the key or what a transform of the client adds", () =>
    Effect.gen(function*() {
      yield* translate
      assert.deepStrictEqual(yield* sentTo("assets.example"), [{
        method: "PUT",
        url: "https://assets.example/u/1",
        headers: {
          authorization: `Acme-Signature ${signature}`,
          "content-type": "application/octet-stream",
          "content-length": "4"
        },
        body: "talk"
      }])
    }).pipe(
      over([started, taken, complete], {
        authScheme: "Acme-Auth-Key",
        headers: { "x-tenant": "a" },
        transformClient: withHeader
      })
    ))

  it.effect("goes to the address that is signed by itself, where there is one, with nothing else", () =>
    Effect.gen(function*() {
      yield* translate
      assert.deepStrictEqual(
        (yield* sentTo("assets.example")).map(({ headers, url }) => [url, headers["authorization"]]),
        [["https://assets.example/u/1?sig=s1gned", undefined]]
      )
    }).pipe(over([Wire.answer(201, Sample.started), taken, complete])))

  it.effect("goes to the signed address also when no signature is told beside it", () =>
    Effect.gen(function*() {
      yield* translate
      assert.strictEqual((yield* sentTo("assets.example"))[0]?.url, "https://assets.example/u/1?sig=s1gned")
    }).pipe(over([Wire.answer(201, { ...Sample.started, signature: null }), taken, complete])))

  it.effect("goes to no address without encryption, and not to this machine", () =>
    Effect.forEach(["http://assets.example/u", "https://127.0.0.1/u", "no address"], (url) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(translate)
        assert.deepInclude<object>(error, { _tag: "TransferFailed", direction: "upload", outcome: "refused" })
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(over([Wire.answer(201, { ...unsigned, upload_url: url })]))))

  it.effect("is in no error with its signature, whatever the storage or the platform says", () =>
    Effect.forEach([
      Wire.answer(403, `<Error><Resource>/u/1?${signature}</Resource></Error>`),
      Wire.broken("ENOTFOUND", `PUT with Service-Signature ${signature} failed`)
    ], (reply) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(translate).pipe(over([started, reply]))
        assert.deepInclude<object>(error, { _tag: "TransferFailed", host: "assets.example", jobId })
        assert.notInclude(`${error.message}${JSON.stringify(error)}${String(error.stack)}`, signature)
      })))

  it.effect("is told with its job when it did not get through and the service does not answer either", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(translate)
      assert.deepInclude<object>(error, { _tag: "TransferFailed", jobId, status: 403 })
    }).pipe(over([started, Wire.broken("ECONNRESET"), Wire.answer(403), Wire.answer(400)])))

  it.effect("that was taken by an attempt without an answer is not missed", () =>
    Effect.gen(function*() {
      const job = yield* valueOverTime(translate)
      assert.strictEqual(job.results[0]?.state, "complete")
    }).pipe(over([started, Wire.broken("ECONNRESET"), Wire.answer(403), standing(["processing"]), complete])))

  it.effect("that was refused twice is missed", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(translate))._tag, "TransferFailed")
    }).pipe(over([started, Wire.broken("ECONNRESET"), Wire.answer(403), standing(["pending"])])))

  it.effect("is refused before anything is sent, with the reason", () =>
    Effect.gen(function*() {
      const voice = yield* Voice
      const errors = yield* Effect.forEach([
        voice.translate({ ...file, content: new Uint8Array() }),
        voice.translate({ ...file, content: Stream.make(content), size: 1024 ** 3 + 1 }),
        voice.translate({ ...file, content: Stream.make(content) }),
        voice.translate({ ...file, fileName: "a/b.mp3" }),
        voice.translate({ ...file, contentType: "" }),
        voice.translate({ ...file, targets: [] }),
        voice.translate({ ...file, targets: [{ language: "de", type: "\ud800" }] })
      ], (call) => Effect.flip(call))
      assert.deepStrictEqual(
        errors.map((error) => [error._tag, "parameter" in error ? error.parameter : ""]),
        [
          ["InvalidInput", "content"],
          ["LimitExceeded", "content"],
          ["InvalidInput", "size"],
          ["InvalidInput", "fileName"],
          ["InvalidInput", "contentType"],
          ["InvalidInput", "targets"],
          ["InvalidInput", "targets[0].type"]
        ]
      )
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(over([])))
})

describe("a voice job", () => {
  it.effect("is asked for when the service says, else not within 5 seconds, until all results have ended", () =>
    Effect.gen(function*() {
      const { results } = yield* valueOverTime(Voice.use((voice) => voice.wait({ jobId })))
      assert.deepStrictEqual(results.map(({ state }) => state), ["complete", "failed"])
      assert.deepStrictEqual(yield* Wire.gaps, [5000, 20_000, 5000, 5000])
    }).pipe(over([
      standing([]),
      standing(["processing", "processing"], { "retry-after": "20" }),
      standing(["complete", "a state that nobody knows"]),
      standing(["complete", "processing"]),
      standing(["complete", "failed"])
    ])))

  it.effect("has failed when all of its results have, with the reason in either shape", () =>
    Effect.forEach(["Too long", { message: "Too long" }], (error) =>
      Effect.gen(function*() {
        const failure = yield* Effect.flip(Voice.use((voice) => voice.wait({ jobId })))
        assert.deepInclude<object>(failure, { _tag: "JobFailed", jobId, state: "failed", description: "Too long" })
      }).pipe(over([standing(["failed", "failed"], {}, { error })]))))

  it.effect("does not say its signature when it failed, whatever the service says of it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Voice.use((voice) => voice.wait({ jobId })))
      assert.deepInclude<object>(error, { _tag: "JobFailed", description: "No file for [redacted]" })
    }).pipe(over([standing(["failed"], {}, { signature, error: `No file for ${signature}` })])))

  it.effect("does not say the beginning of its signature, either, where a long reason is cut", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Voice.use((voice) => voice.wait({ jobId })))
      assert.strictEqual(error._tag, "JobFailed")
      assert.notInclude(error.message, signature.slice(0, 8))
    }).pipe(over([standing(["failed"], {}, { signature, error: `${"No file. ".repeat(32)}${signature}` })])))

  it.effect("is named in each error after the start", () =>
    Effect.forEach([
      [Wire.answer(403), Wire.answer(403)],
      [taken, Wire.answer(403)],
      [taken, standing(["failed"])]
    ], (replies) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* errorOverTime(translate)).job, jobId)
      }).pipe(over([started, ...replies]))))

  it.effect("is not done when the deadline is over", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(Voice.use((voice) => voice.wait({ jobId })))
      assert.deepInclude<object>(error, { _tag: "JobNotDone", jobId, state: "complete, processing" })
    }).pipe(over(standing(["complete", "processing"]), { resilience: { jobDeadline: Duration.seconds(12) } })))

  it.effect("with an id that no request can have is an unexpected response", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(translate)
      assert.include(error.message, "the id of the job is invalid")
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(over([Wire.answer(201, { ...unsigned, job_id: ".." })])))

  it.effect("may say no more than its id", () =>
    Effect.gen(function*() {
      const job = yield* Voice.use((voice) => voice.status({ jobId }))
      assert.deepStrictEqual<object>(job, { jobId, targets: [{}], results: [] })
    }).pipe(over([Wire.answer(200, { job_id: jobId, targets: [{ language: null }], results: null })])))

  it.effect("is asked anew for the address of a result, which is fetched with its signature", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(download), "Vortrag")
      assert.deepStrictEqual(
        (yield* sentTo("assets.example")).map(({ headers, url }) => [url, headers]),
        ["1", "2"].map((place) => [
          `https://assets.example/d/${place}`,
          { authorization: "Service-Signature s1gn4ture-of-result" }
        ])
      )
    }).pipe(over([
      standing(["complete"], {}, { download_url: "https://assets.example/d/1", signature: "s1gn4ture-of-result" }),
      Wire.answer(403),
      standing(["complete"], {}, { download_url: "https://assets.example/d/2", signature: "s1gn4ture-of-result" }),
      Wire.answer(200, "Vortrag")
    ])))

  it.effect("gives no result that it does not have", () =>
    Effect.gen(function*() {
      const errors = yield* Effect.forEach([1, 2, 3, 4], () => Effect.flip(download))
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag), ["JobNotDone", "JobFailed", "JobFailed", "InvalidInput"])
    }).pipe(over([standing(["processing"]), standing(["failed"]), standing(["downloaded"]), standing([])])))
})

describe("a voice session", () => {
  it.effect("shows neither its address nor its token, and gives both to a WebSocket", () =>
    Effect.gen(function*() {
      const session = yield* request()
      assert.notInclude(JSON.stringify(session), "voice.example")
      assert.notInclude(JSON.stringify(session), "t0ken")
      assert.strictEqual(
        Redacted.value(Voice.webSocketUrl(session)),
        "wss://voice.example/v3/voice/realtime?token=t0ken-of-session"
      )
    }).pipe(over([Wire.answer(200, Sample.session)])))

  it.effect.each([
    ["https://voice.example/", "the address has the scheme https:"],
    ["ws://voice.example/", "the address has the scheme ws: and must have wss:"],
    ["wss://127.0.0.1/", "the address leads to this machine"],
    ["wss://a:b@voice.example/", "the address has a user"],
    ["voice", "the address is not a URL"]
  ])("at %s is not used", ([url, problem]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(request())
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.include(error.message, `the session cannot be used, because ${problem}`)
      assert.notInclude(error.message, "voice.example")
    }).pipe(over([Wire.answer(200, { ...Sample.session, streaming_url: url })])))

  it.effect("of this machine is for a client of this machine", () =>
    Effect.gen(function*() {
      const { streamingUrl } = yield* request()
      assert.strictEqual(Redacted.value(streamingUrl), "ws://localhost:9000/")
    }).pipe(over([Wire.answer(200, { ...Sample.session, streaming_url: "ws://localhost:9000/" })], {
      baseUrl: "http://127.0.0.1:8080"
    })))

  it.effect("hides its earlier tokens, too, when it is refused another one", () =>
    Effect.gen(function*() {
      const voice = yield* Voice
      const error = yield* Effect.flip(request().pipe(Effect.flatMap(voice.reconnect), Effect.flatMap(voice.reconnect)))
      assert.strictEqual("description" in error && error.description, "Neither [redacted] nor [redacted]")
    }).pipe(over([
      Wire.answer(200, Sample.session),
      Wire.answer(200, { ...Sample.session, token: "second-t0ken" }),
      Wire.answer(400, { message: `Neither ${Sample.session.token} nor second-t0ken` })
    ])))

  it.effect("has at most 5 languages, of which one is spoken", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 6 }, () => "de")
      const errors = yield* Effect.forEach(
        [request({ targetLanguages: many }), request({ targetMediaLanguages: ["de", "fr"] })],
        (call) => Effect.flip(call)
      )
      assert.deepStrictEqual(
        errors.map((error) => "parameter" in error ? error.parameter : error._tag),
        ["targetLanguages", "targetMediaLanguages"]
      )
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(over([])))
})
