/** The fake as one HTTP effect: routes, request record, and headers of all responses. */
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import type { HttpServerError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import { format as formatFault, type OperationName } from "../../faults/Fault.ts"
import { find, routerConfig } from "../../faults/internal/operations.ts"
import * as Admin from "./account/admin.ts"
import * as Usage from "./account/usage.ts"
import { failure } from "./answers.ts"
import * as Connection from "./connection.ts"
import { contentTypeOf, parseJson } from "./decode.ts"
import * as Documents from "./documents/documents.ts"
import * as Exchange from "./exchange.ts"
import * as Glossaries from "./glossaries/glossaries.ts"
import * as Languages from "./languages/languages.ts"
import * as Masking from "./masking.ts"
import * as Checks from "./options.ts"
import * as QualityEvaluation from "./quality-evaluation/qualityEvaluation.ts"
import * as Access from "./requests/access.ts"
import * as Dialect from "./requests/dialect.ts"
import * as Requests from "./requests/requests.ts"
import * as SignedFiles from "./signedFiles.ts"
import { type Fake, make as makeState, type Note, type Options, type Resource, type Store } from "./state.ts"
import * as StyleRules from "./style-rules/styleRules.ts"
import * as Detection from "./texts/detection.ts"
import * as Translation from "./texts/translation.ts"
import * as Writing from "./texts/writing.ts"
import { inTimeOf } from "./time.ts"
import * as Memories from "./translation-memories/memories.ts"
import * as TranslationMemories from "./translation-memories/translationMemories.ts"

export interface Outcome {
  readonly response: HttpServerResponse.HttpServerResponse
  readonly broken: boolean
}

const { groups, identifier } = LanguageServiceApi
const api = HttpApi.make(identifier)

/** Built on demand, because most tests use one or two API groups. */
const routes = new Map<string, Handlers>(
  Object.entries(
    {
      Documents: HttpApiBuilder.layer(api.add(groups.Documents)).pipe(Layer.provide(Documents.layer)),
      Glossaries: HttpApiBuilder.layer(api.add(groups.Glossaries)).pipe(Layer.provide(Glossaries.layer)),
      GlossariesV2: HttpApiBuilder.layer(api.add(groups.GlossariesV2)).pipe(Layer.provide(Glossaries.layer)),
      Writing: HttpApiBuilder.layer(api.add(groups.Writing)).pipe(Layer.provide(Writing.layer)),
      StyleRules: HttpApiBuilder.layer(api.add(groups.StyleRules)).pipe(Layer.provide(StyleRules.layer)),
      Detection: HttpApiBuilder.layer(api.add(groups.Detection)).pipe(Layer.provide(Detection.layer)),
      Languages: HttpApiBuilder.layer(api.add(groups.Languages)).pipe(Layer.provide(Languages.layer)),
      Translation: HttpApiBuilder.layer(api.add(groups.Translation)).pipe(Layer.provide(Translation.layer)),
      Usage: HttpApiBuilder.layer(api.add(groups.Usage)).pipe(Layer.provide(Usage.layer)),
      TranslationMemories: HttpApiBuilder.layer(api.add(groups.TranslationMemories)).pipe(
        Layer.provide(TranslationMemories.layer)
      ),
      Admin: HttpApiBuilder.layer(api.add(groups.Admin)).pipe(Layer.provide(Admin.layer)),
      QualityEvaluation: HttpApiBuilder.layer(api.add(groups.QualityEvaluation)).pipe(
        Layer.provide(QualityEvaluation.layer)
      )
    } satisfies Record<keyof typeof groups, unknown>
  )
)

type Router = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

const unrouted = failure(404, "Not found")

/** Encoding as JSON or a form can triple the largest glossary's 10 MiB. */
const maxBodyBytes = ByteSize.mebibytes(32)

const tooLarge = failure(413, "Request entity too large")

const recordedCharacters = 256 * 1024

/** Copies a body's start, because a slice would retain the whole body in memory. */
const startOf = (body: string): string =>
  body.length <= recordedCharacters
    ? body
    : new TextDecoder().decode(new TextEncoder().encode(body.slice(0, recordedCharacters)))

const rememberedCharacters = 32 * 1024 * 1024

const forget = ({ settings: { remembered } }: Fake, store: Store): void => {
  while (store.requests.length > remembered || store.bodyCharacters > rememberedCharacters) {
    store.bodyCharacters -= store.requests.shift()?.body.length ?? store.bodyCharacters
  }
}

const noteBody = (fake: Fake, store: Store, note: Note, body: string): void => {
  note.body = startOf(body)
  note.payload = body.length <= recordedCharacters ? Option.getOrUndefined(parseJson(body)) : undefined
  const [oldest] = store.requests
  // The record may have dropped the request while its body was read.
  if (oldest === undefined || note.number < oldest.number) return
  store.bodyCharacters += note.body.length
  forget(fake, store)
}

const redacted = "<redacted>"

const secretHeaders: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"])

/** Redacts keys and signatures in a URL or header. */
const clean = ({ store }: Fake, text: string): string =>
  Masking.text(SignedFiles.unsigned(text, redacted), store.keyForms, redacted).replace(
    /[0-9A-F]{64}/g,
    (digits) => Array.from(store.documents.values()).some(({ key }) => key === digits) ? redacted : digits
  )

const arrive = (fake: Fake, request: HttpServerRequest.HttpServerRequest, time: number): Note => {
  fake.store.arrived += 1
  const connection = Connection.numberOf(request, () => ++fake.connections)
  const note: Note = {
    number: fake.store.arrived,
    time,
    traceId: fake.store.traces.hex(32),
    ...(connection === undefined ? undefined : { connection }),
    method: request.method,
    url: clean(fake, request.url),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        secretHeaders.has(name) ? redacted : clean(fake, value)
      ])
    ),
    operation: undefined,
    body: "",
    payload: undefined,
    status: undefined,
    fault: undefined,
    tookEffect: false,
    answerTime: undefined,
    retryTime: undefined
  }
  fake.store.requests.push(note)
  forget(fake, fake.store)
  return note
}

