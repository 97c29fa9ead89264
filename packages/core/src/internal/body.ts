/** Reads a body into memory within a bound of size, as part of the attempt that asked for it. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"
import * as Stream from "effect/Stream"
import type { UnexpectedResponse } from "../CallError.ts"
import * as Unexpected from "./unexpected.ts"
import type { Words } from "./words.ts"

/**
 * Bodies up to this size with a promised length are read by the platform at once, which is faster than a stream. Of an error
 * answer no more is read at all: its words are a sentence or two.
 */
const smallBody = 64 * 1024

const decoder = new TextDecoder()
const strictDecoder = new TextDecoder("utf-8", { fatal: true })

/** A response with its body in memory. */
export class Buffered extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
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
  /** The body as a text; nothing where it is not UTF-8. */
  get utf8(): string | undefined {
    try {
      return strictDecoder.decode(this.#body)
    } catch {
      return undefined
    }
  }
  /** Whether the body is compressed with gzip. Some platforms expand it and leave the header that says so. */
  get isGzip(): boolean {
    const [first, second] = new Uint8Array(this.#body, 0, Math.min(2, this.#body.byteLength))
    return first === 0x1f && second === 0x8b
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
export const empty = (response: HttpClientResponse.HttpClientResponse): Buffered =>
  new Buffered(response, response.headers, new ArrayBuffer(0))

/** The first bytes of chunks. */
const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): ArrayBuffer => {
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk.subarray(0, length - offset), offset)
    offset = Math.min(length, offset + chunk.length)
  }
  return body.buffer
}

/** Reads a body for as long as `goesOn` says of the bytes that have come, and keeps `most` of them. */
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
    // A platform may fail for a body that is not there, as with 204.
    Effect.catchIf(
      (error) => HttpClientError.isHttpClientError(error) && error.reason._tag === "EmptyBodyError",
      () => Effect.void
    ),
    Effect.map(() => new Buffered(response, headers, concat(chunks, Math.min(size, most))))
  )
}

/** Reads the whole body. `onBytes` runs whenever some have come. */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  maxBodyBytes: number,
  words: Words,
  onBytes: () => void
): Effect.Effect<Buffered, HttpClientError.HttpClientError | UnexpectedResponse> =>
  collect(response, maxBodyBytes, onBytes, (size, promised) =>
    size > maxBodyBytes || promised > maxBodyBytes
      ? Effect.fail(Unexpected.make(response, `the body is larger than ${maxBodyBytes} bytes`, words))
      : Effect.succeed(true))

/** Reads the start of a body, and gives up the rest. */
export const readStart = (
  response: HttpClientResponse.HttpClientResponse,
  onBytes: () => void
): Effect.Effect<Buffered, HttpClientError.HttpClientError> =>
  collect(response, smallBody, onBytes, (size) => Effect.succeed(size < smallBody))
