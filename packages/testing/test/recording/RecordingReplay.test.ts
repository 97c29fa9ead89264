import { Documents, Ids, Languages, Writing } from "@effect-lingua/core"
import { FakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { Recording, UnrecordedRequest } from "@effect-lingua/testing/recording/Recording"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { key, left, read, recorded, replayed, temporary } from "../support/recordings.ts"

const fake = (options: FakeLanguageService.Options = {}) =>
  FakeLanguageService.layer({ keys: [{ key, tier: "paid", detectionEnabled: true }], ...options })

const correct = (text: string) => Writing.use((writing) => writing.correct({ text: [text], targetLanguage: "en-GB" }))

const resources = Languages.use((languages) => languages.resources)

const upload = (content: Documents.UploadOptions["content"]) =>
  Documents.use((documents) => documents.upload({ content, fileName: "a.txt", targetLanguage: "en-US" })).pipe(
    Effect.map(({ documentId }) => documentId)
  )

const document = { documentId: Ids.DocumentId.make("a"), documentKey: Redacted.make("the key of a document") }

const form = (fields: ReadonlyArray<readonly [string, string]>) => HttpClientRequest.bodyUrlParams(fields)

const post = (url: string, key: string) =>
  HttpClientRequest.post(url, { headers: { authorization: `Word ${key}`, "x-request": url } })

const send = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClient.HttpClient.use((http) => Effect.flatMap(http.execute(request), ({ text }) => text))

/** A host whose answers say how many there were before. */
const counting = () => {
  let count = 0
  return Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => HttpServerResponse.toClientResponse(HttpServerResponse.text(`${count++}`), { request }))
    )
  )
}

/** A host whose answers have this body. */
const streaming = <E>(stream: Stream.Stream<Uint8Array, E>, length: number) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.succeed(
        HttpServerResponse.toClientResponse(HttpServerResponse.stream(stream, { contentLength: length }), { request })
      )
    )
  )

