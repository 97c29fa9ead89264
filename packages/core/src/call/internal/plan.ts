/** `Plan`: what a call takes from its endpoint: kind of repeat, limits, request encoder and response decoder. */
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
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
import { deepest, isTooDeep } from "../../contract/internal/size.ts"
import type { CallFailure, InvalidInput } from "../../errors/CallError.ts"
import * as Answers from "../../errors/internal/answerCodec.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { type ContractFailure, mismatch } from "../../errors/internal/unexpected.ts"
import type { AccessDenied, InvalidKey, RateLimited, WrongTier } from "../../errors/ServiceError.ts"
import type { Wait } from "./repeat.ts"

export interface Attached {
  readonly body?: HttpBody.HttpBody | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly wait?: Wait | undefined
}

export interface Parts extends Attached {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: unknown
  readonly payload?: unknown
}

export type ResilienceError = AccessDenied | CallFailure | InvalidInput | InvalidKey | RateLimited | WrongTier

const codecOf = <E>(schema: Schema.Top) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no schema of the contract requires a service
  schema as Schema.Codec<unknown, E>

const encoder = <E>(schema: Schema.Top | undefined) =>
  schema === undefined ? undefined : Schema.encodeUnknownEffect(codecOf<E>(schema))

/** Makes a function that inserts path parameters, each escaped as one segment, into the URL. */
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

/** Makes a request in one step, because each `HttpClientRequest` combinator copies the headers. */
const requestOf = (
  method: string,
  address: string,
  { body, headers }: Attached,
  json?: string
): HttpClientRequest.HttpClientRequest => {
  const encoded = json === undefined ? HttpBody.empty : HttpBody.text(json, "application/json")
  const bodyHeaders = encoded._tag === "Empty"
    ? Headers.empty
    : Headers.set(ofJson, "content-length", String(encoded.contentLength))
  const request = HttpClientRequest.makeWith(method, address, UrlParams.empty, Option.none(), bodyHeaders, encoded)
  const withBody = body === undefined ? request : HttpClientRequest.setBody(request, body)
  return headers === undefined ? withBody : HttpClientRequest.setHeaders(withBody, headers)
}

const jsonEncoder = memoize((schema: Schema.Top) => DerivedDecoder.encoder(Schema.toCodecJson(schema)))

/** Makes the request encoder of an endpoint. {@link Attached} contains a body that is not JSON. */
const requester = ({ method, params, path, payload: [body], query }: Endpoint, baseUrl: URL) => {
  const encodeParams = encoder<Readonly<Record<string, string>>>(params)
  const encodePayload = body?.format === "Json" ? jsonEncoder(body.schema) : undefined
  const encodeQuery = encoder<UrlParams.Input>(query)
  const toAddress = addressOf(baseUrl, path)
  const fixedAddress = Effect.succeed(toAddress({}))
  return (parts: Parts = {}): Effect.Effect<HttpClientRequest.HttpClientRequest, Schema.SchemaError> => {
    const address = encodeParams === undefined ? fixedAddress : Effect.map(encodeParams(parts.params), toAddress)
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

/** Decodes a response. `text` is the body if the caller has read it. */
type Decode = (
  response: HttpClientResponse.HttpClientResponse,
  text?: string
) => Effect.Effect<unknown, Failure | ContractFailure>

/** Parses JSON; `undefined` for any other text. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes the decoder of a JSON body. An empty body is decoded as `null` if the schema allows only `null`. */
const jsonDecoder = memoize((schema: Schema.Top): Decode => {
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
})

const successDecoder = ({ format, schema }: Content<Schema.Top>): Decode => {
  const decode = Schema.decodeUnknownEffect(codecOf(schema))
  switch (format) {
    case "Text":
      return (response) => Effect.flatMap(response.text, decode)
    case "Uint8Array":
      return (response) => Effect.flatMap(response.arrayBuffer, (bytes) => decode(new Uint8Array(bytes)))
    case "Stream":
      return (response) => Effect.map(decode(response.headers), (headers) => ({ headers, body: response.stream }))
    case "Empty":
      return () => Effect.undefined
    default:
      return jsonDecoder(schema)
  }
}

const contentsOf = ({ success }: Endpoint): ReadonlyArray<Content<Schema.Top>> =>
  success.length === 0 ? [{ format: "Empty", schema: Schema.Void, status: 204 }] : success

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
 * Makes the response decoder of an endpoint. An undeclared 2xx status is a success if the body decodes. Text, byte and stream formats decode any
 * body, so a status of theirs must have a whole body: 204 and 205 have none, and 206 has a part.
 */
const decoder = (endpoint: Endpoint): Decode => {
  const decoders = new Map<number, Decode>()
  const contents = contentsOf(endpoint)
  const decoderOf = (status: number): Decode | undefined => {
    const content = contents.find((one) => (one.status ?? 200) === status)
    if (content !== undefined) return successDecoder(content)
    const [similar] = contents
    if (similar !== undefined && (/Json|Empty/.test(similar.format) ? isSuccess(status) : hasWholeBody(status))) {
      const decode = successDecoder(similar)
      return (response, text) => Effect.catch(decode(response, text), () => undeclared(response))
    }
    const answer = endpoint.error.find((one) => one.status === status)
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

export const make = (group: string, endpoint: Endpoint, baseUrl: URL) => ({
  group,
  operation: `${group}.${endpoint.identifier}`,
  template: endpoint.path.replace(/:(\w+)/g, "{$1}"),
  ...endpoint.facts,
  /** True if a 404 response to a retry is a success. */
  removes: endpoint.method === "DELETE" && contentsOf(endpoint).some(({ format }) => format === "Empty"),
  request: requester(endpoint, baseUrl),
  decode: decoder(endpoint)
})

export type Plan = ReturnType<typeof make>
