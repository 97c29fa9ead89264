/**
 * Requests for operations and fields unknown to this library, with the client's key, retries, limits, errors and telemetry.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import { hasProperty, isString } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isFieldValue, isReserved, isToken, secretsOf } from "../config/internal/settings.ts"
import { defaultFacts, type Endpoint, type ErrorOf, RepeatKind } from "../contract/internal/endpoint.ts"
import { deepest, isTooDeep } from "../contract/internal/size.ts"
import type { OtherCallError, OutcomeUnknown, UnknownOutcomeError } from "../errors/CallError.ts"
import { checkId, checkText, invalid, unknownName } from "../errors/internal/checks.ts"
import * as codecs from "../errors/internal/codecs.ts"
import type { ContractFailure } from "../errors/internal/unexpected.ts"
import type { NotFound, QuotaExceeded, RateLimited, UnsupportedMediaType, UriTooLong } from "../errors/ServiceError.ts"
import type { CallRecord } from "./internal/callRecord.ts"
import * as Operations from "./internal/operation.ts"
import type { ResilienceError } from "./internal/plan.ts"

type QueryValue = string | number | boolean

/**
 * A request for an endpoint outside of the contract.
 *
 * @category options
 * @since 0.1.0
 */
export interface RequestOptions<A> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** The path below the base URL, such as `/v1/jobs/:job_id`. `params` replaces `:` segments, so that telemetry has no ids. */
  readonly path: `/${string}`
  /** Path parameters, each escaped as one segment. */
  readonly params?: Readonly<Record<string, string>> | undefined
  /** Query parameters. An array repeats the parameter. */
  readonly query?: Readonly<Record<string, QueryValue | ReadonlyArray<QueryValue> | undefined>> | undefined
  /** Overrides the configured headers. Headers that the client sets are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body: bytes are sent unchanged, other values as JSON. */
  readonly body?: Schema.Json | Uint8Array | undefined
  /** The media type. Default: `application/octet-stream` for bytes, otherwise `application/json`. */
  readonly contentType?: string | undefined
  /** The schema of a success: JSON, or text or bytes with `HttpApiSchema.asText` or `asUint8Array`. Without a schema the body is ignored. */
  readonly success?: Schema.Codec<A, unknown> | undefined
}

type Shared = OtherCallError | RateLimited | NotFound | QuotaExceeded | UnsupportedMediaType | UriTooLong

type SendError = Operations.Union<Shared | UnknownOutcomeError>["members"]

type CreateError = Operations.Union<Shared | OutcomeUnknown>["members"]

type Repeatable = Exclude<RepeatKind, "Consume" | "Create">

/** Requests that may be repeated after an unknown outcome. */
type Repeated =
  | { readonly repeat: Repeatable }
  | { readonly method: "GET"; readonly repeat?: Repeatable | undefined }

type Created =
  | { readonly repeat: "Create" }
  | { readonly method: Exclude<RequestOptions<unknown>["method"], "GET">; readonly repeat?: "Create" | undefined }

/** A path segment without escapes, so that the path is sent unchanged. */
const segment = /^(?::\w+|[\w~!$&'*+,;=@.-]+)$/

const isJson = Schema.is(Schema.Json)

const partsOf = Effect.fnUntraced(function*(
  { body, contentType, headers = {}, method, params = {}, path, query = {} }: RequestOptions<unknown>
) {
  const segments = path.split("/").slice(1)
  if (!path.startsWith("/") || segments.some((part) => !segment.test(part) || part === "." || part === "..")) {
    return yield* invalid(
      "path",
      "an invalid path",
      "a path such as /v3/jobs/:job_id, of letters, digits and -_.~!$&'*+,;=@ between single slashes; ids belong in params"
    )
  }
  const names = segments.filter((part) => part.startsWith(":")).map((part) => part.slice(1))
  for (const name of names) yield* checkId(`params.${name}`, params[name])
  const stray = Object.keys(params).find((name) => !names.includes(name))
  if (stray !== undefined) {
    return yield* invalid(`params.${stray}`, "a value", "no value, because the path has no such parameter")
  }
  const headerValue = "a value that a header can carry"
  for (const [name, value] of Object.entries(headers)) {
    if (!isToken(name)) return yield* invalid("headers", `the name ${JSON.stringify(name)}`, "a valid header name")
    if (isReserved(name)) {
      return yield* invalid(`headers.${name}`, "a value", "no value, because the client sets this header")
    }
    if (!isFieldValue(value)) return yield* invalid(`headers.${name}`, "an invalid value", headerValue)
  }
  const texts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, (typeof value === "object" ? value : [value]).map(String)] as const]
  )
  for (const [name, values] of texts) {
    for (const text of [name, ...values]) yield* checkText(`query.${name}`, text)
  }
  if (contentType !== undefined && !isFieldValue(contentType)) {
    return yield* invalid("contentType", "an invalid value", headerValue)
  }
  const parts = { params, headers, query: Object.fromEntries(texts) }
  if (body === undefined) return parts
  if (method === "GET") return yield* invalid("body", "a value", "no value, because a GET has no body")
  if (body instanceof Uint8Array) return { ...parts, body: HttpBody.uint8Array(body, contentType) }
  // `JSON.stringify` throws if a getter throws or if the value is nested too deep.
  const json = Result.getOrElse(Result.try(() => isJson(body) ? JSON.stringify(body) : ""), () => "")
  if (json === "" || isTooDeep(json)) {
    return yield* invalid("body", "a value that is not JSON", `JSON of at most ${deepest} levels`)
  }
  return { ...parts, body: HttpBody.text(json, contentType ?? "application/json") }
})

