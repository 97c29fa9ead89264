import * as RequestSignal from "@effect-lingua/core/call/RequestSignal"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import Undici from "@effect/platform-node/Undici"
import { assert, describe, it, vi } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { HttpBody, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { http, HttpResponse } from "msw"
import { setupServer } from "msw/node"
import type { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isFull, sampled, scaled } from "../../../../test/support/scale.ts"
import { effect, live, liveWith } from "../../../../test/support/tests.ts"
import { turn } from "../../../../test/support/virtual.ts"
import * as UndiciClient from "../../src/http/internal/undiciClient.ts"
import { type Answer, cut, cutChunked, rawServer, reset, stall, whole } from "../support/rawServer.ts"

/** Disables the client's own spans, as this library does. */
const untraced = Effect.provideService(HttpClient.TracerDisabledWhen, () => true)

const layer = NodePool.layerHttpClient()

/** The client of the platform, over a pool of its own. */
const layerOfPlatform = Layer.effect(HttpClient.HttpClient, NodeHttpClient.makeUndici).pipe(
  Layer.provide(NodeHttpClient.layerDispatcher)
)

const execute = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClient.HttpClient.use((client) => client.execute(request)).pipe(untraced)

const get = (url: string) => execute(HttpClientRequest.get(url))

const raw = (...parts: ReadonlyArray<string>): Answer => (socket) => {
  for (const part of parts) socket.write(part, "latin1")
}

const ending = (...parts: ReadonlyArray<string>): Answer => (socket) => {
  raw(...parts)(socket)
  socket.end()
}

const head = "HTTP/1.1 200 OK\r\n"

const answers: Readonly<Record<string, Answer>> = {
  "a body of a promised length": whole("200 OK", "hello"),
  "an empty body": whole("200 OK", ""),
  "a body in chunks": raw(`${head}transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`),
  "a trailer": raw(`${head}transfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\nhe\r\n0\r\nx: y\r\n\r\n`),
  "a body that ends with the connection": ending(`${head}\r\nhello`),
  "no body by its status": raw("HTTP/1.1 204 No Content\r\n\r\n"),
  "nothing new": raw("HTTP/1.1 304 Not Modified\r\netag: x\r\ncontent-length: 5\r\n\r\n"),
  "hints before": raw("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", `${head}content-length: 2\r\n\r\nok`),
  "another protocol, unasked": raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
  "an error": whole("503 Service Unavailable", "later", { "retry-after": "1" }),
  "a redirect": whole("302 Found", "", { location: "/elsewhere" }),
  "headers in other cases, and twice": raw(`${head}X-One: 1\r\nx-one: 2\r\nCONTENT-LENGTH: 2\r\n\r\nok`),
  "cookies": raw(`${head}set-cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\ncontent-length: 0\r\n\r\n`),
  "headers beyond ASCII": raw(`${head}x-name: caf\u00e9\r\ncontent-length: 0\r\n\r\n`),
  "JSON": whole("200 OK", "{\"a\":[1]}", { "content-type": "application/json" }),
  "a byte order mark": whole("200 OK", "\ufeff{}"),
  "bytes that are no text": raw(`${head}content-length: 2\r\n\r\n\xff\xfe`),
  "a form": whole("200 OK", "?a=1&b=%20&a=2", { "content-type": "application/x-www-form-urlencoded" }),
  "a form in parts": whole("200 OK", "--x\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--x--", {
    "content-type": "multipart/form-data; boundary=x"
  }),
  "more than it promised": raw(`${head}content-length: 2\r\n\r\nokay`),
  "less than it promised": cut("hello", 10),
  "chunks that stop": cutChunked("hello"),
  "a chunk without a size": raw(`${head}transfer-encoding: chunked\r\n\r\nfive\r\nhello\r\n`),
  "two lengths": raw(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\nok`),
  "a reset in the middle of the body": (socket) => {
    socket.write(`${head}content-length: 10\r\n\r\nhello`, () => socket.resetAndDestroy())
  },
  "a reset": reset,
  "nothing": ending(),
  "half of the headers": ending(`${head}content-le`),
  "something that is no HTTP": ending("SSH-2.0-OpenSSH\r\n"),
  "headers that are too long": raw(`${head}x-long: ${"x".repeat(20_000)}\r\n\r\n`)
}

const requests: Readonly<Record<string, (url: string) => HttpClientRequest.HttpClientRequest>> = {
  "a query, an address to be escaped and a fragment": (url) =>
    HttpClientRequest.get(`${url}/a b/../\u00e9?x=1#part`).pipe(
      HttpClientRequest.setUrlParam("y", "\u00e4&"),
      HttpClientRequest.setHash("other")
    ),
  "a user in the address": (url) => HttpClientRequest.get(url.replace("//", "//user:password@")),
  "no address": () => HttpClientRequest.get("http://"),
  "another protocol": () => HttpClientRequest.get("ftp://127.0.0.1/"),
  "a host that is not there": () => HttpClientRequest.get("http://127.0.0.1:1/"),
  "a header that cannot be sent": (url) => HttpClientRequest.get(url, { headers: { "x-bad": "a\nb" } }),
  "HEAD": (url) => HttpClientRequest.head(url),
  "DELETE": (url) => HttpClientRequest.delete(url),
  "JSON": (url) => HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe({ a: "\u00e9" })),
  "no bytes": (url) => HttpClientRequest.put(url).pipe(HttpClientRequest.bodyUint8Array(new Uint8Array(0))),
  "a part of a buffer": (url) =>
    HttpClientRequest.patch(url).pipe(HttpClientRequest.bodyUint8Array(new Uint8Array([1, 65, 66, 2]).subarray(1, 3))),
  "more bytes than one part has": (url) =>
    HttpClientRequest.put(url).pipe(HttpClientRequest.bodyUint8Array(new Uint8Array(70_000).fill(97))),
  "a raw text": (url) => HttpClientRequest.post(url).pipe(HttpClientRequest.setBody(HttpBody.raw("text"))),
  "a raw iterable": (url) =>
    HttpClientRequest.post(url).pipe(HttpClientRequest.setBody(HttpBody.raw([Buffer.from("a"), Buffer.from("b")]))),
  "a raw body that cannot be sent": (url) =>
    HttpClientRequest.post(url).pipe(HttpClientRequest.setBody(HttpBody.raw(1))),
  "a stream": (url) =>
    HttpClientRequest.post(url).pipe(HttpClientRequest.bodyStream(Stream.make(Buffer.from("a"), Buffer.from("b")))),
  "an upgrade that is refused": (url) => HttpClientRequest.get(url, { headers: { upgrade: "websocket" } })
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** The fields of a failure and the status of its response. */
const failureOf = ({ reason, response }: HttpClientError.HttpClientError) => {
  const given = "cause" in reason ? reason.cause : undefined
  // The error of a reset has its code in the cause.
  const cause = field(given, "code") === undefined ? field(given, "cause") ?? given : given
  return {
    reason: reason._tag,
    name: field(cause, "name"),
    code: field(cause, "code"),
    syscall: field(cause, "syscall"),
    status: response?.status
  }
}

const ways: Readonly<
  Record<
    string,
    (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, HttpClientError.HttpClientError>
  >
> = {
  text: (response) => response.text,
  json: (response) => response.json,
  bytes: (response) => Effect.map(response.arrayBuffer, (bytes) => Array.from(new Uint8Array(bytes))),
  stream: ({ stream }) => Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks).toString("latin1")),
  form: (response) => response.urlParamsBody,
  parts: (response) => Effect.map(response.formData, (form) => Array.from(form)),
  upgrade: (response) => response.upgrade,
  "text, twice, together and as bytes": (response) =>
    Effect.all(
      [response.text, response.text, Effect.andThen(response.text, ways["bytes"]?.(response) ?? Effect.void)],
      { concurrency: "unbounded" }
    )
}

