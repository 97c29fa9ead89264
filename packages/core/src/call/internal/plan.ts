/**
 * The plan of an endpoint: the facts of the contract that its calls need, read once, and the path from the parts of a request to
 * the decoded response. All requests take this path.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as DerivedDecoder from "../../contract/internal/derivedDecoder.ts"
import { type Content, type Endpoint, hasWholeBody, isSuccess } from "../../contract/internal/endpoint.ts"
import * as Operation from "../../contract/internal/operation.ts"
import { deepest, isTooDeep } from "../../contract/internal/size.ts"
import type { CallFailure, InvalidInput } from "../../errors/CallError.ts"
import * as Answers from "../../errors/internal/answerCodec.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { type ContractFailure, mismatch } from "../../errors/internal/unexpected.ts"
import type { AccessDenied, InvalidKey, RateLimited, WrongTier } from "../../errors/ServiceError.ts"
import type { Wait } from "./repeat.ts"

/** What a request has beyond the contract. */
export interface Attached {
  /** The body that replaces the encoded payload. */
  readonly body?: HttpBody.HttpBody | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The wait that preceded the request. */
  readonly wait?: Wait | undefined
}

/** The parts of a request, as they are decoded. */
export interface Parts extends Attached {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: unknown
  readonly payload?: unknown
}

/** The errors that resilience adds to those of an endpoint. */
export type ResilienceError = AccessDenied | CallFailure | InvalidInput | InvalidKey | RateLimited | WrongTier

/** The schema of an endpoint that is known at run time only. No schema of the contract needs a service. */
const codecOf = <E>(schema: Schema.Top) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  schema as Schema.Codec<unknown, E>

/** Makes the encoder of a part that an endpoint may have: the path, whose fields are texts, or the query. */
const encoder = <E>(schema: Schema.Top | undefined) =>
  schema === undefined ? undefined : Schema.encodeUnknownEffect(codecOf<E>(schema))

/** Makes the function from the encoded parameters of a path to an address. Each is escaped as one segment. */
const addressOf = (baseUrl: URL, path: string) => {
  const parts = path.split(/:(\w+)/)
  const base = baseUrl.href.replace(/\/+$/, "")
  return (params: Readonly<Record<string, string>>) =>
    parts.reduce(
      (address, part, index) => address + (index % 2 === 0 ? part : encodeURIComponent(params[part] ?? "")),
      base
    )
}

const ofJson = Headers.fromInput({ "content-type": "application/json" })

/**
 * Makes the request of an address, with a body of JSON if there is one: in one step, because each change of a request copies its headers. Adds the
 * attached body of another format, and headers.
 */
const requestOf = (
  method: string,
  address: string,
  { body, headers }: Attached,
  json?: string
): HttpClientRequest.HttpClientRequest => {
  const own = json === undefined ? HttpBody.empty : HttpBody.text(json, "application/json")
  const ownHeaders = own._tag === "Empty"
    ? Headers.empty
    : Headers.set(ofJson, "content-length", String(own.contentLength))
  const request = HttpClientRequest.makeWith(method, address, UrlParams.empty, Option.none(), ownHeaders, own)
  const withBody = body === undefined ? request : HttpClientRequest.setBody(request, body)
  return headers === undefined ? withBody : HttpClientRequest.setHeaders(withBody, headers)
}

/** Makes the encoder of requests. A body of another format than JSON is attached. */
const requester = ({ method, params, path, payload: [body], query }: Endpoint, baseUrl: URL) => {
  const encodeParams = encoder<Readonly<Record<string, string>>>(params)
  const encodePayload = body?.format === "Json" ? DerivedDecoder.encoder(Schema.toCodecJson(body.schema)) : undefined
  const encodeQuery = encoder<UrlParams.Input>(query)
  const toAddress = addressOf(baseUrl, path)
  const fixed = Effect.succeed(toAddress({}))
  return (parts: Parts = {}): Effect.Effect<HttpClientRequest.HttpClientRequest, Schema.SchemaError> => {
    const address = encodeParams === undefined ? fixed : Effect.map(encodeParams(parts.params), toAddress)
    const request = Effect.flatMapEager(address, (address) =>
      encodePayload === undefined
        ? Effect.succeed(requestOf(method, address, parts))
        : Effect.mapEager(
          encodePayload(parts.payload),
          (json) => requestOf(method, address, parts, JSON.stringify(json))
        ))
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
) => Effect.Effect<unknown, Failure | ContractFailure>

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const decodeBytes = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.arrayBuffer, (bytes) => new Uint8Array(bytes))