/** Describes a defect of the fake, such as a response that the contract cannot encode. */
const reasonOf = (defect: unknown): string =>
  HttpApiError.HttpApiSchemaError.is(defect) ? defect.cause.message : String(defect)

/** The time at which a response's `Retry-After` has passed, in milliseconds of the Effect clock. */
const retryTime = ({ headers }: HttpServerResponse.HttpServerResponse, now: number): number | undefined => {
  const { "retry-after": header } = headers
  if (header === undefined) return undefined
  const parsed = Headers.parseRetryAfter(header)
  return Result.isFailure(parsed) ? undefined : now + Duration.toMillis(Headers.retryAfterDelay(parsed.success, now))
}

/** Formats a request in one line, without keys and texts. */
const line = ({ fault, method, status, url }: Note): string =>
  `${method} ${url} ${status ?? "connection reset"}${fault === undefined ? "" : ` (fault: ${formatFault(fault)})`}`

const hostOf = ({ origin, settings }: Fake, { headers: { host } }: HttpServerRequest.HttpServerRequest): string =>
  `${host === undefined ? origin : `${new URL(origin).protocol}//${host}`}${settings.basePath}`

const withoutBasePath = (url: string, basePath: string): string | undefined =>
  url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : undefined

const respond = Effect.fnUntraced(function*(
  fake: Fake,
  store: Store,
  route: (operation: OperationName) => Router,
  request: HttpServerRequest.HttpServerRequest,
  url: string | undefined,
  note: Note
) {
  const answers = url === undefined ? [] : fake.settings.resources.flatMap(({ answer }) => answer?.(fake, url) ?? [])
  if (answers[0] !== undefined) return yield* answers[0]
  if (url !== undefined && SignedFiles.isAt(url)) {
    if (!Duration.isZero(fake.settings.latency)) yield* Effect.sleep(fake.settings.latency)
    Memories.settle(fake, yield* Clock.currentTimeMillis)
    return yield* SignedFiles.answer(fake, url)
  }
  // Not for an upload, whose handler reads the form part by part.
  const isUpload = contentTypeOf(request.headers) === "multipart/form-data"
  if (!isUpload && (yield* request.arrayBuffer).byteLength > maxBodyBytes) return tooLarge
  const body = isUpload ? "" : yield* request.text
  noteBody(fake, store, note, body)
  const found = url === undefined ? undefined : find(request.method, url)
  note.operation = found?.operation
  yield* PubSub.publish(fake.changes, undefined)
  if (!Duration.isZero(fake.settings.latency)) yield* Effect.sleep(fake.settings.latency)
  if (url === undefined) return unrouted
  Memories.settle(fake, yield* Clock.currentTimeMillis)
  if (found === undefined) return unrouted
  const router = route(found.operation)
  return found.endpoint.method === request.method && found.operation !== "Languages.listV2"
    ? yield* router
    : yield* Effect.provideService(
      router,
      HttpServerRequest.HttpServerRequest,
      Languages.asGet(request, body, note.payload)
    )
})

