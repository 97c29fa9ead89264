/** One request over undici and its response, whose unread body is buffered up to a limit. */
import type * as RequestSignal from "@effect-lingua/core/call/RequestSignal"
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import type * as Pull from "effect/Pull"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const { DecodeError, HttpClientError: Failure, StatusCodeError, TransportError } = HttpClientError

export type Result = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
type IncomingHeaders = Dispatcher.ResponseData["headers"]

class BodyUsed extends Data.TaggedError("BodyUsed") {
  override readonly message = "The body was read as a stream"
}

class AnsweredEarly extends Data.TaggedError("AnsweredEarly") {
  override readonly message = "The response arrived before the whole request was sent"
}

const decoder = new TextDecoder()

/** Buffered bytes at which the socket is paused, like in undici. */
const highWaterMark = 64 * 1024

/** Aborts an exchange whose response is garbage-collected unread, to free the connection. */
const unreachable = new FinalizationRegistry<Exchange>((exchange) => exchange.abort())

/** Has no reference to its response, so that the response can be garbage-collected. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
  #settle: ((result: Result) => void) | undefined
  /** Cleared after its last use, because the signal's listener may refer to the response. */
  #signal: RequestSignal.RequestSignal | undefined
  readonly #isSent: (() => boolean) | undefined
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
    isSent: (() => boolean) | undefined,
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
    this.#signal = undefined
  }
  onResponseStart(_: unknown, status: number, headers: IncomingHeaders) {
    // Ignores interim (1xx) responses.
    if (status < 200) return
    this.#status = status
    this.#complete(() => {
      const response = new UndiciResponse(this, status, headers)
      if (!this.#isEnded) unreachable.register(response, this, this)
      return Effect.succeed(response)
    })
  }
  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array) {
    // undici passes an empty first chunk after a pause.
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size >= highWaterMark) controller.pause()
    this.#wake()
  }
  onResponseEnd() {
    if (this.#status < 300 && this.#isSent?.() === false) this.#failure = new AnsweredEarly()
    this.#end()
  }
  onResponseError(_: unknown, cause: Error) {
    this.#failure = cause
    this.#isEnded = true
    this.#complete(() => Effect.fail(new Failure({ reason: new TransportError({ request: this.request, cause }) })))
    this.#end()
  }
  #end() {
    this.#isEnded = true
    unreachable.unregister(this)
    this.#wake()
  }
  #complete(result: () => Result) {
    const settle = this.#settle
    // Cleared, because the callback refers to the fiber, whose result may be the response.
    this.#settle = undefined
    if (settle !== undefined) this.#afterwards(() => settle(result()))
  }
  #wake() {
    const changed = this.#changed
    if (changed !== undefined) this.#afterwards(() => changed.openUnsafe())
  }
  /**
   * Runs a continuation outside undici's parser: in a microtask, or, once the body is complete, in `setImmediate`, when
   * undici has freed the connection.
   */
  #afterwards(run: () => void) {
    queueMicrotask(() => this.#isEnded ? setImmediate(run) : run())
  }
  /** Resumes the socket and waits for the next chunk; interruption aborts the exchange. */
  #more(): Effect.Effect<void> {
    this.#changed ??= Latch.makeUnsafe()
    this.#changed.closeUnsafe()
    this.#controller?.resume()
    return Effect.onInterrupt(this.#changed.await, () => Effect.sync(() => this.abort()))
  }
  abort() {
    this.#isAborted = true
    if (!this.#isEnded) this.#controller?.abort(new Error("The response is no longer needed"))
  }
  /** The whole body. Each call returns the same bytes. */
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
  /** Returns the bytes received since the previous call, or waits for more. */
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
    return Effect.suspend(() => Effect.mapErrorEager(this.#exchange.whole(), (cause) => this.#unreadable(cause)))
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
      description: "The request requested no upgrade"
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
