/** Responses whose body replaces the platform's, and the reading of a body into memory within a bound of size. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"
import * as Stream from "effect/Stream"
import type { Sanitizer } from "../../contract/internal/sanitizer.ts"
import type { UnexpectedResponse } from "../../errors/CallError.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"

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

/**
 * Size in bytes up to which a body with a `content-length` is read by the platform in one piece, which is faster than a stream.
 * Also the upper limit for error responses, whose message is a sentence or two.
 */
const smallBody = 64 * 1024

const decoder = new TextDecoder()
const strictDecoder = new TextDecoder("utf-8", { fatal: true })

/** A response with its body in memory. */
export class Buffered extends Replaced {
  readonly arrayBuffer: Effect.Effect<ArrayBuffer>
  protected readonly content: ArrayBuffer
  constructor(original: HttpClientResponse.HttpClientResponse, headers: Headers.Headers, body: ArrayBuffer) {
    super(original, headers)
    this.arrayBuffer = Effect.succeed(body)
    this.content = body
  }
  /** The body as text, or `undefined` if it is not UTF-8. */
  get utf8(): string | undefined {
    try {
      return strictDecoder.decode(this.content)
    } catch {
      return undefined
    }
  }
  /** True if the body is compressed with gzip. Some platforms expand a body and keep its `content-encoding`. */
  get isGzip(): boolean {
    const [first, second] = new Uint8Array(this.content, 0, Math.min(2, this.content.byteLength))
    return first === 0x1f && second === 0x8b
  }
  get text(): Effect.Effect<string> {
    return Effect.sync(() => decoder.decode(this.content))
  }
  get stream(): Stream.Stream<Uint8Array> {
    return Stream.make(new Uint8Array(this.content))
  }
}

/** The same response with an empty body. */
export const empty = (response: HttpClientResponse.HttpClientResponse): Buffered =>
  new Buffered(response, response.headers, new ArrayBuffer(0))

/** Concatenates chunks and keeps the first `length` bytes. */
const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): ArrayBuffer => {
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk.subarray(0, length - offset), offset)
    offset = Math.min(length, offset + chunk.length)
  }
  return body.buffer
}

/** Reads a body until `goesOn` returns false for the number of bytes received, and keeps the first `most` bytes. */
const collect = <E>(
  response: HttpClientResponse.HttpClientResponse,
  most: number,
  onBytes: () => void,
  goesOn: (size: number, promised: number) => Effect.Effect<boolean, E>
): Effect.Effect<Buffered, E | HttpClientError.HttpClientError> => {
  const { headers } = response
  const promised = Number(headers["content-length"] ?? Number.NaN)
  if (promised <= Math.min(smallBody, most) && headers["content-encoding"] === undefined) {
    return Effect.map(response.arrayBuffer, (body) => new Buffered(response, headers, body))
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  return response.stream.pipe(
    Stream.runForEachWhile((chunk) => {
      onBytes()
      size += chunk.length
      chunks.push(chunk)
      return goesOn(size, promised)
    }),
    // A platform may fail for an absent body, as with 204.
    Effect.catchIf(
      (error) => HttpClientError.isHttpClientError(error) && error.reason._tag === "EmptyBodyError",
      () => Effect.void
    ),
    Effect.map(() => new Buffered(response, headers, concat(chunks, Math.min(size, most))))
  )
}

/** Reads the whole body. `onBytes` runs for each chunk. */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  maxBodyBytes: number,
  sanitizer: Sanitizer,
  onBytes: () => void
): Effect.Effect<Buffered, HttpClientError.HttpClientError | UnexpectedResponse> =>
  collect(response, maxBodyBytes, onBytes, (size, promised) =>
    size > maxBodyBytes || promised > maxBodyBytes
      ? Effect.fail(Unexpected.make(response, `the body is larger than ${maxBodyBytes} bytes`, sanitizer))
      : Effect.succeed(true))

/** Reads the first bytes of a body and discards the rest. */
export const readStart = (
  response: HttpClientResponse.HttpClientResponse,
  onBytes: () => void
): Effect.Effect<Buffered, HttpClientError.HttpClientError> =>
  collect(response, smallBody, onBytes, (size) => Effect.succeed(size < smallBody))
