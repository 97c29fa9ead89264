/** A response whose body replaces the platform's. */
import type * as Headers from "effect/http/Headers"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"

type Original = HttpClientResponse.HttpClientResponse

/** Delegates everything but the body to the original response. */
export abstract class Replaced extends Inspectable.Class implements Original {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly status: number
  readonly headers: Headers.Headers
  readonly #original: Original
  /** `headers` are read once, as some platforms build them on each access. */
  constructor(original: Original, headers: Headers.Headers) {
    super()
    this.status = original.status
    this.headers = headers
    this.#original = original
  }
  abstract readonly arrayBuffer: Original["arrayBuffer"]
  abstract readonly text: Original["text"]
  abstract readonly stream: Original["stream"]
  /** The body as a web `Response` takes it. */
  protected abstract readonly content: ArrayBuffer | ReadableStream<Uint8Array>
  get request() {
    return this.#original.request
  }
  get url() {
    return this.#original.url
  }
  get cookies() {
    return this.#original.cookies
  }
  get remoteAddress() {
    return this.#original.remoteAddress
  }
  get upgrade() {
    return this.#original.upgrade
  }
  get json() {
    return this.web.json
  }
  get urlParamsBody() {
    return this.web.urlParamsBody
  }
  get formData() {
    return this.web.formData
  }
  /** For formats that no contract of this library uses. */
  protected get web() {
    const { headers, request } = this
    return HttpClientResponse.fromWeb(request, new Response(this.content, { headers }))
  }
  toJSON() {
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: this.request, status: this.status })
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
}
