/**
 * Middleware around each attempt of a call: for the token or the header of a gateway, for a signature over the request, for
 * measurements.
 *
 * **Details**
 *
 * A middleware transforms the `HttpClient` that sends an attempt, with the functions of Effect: `HttpClient.mapRequest`,
 * `tapRequest`, `transformResponse`, and with {@link mapRequest}. It runs for every attempt, retries, polls, uploads and downloads included, in
 * the fiber of the call and with its context. The request has all headers and the body as they are sent.
 * `attemptMiddleware` in the options of a client sets one for all calls of the client, {@link Current} another one for a region of a
 * program, such as the calls for one tenant. With both, the client's is applied to the result of the region's, so that a signature
 * of the client's `mapRequest` includes the headers of the region's.
 *
 * Files at addresses that the service has signed are transferred without it, because they are at other hosts.
 *
 * **Gotchas**
 *
 * Calls for one text share requests, and a shared request has the context of its first call. So a middleware of the options must not
 * distinguish callers, for example by a reference with the tenant. One of a region may: calls whose regions have different middlewares
 * (compared by identity) share no requests.
 *
 * **Example** (A header for a region)
 *
 * ```ts import.meta.vitest
 * import * as AttemptMiddleware from "@effect-lingua/core/config/AttemptMiddleware"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 * import { HttpClient, HttpClientRequest } from "effect/http"
 *
 * const forTenant = (tenant: string) =>
 *   Effect.provideService(
 *     AttemptMiddleware.Current,
 *     HttpClient.mapRequest(HttpClientRequest.setHeader("x-tenant", tenant))
 *   )
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   const { translate } = yield* Translation
 *   const texts = ["north", "south"].map((tenant) =>
 *     translate(`Hello ${tenant}`, { targetLanguage: "de" }).pipe(forTenant(tenant))
 *   )
 *   yield* Effect.all(texts, { concurrency: "unbounded" })
 *   const requests = yield* fake.requests()
 *   return requests.map(({ headers }) => headers["x-tenant"])
 * })
 * const tenants = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * tenants // => ["north", "south"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"

/**
 * A middleware: a function from the client that sends an attempt to the client that takes its place. It is called for each attempt,
 * so state, such as a cached token, belongs outside of it.
 *
 * **Details**
 *
 * If it fails before it sends the request, the attempt fails with `ConnectionFailed` with the `code` `ERR_ATTEMPT_MIDDLEWARE`, and is
 * retried by the policy unless the cause of the error has `isTransient: false`. It does not count against the health of the service.
 * Later failures are those of a connection that broke. A defect is a defect of the call. The time before the request is sent counts
 * against the deadline of the call, not against the timeout of the attempt, and is `middleware` in the ledger.
 *
 * If it sends the request again, as with a new token after a 401, each request is an attempt in the ledger, the events and the metrics,
 * all but the last with the failure `resent`. Limiter and circuit breaker take them for one attempt, so leave retries after other
 * failures to the policy.
 *
 * Values of headers that it adds or changes count as secrets, like those of the configuration: errors and spans show `[redacted]` if
 * the service repeats one of 8 characters or more. Of its errors only the tag of the cause is shown.
 *
 * @category models
 * @since 0.1.0
 */
export type AttemptMiddleware = (client: HttpClient.HttpClient) => HttpClient.HttpClient

/**
 * Makes a middleware that changes the request by an effect, such as one that gets a token or signs the body. Its failure is the cause
 * of the `HttpClientError`.
 *
 * **Example** (A signature over the body)
 *
 * ```ts import.meta.vitest
 * import * as AttemptMiddleware from "@effect-lingua/core/config/AttemptMiddleware"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 * import { HttpClientRequest } from "effect/http"
 * import { createHmac } from "node:crypto"
 *
 * const attemptMiddleware = AttemptMiddleware.mapRequest((request) =>
 *   Effect.sync(() => {
 *     const body = request.body._tag === "Uint8Array" ? request.body.body : ""
 *     const signature = createHmac("sha256", "shared secret").update(body).digest("hex")
 *     return HttpClientRequest.setHeader(request, "x-signature", signature)
 *   })
 * )
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   const { translate } = yield* Translation
 *   yield* translate("Hello", { targetLanguage: "de" })
 *   const [request] = yield* fake.requests()
 *   return request?.headers["x-signature"]?.length
 * })
 * const length = await program.pipe(
 *   Effect.provide(FakeLanguageService.layerServices({ client: { attemptMiddleware } })),
 *   Effect.runPromise
 * )
 * length // => 64
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const mapRequest = <E>(
  f: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<HttpClientRequest.HttpClientRequest, E>
): AttemptMiddleware =>
  HttpClient.mapRequestEffect((request) =>
    Effect.mapError(
      f(request),
      (cause) => new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, cause }) })
    )
  )

/**
 * The middleware of the calls in a region of a program, in addition to that of the client. Default: none.
 *
 * @category services
 * @since 0.1.0
 */
export const Current = Context.Reference<AttemptMiddleware | undefined>(
  "@effect-lingua/core/config/AttemptMiddleware/Current",
  { defaultValue: () => undefined }
)
