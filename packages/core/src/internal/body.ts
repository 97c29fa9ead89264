/** Reads a body into memory within a bound of size, as part of the attempt that asked for it. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"
import * as Stream from "effect/Stream"
import type { UnexpectedResponse } from "../CallError.ts"
import * as Unexpected from "./unexpected.ts"

/** Bodies up to this size with a promised length are read by the platform at once, which is faster than a stream. */
const smallBody = 64 * 1024

const tooLarge = (response: HttpClientResponse.HttpClientResponse, maxBodyBytes: number) =>
  Unexpected.make(response, `the body is larger than ${maxBodyBytes} bytes`)

const decoder = new TextDecoder()

/** A response with its body in memory. */
class Buffered extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly status: number
  /** Platforms make these anew each time they are asked for them. */
  readonly headers: Headers.Headers
  readonly arrayBuffer: Effect.Effect<ArrayBuffer>
  readonly #original: HttpClientResponse.HttpClientResponse
  readonly #body: ArrayBuffer
  constructor(original: HttpClientResponse.HttpClientResponse, headers: Headers.Headers, body: ArrayBuffer) {
    super()
    this.status = original.status
    this.headers = headers
    this.arrayBuffer = Effect.succeed(body)
    this.#original = original
    this.#body = body
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
  get text(): Effect.Effect<string> {
    return Effect.sync(() => decoder.decode(this.#body))
  }
  get stream(): Stream.Stream<Uint8Array> {
    return Stream.make(new Uint8Array(this.#body))
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
  /** For ways of reading that no contract of this library uses. */
  private get web() {
    const { headers, request } = this
    return HttpClientResponse.fromWeb(request, new Response(this.#body, { headers }))
  }
  toJSON() {
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: this.request, status: this.status })
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/** The same response with an empty body. */
export const empty = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse =>
  new Buffered(response, response.headers, new ArrayBuffer(0))

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): ArrayBuffer => {
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body.buffer
}

/** Reads the whole body. `onBytes` runs whenever some have come. */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  maxBodyBytes: number,
  onBytes: () => void
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError | UnexpectedResponse> => {
  const { headers } = response
  const length = Number(headers["content-length"] ?? Number.NaN)
  if (length <= Math.min(smallBody, maxBodyBytes) && headers["content-encoding"] === undefined) {
    return Effect.map(response.arrayBuffer, (body) => new Buffered(response, headers, body))
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  return response.stream.pipe(
    Stream.runForEach((chunk) => {
      onBytes()
      size += chunk.length
      if (size > maxBodyBytes || length > maxBodyBytes) return Effect.fail(tooLarge(response, maxBodyBytes))
      chunks.push(chunk)
      return Effect.void
    }),
    // A platform may fail for a body that is not there, as with 204.
    Effect.catchIf(
      (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
      () => Effect.void
    ),
    Effect.map(() => new Buffered(response, headers, concat(chunks, size)))
  )
}

/** A shorter secret would take too much of any text with it, and is none. */
const shortestSecret = 8

/** A text without the secrets that the service repeats. */
export const clean = (secrets: ReadonlyArray<string>, text: string): string =>
  secrets.reduce((rest, secret) => secret.length < shortestSecret ? rest : rest.replaceAll(secret, "[redacted]"), text)

/** The same response without the secrets that the service repeats, for a body that was read. */
export const without = (
  secrets: ReadonlyArray<string>,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  Effect.map(response.text, (text) => {
    const said = clean(secrets, text)
    return said === text ? response : new Buffered(response, response.headers, new TextEncoder().encode(said).buffer)
  })
