/** Reads a body into memory within bounds of size and time, as part of the attempt that asked for it. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { AttemptTimeout, type UnexpectedResponse } from "../CallError.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import * as Timeout from "./timeout.ts"
import * as Unexpected from "./unexpected.ts"

/** Bodies up to this size with a promised length are read by the platform at once, which is faster than a stream. */
const smallBody = 64 * 1024

const stalled = (limit: Duration.Duration) => new AttemptTimeout({ limit, description: "the body stopped coming" })

const tooLarge = (response: HttpClientResponse.HttpClientResponse, maxBodyBytes: number) =>
  Unexpected.make(response, `the body is larger than ${maxBodyBytes} bytes`)

/** The same response with its body in memory. */
const withBody = (
  response: HttpClientResponse.HttpClientResponse,
  body: ArrayBuffer
): HttpClientResponse.HttpClientResponse =>
  Object.create(response, {
    arrayBuffer: { value: Effect.succeed(body) },
    text: { value: Effect.sync(() => new TextDecoder().decode(body)) },
    stream: { value: Stream.make(new Uint8Array(body)) }
  })

/** The same response with an empty body. */
export const empty = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse =>
  withBody(response, new ArrayBuffer(0))

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): ArrayBuffer => {
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body.buffer
}

/** Reads the whole body. */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  policy: ResiliencePolicy
): Effect.Effect<
  HttpClientResponse.HttpClientResponse,
  HttpClientError.HttpClientError | AttemptTimeout | UnexpectedResponse
> => {
  const { bodyIdleTimeout, maxBodyBytes } = policy
  const length = Number(response.headers["content-length"] ?? Number.NaN)
  if (length <= Math.min(smallBody, maxBodyBytes) && response.headers["content-encoding"] === undefined) {
    return response.arrayBuffer.pipe(
      Effect.map((body) => withBody(response, body)),
      Timeout.effect(bodyIdleTimeout, () => stalled(bodyIdleTimeout))
    )
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  return response.stream.pipe(
    Timeout.idle(bodyIdleTimeout, () => stalled(bodyIdleTimeout)),
    Stream.runForEach((chunk) => {
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
    Effect.map(() => withBody(response, concat(chunks, size)))
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
    return said === text ? response : withBody(response, new TextEncoder().encode(said).buffer)
  })
