/**
 * The plan of an endpoint: the facts of the contract that its calls need, read once, and the path from the parts of a request to
 * the decoded response. All requests take this path. Of Effect's `HttpApiClient` only `decodeResponse` is used, which chooses the
 * codec by status and content type and knows errors with headers and streams.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"
import * as Operation from "../Operation.ts"
import { Resilience } from "../Resilience.ts"
import * as DerivedDecoder from "./derivedDecoder.ts"
import type { Failure } from "./failure.ts"
import type { Foreign } from "./misfit.ts"

/** The parts of a request, as they are decoded. */
export interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: unknown
  readonly payload?: unknown
}

const encoderOf = <E>(schema: Schema.Top) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint is known at run time only
  Schema.encodeUnknownEffect(schema as Schema.Codec<unknown, E>)

/** Makes the encoder of a part that an endpoint may have. */
const encoder = <E>(schema: Schema.Top | undefined) => schema === undefined ? undefined : encoderOf<E>(schema)

/** Makes the function from the encoded parameters of a path to an address. Each is escaped as one segment. */
const addressOf = (baseUrl: URL, path: string) => {
  const parts = path.split(/:(\w+)/)
  const base = baseUrl.href.replace(/\/$/, "")
  return (params: Readonly<Record<string, string>>) =>
    parts.reduce(
      (address, part, index) => address + (index % 2 === 0 ? part : encodeURIComponent(params[part] ?? "")),
      base
    )
}

const ofJson = Headers.fromInput({ "content-type": "application/json" })

/** Makes the request of an address, with a body of JSON if there is one: in one step, as each change of a request copies its headers. */
const requestOf = (method: string, address: string, json: string | undefined): HttpClientRequest.HttpClientRequest => {
  const body = json === undefined ? HttpBody.empty : HttpBody.text(json, "application/json")
  const headers = body._tag === "Empty"
    ? Headers.empty
    : Headers.set(ofJson, "content-length", String(body.contentLength))
  return HttpClientRequest.makeWith(method, address, UrlParams.empty, Option.none(), headers, body)
}

/** Makes the encoder of requests. A body of another format than JSON is that of the current call. */
const requester = ({ method, params, path, payload, query }: HttpApiEndpoint.Top, baseUrl: URL) => {
  const [body] = payload.values()
  const encodeParams = encoder<Readonly<Record<string, string>>>(params)
  const encodePayload = body?.encoding._tag === "Json" ? DerivedDecoder.encoder(body.schemas[0]) : undefined
  const encodeQuery = encoder<Readonly<Record<string, string>>>(query)
  const toAddress = addressOf(baseUrl, path)
  const fixed = Effect.succeed(toAddress({}))
  return (parts: Parts) => {
    const address = encodeParams === undefined ? fixed : Effect.map(encodeParams(parts.params), toAddress)
    const request = Effect.flatMapEager(address, (address) =>
      encodePayload === undefined
        ? Effect.succeed(requestOf(method, address, undefined))
        : Effect.mapEager(encodePayload(parts.payload), (json) => requestOf(method, address, JSON.stringify(json))))
    return encodeQuery === undefined
      ? request
      : Effect.flatMap(
        request,
        (request) => Effect.map(encodeQuery(parts.query), (query) => HttpClientRequest.appendUrlParams(request, query))
      )
  }
}

/**
 * Decodes a response, or the text of its body if that is known. Fails with an error of the contract, or because the response
 * is not one of the contract.
 */
type Decode = (
  response: HttpClientResponse.HttpClientResponse,
  text?: string
) => Effect.Effect<unknown, Failure | Foreign>

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes the decoder of responses. */
const decoder = (endpoint: HttpApiEndpoint.Top): Decode => {
  const api = HttpApi.make("LanguageService").add(HttpApiGroup.make("LanguageService").add(endpoint))
  const derived = new Map<number, DerivedDecoder.Decoder>()
  HttpApi.reflect(api, {
    onGroup: constVoid,
    onEndpoint: ({ successes }) => {
      for (const [status, [codec, ...others]] of successes) {
        // The codec of JSON keeps its schema.
        const schema = others.length === 0 && hasProperty(codec, "schema") ? codec.schema : undefined
        const decode = Schema.isSchema(schema) ? DerivedDecoder.derive(schema.ast) : undefined
        if (decode !== undefined) derived.set(status, decode)
      }
    }
  })
  const options = { group: "LanguageService", endpoint: endpoint.identifier } as const
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint is known at run time only
  const decode = HttpApiClient.decodeResponse(api, options) as Decode
  return (response, text) => {
    const value = text === undefined ? undefined : derived.get(response.status)?.(parse(text))
    return value === undefined || value === DerivedDecoder.unsure ? decode(response) : Effect.succeed(value)
  }
}

/** True if a success needs no body. A success without a body has no schema. */
const mayBeEmpty = ({ success }: HttpApiEndpoint.Top): boolean =>
  success.size === 0 || Array.from(success).some(({ ast }) => HttpApiSchema.isNoContent(ast))

const make = (group: string, endpoint: HttpApiEndpoint.Top, baseUrl: URL) => ({
  group,
  operation: `${group}.${endpoint.identifier}`,
  /** The path as OpenAPI writes it. */
  template: endpoint.path.replace(/:(\w+)/g, "{$1}"),
  repeat: Context.get(endpoint.annotations, Operation.Repeat),
  requiredTier: Context.get(endpoint.annotations, Operation.RequiredTier),
  requiredKey: Context.get(endpoint.annotations, Operation.RequiredKey),
  transfers: Context.get(endpoint.annotations, Operation.Transfers),
  /** True if a 404 in response to a retry counts as success. */
  removes: endpoint.method === "DELETE" && mayBeEmpty(endpoint),
  request: requester(endpoint, baseUrl),
  decode: decoder(endpoint)
})

export type Plan = ReturnType<typeof make>

/** Sends a request by the policy of the client, and returns its decoded success. */
// @effect-diagnostics-next-line serviceNotAsClass:off -- its place in the context is that of the client half of the middleware
export const Sender = Context.Service<
  HttpApiMiddleware.ForClient<Resilience>,
  (plan: Plan, request: HttpClientRequest.HttpClientRequest) => Effect.Effect<unknown, Failure | Foreign>
>(`${Resilience.key}/Client`)

/** Returns the function that sends requests of an endpoint. Its plan is made with the first of them. */
export const sending = Effect.map(
  Effect.all([Sender, LanguageServiceConfig]),
  ([send, { baseUrl }]) => (group: string, endpoint: HttpApiEndpoint.Constraint) => {
    let made: Plan | undefined
    return (parts: Parts): Effect.Effect<unknown, Failure | Foreign> =>
      Effect.suspend(() => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of any endpoint
        const plan = made ??= make(group, endpoint as HttpApiEndpoint.Top, baseUrl)
        return Effect.flatMapEager(plan.request(parts), (request) => send(plan, request))
      })
  }
)
