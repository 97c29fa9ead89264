import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { find, type Matched } from "../../faults/internal/operations.ts"
import type { RecordedRequest } from "./model.ts"

type Decode = (input: unknown) => Option.Option<unknown>

type DecodePayload = (request: RecordedRequest) => Option.Option<unknown>

interface Decoder {
  readonly params: Decode | undefined
  readonly query: Decode | undefined
  readonly payload: ReadonlyMap<string, DecodePayload>
}

const decodeUnknown = (schema: Schema.Top): Decode =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas of the contract need no services
  Schema.decodeUnknownOption(schema as Schema.Decoder<unknown>)

export const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const make = ({ params, payload, query }: HttpApiEndpoint.Top): Decoder => ({
  params: params === undefined ? undefined : decodeUnknown(params),
  query: query === undefined ? undefined : decodeUnknown(Schema.toCodecArrayFromSingle(query)),
  payload: new Map(
    Array.from(payload, ([contentType, { encoding, schemas }]): [string, DecodePayload] => {
      const schema = Schema.Union(schemas)
      if (encoding._tag === "FormUrlEncoded") {
        const decode = decodeUnknown(Schema.toCodecArrayFromSingle(schema))
        return [
          contentType,
          ({ body }) => decode(UrlParams.toRecord(UrlParams.fromInput(new URLSearchParams(body))))
        ]
      }
      const decode = decodeUnknown(schema)
      // An upload's recorded payload has decoded fields, not the form's parts.
      return encoding._tag === "Multipart"
        ? [contentType, ({ payload }) => decode(payload)]
        : [contentType, ({ body }) => Option.flatMap(parseJson(body), decode)]
    })
  )
})

const decoders = new Map<string, Decoder>()

const decoderOf = ({ endpoint, operation }: Matched): Decoder => {
  const decoder = decoders.get(operation) ?? make(endpoint)
  decoders.set(operation, decoder)
  return decoder
}

/** Finds a request's operation, even if the recorded URL has a base path. */
const findWithin = ({ method, operation, url }: RecordedRequest): Matched | undefined => {
  for (let start = url.indexOf("/"); start >= 0; start = url.indexOf("/", start + 1)) {
    const matched = find(method, url.slice(start))
    if (matched !== undefined && matched.operation === operation) return matched
  }
  return undefined
}

export const contentTypeOf = (headers: RecordedRequest["headers"]): string =>
  (headers["content-type"] ?? "").split(";", 1).join("").trim().toLowerCase()

/** A request's decoded parts; `undefined` if one of them does not match the contract. */
export const decode = (request: RecordedRequest): Readonly<Record<string, unknown>> | undefined => {
  const matched = findWithin(request)
  if (matched === undefined) return undefined
  const decoder = decoderOf(matched)
  const parts: Array<readonly [string, Option.Option<unknown>]> = []
  if (decoder.params !== undefined) parts.push(["params", decoder.params(matched.params)])
  if (decoder.query !== undefined) parts.push(["query", decoder.query(matched.searchParams)])
  if (decoder.payload.size > 0) {
    const decodePayload = decoder.payload.get(contentTypeOf(request.headers))
    parts.push(["payload", decodePayload === undefined ? Option.none() : decodePayload(request)])
  }
  return Option.getOrUndefined(Option.all(Object.fromEntries(parts)))
}