const errors = [
  ...codecs.common,
  codecs.notFound,
  codecs.uriTooLong,
  codecs.unsupportedMediaType,
  codecs.quotaExceeded
] as const

const operation = "CustomRequests.send"

const struct = (record: object, field: Schema.Codec<unknown>) => Schema.Struct(Record.map({ ...record }, () => field))

/** The format set by `HttpApiSchema.asText` and `asUint8Array`. Effect exports no getter. */
const formatOf = (schema: Schema.Top): "Json" | "Text" | "Uint8Array" => {
  const encoding = Schema.resolveAnnotations(schema)?.["~httpApiEncoding"]
  if (!hasProperty(encoding, "_tag")) return "Json"
  return encoding._tag === "Text" || encoding._tag === "Uint8Array" ? encoding._tag : "Json"
}

const endpointOf = (
  { method, path, success }: RequestOptions<unknown>,
  { params, query }: Effect.Success<ReturnType<typeof partsOf>>,
  repeat: RepeatKind
): Endpoint => ({
  identifier: "send",
  method,
  path,
  params: struct(params, Schema.String),
  query: struct(query, Schema.Array(Schema.String)),
  payload: [],
  success: success === undefined ? [] : [
    { format: formatOf(success), schema: success },
    ...(Schema.is(success)(undefined) ? [{ format: "Empty" as const, schema: Schema.Void, status: 204 }] : [])
  ],
  error: errors,
  facts: { ...defaultFacts, repeat, key: undefined }
})

const texts = Schema.optional(Schema.Record(Schema.String, Schema.String))
const scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

const Options = Schema.Struct({
  method: Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: Schema.String,
  params: texts,
  query: Schema.optional(
    Schema.Record(Schema.String, Schema.UndefinedOr(Schema.Union([scalar, Schema.Array(scalar)])))
  ),
  headers: texts,
  body: Schema.optional(Schema.Unknown),
  contentType: Schema.optional(Schema.String),
  success: Schema.optional(Schema.declare(Schema.isSchema)),
  repeat: Schema.optional(RepeatKind)
})
const checkOptions = Schema.decodeUnknownEffect(Options)

const make = Effect.gen(function*() {
  const { call, create } = yield* Operations.runs
  const sendingOf = yield* Operations.sending

  const sendAs = Effect.fnUntraced(function*(
    record: CallRecord,
    options: RequestOptions<unknown>,
    repeat: RepeatKind
  ) {
    yield* unknownName(options, Object.keys(Options.fields)) ?? Effect.void
    yield* checkOptions(options)
    const parts = yield* partsOf(options)
    const send = sendingOf("CustomRequests", endpointOf(options, parts, repeat))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint has these errors
    return yield* send(record, parts) as Effect.Effect<
      unknown,
      ErrorOf<(typeof errors)[number]> | ResilienceError | ContractFailure
    >
  })

  function send<A = void>(options: RequestOptions<A> & Repeated): Effect.Effect<A, SendError>
  function send<A = void>(options: RequestOptions<A> & Created): Effect.Effect<A, CreateError>
  function send<A = void>(
    options: RequestOptions<A> & { readonly repeat?: Repeatable | "Create" | undefined }
  ): Effect.Effect<A, SendError | CreateError>
  function send(options: RequestOptions<unknown> & { readonly repeat?: Repeatable | "Create" | undefined }) {
    const { repeat = options.method === "GET" ? "Read" : "Create" } = options
    // Header values may be tokens, so errors mask them.
    const secrets = secretsOf(Object.values(options.headers ?? {}).filter(isString))
    return repeat === "Create"
      ? create(operation, {}, (record) => sendAs(record, options, repeat), secrets)
      : call(operation, (record) => sendAs(record, options, repeat), secrets)
  }

  return {
    /**
     * Sends a request.
     *
     * **Details**
     *
     * `repeat` says what a second request would do (see `RepeatKind`). Default: `Read` for a GET (RFC 9110, section 9.2.1), and `Create` for other
     * methods: after an unknown outcome, the call fails with `OutcomeUnknown`. Use `Create` also for a request that can succeed only once.
     *
     * The path cannot leave the base URL, and redirects are not followed. The response is read into memory, up to the policy's `maxBodyBytes`.
     * Any 2xx that `success` decodes is a success; so is a 204 if `success` allows `undefined`.
     *
     * Errors, spans and metrics have the operation name `CustomRequests.send`; `Call.run` sets another name. The policy is
     * `serviceResilience.CustomRequests`. Tenant budgets do not count custom requests.
     *
     * Fails with `InvalidInput`, before the request, for an invalid path, header, query or body; with `NotFound` for an unknown path; with
     * `UnexpectedResponse` if `success` cannot decode the response or no error class has the status, such as 409; and with the errors of every
     * operation.
     */
    send
  }
})

/**
 * @category services
 * @since 0.1.0
 */
export class CustomRequests
  extends Operations.service<CustomRequests>()("@effect-lingua/core/call/CustomRequests", make)
{}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace CustomRequests {
  export type { RequestOptions }
  export type { CreateError, SendError }
}
