/** The fake as a web site, with docs, control endpoint and live view. */
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Effect from "effect/Effect"
import * as HttpApiSwagger from "effect/http-api/HttpApiSwagger"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { path as controlPath } from "../../ControlApi.ts"
import { failure } from "../answers.ts"
import * as View from "./view.ts"

type Answer<E = never> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

const cors = HttpMiddleware.cors({ exposedHeaders: ["X-Trace-ID", "Retry-After", "Content-Disposition"] })

/**
 * Adds CORS. A preflight request receives no fault and is not recorded. Public web pages may access this server in a
 * private network.
 */
const forBrowsers = <E>(answer: Answer<E>): Answer<E> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method }) => {
    if (headers["origin"] === undefined) return answer
    const answered = cors(answer)
    return method === "OPTIONS" && headers["access-control-request-private-network"] === "true"
      ? Effect.map(answered, HttpServerResponse.setHeader("access-control-allow-private-network", "true"))
      : answered
  })

/** A content security policy that allows no other host. */
export const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const described: ReadonlySet<string> = new Set(["/docs", "/openapi.json", "/favicon.ico"])

const docs = (basePath: string) => {
  const api = basePath === ""
    ? LanguageServiceApi
    : LanguageServiceApi.annotate(OpenApi.Servers, [{ url: basePath }])
  const description = HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api))
  return HttpRouter.toHttpEffect(Layer.mergeAll(
    HttpApiSwagger.layer(api, { path: "/docs" }),
    HttpRouter.add("GET", "/openapi.json", Effect.succeed(description)),
    // Not recorded, because browsers request the icon automatically.
    HttpRouter.add("GET", "/favicon.ico", Effect.succeed(HttpServerResponse.empty({ status: 204 })))
  )).pipe(
    Effect.map(Effect.map(HttpServerResponse.setHeader("content-security-policy", policy)))
  )
}

const loopbackHost = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * The reason to refuse a web page's request: its `Origin` is another server, or its `Host` is a foreign name that resolves
 * to this machine.
 */
const refusal = (
  { headers }: HttpServerRequest.HttpServerRequest,
  onLoopback: boolean
): string | undefined => {
  const { host = "", origin } = headers
  if (onLoopback && !loopbackHost.test(host)) {
    return `The control endpoint is only for this machine, not for the host "${host}".`
  }
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== host
    ? `The control endpoint is not for web pages of ${origin}.`
    : undefined
}

const isAt = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`)

export const make = Effect.fnUntraced(function*(
  answer: Answer,
  { basePath, control, describe, onLoopback, view }: {
    readonly basePath: string
    readonly control: Answer<HttpServerError> | undefined
    readonly describe: boolean
    /** The live view; absent without the control endpoint. */
    readonly view: Answer | undefined
    readonly onLoopback: boolean
  }
) {
  const scope = yield* Effect.scope
  // Built on demand, because the docs have two megabytes.
  const description = yield* Effect.cached(Effect.suspend(() => Scope.provide(docs(basePath), scope)))
  const contract = forBrowsers(answer)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Answer<HttpServerError> => {
    const path = request.url.split(/[?#]/, 1).join("")
    const isView = view !== undefined && request.method === "GET" && View.paths.has(path)
    if (control !== undefined && (isView || isAt(path, controlPath))) {
      const reason = refusal(request, onLoopback)
      return reason === undefined
        ? Effect.map(isView ? view : control, HttpServerResponse.setHeader("x-content-type-options", "nosniff"))
        : Effect.succeed(failure(403, reason))
    }
    return describe && described.has(path) ? Effect.flatten(description) : contract
  })
})