describe("the replay of a Recording", () => {
  it.effect("finds a request again whatever the host, the key, the headers and the order of fields", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const pairs = [
        [
          post("https://one.test/v2?a=1&b=2", "first-key").pipe(
            HttpClientRequest.bodyJsonUnsafe({ a: 1, b: [{ c: 2, d: 3 }] })
          ),
          post("https://two.test/v2?b=2&a=1", "other-key").pipe(
            HttpClientRequest.bodyJsonUnsafe({ b: [{ d: 3, c: 2 }], a: 1 })
          )
        ],
        [
          post("https://one.test/v2", "first-key").pipe(form([["text", "a"], ["text", "b"], ["key", "first-key"]])),
          post("https://two.test/v2", "other-key").pipe(form([["key", "other-key"], ["text", "a"], ["text", "b"]]))
        ],
        [
          post("https://one.test/v2", "first-key").pipe(form([["document_key", "one"]])),
          post("https://two.test/v2", "first-key").pipe(form([["document_key", "two"]]))
        ],
        [
          post("https://one.test/v2", "first-key").pipe(HttpClientRequest.bodyText("first-key is mine")),
          post("https://two.test/v2", "other-key").pipe(HttpClientRequest.bodyText("other-key is mine"))
        ]
      ] as const
      const first = yield* recorded({ path }, Effect.forEach(pairs, ([asked]) => send(asked)), counting())
      assert.deepStrictEqual(first, ["0", "1", "2", "3"])
      const backwards = Effect.forEach(pairs.toReversed(), ([, asked]) => send(asked))
      assert.deepStrictEqual(yield* replayed({ path }, backwards), ["3", "2", "1", "0"])
      // The order of texts is theirs.
      const swapped = form([["text", "b"], ["text", "a"], ["key", "first-key"]])(
        post("https://one.test/v2", "first-key")
      )
      assert.isTrue(HttpClientError.isHttpClientError(yield* Effect.flip(replayed({ path }, send(swapped)))))
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.live("finds an upload again, whatever stands between the parts of its form", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const bytes = new TextEncoder().encode("Guten Tag")
      const uploads = Effect.forEach([bytes, new Blob([bytes]), Stream.make(bytes)], upload)
      const ids = yield* recorded({ path }, uploads, fake())
      assert.deepStrictEqual(yield* replayed({ path }, uploads), ids)
      const other = yield* Effect.flip(replayed({ path }, upload(new TextEncoder().encode("Guten Abend"))))
      assert.include(other.message, "differs in body")
      assert.notInclude(other.message, "Guten")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("answers equal requests in their order, each once", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const request = HttpClientRequest.get("https://one.test/a")
      const twice = Effect.all([send(request), send(request)])
      yield* recorded({ path }, twice, counting())
      assert.include(yield* read(path), `"request":{"method":"GET","path":"/a"}`)
      yield* recorded({ path, existing: "append" }, send(request), counting())
      const error = yield* replayed(
        { path },
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* left, [1, 2, 3].map((exchange) => ({ exchange, method: "GET", path: "/a" })))
          assert.deepStrictEqual(yield* Effect.all([twice, send(request)]), [["0", "1"], "0"])
          return yield* Effect.flip(send(request))
        })
      )
      assert(error.cause instanceof UnrecordedRequest)
      assert.strictEqual(error.cause.answered, 3)
      assert.include(error.message, "all equal exchanges (3) were replayed before")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has the order in which requests went out, not that in which answers came", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const second = yield* Deferred.make<void>()
      let count = 0
      const host = Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) => {
          const number = count++
          const answer = HttpServerResponse.toClientResponse(HttpServerResponse.text(`${number}`), { request })
          return Effect.as(number === 0 ? Deferred.await(second) : Effect.void, answer)
        })
      )
      const request = HttpClientRequest.get("https://one.test/a")
      const both = Effect.all([send(request), Effect.tap(send(request), () => Deferred.succeed(second, undefined))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* recorded({ path }, both, host), ["0", "1"])
      assert.match(yield* read(path), /"exchange":2[^]*"exchange":1/)
      assert.deepStrictEqual(yield* replayed({ path }, Effect.all([send(request), send(request)])), ["0", "1"])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("promises no length of a body that is not the recorded one, as a secret was taken out", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const download = Documents.use((documents) => documents.download(document)).pipe(
        Effect.flatMap(({ contentLength, stream }) =>
          Effect.map(Stream.mkString(Stream.decodeText(stream)), (text) => [text, contentLength])
        )
      )
      const text = `The key is ${key}.`
      const host = streaming(Stream.make(new TextEncoder().encode(text)), text.length)
      assert.deepStrictEqual(yield* recorded({ path }, download, host), [text, text.length])
      assert.deepStrictEqual(yield* replayed({ path }, download), ["The key is __redacted__.", undefined])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("ends a call at once whose request is not there, and says what is nearest, without any text", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      yield* recorded({ path }, correct("a text of a user"), fake())
      const calls = Effect.all([
        Effect.flip(Writing.use((writing) => writing.correct({ text: ["a secret wish"], targetLanguage: "en-GB" }))),
        Effect.flip(resources)
      ])
      const [near, far] = yield* replayed({ path }, calls)
      assert(near._tag === "ConnectionFailed")
      assert.isFalse(near.isTransient)
      assert.strictEqual(near.attempts.length, 1)
      assert.include(near.message, `${path} has no response for POST /v2/write/correct`)
      assert.include(near.message, "the nearest unused exchange differs in text. Record it again.")
      assert.notMatch(near.message, /wish|user/)
      assert.include(
        far.message,
        "no response for GET /v3/languages/resources: next unused exchange: POST /v2/write/correct"
      )
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
      const call = correct("a text of a user")
      const again = yield* replayed({ path }, Effect.andThen(call, Effect.flip(call)))
      assert.include(again.message, "all equal exchanges (1) were replayed before")

      const error = yield* replayed({ path }, Effect.flip(send(HttpClientRequest.get("https://one.test/a?b=c"))))
      assert(HttpClientError.isHttpClientError(error))
      assert.isFalse(HttpClient.isTransientError(error), "no retry of any client is worth it")
      assert(error.cause instanceof UnrecordedRequest)
      const { answered, differences, left, method, recording } = error.cause
      assert.deepStrictEqual([recording, method, error.cause.path, answered, differences], [path, "GET", "/a", 0, []])
      assert.deepStrictEqual(left, [{ exchange: 1, method: "POST", path: "/v2/write/correct" }])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("breaks a body off where it broke off, and stalls it where it stalled", () =>
    Effect.gen(function*() {
      const bytes = Stream.make(new TextEncoder().encode("x".repeat(100_000)), new TextEncoder().encode("y"))
      const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })
      const ends = [Stream.fail(reset), Stream.never, Stream.empty]
      const config = { resilience: { attempts: 1, bodyIdleTimeout: Duration.minutes(1) } }
      const interrupted = yield* Effect.forEach(ends, (end) => {
        const both = Effect.gen(function*() {
          const path = yield* temporary
          // Files take real time, so the clock stands still until all bytes have arrived.
          const download = Effect.gen(function*() {
            const all = yield* Deferred.make<void>()
            let received = 0
            const { stream } = yield* Documents.use((documents) => documents.download(document))
            const read = Stream.runForEach(stream, ({ length }) =>
              (received += length) === 100_001 ? Deferred.succeed(all, undefined) : Effect.void)
            if (end !== Stream.never) {
              return yield* read
            }
            const silence = Effect.forever(Effect.andThen(TestClock.adjust("1 minute"), Effect.yieldNow))
            yield* Effect.raceFirst(read, Effect.andThen(Deferred.await(all), silence))
          }).pipe(Effect.flip)
          const first = yield* recorded({ path }, download, streaming(Stream.concat(bytes, end), 200_000), config)
          const second = yield* replayed({ path }, download, config)
          assert(first._tag === "DownloadInterrupted" && second._tag === "DownloadInterrupted")
          assert.strictEqual(second.bytesReceived, 100_001)
          assert.deepStrictEqual(
            [second.description, second.bytesReceived, second.bytesExpected],
            [first.description, first.bytesReceived, first.bytesExpected]
          )
          return second.description
        })
        return end === Stream.never ? both : TestClock.withLive(both)
      })
      assert.strictEqual(new Set(interrupted).size, 3)
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has what the system said of a connection that broke within a body or before it", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const reset = Object.assign(new Error(`read of ${key} failed`), { code: "ECONNRESET", syscall: "read" })
      const nested = new TypeError("fetch failed", { cause: reset })
      const host = Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, cause: nested })
            })
          )
        )
      )
      const request = HttpClientRequest.get("https://one.test/a", { headers: { authorization: `Word ${key}` } })
      yield* Effect.flip(recorded({ path }, send(request), host))
      const broken = yield* replayed({ path }, Effect.flip(send(request)))
      assert.strictEqual(broken.reason._tag, "TransportError")
      assert.deepInclude(broken.cause, { code: "ECONNRESET", syscall: "read", message: "read of __redacted__ failed" })

      const cut = streaming(Stream.concat(Stream.make(new Uint8Array(3)), Stream.fail(reset)), 10)
      yield* Effect.flip(recorded({ path, existing: "overwrite" }, send(request), cut))
      const error = yield* replayed({ path }, Effect.flip(send(request)))
      assert.strictEqual(error.reason._tag, "DecodeError")
      assert.deepInclude(error.cause, { code: "ECONNRESET" })
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("keeps the status and headers of an answer whose body nobody read, and one that was not waited for", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const request = HttpClientRequest.get("https://one.test/a")
      const status = HttpClient.HttpClient.use((http) => Effect.map(http.execute(request), ({ status }) => status))
      yield* recorded({ path }, status, counting())
      assert.strictEqual(yield* replayed({ path }, status), 200)

      const slow = Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never))
      const impatient = Effect.flip(Effect.timeout(status, "1 second"))
      const first = yield* VirtualTime.run(recorded({ path, existing: "overwrite" }, impatient, slow))
      const second = yield* VirtualTime.run(replayed({ path }, impatient))
      assert.deepStrictEqual([first._tag, second._tag], ["TimeoutError", "TimeoutError"])
      assert.include(yield* read(path), "NoAnswer")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("takes the time of the recording when it is asked to, and none otherwise", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const call = Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(correct("teh one"))
        yield* TestClock.adjust("150 millis")
        return yield* Fiber.join(fiber)
      })
      yield* recorded({ path }, call, fake({ latency: "150 millis" }))
      const start = yield* Clock.currentTimeMillis
      yield* replayed({ path }, correct("teh one"))
      assert.strictEqual(yield* Clock.currentTimeMillis, start)
      yield* replayed(
        { path, delays: true },
        Effect.gen(function*() {
          const late = yield* Effect.forkChild(correct("teh one"))
          yield* TestClock.adjust("149 millis")
          assert.isUndefined(late.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          assert.strictEqual((yield* Fiber.join(late))[0]?.text, "The one.")
        })
      )
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("is what `layer` does where there is a file; else it records one", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const request = HttpClientRequest.get("https://one.test/a")
      const host = counting()
      const program = Effect.zip(send(request), Effect.map(Recording, ({ mode }) => mode))
      const run = program.pipe(Effect.provide(Layer.provide(Recording.layer({ path }), host)))
      assert.deepStrictEqual(yield* run, ["0", "record"])
      assert.deepStrictEqual(yield* run, ["0", "replay"])
      assert.deepStrictEqual(yield* run, ["0", "replay"])
    }).pipe(Effect.provide(NodeFileSystem.layer)))
})
