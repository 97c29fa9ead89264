import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { hasProperty, isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { path as controlPath } from "../../fake/ControlApi.ts"
import type { FakeLanguageService } from "../../fake/FakeLanguageService.ts"
import { failure } from "../../fake/internal/answers.ts"
import * as Answers from "./answers.ts"
import * as Defaults from "./defaults.ts"
import { Recent } from "./recent.ts"
import * as Sessions from "./sessions.ts"

type Response = HttpServerResponse.HttpServerResponse
type Fake = FakeLanguageService["Service"]

export type App<E, R> = Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest>

export const makeState = (authSchemes: ReadonlyArray<string>) => ({
  authSchemes,
  sessions: new Recent<Sessions.Session>(),
  accounts: new Recent<Sessions.AccountLimits>(),
  documents: new Recent<Answers.Upload>(),
  /** Number of remaining polls that report a running job, keyed by job id. */
  polls: new Recent<number>(),
  traces: 0
})

type State = ReturnType<typeof makeState>

export const restart = ({ accounts, documents, polls, sessions }: State, fake: Fake): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const memory of [accounts, documents, polls, sessions]) memory.clear()
    return Defaults.add(fake)
  })

const isOutside = (path: string): boolean =>
  path === "/" || path === "/docs" || path === "/openapi.json" || path === "/favicon.ico" ||
  path.startsWith("/_storage/") || path === controlPath || path.startsWith(`${controlPath}/`)

const limited: ReadonlySet<string> = new Set(["/v2/translate", "/v2/write/rephrase", "/v2/write/correct"])

/** A request's socket; `undefined` if the server hides sockets. */
const connectionOf = ({ source }: HttpServerRequest.HttpServerRequest): object | undefined =>
  hasProperty(source, "socket") && isObject(source.socket) ? source.socket : undefined

const sessionOf = (
  { sessions }: State,
  { headers }: HttpServerRequest.HttpServerRequest,
  now: number
): Sessions.Session | undefined => {
  const name = Sessions.nameOf(headers)
  return name === undefined ? undefined : sessions.get(name, now) ?? sessions.set(name, Sessions.make(headers), now)
}

const take = (session: Sessions.Session | undefined, count: "hanging" | "refused" | "failing"): boolean => {
  if (session === undefined || session[count] === 0) return false
  session[count] -= 1
  return true
}

const sessionRefusal = (
  session: Sessions.Session,
  request: HttpServerRequest.HttpServerRequest
): Response | undefined => {
  if (session.expectsProxy && request.headers["forwarded"] === undefined) {
    return failure(400, "Expected a request via proxy.")
  }
  session.connection ??= connectionOf(request)
  return session.takesReconnections || session.connection === connectionOf(request)
    ? undefined
    : failure(400, "New socket opened in same session.")
}

const keyOf = ({ authSchemes }: State, { headers }: HttpServerRequest.HttpServerRequest): string | undefined => {
  const [, scheme = "", key = ""] = /^(\S+) (\S+)$/.exec(headers["authorization"] ?? "") ?? []
  return authSchemes.includes(scheme) && key !== "invalid" ? key : undefined
}

/** An account's limits, from the session of the account's first request. */
const limitsOf = Effect.fnUntraced(function*(
  { accounts }: State,
  fake: Fake,
  key: string,
  session: Sessions.Session | undefined,
  now: number
) {
  const known = accounts.get(key, now)
  if (known !== undefined) return known
  const { limits } = session ?? Sessions.make(Headers.empty)
  accounts.set(key, limits, now)
  const { characters, ...documents } = limits
  yield* fake.setQuota({ account: key, characters: characters ?? 1_000_000_000_000, ...documents })
  return limits
})

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** A longer body is recorded as empty. */
const maxBodyBytes = 128 * 1024

