/**
 * Requests for what the service has and this version does not: operations, fields of a request, fields of a response. They have the same key,
 * retries, limits, errors and telemetry as all others.
 *
 * **Example** (An operation by its path)
 *
 * ```ts import.meta.vitest
 * import { CustomRequests } from "@effect-lingua/core/call/CustomRequests"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Schema } from "effect"
 *
 * const Created = Schema.Struct({ style_id: Schema.String, version: Schema.Int })
 * const program = Effect.gen(function*() {
 *   const requests = yield* CustomRequests
 *   const created = yield* requests.send({
 *     method: "POST",
 *     path: "/v3/style_rules",
 *     body: { name: "House style", language: "en" },
 *     success: Created
 *   })
 *   const read = yield* requests.send({
 *     method: "GET",
 *     path: "/v3/style_rules/:style_id",
 *     params: { style_id: created.style_id },
 *     success: Created
 *   })
 *   return read.version
 * })
 * const version = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * version // => 1
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Layer from "effect/Layer"
import { hasProperty, isString } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isFieldValue, isReserved, isToken, secretsOf } from "../config/internal/headers.ts"
import { type Endpoint, type ErrorOf, RepeatKind } from "../contract/internal/endpoint.ts"
import * as Operation from "../contract/internal/operation.ts"
import { deepest, isTooDeep } from "../contract/internal/size.ts"
import type { AnyCallError, OutcomeUnknown, UnknownOutcomeError } from "../errors/CallError.ts"
import { checkId, checkText, invalid, unknownName } from "../errors/internal/checks.ts"
import * as codecs from "../errors/internal/codecs.ts"
import type { ContractFailure } from "../errors/internal/unexpected.ts"
import type { NotFound, QuotaExceeded, UnsupportedMediaType, UriTooLong } from "../errors/ServiceError.ts"
import type { CallRecord } from "./internal/callRecord.ts"
import { runs } from "./internal/operation.ts"
import * as Operations from "./internal/operation.ts"
import type { ResilienceError } from "./internal/plan.ts"

type QueryValue = string | number | boolean

/**
 * A request.
 *
 * @category options
 * @since 0.1.0
 */
export interface RequestOptions<A> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /**
   * The path below the base address, with the version: `/v1/jobs/:job_id`. A part that begins with a colon is taken from
   * `params`, so that telemetry has the template and no ids.
   */
  readonly path: `/${string}`
  /** The parameters of the path. Each is escaped as one segment. */
  readonly params?: Readonly<Record<string, string>> | undefined
  /** The query; a list repeats its name. */
  readonly query?: Readonly<Record<string, QueryValue | ReadonlyArray<QueryValue> | undefined>> | undefined
  /** Headers of this request. They go before those of the configuration; those that the client sets itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body: bytes unchanged, anything else as JSON. */
  readonly body?: Schema.Json | Uint8Array | undefined
  /** The content type of the body. By default `application/json`, for bytes `application/octet-stream`. */
  readonly contentType?: string | undefined
  /**
   * The schema of a success, as JSON, or as text or bytes with `HttpApiSchema.asText` or `HttpApiSchema.asUint8Array`. By default
   * the body is not read.
   */
  readonly success?: Schema.Codec<A, unknown> | undefined
}

type Shared = AnyCallError | NotFound | QuotaExceeded | UnsupportedMediaType | UriTooLong

type SendError = Operations.Union<Shared | UnknownOutcomeError>["members"]

type CreateError = Operations.Union<Shared | OutcomeUnknown>["members"]

/** The effects of a repeat that make no other object. */
type Repeatable = Exclude<Operation.RepeatKind, "Consume" | "Create">

/** Requests that are safe to repeat after an unknown outcome: by their `repeat`, or a GET without it. */
type Repeated =
  | { readonly repeat: Repeatable }
  | { readonly method: "GET"; readonly repeat?: Repeatable | undefined }

/** Requests that are not. */
type Created =
  | { readonly repeat: "Create" }
  | { readonly method: Exclude<RequestOptions<unknown>["method"], "GET">; readonly repeat?: "Create" | undefined }

/** Literal segments have no escapes, so that the checked path is the sent one. */
const segment = /^(?::\w+|[\w~!$&'*+,;=@.-]+)$/

const checkPath = Effect.fnUntraced(function*(path: string, params: Readonly<Record<string, string>>) {
  const segments = typeof path === "string" && path.startsWith("/") ? path.slice(1).split("/") : []
  if (segments.length === 0 || segments.some((part) => !segment.test(part) || part === "." || part === "..")) {
    return yield* invalid(
      "path",
      "another address",
      "a path such as /v3/jobs/:job_id, of letters, digits and -_.~!$&'*+,;=@ between single slashes; ids stand in params"
    )
  }
  const names = segments.filter((part) => part.startsWith(":")).map((part) => part.slice(1))
  for (const name of names) {
    yield* checkId(`params.${name}`, Object.hasOwn(params, name) ? params[name] ?? "" : "")
  }
  const stray = Object.keys(params).find((name) => !names.includes(name))
  if (stray !== undefined) return yield* invalid(`params.${stray}`, "a value", "no value, as the path does not have it")
})

const checkHeaders = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(headers)) {
    if (!isToken(name)) {
      return yield* invalid("headers", `the name ${JSON.stringify(name)}`, "one that a header can have")
    }
    if (isReserved(name)) return yield* invalid(`headers.${name}`, "a value", "no value, as the client sets it itself")
    if (!isFieldValue(value)) return yield* invalid(`headers.${name}`, "another value", "one that a header can carry")
  }
})

