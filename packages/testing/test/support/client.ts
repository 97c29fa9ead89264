// The contract's client with middlewares that add nothing but the key, so that a test sees what the fake answers.
import { Authorization, LanguageServiceApi, Resilience } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

const clientMiddlewares = (authorization: string) =>
  Layer.mergeAll(
    HttpApiMiddleware.layerClient(
      Authorization.Authorization,
      ({ next, request }) => next(HttpClientRequest.setHeaders(request, { authorization, "x-test": "1" }))
    ),
    HttpApiMiddleware.layerClient(Resilience.Resilience, ({ next, request }) => next(request))
  )

/** Sends by the `HttpClient` of the test that makes the call. */
const http = HttpClient.makeWith(
  Effect.flatMap(HttpClient.execute),
  Effect.succeed<HttpClientRequest.HttpClientRequest>
)

const make = (authorization: string, baseUrl: string) =>
  HttpApiClient.makeWith(LanguageServiceApi.LanguageServiceApi, { httpClient: http, baseUrl }).pipe(
    Effect.provide(clientMiddlewares(authorization))
  )

/** Shared by all tests, because making a client takes longer than a call. */
const made = new Map<string, Effect.Success<ReturnType<typeof make>>>()

/** The contract's client for a key. */
export const clientWith = Effect.fnUntraced(function*(authorization: string) {
  const { url } = yield* FakeLanguageService
  const name = `${url} ${authorization}`
  const client = made.get(name) ?? (yield* make(authorization, url))
  made.set(name, client)
  return client
})

/** The contract's client for the key that the fake accepts by default. */
export const client = clientWith("Service-Auth-Key fake-key")

/** The tag of the error that a call ends with. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<string, A, R> => Effect.map(Effect.flip(call), ({ _tag }) => _tag)

interface Raw {
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly contentType?: string
}

/** A request as anyone could send it, without the contract. */
export const send = Effect.fnUntraced(function*(
  method: HttpMethod.HttpMethod,
  path: string,
  { body, contentType = "application/json", headers }: Raw = {}
) {
  const { url } = yield* FakeLanguageService
  const request = HttpClientRequest.make(method)(`${url}${path}`).pipe(
    HttpClientRequest.setHeaders({ authorization: "Service-Auth-Key fake-key", ...headers }),
    body === undefined ? (self) => self : HttpClientRequest.bodyText(body, contentType)
  )
  const response = yield* HttpClient.execute(request)
  const text = yield* response.text
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return text === "" ? undefined : JSON.parse(text)
    }
  }
})