/** A request's JSON or form fields; empty for a long body or a multipart form. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown> => {
  const contentType = request.headers["content-type"] ?? ""
  if (contentType.startsWith("multipart/") || Number(request.headers["content-length"]) > maxBodyBytes) {
    return Effect.succeed({})
  }
  const text = Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes))
  return Effect.match(text, {
    onFailure: () => ({}),
    onSuccess: (text) =>
      text.length > maxBodyBytes ? {} : contentType.startsWith("application/json")
        ? Option.getOrElse(parseJson(text), () => ({}))
        : Object.fromEntries(new URLSearchParams(text))
  })
}

const operate = Effect.fnUntraced(function*<E, R>(
  { documents, polls }: State,
  app: App<E, R>,
  request: HttpServerRequest.HttpServerRequest,
  path: string,
  key: string,
  session: Sessions.Session | undefined,
  { characters }: Sessions.AccountLimits
) {
  const { method } = request
  if (method === "POST" && limited.has(path) && take(session, "refused")) {
    return HttpServerResponse.empty({ status: 429 })
  }
  const [, documentId, result] = /^\/v2\/document\/([^/]+)(\/result)?$/.exec(path) ?? []
  // Keyed by API key and id, so that other API keys do not find the document.
  const upload = documentId === undefined
    ? undefined
    : documents.get(`${key} ${documentId}`, yield* Clock.currentTimeMillis)
  const refusal = result === undefined
    ? undefined
    : Answers.documentRefusal(upload, session, yield* Clock.currentTimeMillis)
  if (refusal !== undefined) return refusal
  const response = yield* app
  const now = yield* Clock.currentTimeMillis
  if (path === "/v2/document") return Answers.uploaded(documents, key, response, session, now)
  if (documentId !== undefined && result === undefined) {
    return Answers.documentStatus(upload, response, session, now)
  }
  if (path === "/v2/translate" && response.status === 404) return HttpServerResponse.setStatus(response, 400)
  if (path === "/v2/usage" && characters === undefined) return Answers.usage(response)
  if (/^\/v3\/translation_memories\/(import|[^/]+\/export)$/.test(path)) {
    return Answers.startedJob(polls, response, session, now)
  }
  const [, jobId] = /^\/v3\/translation_memories\/jobs\/([^/]+)$/.exec(path) ?? []
  return jobId === undefined ? response : Answers.job(polls, jobId, response, now)
})

const forbidden = HttpServerResponse.empty({ status: 403 })

/** Handles a request; test suites rely on the order of the checks. */
const treat = Effect.fnUntraced(function*<E, R>(
  state: State,
  fake: Fake,
  app: App<E, R>,
  request: HttpServerRequest.HttpServerRequest,
  path: string,
  session: Sessions.Session | undefined
) {
  if (take(session, "failing")) return HttpServerResponse.empty({ status: session?.failure ?? 503 })
  // A preflight request has no key.
  if (request.method === "OPTIONS") return yield* app
  if (isOutside(path)) {
    const response = yield* app
    if (path === `${controlPath}/reset`) yield* restart(state, fake)
    return response
  }
  const key = keyOf(state, request)
  if (key === undefined || key === "") return forbidden
  if (session?.needsUserAgent !== false && (request.headers["user-agent"] ?? "") === "") {
    return failure(400, "User-Agent header missing.")
  }
  const limits = yield* limitsOf(state, fake, key, session, yield* Clock.currentTimeMillis)
  const response = yield* operate(state, app, request, path, key, session, limits)
  yield* Defaults.restore(fake, request.method, path)
  return response
})

/** Rewrites a usage request with POST to GET, and the URL's `pathname` to the contract's `path`. */
const normalize = (
  request: HttpServerRequest.HttpServerRequest,
  pathname: string,
  path: string
): HttpServerRequest.HttpServerRequest =>
  path === "/v2/usage" && request.method === "POST"
    ? Object.create(request, { method: { value: "GET" } })
    : path === pathname
    ? request
    : request.modify({ url: request.url.replace(pathname, path) })

const lastRequest = (session: Sessions.Session | undefined): Response =>
  session === undefined
    ? failure(400, "The header mock-server-session is missing.")
    : session.last === undefined
    ? failure(404, "There was no request in this session.")
    : HttpServerResponse.jsonUnsafe(session.last)

const base = "http://localhost"

export const make = <E, R>(state: State, fake: Effect.Effect<Fake>, app: App<E, R>): App<E, R> =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!URL.canParse(request.url, base)) return failure(400, "The address of the request is not valid.")
    const { pathname, searchParams } = new URL(request.url, base)
    const path = pathname.replace(/(?<=.)\/$/, "").replace(/^\/v2\/translate_secondary$/, "/v2/translate")
    if (path === "/healthz") return HttpServerResponse.text("ok")
    const now = yield* Clock.currentTimeMillis
    if (path === "/__session__/last-request") {
      const name = Sessions.nameOf(request.headers)
      return lastRequest(
        name === undefined ? undefined : state.sessions.get(name, now) ?? Sessions.make(request.headers)
      )
    }
    const session = isOutside(path) ? undefined : sessionOf(state, request, now)
    if (session !== undefined) {
      // Waits until the client disconnects or the server stops.
      if (take(session, "hanging")) return yield* Effect.interruptible(Effect.never)
      const refusal = sessionRefusal(session, request)
      if (refusal !== undefined) return refusal
    }
    const seen = normalize(request, pathname, path)
    const response = yield* treat(state, yield* fake, app, seen, path, session).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, seen)
    )
    if (session !== undefined) {
      session.last = {
        method: request.method,
        path: pathname,
        headers: request.headers,
        query: Object.fromEntries(searchParams),
        body: yield* bodyOf(seen)
      }
    }
    if (response.headers["x-trace-id"] !== undefined) return response
    state.traces += 1
    return HttpServerResponse.setHeader(
      response,
      "x-trace-id",
      state.traces.toString(16).toUpperCase().padStart(32, "0")
    )
  })

export const proxied = <E, R>(front: App<E, R>): App<E, R> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.provideService(
      front,
      HttpServerRequest.HttpServerRequest,
      request.modify({
        headers: Headers.set(
          request.headers,
          "forwarded",
          `for=${Option.getOrElse(request.remoteAddress, () => "unknown")}`
        )
      })
    ))