/** Makes the decoder of a body of JSON. An empty one stands for `null` where nothing else is expected. */
const jsonDecoder = (schema: Schema.Top): Decode => {
  const derived = DerivedDecoder.derive(schema.ast)
  const codec = codecOf(Schema.toCodecJson(schema))
  const none = SchemaAST.isNull(SchemaAST.toEncoded(codec.ast)) ? null : undefined
  const decode = Schema.decodeUnknownEffect(codec)
  const decodeText = Schema.decodeUnknownEffect(Schema.fromJsonString(codec))
  return (response, text) => {
    const value = text === undefined ? undefined : derived?.(parse(text))
    return value !== undefined && value !== DerivedDecoder.unsure
      ? Effect.succeed(value)
      : Effect.flatMap(response.text, (text): Effect.Effect<unknown, ContractFailure> =>
        text === ""
          ? decode(none)
          : isTooDeep(text) && parse(text) !== undefined
          ? mismatch(`the body is nested more than ${deepest} levels deep`)
          : decodeText(text))
  }
}

/** Makes the decoder of a success. */
const successDecoder = ({ format, schema }: Content<Schema.Top>): Decode => {
  const decode = Schema.decodeUnknownEffect(codecOf(schema))
  switch (format) {
    case "Text":
      return (response) => Effect.flatMap(response.text, decode)
    case "Uint8Array":
      return (response) => Effect.flatMap(decodeBytes(response), decode)
    case "Stream":
      return (response) => Effect.map(decode(response.headers), (headers) => ({ headers, body: response.stream }))
    case "Empty":
      return () => Effect.undefined
    default:
      return jsonDecoder(schema)
  }
}

/** A success without a body. */
const noContent: Content<Schema.Top> = { format: "Empty", schema: Schema.Void, status: 204 }

const undeclared = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({
        request: response.request,
        response,
        description: "undeclared status code"
      })
    })
  )

/**
 * Makes the decoder of responses: that of a status is made with its first response. Any status of success is one for a body that
 * decodes. All bytes decode as a text or a stream, so those need a status that promises a whole body.
 */
const decoder = ({ error, success }: Endpoint): Decode => {
  const decoders = new Map<number, Decode>()
  const contents = success.length === 0 ? [noContent] : success
  const decoderOf = (status: number): Decode | undefined => {
    const content = contents.find((one) => (one.status ?? 200) === status)
    if (content !== undefined) return successDecoder(content)
    const [similar] = contents
    if (similar !== undefined && (/Json|Empty/.test(similar.format) ? isSuccess(status) : hasWholeBody(status))) {
      const decode = successDecoder(similar)
      return (response, text) => Effect.catch(decode(response, text), () => undeclared(response))
    }
    const answer = error.find((one) => one.status === status)
    return answer && ((response) => Answers.read(answer, response))
  }
  return (response, text) => {
    const { status } = response
    const decode = decoders.get(status) ?? decoderOf(status)
    if (decode === undefined) return undeclared(response)
    decoders.set(status, decode)
    return decode(response, text)
  }
}

/** True if a success needs no body. */
const mayBeEmpty = ({ success }: Endpoint): boolean =>
  success.length === 0 || success.some(({ format }) => format === "Empty")

const factsOf = ({ annotations }: Endpoint) => {
  const { key: requiredKey, repeat, tier: requiredTier, transfers } = Context.get(annotations, Operation.Facts)
  return { repeat, requiredTier, requiredKey, transfers }
}

export const make = (group: string, endpoint: Endpoint, baseUrl: URL) => ({
  group,
  operation: `${group}.${endpoint.identifier}`,
  /** The path as OpenAPI writes it. */
  template: endpoint.path.replace(/:(\w+)/g, "{$1}"),
  ...factsOf(endpoint),
  /** True if a 404 in response to a retry counts as success. */
  removes: endpoint.method === "DELETE" && mayBeEmpty(endpoint),
  request: requester(endpoint, baseUrl),
  decode: decoder(endpoint)
})

export type Plan = ReturnType<typeof make>