const seen = (response: HttpClientResponse.HttpClientResponse, url: string) => ({
  status: response.status,
  headers: { ...response.headers },
  cookies: response.cookies.toJSON(),
  remoteAddress: response.remoteAddress,
  url: response.url.replace(new URL(url).port, "port")
})

/** The response of a server, read in ways of these names. */
const observe = (
  request: (url: string) => HttpClientRequest.HttpClientRequest,
  answer: Answer,
  names: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const server = yield* rawServer([answer], [answer])
    const observed: Record<string, unknown> = {}
    for (const [way, read] of Object.entries(ways).filter(([way]) => names.includes(way))) {
      observed[way] = yield* Effect.gen(function*() {
        const response = yield* execute(request(server.url))
        const body = yield* Effect.match(read(response), { onSuccess: (body) => ({ body }), onFailure: failureOf })
        return { ...seen(response, server.url), ...body }
      }).pipe(Effect.catch((error) => Effect.succeed(failureOf(error))))
    }
    const port = new URL(server.url).port
    return { observed, sent: server.questions.map((text) => text.replaceAll(port, "port")) }
  }).pipe(Effect.scoped)

/** Two ways to read a large body. */
const sizes: Readonly<
  Record<
    string,
    (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<number, HttpClientError.HttpClientError>
  >
> = {
  "a stream": ({ stream }) => Stream.runFold(stream, () => 0, (size, chunk) => size + chunk.length),
  "a whole": ({ arrayBuffer }) => Effect.map(arrayBuffer, (bytes) => bytes.byteLength)
}

const compare = (...given: Parameters<typeof observe>) =>
  Effect.gen(function*() {
    const expected = yield* Effect.provide(observe(...given), layerOfPlatform)
    assert.deepStrictEqual(yield* Effect.provide(observe(...given), layer), expected)
  })

/** Responses that are read in each way; others only as text and as a stream. */
const readInEachWay = sampled(Object.keys(answers), 6)

const test = liveWith(layer)

describe("NodePool.layerHttpClient", () => {
  it.live.each(Object.entries(answers))(
    "reads responses as the client of the platform does: %s",
    ([name, answer]) => {
      const names = readInEachWay.includes(name) ? Object.keys(ways) : ["text", "stream"]
      return compare(HttpClientRequest.get, answer, names)
    }
  )

  it.live.each(Object.entries(requests))(
    "sends requests as the client of the platform does: %s",
    ([, request]) => compare(request, whole("200 OK", "hello"), ["text"])
  )

  test("each request has its own parameters at one address", function*() {
    const server = yield* rawServer([], [whole("200 OK", "hello")])
    for (const page of ["1", "2", undefined, "3"]) {
      yield* execute(HttpClientRequest.get(server.url, page === undefined ? {} : { urlParams: { page } }))
    }
    const paths = server.questions.map((text) => text.split(" ")[1])
    assert.deepStrictEqual(paths, ["/?page=1", "/?page=2", "/", "/?page=3"])
  })

  test("a body that was read can be read again, and one that was streamed cannot", function*() {
    const server = yield* rawServer([], [whole("200 OK", "hello")])
    const read = yield* get(server.url)
    assert.strictEqual(yield* read.text, "hello")
    assert.strictEqual(yield* Stream.mkString(Stream.decodeText(read.stream)), "hello")
    assert.strictEqual(yield* read.text, "hello")
    const streamed = yield* get(server.url)
    assert.strictEqual(yield* Stream.mkString(Stream.decodeText(streamed.stream)), "hello")
    const error = yield* Effect.flip(streamed.text)
    assert.strictEqual(error.reason._tag, "DecodeError")
  })

  test("the stream of a truncated body emits its bytes before the error", function*() {
    const server = yield* rawServer([], [cut("hello", 10)])
    const { stream } = yield* get(server.url)
    const received: Array<Uint8Array> = []
    const error = yield* Effect.flip(Stream.runForEach(stream, (chunk) => Effect.sync(() => received.push(chunk))))
    assert.strictEqual(Buffer.concat(received).toString(), "hello")
    assert.strictEqual(error.reason._tag, "DecodeError")
  })

  test("returns the response after its headers", function*() {
    const server = yield* rawServer([], [stall("half", 8)])
    assert.strictEqual((yield* get(server.url)).status, 200)
  })

  test.each(Object.entries(sizes))("a body that arrived before it is read is complete as %s", function*([, sizeOf]) {
    const server = yield* rawServer([], [whole("200 OK", "x".repeat(100_000))])
    const response = yield* get(server.url)
    yield* Effect.repeat(turn, { times: 100 })
    assert.strictEqual(yield* sizeOf(response), 100_000)
  })

  test.each(sampled(Object.entries(sizes), 1))(
    "a body without a reader pauses the server, and continues as %s",
    function*([, sizeOf]) {
      const piece = Buffer.alloc(64 * 1024, "x")
      const pieces = scaled(500, 1000)
      let written = 0
      const server = yield* rawServer([whole("200 OK", "")], [(socket) => {
        const send = () => {
          if (written < pieces) socket.write(piece, () => (++written, send()))
        }
        socket.write(`${head}content-length: ${piece.length * pieces}\r\n\r\n`, send)
      }])
      const response = yield* get(server.url)
      // Sends other requests until the server has stopped writing, so that it had the time to write everything.
      let before = -1
      let still = 0
      while (still < 50) {
        yield* execute(HttpClientRequest.post(`${server.url}/result`))
        still = written === before ? still + 1 : 0
        before = written
      }
      // The operating system buffers some of it.
      assert.isBelow(written, pieces / 2)
      assert.strictEqual(yield* sizeOf(response), piece.length * pieces)
    }
  )
})

/** An answer, and effects that wait for its request and for the end of its connection. */
const watched = (answer: Answer) => {
  const arrived = Deferred.makeUnsafe<void>()
  const closed = Deferred.makeUnsafe<void>()
  const watching = (socket: Socket) => {
    socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
    answer(socket)
    Deferred.doneUnsafe(arrived, Effect.void)
  }
  return { arrived: Deferred.await(arrived), closed: Deferred.await(closed), answer: watching }
}

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

describe("a request that is interrupted", () => {
  test("before the headers of the response closes its connection", function*() {
    const { answer, arrived, closed } = watched(() => undefined)
    const server = yield* rawServer([], [answer])
    const fiber = yield* Effect.forkChild(get(server.url))
    yield* arrived
    yield* Fiber.interrupt(fiber)
    yield* closed
  })

  test("while the body is read closes its connection", function*() {
    const { answer, closed } = watched(stall("half", 8))
    const server = yield* rawServer([], [answer])
    const response = yield* get(server.url)
    const fiber = yield* Effect.forkChild(response.text, { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    yield* closed
  })

  test("while the body is streamed closes its connection", function*() {
    const { answer, closed } = watched(stall("half", 8))
    const server = yield* rawServer([], [answer])
    const { stream } = yield* get(server.url)
    yield* Stream.runDrain(Stream.take(stream, 1))
    yield* closed
  })

  it.live("while it waits for a connection is not sent", () =>
    Effect.gen(function*() {
      const release = Deferred.makeUnsafe<Socket>()
      const server = yield* rawServer([], [
        (socket) => Deferred.doneUnsafe(release, Effect.succeed(socket)),
        whole("200 OK", "third")
      ])
      const first = yield* Effect.forkChild(get(`${server.url}/first`))
      const socket = yield* Deferred.await(release)
      const second = yield* Effect.forkChild(get(`${server.url}/second`), { startImmediately: true })
      const third = yield* Effect.forkChild(get(`${server.url}/third`), { startImmediately: true })
      yield* Fiber.interrupt(second)
      whole("200 OK", "first")(socket)
      assert.strictEqual(yield* (yield* Fiber.join(first)).text, "first")
      assert.strictEqual(yield* (yield* Fiber.join(third)).text, "third")
      assert.deepStrictEqual(server.questions.map((text) => text.split(" ")[1]), ["/first", "/third"])
    }).pipe(Effect.scoped, Effect.provide(NodePool.layerHttpClient({ connections: 1 }))))
})

/** A request whose signal refers to its response, as the signal of an attempt does. */
const getKnown = (url: string) =>
  Effect.suspend(() => {
    const known = new Set<HttpClientResponse.HttpClientResponse>()
    const listener = () => void known.keys()
    return get(url).pipe(
      Effect.tap((response) => Effect.sync(() => known.add(response))),
      Effect.provideService(RequestSignal.Current, { waiting: listener, writing: listener })
    )
  })

describe("a response that is garbage-collected unread", () => {
  test.each([["with a signal that refers to it", getKnown], ...isFull ? [["alone", get] as const] : []] as const)(
    "releases its connection: %s",
    function*([, ask]) {
      const { answer, closed } = watched(stall("half", 8))
      const server = yield* rawServer([], [answer])
      // The result of the fiber is the response.
      yield* Effect.asVoid(Effect.flatMap(Effect.forkChild(ask(server.url)), Fiber.await))
      const collecting = Effect.forever(Effect.delay(Effect.sync(collectGarbage), "20 millis"))
      yield* Effect.raceFirst(closed, collecting)
    }
  )

  test("keeps its connection while its body is read", function*() {
    const half = Deferred.makeUnsafe<Socket>()
    const server = yield* rawServer([], [(socket) => {
      stall("half", 8)(socket)
      Deferred.doneUnsafe(half, Effect.succeed(socket))
    }])
    const fiber = yield* Effect.forkChild(Effect.flatMap(get(server.url), ({ text }) => text))
    const socket = yield* Deferred.await(half)
    yield* Effect.andThen(Effect.sync(collectGarbage), turn).pipe(Effect.repeat({ times: scaled(0, 3) }))
    socket.write("half")
    assert.strictEqual(yield* Fiber.join(fiber), "halfhalf")
  })
})

describe("the context of a request", () => {
  test("sends its span in a header, unless spans are disabled", function*() {
    const server = yield* rawServer([], [whole("200 OK", "")])
    const client = yield* HttpClient.HttpClient
    yield* client.get(server.url)
    yield* untraced(client.get(server.url))
    assert.deepStrictEqual(server.questions.map((text) => /\r\ntraceparent: /.test(text)), [true, false])
  })

  test("sets options of undici", function*() {
    const server = yield* rawServer([], [whole("200 OK", "")])
    yield* get(server.url).pipe(Effect.provideService(NodeHttpClient.UndiciOptions, { query: { a: "1" } }))
    assert.match(server.questions[0] ?? "", /^GET \/\?a=1 HTTP/)
  })
})

/** Keeps the options of requests, and sends none. */
class Dispatched extends Undici.Dispatcher {
  readonly options: Array<Undici.Dispatcher.DispatchOptions> = []
  override dispatch(options: Undici.Dispatcher.DispatchOptions) {
    this.options.push(options)
    return true
  }
}

describe("the time limits of a request", () => {
  live("are those of the policy: undici has none for bodies, and an hour for headers", function*() {
    const dispatcher = new Dispatched()
    const client = UndiciClient.make(dispatcher, () => dispatcher)
    yield* Effect.forkChild(untraced(client.get("http://127.0.0.1:1")), { startImmediately: true })
    assert.deepInclude(dispatcher.options[0], { bodyTimeout: 0, headersTimeout: 3_600_000 })
  })
})

describe("the client beside tools that intercept requests", () => {
  live("is not intercepted by MSW", function*() {
    const server = yield* rawServer([], [whole("200 OK", "sent")])
    const interceptor = setupServer(http.all(`${server.url}/*`, () => HttpResponse.text("intercepted")))
    yield* Effect.acquireRelease(
      Effect.sync(() => interceptor.listen()),
      () => Effect.sync(() => interceptor.close())
    )
    const layers = [layer, layerOfPlatform]
    const texts = yield* Effect.forEach(
      layers,
      (client) => get(server.url).pipe(Effect.flatMap(({ text }) => text), Effect.provide(client))
    )
    assert.deepStrictEqual(texts, ["sent", "sent"])
  })
})

describe("the client on Bun", () => {
  effect.each<readonly [pool: NodePool.PoolOptions, result: string]>([
    [{}, "made"],
    [{ proxy: "environment" }, "made"],
    [{ proxy: "none" }, "pool.proxy has no effect on Bun"],
    [{ tls: { ca: "" } }, "pool.tls has no effect on Bun"]
  ])("with %j is %s", function*([pool, result]) {
    vi.stubGlobal("process", { versions: { bun: "1.3.0" } })
    const layer = NodePool.layerHttpClient(pool)
    vi.unstubAllGlobals()
    const made = Effect.match(Effect.scoped(Layer.build(layer)), {
      onFailure: ({ message }) => message,
      onSuccess: () => "made"
    })
    assert.include(yield* made, result)
  })
})
