/**
 * An `HttpClient` over undici that costs little more than undici itself. It sends what this library sends most: bodies in
 * memory, with a span that is made elsewhere. All else goes to the client of `@effect/platform-node`, which makes a
 * controller with its listeners, promises, a stream and an entry in a registry for each request.
 */
import * as RequestSignal from "@effect-lingua/core/RequestSignal"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import { isString, isUint8Array } from "effect/Predicate"
import type * as Pull from "effect/Pull"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Outgoing from "./outgoing.ts"

const { DecodeError, HttpClientError: Failure, StatusCodeError, TransportError } = HttpClientError

/** How a request ends: with a response, as soon as its headers are there. */
type Result = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
type IncomingHeaders = Dispatcher.ResponseData["headers"]

/** A stream took the bytes that are now asked for as a whole. */
class BodyUsed extends Data.TaggedError("BodyUsed") {
  override readonly message = "The body was read as a stream"
}

/** A success is one of the whole request. */
class AnsweredEarly extends Data.TaggedError("AnsweredEarly") {
  override readonly message = "The answer came before the request was sent whole"
}

const decoder = new TextDecoder()

/** So many bytes wait for a reader before the connection has to wait. As in undici. */
const highWaterMark = 64 * 1024

/** Ends the exchange of a response that nobody can read any more: it would hold its connection for ever. */
const unreachable = new FinalizationRegistry<Exchange>((exchange) => exchange.abort())

