/** Sends the request of an attempt through the middleware of its call. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { hasProperty, isString } from "effect/Predicate"
import * as RequestSignal from "../../client/RequestSignal.ts"
import type { AttemptMiddleware } from "../../config/AttemptMiddleware.ts"
import { secretsOf } from "../../config/internal/headers.ts"
import { ConnectionFailed } from "../../errors/CallError.ts"
import { middlewareCode, outcomeOf } from "../../errors/internal/failure.ts"
import type { Noted } from "./ledger.ts"

/** Sends a request. */
export type Send<E = HttpClientError.HttpClientError> = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, E>

/** The middleware of the client over that of the region. `HttpClient.mapRequest` appends, so a signature of the client is made last. */
export const combine = (
  ofClient: AttemptMiddleware | undefined,
  ofRegion: AttemptMiddleware | undefined
): AttemptMiddleware | undefined =>
  ofClient === undefined || ofRegion === undefined
    ? ofRegion ?? ofClient
    : (client) => ofClient(ofRegion(client))

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  hasProperty(error, "_tag") && isString(error._tag)

const clientOf = (send: Send): HttpClient.HttpClient =>
  HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(request, send),
    Effect.succeed
  )

/** The values of headers that a middleware has set. */
const addedTo = (
  before: HttpClientRequest.HttpClientRequest,
  after: HttpClientRequest.HttpClientRequest
): ReadonlyArray<string> =>
  secretsOf(
    Object.entries(after.headers).flatMap(([name, value]) => before.headers[name] === value ? [] : [value])
  )

/** The end of a request that the middleware has sent again. */
const resent = (response: HttpClientResponse.HttpClientResponse | undefined): Noted => ({
  response,
  failure: { _tag: "resent", outcome: response === undefined ? "unknown" : outcomeOf(response.status) }
})

/**
 * Sends requests through a middleware. `onSend` is called when it sends the request, with the secrets that it added; until then the
 * attempt is not sent. If it sends the request again, `before` is the end of the one before.
 */
export const through = (
  middleware: AttemptMiddleware,
  send: Send,
  onSend: (secrets: ReadonlyArray<string>, before: Noted | undefined) => void
): Send<HttpClientError.HttpClientError | ConnectionFailed> =>
(given) =>
  Effect.flatMap(RequestSignal.Current, (signal) => {
    let isSent = false
    let last: HttpClientResponse.HttpClientResponse | undefined
    const client = clientOf((request) => {
      onSend(addedTo(given, request), isSent ? resent(last) : undefined)
      isSent = true
      last = undefined
      return Effect.tap(Effect.provideService(send(request), RequestSignal.Current, signal), (response) =>
        Effect.sync(() => {
          last = response
        }))
    })
    return Effect.suspend(() =>
      middleware(client).execute(given)
    ).pipe(
      // Its own requests are not that of the attempt.
      Effect.provideService(RequestSignal.Current, undefined),
      Effect.mapError((error) => {
        if (isSent) return error
        const cause = "cause" in error.reason ? error.reason.cause : undefined
        return new ConnectionFailed({
          code: middlewareCode,
          description: isTagged(cause) ? `It failed with ${cause._tag}` : "",
          isTransient: !(hasProperty(cause, "isTransient") && cause.isTransient === false)
        })
      })
    )
  })