/** Never fails: errors, unknown paths and defects of the fake become responses. */
const answer = Effect.fnUntraced(function*(
  fake: Fake,
  route: (operation: OperationName) => Router
) {
  const original = yield* HttpServerRequest.HttpServerRequest
  const url = withoutBasePath(original.url, fake.settings.basePath)
  const request = url === undefined || url === original.url ? original : original.modify({ url })
  const { store } = fake
  const note = arrive(fake, original, yield* Clock.currentTimeMillis)
  const exchange: Exchange.Exchange = {
    fake,
    note,
    broken: false,
    jobFails: undefined,
    account: "",
    key: "",
    host: hostOf(fake, original),
    isOver: () => fake.store !== store
  }
  const response = yield* respond(fake, store, route, request, url, note).pipe(
    Effect.catchTag("HttpServerError", (error) =>
      Effect.succeed(
        error.reason._tag === "RouteNotFound"
          ? unrouted
          : error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
          ? tooLarge
          : failure(400, "Bad request. Reason: the request cannot be read.")
      )),
    Effect.catchDefect((defect) => Effect.succeed(failure(500, `The fake failed: ${reasonOf(defect)}`))),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(Exchange.Current, exchange)
  )
  const now = yield* DateTime.now
  if (!exchange.broken) {
    note.status = response.status
    note.answerTime = DateTime.toEpochMillis(now)
    note.retryTime = retryTime(response, note.answerTime)
  }
  yield* PubSub.publish(fake.changes, undefined)
  yield* Effect.logDebug(line(note))
  return {
    broken: exchange.broken,
    response: HttpServerResponse.setHeaders(Dialect.speak(response, fake.settings.dialect, note.fault), {
      "cache-control": "no-store",
      ...fake.settings.headers,
      "x-trace-id": note.traceId,
      date: Headers.formatHttpDate(now)
    })
  }
})

type Handlers = Layer.Layer<
  never,
  never,
  Layer.Services<Resource["handlers"]> | Layer.Success<typeof HttpServer.layerServices>
>

/** The routes of all fakes, because making them takes longer than a request. The exchange of a request has its fake. */
const routers = new WeakMap<Handlers, Router>()

/** Routes are made without the services of the first request, which all later requests would use. */
const withoutServices: (ofRequest: Context.Context<never>) => Context.Context<Scope.Scope> = () =>
  Context.make(HttpRouter.RouterConfig, routerConfig).pipe(Context.add(Scope.Scope, Scope.makeUnsafe()))

const routed = Effect.fnUntraced(function*(handlers: Handlers) {
  const known = routers.get(handlers)
  if (known !== undefined) return yield* known
  const layer = Layer.provide(handlers, [Access.layer, Requests.layer, HttpServer.layerServices])
  const router = yield* Effect.uninterruptible(Effect.updateContext(HttpRouter.toHttpEffect(layer), withoutServices))
  routers.set(handlers, router)
  return yield* router
})

export const make = Effect.fnUntraced(function*(options: Options, origin: string) {
  yield* Checks.check([Checks.options(Struct.omit(options, ["resources"]))])
  const fake = yield* makeState(options, origin)
  const outside = new Map(fake.settings.resources.map(({ group, handlers }) => [group.identifier, handlers]))
  const route = (operation: OperationName): Router => {
    const [group = ""] = operation.split(".")
    const handlers = outside.get(group) ?? routes.get(group)
    return handlers === undefined ? Effect.succeed(unrouted) : routed(handlers)
  }
  return {
    fake,
    answer: answer(fake, route).pipe(
      inTimeOf(fake),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodyBytes)
    )
  }
})
