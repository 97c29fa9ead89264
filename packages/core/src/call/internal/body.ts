/** Response bodies in memory. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Sanitizer } from "../../contract/internal/sanitizer.ts"
import { isFailure } from "../../errors/internal/failure.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"
import type { Ending } from "./ending.ts"
import { parse, type Plan } from "./plan.ts"

type Original = HttpClientResponse.HttpClientResponse

export abstract class Replaced extends Inspectable.Class implements Original {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly status: number
  readonly headers: Headers.Headers
  readonly #original: Original
  /** `headers` is a parameter, because some platforms build `original.headers` on each access. */
  constructor(original: Original, headers: Headers.Headers) {
    super()
    this.status = original.status
    this.headers = headers
    this.#original = original
  }
  abstract readonly arrayBuffer: Original["arrayBuffer"]
  abstract readonly text: Original["text"]
  abstract readonly stream: Original["stream"]
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
  /** The web `Response`, which decodes formats that the contract does not use. */
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

/** Bodies up to this many bytes are read at once, which is faster than a stream. Error bodies are cut to this size. */
export const smallBody = 64 * 1024

const decoder = new TextDecoder()
const strictDecoder = new TextDecoder("utf-8", { fatal: true })

export class Buffered extends Replaced {
  readonly arrayBuffer: Effect.Effect<ArrayBuffer>
  protected readonly content: ArrayBuffer
  constructor(original: HttpClientResponse.HttpClientResponse, headers: Headers.Headers, body: ArrayBuffer) {
    super(original, headers)
    this.arrayBuffer = Effect.succeed(body)
    this.content = body
  }
  /** The body as text; `undefined` if it is not UTF-8. */
  get utf8(): string | undefined {
    try {
      return strictDecoder.decode(this.content)
    } catch {
      return undefined
    }
  }
  /** Reads the magic number, because some platforms expand a body and keep its `content-encoding`. */
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

export const empty = (response: HttpClientResponse.HttpClientResponse): Buffered =>
  new Buffered(response, response.headers, new ArrayBuffer(0))

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): ArrayBuffer => {
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk.subarray(0, length - offset), offset)
    offset = Math.min(length, offset + chunk.length)
  }
  return body.buffer
}

/**
 * Reads a body: a small body with a `Content-Length` and no encoding at once, any other body in chunks while `isWanted` returns true for the
 * received bytes and the `Content-Length`. Keeps the first `maxBytes`.
 */
export const read = <E>(
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number,
  onBytes: () => void,
  isWanted: (size: number, promised: number) => Effect.Effect<boolean, E>
): Effect.Effect<Buffered, E | HttpClientError.HttpClientError> => {
  const { headers } = response
  const promised = Number(headers["content-length"] ?? Number.NaN)
  if (promised <= Math.min(smallBody, maxBytes) && headers["content-encoding"] === undefined) {
    return Effect.map(response.arrayBuffer, (body) => new Buffered(response, headers, body))
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  return response.stream.pipe(
    Stream.runForEachWhile((chunk) => {
      onBytes()
      size += chunk.length
      chunks.push(chunk)
      return isWanted(size, promised)
    }),
    // Some platforms fail if there is no body.
    Effect.catchIf(
      (error) => HttpClientError.isHttpClientError(error) && error.reason._tag === "EmptyBodyError",
      () => Effect.void
    ),
    Effect.map(() => new Buffered(response, headers, concat(chunks, Math.min(size, maxBytes))))
  )
}

type Decode = Plan["decode"]

/** Decodes an error response. Classifies an unknown status by its first digit. */
export const readError = (answer: Buffered, sanitizer: Sanitizer, decode: Decode): Effect.Effect<Ending> => {
  const response = answer.isGzip ? empty(answer) : answer
  const unknown = Effect.map(
    response.text,
    (text): Ending => ({ response, failure: Unexpected.unknownStatus(response, sanitizer, text) })
  )
  return Effect.matchEffect(decode(response), {
    onFailure: (failure) => isFailure(failure) ? Effect.succeed<Ending>({ response, failure }) : unknown,
    onSuccess: () => unknown
  })
}

/** Describes how a body was damaged in transit; `undefined` for intact JSON. */
const damageOf = (response: Buffered, text: string | undefined): string | undefined =>
  response.isGzip
    ? "the body is compressed with gzip, which the client did not request: a proxy in between is the likely cause"
    : text === undefined
    ? "the body is not UTF-8"
    : parse(text) === undefined
    ? "the body is not JSON"
    : undefined

/**
 * Decodes a success. A body damaged in transit or replaced by a gateway fails the attempt with an unknown outcome. Intact JSON that does not match
 * the schema fails the call, because a retry would return the same JSON.
 */
export const readSuccess = (response: Buffered, sanitizer: Sanitizer, decode: Decode): Effect.Effect<Ending> => {
  const text = response.utf8
  const unless = (isIntact: boolean): Effect.Effect<Ending> => {
    const damage = isIntact ? undefined : damageOf(response, text)
    return damage === undefined
      ? Effect.succeed({ response })
      : Effect.map(response.text, (text) => ({
        response,
        failure: Unexpected.make(response, damage, sanitizer, text, !response.isGzip)
      }))
  }
  return decode(response, text).pipe(
    Effect.flatMapEager((value) =>
      // Only a body that is decoded as text must be UTF-8.
      text !== undefined || value === undefined || value instanceof Uint8Array || value === response
        ? Effect.succeed<Ending>({ response, success: { value } })
        : unless(false)
    ),
    Effect.catchEager((error) =>
      isFailure(error) ? Effect.succeed<Ending>({ response, failure: error }) : unless(!Schema.isSchemaError(error))
    )
  )
}
