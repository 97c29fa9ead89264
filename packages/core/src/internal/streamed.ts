/** A response whose body is another stream than the platform's. */
import type * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"
import * as Stream from "effect/Stream"

type Original = HttpClientResponse.HttpClientResponse

export class Streamed extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly status: number
  readonly headers: Headers.Headers
  readonly #original: Original
  readonly stream: Original["stream"]
  constructor(original: Original, stream: Original["stream"]) {
    super()
    this.status = original.status
    this.headers = original.headers
    this.stream = stream
    this.#original = original
  }
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
  get arrayBuffer() {
    return this.web.arrayBuffer
  }
  get text(): Effect.Effect<string, Stream.Error<Original["stream"]>> {
    return Stream.mkString(Stream.decodeText(this.stream))
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
  /** For ways of reading that no contract of this library uses for a stream. */
  private get web() {
    const { headers, request, status } = this
    return HttpClientResponse.fromWeb(request, new Response(Stream.toReadableStream(this.stream), { headers, status }))
  }
  toJSON() {
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: this.request, status: this.status })
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
}