/** A request on its way and what comes back. Does not know its response, so that the response can become unreachable. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
  #settle: ((result: Result) => void) | undefined
  readonly #signal: RequestSignal.RequestSignal | undefined
  readonly #isSent: () => boolean
  #status = 0
  #controller: Dispatcher.DispatchController | undefined
  #isAborted = false
  #isEnded = false
  #failure: Error | undefined
  #chunks: Array<Uint8Array> = []
  #size = 0
  #isStreamed = false
  #whole: ArrayBuffer | undefined
  #changed: Latch.Latch | undefined
  constructor(
    request: HttpClientRequest.HttpClientRequest,
    url: URL,
    signal: RequestSignal.RequestSignal | undefined,
    isSent: () => boolean,
    settle: (result: Result) => void
  ) {
    this.request = request
    this.url = url
    this.#signal = signal
    this.#isSent = isSent
    this.#settle = settle
    signal?.waiting()
  }
  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isAborted) this.abort()
    else this.#signal?.writing()
  }
  onResponseStart(_: unknown, status: number, headers: IncomingHeaders) {
    // A status below 200 says that another follows.
    if (status < 200) return
    this.#status = status
    this.#give(() => {
      const response = new UndiciResponse(this, status, headers)
      if (!this.#isEnded) unreachable.register(response, this)
      return Effect.succeed(response)
    })
  }
  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array) {
    // The first one after a pause.
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size >= highWaterMark) controller.pause()
    this.#wake()
  }
  onResponseEnd() {
    if (this.#status < 300 && !this.#isSent()) this.#failure = new AnsweredEarly()
    this.#isEnded = true
    this.#wake()
  }
  onResponseError(_: unknown, cause: Error) {
    this.#isEnded = true
    this.#failure = cause
    this.#give(() => Effect.fail(new Failure({ reason: new TransportError({ request: this.request, cause }) })))
    this.#wake()
  }
  #give(result: () => Result) {
    const settle = this.#settle
    // Lets go of the fiber, which may have the response as its result.
    this.#settle = undefined
    if (settle !== undefined) this.#afterwards(() => settle(result()))
  }
  #wake() {
    const changed = this.#changed
    if (changed !== undefined) this.#afterwards(() => changed.openUnsafe())
  }
  /**
   * In a microtask: nothing else runs inside undici's parser, and a small body is complete by then. After the last byte undici
   * takes until the next phase of the loop to make the connection ready for another request, which would open a second one.
   */
  #afterwards(run: () => void) {
    queueMicrotask(() => this.#isEnded ? setImmediate(run) : run())
  }
  /** Lets more come, which may be at once, and waits for it. Who does not wait any longer wants none of it. */
  #more(): Effect.Effect<void> {
    this.#changed ??= Latch.makeUnsafe()
    this.#changed.closeUnsafe()
    this.#controller?.resume()
    return Effect.onInterrupt(this.#changed.await, () => Effect.sync(() => this.abort()))
  }
  /** Ends it, whatever of it has come. */
  abort() {
    this.#isAborted = true
    if (!this.#isEnded) this.#controller?.abort(new Error("Nobody waits for the response"))
  }
  /** All bytes, as often as they are asked for. */
  whole(): Effect.Effect<ArrayBuffer, Error> {
    if (this.#whole !== undefined) return Effect.succeed(this.#whole)
    if (this.#isStreamed) return Effect.fail(new BodyUsed())
    if (!this.#isEnded) return Effect.flatMap(this.#more(), () => this.whole())
    if (this.#failure !== undefined) return Effect.fail(this.#failure)
    const bytes = new Uint8Array(this.#size)
    let offset = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
    this.#chunks = [bytes]
    this.#whole = bytes.buffer
    return Effect.succeed(this.#whole)
  }
  /** The bytes that have come since the last time. */
  next(): Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, Error> {
    this.#isStreamed = true
    const chunks = this.#chunks
    if (Arr.isArrayNonEmpty(chunks)) {
      this.#chunks = []
      this.#size = 0
      return Effect.succeed(chunks)
    }
    if (!this.#isEnded) return Effect.flatMap(this.#more(), () => this.next())
    return this.#failure === undefined ? Cause.done() : Effect.fail(this.#failure)
  }
}

class UndiciResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly status: number
  readonly headers: Headers.Headers
  readonly #exchange: Exchange
  readonly #setCookie: IncomingHeaders["set-cookie"]
  constructor(exchange: Exchange, status: number, headers: IncomingHeaders) {
    super()
    this.status = status
    this.headers = Headers.fromInput(headers)
    this.#exchange = exchange
    this.#setCookie = headers["set-cookie"]
  }
  get request() {
    return this.#exchange.request
  }
  get url() {
    const { hash, href } = this.#exchange.url
    return href.slice(0, href.length - hash.length)
  }
  get cookies() {
    return Cookies.fromSetCookie(this.#setCookie ?? [])
  }
  get remoteAddress() {
    return Option.none()
  }
  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return Effect.mapError(Effect.suspend(() => this.#exchange.whole()), (cause) => this.#unreadable(cause))
  }
  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.map(this.arrayBuffer, (bytes) => decoder.decode(bytes))
  }
  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: (): Schema.Json => text === "" ? null : JSON.parse(text),
        catch: (cause) => this.#unreadable(cause)
      }))
  }
  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    return Stream.fromPull(Effect.succeed(Effect.suspend(() => this.#exchange.next()))).pipe(
      Stream.mapError((cause) => this.#unreadable(cause)),
      Stream.ensuring(Effect.sync(() => this.#exchange.abort()))
    )
  }
  get urlParamsBody() {
    return Effect.flatMap(
      this.arrayBuffer,
      (bytes) => HttpClientResponse.fromWeb(this.request, new Response(bytes)).urlParamsBody
    )
  }
  get formData() {
    return Effect.flatMap(this.arrayBuffer, (bytes) =>
      Effect.tryPromise({
        try: () => new Response(bytes, { headers: this.headers }).formData(),
        catch: (cause) => this.#unreadable(cause)
      }))
  }
  get upgrade() {
    const reason = new StatusCodeError({
      request: this.request,
      response: this,
      description: "No upgrade was asked for"
    })
    return Effect.fail(new Failure({ reason }))
  }
  #unreadable(cause: unknown): HttpClientError.HttpClientError {
    return new Failure({ reason: new DecodeError({ request: this.request, response: this, cause }) })
  }
  toJSON() {
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: this.request, status: this.status })
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/** As good as none, as those of Effect time everything out. The same as the other client has. */
const timeouts = { headersTimeout: 60 * 60 * 1000, bodyTimeout: 0 }

const noOptions = Context.get(Context.empty(), NodeHttpClient.UndiciOptions)

/** The body, unless it is one that is left to the other client. */
const bodyOf = (
  { body, headers }: HttpClientRequest.HttpClientRequest
): Uint8Array | Blob | string | null | undefined => {
  if (headers["upgrade"] !== undefined) return undefined
  if (body._tag === "Empty") return null
  if (body._tag === "Uint8Array") return body.body
  if (body._tag !== "Raw") return undefined
  return isString(body.body) || isUint8Array(body.body) || body.body instanceof Blob ? body.body : undefined
}

/** A client over a pool of connections. `signalled` makes one that tells a signal when a request has a connection. */
export const make = (
  dispatcher: Dispatcher,
  signalled: (dispatcher: Dispatcher, signal: RequestSignal.RequestSignal) => Dispatcher
): HttpClient.HttpClient => {
  const general = (request: HttpClientRequest.HttpClientRequest, signal: RequestSignal.RequestSignal | undefined) => {
    signal?.waiting()
    return NodeHttpClient.makeUndici.pipe(
      Effect.provideService(
        NodeHttpClient.Dispatcher,
        signal === undefined ? dispatcher : signalled(dispatcher, signal)
      ),
      Effect.flatMap((client) => client.execute(request))
    )
  }
  const send = (request: HttpClientRequest.HttpClientRequest): Result =>
    Effect.withFiber((fiber) => {
      const given = bodyOf(request)
      const url = HttpClientRequest.toUrl(request)
      const signal = fiber.getRef(RequestSignal.Current)
      if (
        given === undefined || Option.isNone(url) || !fiber.getRef(HttpClient.TracerDisabledWhen)(request) ||
        fiber.getRef(NodeHttpClient.UndiciOptions) !== noOptions
      ) return general(request, signal)
      const { origin, pathname, search } = url.value
      return Effect.callback((resume) => {
        const { method } = request
        const { body, isWhole, length } = Outgoing.make(given)
        const exchange = new Exchange(request, url.value, signal, isWhole, resume)
        const headers = length === undefined
          ? request.headers
          : { ...request.headers, "content-length": String(length) }
        dispatcher.dispatch({ ...timeouts, origin, path: pathname + search, method, headers, body }, exchange)
        return Effect.sync(() => exchange.abort())
      })
    })
  return HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) => Effect.flatMap(request, send),
    Effect.succeed
  )
}
