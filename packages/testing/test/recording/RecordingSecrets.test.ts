import { Documents, Ids } from "@effect-lingua/core"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpServerResponse } from "effect/http"
import { scaled } from "../../../../test/support/scale.ts"
import { key, read, recorded, replayed, temporary } from "../support/recordings.ts"

/** Every text in a file: as it stands, in its JSON, and in the bodies, whatever they are. */
const textsOf = (file: string): ReadonlyArray<string> => {
  const texts = [file]
  const parts: Array<string> = []
  const look = (name: string, value: unknown): unknown => {
    texts.push(name)
    if (typeof value !== "string") return value
    texts.push(value, ...new URLSearchParams(value).keys(), ...new URLSearchParams(value).values())
    if (name === "base64") texts.push(Buffer.from(value, "base64").toString("latin1"))
    if (value.startsWith("{")) JSON.parse(value, look)
    return value
  }
  for (const line of file.trimEnd().split("\n")) {
    const { answer, content } = JSON.parse(line, look)
    parts.push(content?.text ?? answer?.body?.text ?? "")
  }
  // A body in parts is one text.
  texts.push(parts.join(""))
  return texts
}

const Key = Schema.String.check(Schema.isPattern(/^[!-~]{8,40}$/))

const DocumentKey = Schema.String.check(Schema.isMinLength(8), Schema.isMaxLength(40))

const other = "a secret of others"

const json = (body: string, status = 400) => HttpServerResponse.text(body, { status, contentType: "application/json" })

const escaped = (text: string) =>
  text.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")

const bytes = (text: string) => new TextEncoder().encode(text)

/** Where a host may repeat a secret. */
const answers = (secret: string): ReadonlyArray<HttpServerResponse.HttpServerResponse> => {
  const encoded = encodeURIComponent(secret)
  return [
    json(JSON.stringify({ message: `bad: ${secret}!`, nested: [{ [secret]: 1 }] })),
    json(JSON.stringify({ document_id: "a", document_key: secret })),
    json(`{"message":"${escaped(secret)}"}`),
    HttpServerResponse.text(`<p>bad: ${secret}</p>`, { status: 400, contentType: "text/html" }),
    HttpServerResponse.text(`bad=${encoded}, ${JSON.stringify(secret)}`, { status: 400 }),
    HttpServerResponse.text("bad", { status: 400, headers: { location: `/?key=${encoded}` } }),
    HttpServerResponse.uint8Array(Uint8Array.of(255, 254, ...bytes(secret), 255), { contentType: "application/pdf" })
  ]
}

