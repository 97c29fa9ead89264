/** Calls to the host under test with another configuration, and raw requests without the client. */
import { Admin } from "@effect-lingua/core/account/Admin"
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import { Operations } from "@effect-lingua/testing/extension/Checks"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Mismatch, quotaExceeded, that } from "./check.ts"

interface Alteration {
  readonly settings?: Partial<LanguageServiceConfig.Options>
  /** Transforms each request, like a proxy. */
  readonly request?: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
}

/** Runs a call with a client that has other settings or transforms its requests. */
export const altered = <A, E, R>(
  { request = (self) => self, settings }: Alteration,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const config = yield* LanguageServiceConfig
    const client = HttpClient.mapRequest(yield* HttpClient.HttpClient, request)
    const services = OtherServices.layer.pipe(
      Layer.provideMerge(LanguageService.layerNoConfig),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
      Layer.provide(LanguageServiceConfig.layer({ ...config, allowHttp: true, ...settings }))
    )
    // Fresh, because the layers of the first client are memoized.
    return yield* Effect.provide(effect, Layer.fresh(services))
  })

/** Runs a call with another key. The client does not check the key's tier. */
export const withKey = <A, E, R>(key: Redacted.Redacted, effect: Effect.Effect<A, E, R>) =>
  altered({ settings: { key, tier: "paid" } }, effect)

/** Runs calls of `Admin` with an admin key. The client does not limit the days of a report. */
export const withAdmin = <A, E, R>(adminKey: Redacted.Redacted, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(LanguageServiceConfig, (config) =>
    Effect.provide(
      effect,
      Admin.layer({ ...config, allowHttp: true, adminKey, limits: { ...config.limits, reportDays: Infinity } })
    ))

interface Raw {
  readonly body?: unknown
  readonly contentType?: string
  /** False omits the header `Authorization`. */
  readonly authorized?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body, or undefined if the body is not JSON. */
  readonly json: unknown
}

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const isBusy = ({ status }: Answer): boolean => [429, 503, 529].includes(status)

const noAnswer = (reason: string) => new Mismatch({ expected: "a response", got: reason })

const execute = Effect.fnUntraced(function*(
  request: HttpClientRequest.HttpClientRequest
): Effect.fn.Return<Answer, HttpClientError.HttpClientError, HttpClient.HttpClient> {
  const response = yield* HttpClient.execute(request)
  const text = yield* response.text
  return { status: response.status, headers: response.headers, text, json: Option.getOrUndefined(parseJson(text)) }
})

/** Sends a raw request. A string body is sent unchanged, any other value as JSON. */
export const send = Effect.fnUntraced(function*(
  method: HttpMethod.HttpMethod,
  path: string,
  { authorized = true, body, contentType = "application/json" }: Raw = {}
) {
  const { authScheme, baseUrl, headers, key, userAgent } = yield* LanguageServiceConfig
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const request = HttpClientRequest.make(method)(`${baseUrl.href.replace(/\/$/, "")}${path}`).pipe(
    HttpClientRequest.setHeaders({
      ...Record.map(headers, Redacted.value),
      "user-agent": userAgent,
      ...(authorized ? { authorization: `${authScheme} ${Redacted.value(key)}` } : undefined)
    }),
    body === undefined ? (self) => self : HttpClientRequest.bodyText(text, contentType)
  )
  const limit = "30 seconds"
  const answer = yield* execute(request).pipe(
    Effect.repeat({ schedule: Schedule.exponential("1 second"), times: 4, while: isBusy }),
    Effect.catch(({ message }) => Effect.fail(noAnswer(message))),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(noAnswer(`none within ${limit}`))
    })
  )
  const knownOperation = Operations.find(method, path)
  if (answer.status === 456 && knownOperation !== undefined && Operations.declares(knownOperation.operation, 456)) {
    return yield* quotaExceeded
  }
  return answer
})

export const sendForm = (path: string, fields: ConstructorParameters<typeof URLSearchParams>[0]) =>
  send("POST", path, { body: `${new URLSearchParams(fields)}`, contentType: "application/x-www-form-urlencoded" })

/** Sends a request to a file storage, without the key and the client's headers. */
export const transfer = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.mapError(
    execute(request),
    ({ message }) => new Mismatch({ expected: "a response from the storage", got: message })
  )

/** Fails unless the response has an allowed status. */
export const status = ({ status, text }: Answer, ...allowed: ReadonlyArray<number>): Effect.Effect<void, Mismatch> =>
  allowed.includes(status)
    ? Effect.void
    : Effect.fail(new Mismatch({ expected: `status ${allowed.join(" or ")}`, got: `${status} ${text.slice(0, 200)}` }))

/** Decodes a body or part of a body. Fails with `Mismatch` for an unexpected shape. */
export const decode = <A>(schema: Schema.ConstraintDecoder<A>, json: unknown): Effect.Effect<A, Mismatch> =>
  Schema.decodeUnknownEffect(schema)(json).pipe(
    Effect.mapError((error) => new Mismatch({ expected: "a body of the described shape", got: error.message }))
  )

/** Decodes the body of a response with an allowed status, by default 200. */
export const read = <A>(
  schema: Schema.ConstraintDecoder<A>,
  answer: Answer,
  ...allowed: ReadonlyArray<number>
): Effect.Effect<A, Mismatch> =>
  Effect.andThen(status(answer, ...(allowed.length === 0 ? [200] : allowed)), decode(schema, answer.json))

/** Fails unless a response has a JSON content type. */
export const isJson = ({ headers: { "content-type": type = "" } }: Answer): Effect.Effect<void, Mismatch> =>
  that(type.startsWith("application/json"), "a body of type application/json", type)

/** Fails unless a response has an allowed status and its body, if it is JSON, has a `message`. */
export const refusal = Effect.fnUntraced(function*(answer: Answer, ...allowed: ReadonlyArray<number>) {
  yield* status(answer, ...allowed)
  if (answer.json !== undefined) yield* decode(Schema.Struct({ message: Schema.String }), answer.json)
})

/** Posts each body and fails unless the host refuses it. */
export const refusedBodies = (path: string, bodies: ReadonlyArray<unknown>, ...allowed: ReadonlyArray<number>) =>
  Effect.forEach(
    bodies,
    (body) => Effect.flatMap(send("POST", path, { body }), (answer) => refusal(answer, ...allowed))
  )

/** Appends spaces to a request's body. */
export const padded = (bytes: number) => (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "Uint8Array"
    ? HttpClientRequest.bodyText(
      request,
      `${new TextDecoder().decode(request.body.body)}${" ".repeat(bytes)}`,
      request.body.contentType
    )
    : request
