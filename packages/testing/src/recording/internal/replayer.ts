import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type * as Format from "./format.ts"
import * as RecordingRequest from "./request.ts"

export interface Settings extends RecordingRequest.Settings {
  readonly delays?: boolean | undefined
}

export interface Unmatched {
  readonly request: Format.Request
  readonly answered: number
  readonly left: ReadonlyArray<Format.Replayable>
  /** Fields in which the nearest unused exchange with the same method and path differs. */
  readonly differences: ReadonlyArray<string>
}

const causeOf = ({ code, message, syscall }: Format.Failure): Error =>
  Object.assign(
    new Error(message),
    code === undefined ? undefined : { code },
    syscall === undefined ? undefined : { syscall }
  )

const { EncodeError, InvalidUrlError, TransportError } = HttpClientError
const reasons = { EncodeError, InvalidUrlError, TransportError }

const reasonOf = (failure: Format.Failure, request: HttpClientRequest.HttpClientRequest) =>
  new reasons[failure.reason]({ request, cause: causeOf(failure), description: failure.message })

const bodyOf = (
  chunks: ReadonlyArray<Uint8Array>,
  end: Format.Response["end"]
): Stream.Stream<Uint8Array, Error> => {
  const read = Stream.fromIterable(chunks, { chunkSize: 1 })
  if (end === "complete") return read
  // An unread body never ends; the replaying client disconnects like the recorded client.
  return Stream.concat(read, end === "unread" ? Stream.never : Stream.fail(causeOf(end)))
}

const responseOf = (
  { body, end, headers, status }: Pick<Format.Response, "end" | "headers" | "status"> & Pick<Format.Replayable, "body">,
  request: HttpClientRequest.HttpClientRequest
): HttpClientResponse.HttpClientResponse =>
  HttpServerResponse.toClientResponse(
    HttpServerResponse.stream(bodyOf(body, end), { status }).pipe(
      HttpServerResponse.removeHeader("content-type"),
      HttpServerResponse.setHeaders(headers)
    ),
    { request }
  )

const nearest = (request: Format.Request, left: ReadonlyArray<Format.Replayable>): ReadonlyArray<string> => {
  const differences = left
    .filter(({ request: { method, path } }) => method === request.method && path === request.path)
    .map((exchange) => RecordingRequest.differences(request, exchange.request))
  return differences.reduce((best, some) => some.length < best.length ? some : best, differences[0] ?? [])
}

/** A client that replays, for each request, the first unused exchange with an equal request. */
export const make = (
  { exchanges, header }: Format.Recorded,
  settings: Settings,
  unrecorded: (unmatched: Unmatched) => { readonly message: string }
): {
  readonly client: HttpClient.HttpClient
  readonly left: Effect.Effect<ReadonlyArray<Format.Replayable>>
} => {
  const left = new Set(exchanges)
  const byKey = Map.groupBy(exchanges, ({ request }) => RecordingRequest.keyOf(request))
  const answer = Effect.fnUntraced(function*(
    exchange: Format.Replayable,
    request: HttpClientRequest.HttpClientRequest
  ) {
    const { answer, body, delay } = exchange
    if (answer._tag === "NoAnswer") return yield* Effect.never
    if (settings.delays === true) yield* Effect.sleep(delay)
    if (answer._tag === "Response") return responseOf({ ...answer, body }, request)
    return yield* new HttpClientError.HttpClientError({ reason: reasonOf(answer.failure, request) })
  })
  return {
    left: Effect.sync(() => [...left]),
    client: HttpClient.make(Effect.fnUntraced(function*(request) {
      const normal = RecordingRequest.normalize(request, settings).request
      const recorded = header.digests === true ? yield* RecordingRequest.digested(normal) : normal
      const equal = byKey.get(RecordingRequest.keyOf(recorded)) ?? []
      const exchange = equal.find((candidate) => left.has(candidate))
      if (exchange !== undefined) {
        left.delete(exchange)
        return yield* answer(exchange, request)
      }
      const cause = unrecorded({
        request: recorded,
        answered: equal.length,
        left: [...left],
        differences: nearest(recorded, [...left])
      })
      return yield* new HttpClientError.HttpClientError({
        // `EncodeError` counts as permanent and is not retried.
        reason: new HttpClientError.EncodeError({ request, cause, description: cause.message })
      })
    }))
  }
}
