/** The fake as an in-process `HttpClient`, as a `fetch` function, and as a server app. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Connection from "./connection.ts"
import type { Outcome } from "./server.ts"

type Answer = Effect.Effect<Outcome, never, HttpServerRequest.HttpServerRequest | Scope.Scope>

/**
 * Converts a client's request to a server request. A form is read completely, because the platform's form stream throws an
 * uncatchable error if its reader stops early.
 */
const received = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpServerRequest.HttpServerRequest> => {
  if (request.body._tag !== "FormData") return Effect.succeed(HttpServerRequest.fromClientRequest(request))
  const web = Result.getOrThrow(HttpClientRequest.toWebResult(request))
  return Effect.map(Effect.promise(() => web.arrayBuffer()), (body) =>
    HttpServerRequest.fromClientRequest(
      HttpClientRequest.setBody(
        request,
        HttpBody.uint8Array(new Uint8Array(body), web.headers.get("content-type") ?? undefined)
      )
    ))
}

const withoutSpan: (context: Context.Context<never>) => Context.Context<never> = Context.omit(Tracer.ParentSpan)

export const client = (answer: Answer): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    answer.pipe(
      Effect.flatMap(({ broken, response }) =>
        broken
          ? Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, cause: Connection.reset() })
            })
          )
          : Effect.succeed(
            HttpServerResponse.toClientResponse(HttpEffect.scopeTransferToStream(response), { request })
          )
      ),
      Effect.provideServiceEffect(HttpServerRequest.HttpServerRequest, received(request)),
      Effect.scoped,
      Effect.updateContext(withoutSpan)
    )
  )

/** A `fetch` function that rejects like the platform's `fetch`. */
export const fetch = (context: Context.Context<HttpClient.HttpClient>): typeof globalThis.fetch => (input, init) => {
  const request = new Request(input, init)
  return HttpClient.execute(HttpClientRequest.fromWeb(request)).pipe(
    Effect.map((response) => HttpServerResponse.toWeb(HttpServerResponse.fromClientResponse(response), { context })),
    Effect.mapError((error) => new TypeError("fetch failed", { cause: error.reason.cause })),
    (effect) => Effect.runPromiseExitWith(context)(effect, { signal: request.signal })
  ).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    throw request.signal.aborted ? request.signal.reason : Cause.squash(exit.cause)
  })
}

/** An interruptible server app: a request ends when its client disconnects. */
export const served = (
  answer: Answer
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
> =>
  Effect.flatMap(Effect.interruptible(answer), ({ broken, response }) =>
    broken
      ? Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
        Connection.cut(request)
        return response
      })
      : Effect.succeed(response))

/** The URL at which a local client reaches a server. */
export const origin = (address: NetAddress.SocketAddress): string =>
  NetAddress.isInetAddress(address) && NetAddress.isUnspecified(address.address)
    ? `http://127.0.0.1:${address.port}`
    : HttpServer.formatAddress(address)

export const isLoopback = (address: NetAddress.SocketAddress): boolean =>
  NetAddress.isInetAddress(address) && NetAddress.isLoopback(address.address)