/** The query as texts. */
const queryOf = Effect.fnUntraced(function*(query: NonNullable<RequestOptions<unknown>["query"]>) {
  const fields: Record<string, ReadonlyArray<string>> = {}
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    const values = (typeof value === "object" ? value : [value]).map(String)
    for (const text of [name, ...values]) yield* checkText(`query.${name}`, text)
    fields[name] = values
  }
  return fields
})

const isJson = Schema.is(Schema.Json)

const bodyOf = Effect.fnUntraced(function*({ body, contentType, method }: RequestOptions<unknown>) {
  if (contentType !== undefined && !isFieldValue(contentType)) {
    return yield* invalid("contentType", "another value", "one that a header can carry")
  }
  if (body === undefined) return undefined
  if (method === "GET") return yield* invalid("body", "a value", "no value, as a GET has no body")
  if (body instanceof Uint8Array) return HttpBody.uint8Array(body, contentType)
  // It throws for a field that cannot be read, and for a nesting that is too deep for the platform.
  const json = Result.getOrElse(Result.try(() => isJson(body) ? JSON.stringify(body) : ""), () => "")
  return json === "" || isTooDeep(json)
    ? yield* invalid("body", "a value that is not JSON", `JSON of at most ${deepest} levels`)
    : HttpBody.text(json, contentType ?? "application/json")
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

/** The format that `HttpApiSchema.asText` and `asUint8Array` give to a schema, for which Effect exports no function. */
const formatOf = (schema: Schema.Top): "Json" | "Text" | "Uint8Array" => {
  const encoding = Schema.resolveAnnotations(schema)?.["~httpApiEncoding"]
  if (!hasProperty(encoding, "_tag")) return "Json"
  return encoding._tag === "Text" || encoding._tag === "Uint8Array" ? encoding._tag : "Json"
}

/** A request as a part of the contract, so that it is treated like the others. */
const endpointOf = (
  { method, params, path, success }: RequestOptions<unknown>,
  query: Readonly<Record<string, ReadonlyArray<string>>>,
  repeat: Operation.RepeatKind
): Endpoint => {
  return {
    identifier: "send",
    method,
    path,
    params: struct(params ?? {}, Schema.String),
    query: struct(query, Schema.Array(Schema.String)),
    payload: [],
    success: success === undefined ? [] : [
      { format: formatOf(success), schema: success },
      ...(Schema.is(success)(undefined) ? [{ format: "Empty" as const, schema: Schema.Void, status: 204 }] : [])
    ],
    error: errors,
    annotations: Operation.annotations(repeat, "", { key: undefined })
  }
}

const texts = Schema.optional(Schema.Record(Schema.String, Schema.String))
const scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

/** The options, which an untyped caller may give in other forms. */
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
  const { call, create } = yield* runs
  const sendingOf = yield* Operations.sending

  const sendAs = Effect.fnUntraced(function*(
    record: CallRecord,
    options: RequestOptions<unknown>,
    repeat: Operation.RepeatKind
  ) {
    const { headers = {}, params = {}, path } = options
    yield* unknownName(options, Object.keys(Options.fields)) ?? Effect.void
    yield* checkOptions(options)
    yield* checkPath(path, params)
    yield* checkHeaders(headers)
    const query = yield* queryOf(options.query ?? {})
    const body = yield* bodyOf(options)
    const send = sendingOf("CustomRequests", endpointOf(options, query, repeat))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the errors are those of the endpoint
    return yield* send(record, { params, query, body, headers }) as Effect.Effect<
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
    // Headers of a request may hold tokens, too.
    const secrets = secretsOf(Object.values(options.headers ?? {}).filter(isString))
    return repeat === "Create"
      ? create(operation, {}, (record) => sendAs(record, options, repeat), secrets)
      : call(operation, (record) => sendAs(record, options, repeat), secrets)
  }

  return {
    /**
     * Sends a request, and decodes its answer.
     *
     * **Details**
     *
     * `repeat` is the effect of sending it again, which depends on the operation: `Read`, `Metered`, `Replace` or
     * `Create` (see `Operation.RepeatKind`). Without it, a GET counts as `Read` (RFC 9110, section 9.2.1) and
     * any other method as `Create`: after an unknown outcome it is not sent again, and fails with `OutcomeUnknown`. `Create` is
     * also right for an operation whose first success takes something away.
     *
     * The key goes to the configured service and nowhere else: the path cannot name another host nor climb out of the base
     * address, and redirects are not followed. The whole answer is read into memory, up to `maxBodyBytes` of the policy. A
     * success is an answer with any status from 200 to 299 whose body is read by `success`, and 204 where that allows `undefined`.
     *
     * The operation is `CustomRequests.send` in errors, spans and metrics, with the template of the path on the span of each
     * attempt; `Call.run` gives it a name. `serviceResilience.CustomRequests` is its policy. The budget of a tenant does
     * not count it.
     *
     * Fails with `InvalidInput` for a path, header, query or body that cannot be sent, before anything is; with the errors
     * of every operation, including `NotFound` for an unknown path; with `UnexpectedResponse` for a
     * success of another shape than `success`, and for a status that has no class of its own, such as 409.
     */
    send
  }
})

/**
 * The service of custom requests.
 *
 * @category services
 * @since 0.1.0
 */
export class CustomRequests
  extends Context.Service<CustomRequests, Effect.Success<typeof make>>()("@effect-lingua/core/call/CustomRequests")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(CustomRequests, make)
