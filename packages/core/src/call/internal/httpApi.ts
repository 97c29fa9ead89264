/** Converts the contract to Effect's `HttpApi`, for servers, OpenAPI documents and clients. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Contract from "../../contract/internal/endpoint.ts"
import { withRetryAfter } from "../../contract/internal/openapi.ts"
import { sanitizer } from "../../contract/internal/sanitizer.ts"
import { Reported } from "../../contract/internal/schema.ts"
import { defined } from "../../contract/internal/values.ts"
import { type Body, delay, parseBody } from "../../errors/internal/answerCodec.ts"
import { Authorization } from "../Authorization.ts"
import { Resilience } from "../Resilience.ts"

const ErrorBody = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({
      description: Schema.String,
      code: Schema.optional(Schema.String),
      detail: Schema.optional(Schema.String)
    }),
    SchemaTransformation.transformEffect<Body, string>({
      decode: (raw) => Effect.map(sanitizer, (sanitizer) => parseBody(raw, sanitizer)),
      encode: ({ code, description, detail }) => Effect.succeed(JSON.stringify({ message: description, code, detail }))
    })
  )
)

/** `Retry-After`, and `now`: when the response arrived. */
const RetryAfter = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({ text: Schema.String, now: Schema.optionalKey(Schema.Finite) }),
    SchemaTransformation.transformEffect<{ readonly text: string; readonly now?: number }, string>({
      decode: (text) => Effect.map(Clock.currentTimeMillis, (now) => ({ text, now })),
      encode: ({ text }) => Effect.succeed(text)
    })
  )
)

const answerBody = (status: number) =>
  ErrorBody.pipe(HttpApiSchema.asText({ contentType: "application/json" }), HttpApiSchema.status(status))

const answerHeaders = {
  "x-trace-id": Schema.optionalKey(Reported),
  "retry-after": Schema.optionalKey(RetryAfter),
  date: Schema.optionalKey(Schema.String)
}

/** The codec of a status's error responses. Decodes like the client. */
const errorCodec = memoize(({ choose, schema, status }: Contract.ErrorAnswer): Schema.Top =>
  HttpApiSchema.encodeToWithHeaders<Schema.toType<typeof schema>, ReturnType<typeof answerBody>, typeof answerHeaders>({
    body: answerBody(status),
    headers: answerHeaders
  }, {
    decode: ({ body, headers }) => {
      const hint = headers["retry-after"]
      return choose(defined({
        status,
        ...body,
        traceId: headers["x-trace-id"],
        retryAfter: hint && delay(hint, headers.date)
      }))
    },
    encode: ({ code, description, detail, retryAfter, traceId }) => ({
      body: { description, code, detail },
      headers: defined({
        "x-trace-id": traceId,
        "retry-after": retryAfter && { text: String(Math.ceil(Duration.toSeconds(retryAfter))) }
      })
    })
  })(Schema.toType(schema))
)

const formatted = ({ contentType, format, schema }: Contract.Content<Schema.Top>): Schema.Top => {
  const type = contentType === undefined ? undefined : { contentType }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of a text body encodes to a string
  const text = schema as Schema.Codec<unknown, string>
  switch (format) {
    case "Form":
      return schema.pipe(HttpApiSchema.asFormUrlEncoded())
    case "Multipart":
      return schema.pipe(HttpApiSchema.asMultipartStream())
    case "Text":
      return text.pipe(HttpApiSchema.asText(type))
    case "Stream":
      return HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), schema)
    default:
      return schema
  }
}

const httpContent = memoize((content: Contract.Content<Schema.Top>): Schema.Top => {
  const schema = formatted(content)
  return content.status === undefined ? schema : schema.pipe(HttpApiSchema.status(content.status))
})

const httpEndpoint = (
  { error, facts, identifier, method, params, path, payload, query, success }: Contract.Endpoint
) => {
  const { acceptsPost, deprecated, hasRetryAfter, repeat, summary, tier } = facts
  return HttpApiEndpoint.make(method)(identifier, path, {
    params,
    query,
    payload: payload.length === 0 ? undefined : payload.map(httpContent),
    success: success.length === 0 ? undefined : success.map(httpContent),
    error: error.map(errorCodec)
  }).annotate(Contract.Facts, facts).annotateMerge(
    OpenApi.annotations({
      summary,
      ...(deprecated ? { deprecated } : undefined),
      ...(hasRetryAfter ? { transform: withRetryAfter } : undefined),
      override: {
        "x-repeat": repeat,
        "x-required-tier": tier,
        ...(acceptsPost ? { "x-accepts-post": true } : undefined)
      }
    })
  )
}

type StringTree<S extends Schema.Top> = [S] extends [never] ? never : Schema.toCodecStringTree<S>
type Payload<S extends Schema.Top> = [S] extends [never] ? never
  : Schema.toCodecJson<S extends Contract.Multipart<infer Form> ? HttpApiSchema.asMultipartStream<Form> : S>
type Success<S extends Schema.Top> = S extends Contract.Download<infer H>
  ? HttpApiSchema.WithHeaders<HttpApiSchema.StreamUint8Array, Schema.Struct<H>>
  : Schema.toCodecJson<S>

type WithMiddleware<E> = HttpApiEndpoint.AddMiddleware<HttpApiEndpoint.AddMiddleware<E, Authorization>, Resilience>

type HttpEndpoint<E> = E extends Contract.Endpoint<
  infer Identifier,
  infer Method,
  infer Path,
  infer Params,
  infer Query,
  infer Body,
  infer S,
  infer Error
> ? WithMiddleware<
    HttpApiEndpoint.HttpApiEndpoint<
      Identifier,
      Method,
      Path,
      StringTree<Params>,
      StringTree<Query>,
      Payload<Body>,
      never,
      Success<S>,
      Schema.toCodecJson<Schema.Codec<Error, unknown>>
    >
  >
  : never

export function httpGroup<Name extends string, Endpoints extends Arr.NonEmptyReadonlyArray<Contract.Endpoint>>(
  group: Contract.Group<Name, Endpoints>
): HttpApiGroup.HttpApiGroup<Name, HttpEndpoint<Endpoints[number]>>
export function httpGroup({ endpoints, identifier }: Contract.Group): HttpApiGroup.Constraint {
  return HttpApiGroup.make(identifier).add(...Arr.map(endpoints, httpEndpoint)).middleware(Authorization).middleware(
    Resilience
  )
}