describe("the secrets of a Recording", () => {
  it.effect.prop(
    "are not in its file, whatever the key, the document key and the place where the host repeats them",
    [Key, DocumentKey],
    ([secretKey, wild]) =>
      Effect.gen(function*() {
        const path = yield* temporary
        const documentKey = wild.toWellFormed()
        const given = [secretKey, documentKey, other].flatMap(answers)
        let next = 0
        const host = HttpClient.make((request) =>
          Effect.sync(() =>
            HttpServerResponse.toClientResponse(given[next++ % given.length] ?? json("{}"), { request })
          )
        )
        yield* recorded(
          { path, secrets: [Redacted.make(other)] },
          Effect.gen(function*() {
            const { download } = yield* Documents
            const document = { documentId: Ids.DocumentId.make("a"), documentKey: Redacted.make(documentKey) }
            for (const _ of given) {
              const received = Effect.flatMap(download(document), ({ stream }) => Stream.runDrain(stream))
              yield* Effect.ignore(received)
            }
            const http = yield* HttpClient.HttpClient
            const request = HttpClientRequest.post("https://fake.test/a").pipe(
              HttpClientRequest.setHeader("authorization", `Service-Auth-Key ${secretKey}`),
              HttpClientRequest.appendUrlParams({ auth_key: secretKey, other: documentKey }),
              HttpClientRequest.bodyUrlParams({ document_key: documentKey, text: [secretKey, other] })
            )
            for (const _ of given) yield* Effect.flatMap(http.execute(request), ({ stream }) => Stream.runDrain(stream))
          }),
          Layer.succeed(HttpClient.HttpClient, host),
          { key: Redacted.make(secretKey) }
        )
        assert.strictEqual(next, 2 * given.length)
        const texts = textsOf(yield* read(path))
        for (const secret of [secretKey, documentKey, other]) {
          assert.isFalse(texts.some((text) => text.includes(secret)), secret)
          // Bytes that are no text are compared as such, and a JSON text within a text as it stands there.
          for (const form of [Buffer.from(secret).toString("latin1"), JSON.stringify(secret).slice(1, -1)]) {
            assert.isFalse(texts.some((text) => text.includes(form)), form)
          }
        }
      }).pipe(Effect.provide(NodeFileSystem.layer)),
    { arbitrary: { runs: scaled(2, 15) } }
  )

  it.effect("are not in its file when they are values of headers, whose words and types stay in bodies", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const gateway = "gateway-token-0123"
      const cookie = "cookie-value-4567"
      const headers = {
        "x-gateway": `Bearer ${gateway}`,
        cookie: `a=1; session=${cookie}`,
        "x-team": "documents",
        accept: "application/json"
      }
      const given = [gateway, cookie].flatMap(answers).concat(json("{\"a\":\"documents, application/json\"}"))
      let next = 0
      const host = HttpClient.make((request) =>
        Effect.sync(() => HttpServerResponse.toClientResponse(given[next++] ?? json("{}"), { request }))
      )
      const request = HttpClientRequest.get("https://fake.test/a", { headers })
      const received = HttpClient.HttpClient.use((http) =>
        Effect.forEach(given, () => Effect.flatMap(http.execute(request), ({ stream }) => Stream.runDrain(stream)))
      )
      yield* recorded({ path }, received, Layer.succeed(HttpClient.HttpClient, host))
      assert.strictEqual(next, given.length)
      const texts = textsOf(yield* read(path))
      for (const secret of [gateway, cookie]) assert.isFalse(texts.some((text) => text.includes(secret)), secret)
      assert.isTrue(texts.some((text) => text.includes("documents, application/json")))
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("are not in its file when administration makes a key", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const made = "a key that was made"
      const host = HttpClient.make((request) =>
        Effect.succeed(HttpServerResponse.toClientResponse(json(JSON.stringify({ api_key: made }), 200), { request }))
      )
      const create = HttpClientRequest.post("https://fake.test/v2/admin/developer-keys")
      const received = HttpClient.execute(create).pipe(Effect.flatMap(({ text }) => text))
      assert.include(yield* recorded({ path }, received, Layer.succeed(HttpClient.HttpClient, host)), made)
      assert.isFalse(textsOf(yield* read(path)).some((text) => text.includes(made)))
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("are not in its file wherever a long body is cut into chunks by the network and into parts by the file", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const start = 64 * 1024 - 5
      const half = key.length / 2
      // Steps below the length of the key: some parts would end within it.
      const bodies = Array.from({ length: scaled(4, 60) }, (_, step) => step * 17).flatMap((index) => [
        [
          bytes("x".repeat(start)),
          bytes(key.slice(0, half)),
          bytes(key.slice(half)),
          bytes("x".repeat(index)),
          bytes("x")
        ],
        [bytes("x".repeat(start + index) + key), bytes("x".repeat(start))],
        [bytes(`${"x".repeat(start)}${key}${"x".repeat(index)}`), bytes("x")],
        [bytes(key + "x".repeat(start + index)), bytes("x")]
      ])
      let next = 0
      const host = HttpClient.make((request) =>
        Effect.sync(() =>
          HttpServerResponse.toClientResponse(HttpServerResponse.stream(Stream.fromIterable(bodies[next++] ?? [])), {
            request
          })
        )
      )
      const request = HttpClientRequest.get("https://fake.test/a", { headers: { authorization: `Word ${key}` } })
      const receive = Effect.forEach(
        bodies,
        () =>
          HttpClient.HttpClient.use((http) =>
            Effect.flatMap(http.execute(request), ({ stream }) => Stream.mkString(Stream.decodeText(stream)))
          )
      )
      const received = yield* recorded({ path }, receive, Layer.succeed(HttpClient.HttpClient, host))
      assert.isTrue(received.every((text) => text.includes(key)))
      assert.strictEqual(new Set((yield* read(path)).match(/"partOf":\d+/g)).size, bodies.length)
      const replays = yield* replayed({ path }, receive)
      assert.isTrue(replays.every((text, index) => text === received[index]?.replace(key, "__redacted__")))
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("are not in its file in part where a body breaks off in them", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const starts = Array.from({ length: key.length - 4 }, (_, index) => key.slice(0, index + 4))
      const middle = key.slice(1, 5)
      const ends = [...starts, middle]
      let next = 0
      const host = HttpClient.make((request) =>
        Effect.sync(() => {
          const body = Stream.concat(Stream.make(bytes(`bad: ${ends[next++]}`)), Stream.fail(new Error("aborted")))
          return HttpServerResponse.toClientResponse(HttpServerResponse.stream(body), { request })
        })
      )
      const request = HttpClientRequest.get("https://fake.test/a", { headers: { authorization: `Word ${key}` } })
      yield* recorded(
        { path },
        Effect.forEach(ends, () =>
          HttpClient.HttpClient.use((http) =>
            Effect.flip(Effect.flatMap(http.execute(request), ({ stream }) =>
              Stream.runDrain(stream)))
          )),
        Layer.succeed(HttpClient.HttpClient, host)
      )
      const file = yield* read(path)
      assert.strictEqual(file.match(/"text":"bad: __redacted__"/g)?.length, starts.length)
      assert.isFalse(file.includes(key.slice(0, 4)))
      assert.include(file, `"text":"bad: ${middle}"`)
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("are not in its file where nobody knows them yet and the JSON that tells of them breaks off", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const secret = `0A"ü\\B1`
      const whole = `{"document_id":"a","document_key" : ${JSON.stringify(secret)},"more":"bc"}`
      const first = whole.indexOf(":", whole.indexOf("document_key")) + 3
      // Bytes, so that a character is cut too.
      const all = bytes(whole)
      const lengths = Array.from({ length: all.length - first }, (_, index) => first + index + 1).slice(0, -1)
      let next = 0
      const host = HttpClient.make((request) =>
        Effect.sync(() => {
          const body = Stream.concat(Stream.make(all.slice(0, lengths[next++])), Stream.fail(new Error("aborted")))
          const contentType = "application/json"
          return HttpServerResponse.toClientResponse(HttpServerResponse.stream(body, { contentType }), { request })
        })
      )
      yield* recorded(
        { path },
        Effect.forEach(
          lengths,
          () =>
            HttpClient.HttpClient.use((http) =>
              Effect.flip(Effect.flatMap(http.get("https://fake.test/a"), ({ stream }) => Stream.runDrain(stream)))
            )
        ),
        Layer.succeed(HttpClient.HttpClient, host)
      )
      assert.strictEqual(next, lengths.length)
      const bodies = (yield* read(path)).trimEnd().split("\n").slice(1).map((line) => JSON.parse(line).answer.body)
      assert.strictEqual(bodies.length, lengths.length)
      for (const { base64, text = Buffer.from(base64, "base64").toString("latin1") } of bodies) {
        assert.match(text, /"document_key" : "__redacted__("|$)/)
        assert.notMatch(text, /0A|B1/)
      }
    }).pipe(Effect.provide(NodeFileSystem.layer)))
})
