/**
 * Endpoints and groups as plain data. The client reads its plans from them, and `httpApi.ts` makes Effect's `HttpApi` of them, so
 * that a program with the client neither loads nor bundles the modules of Effect's `http-api`.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

/** The fields of an error response as decoded from the wire, before a class is chosen. */
export interface Answer {
  readonly description: string
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly traceId?: string
  readonly retryAfter?: Duration.Duration
}

/** An error of the service. */
export type AnyError = Error & Answer & { readonly _tag: string }

/** The error responses of one status: the class that `choose` picks, one of `schema`. */
export interface ErrorAnswer<out E extends AnyError = AnyError> {
  readonly status: number
  readonly schema: Schema.Top & { readonly Type: E }
  readonly choose: (answer: Answer) => E
}

/** The errors of such responses. */
export type ErrorOf<A> = A extends ErrorAnswer<infer E> ? E : never

/** The effects of repeating an operation: `Operation.RepeatKind`. */
export const RepeatKind = Schema.Literals(["Read", "Metered", "Replace", "Create", "Consume"])

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** A body of another format than JSON, or of another status than 200. */
export interface Content<S extends Schema.Top> {
  readonly format: "Json" | "Form" | "Multipart" | "Text" | "Uint8Array" | "Stream" | "Empty"
  readonly schema: Schema.Top
  readonly status?: number
  readonly contentType?: string
  readonly "~schema"?: S
}

/** The facts of an endpoint. `E` is the endpoint that Effect's `HttpApi` has for it. */
export interface Endpoint<E extends HttpApiEndpoint.Constraint = HttpApiEndpoint.Constraint> {
  readonly identifier: E["identifier"]
  readonly method: Method
  readonly path: `/${string}`
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  /** The formats of the body, the one that the client sends first. */
  readonly payload: ReadonlyArray<Content<Schema.Top>>
  /** The successes; without any, one of status 204 without a body. */
  readonly success: ReadonlyArray<Content<Schema.Top>>
  readonly error: ReadonlyArray<ErrorAnswer>
  readonly annotations: Context.Context<never>
  readonly "~endpoint"?: E
}

type StringTree<S extends Schema.Top> = [S] extends [never] ? never : Schema.toCodecStringTree<S>
type Json<S extends Schema.Top> = [S] extends [never] ? never : Schema.toCodecJson<S>
type Success<S extends Schema.Top> = S extends HttpApiSchema.WithHeaders<HttpApiSchema.StreamUint8Array, Schema.Top> ? S
  : Schema.toCodecJson<S>

type Contents<S extends Schema.Top> = S | Content<S> | ReadonlyArray<S | Content<S>>

const contentOf = (given: Schema.Top | Content<Schema.Top>): Content<Schema.Top> =>
  Schema.isSchema(given) ? { format: "Json", schema: given } : given

const contentsOf = (given: Contents<Schema.Top> = []): ReadonlyArray<Content<Schema.Top>> =>
  (Array.isArray(given) ? given : [given]).map(contentOf)

const make = <M extends Method>(method: M) =>
<
  const Identifier extends string,
  const Path extends `/${string}`,
  Params extends Schema.Top = never,
  Query extends Schema.Top = never,
  Payload extends Schema.Top = never,
  S extends Schema.Top = HttpApiSchema.NoContent,
  A extends ErrorAnswer = never
>(
  identifier: Identifier,
  path: Path,
  { error, params, payload, query, success }: {
    readonly params?: Params
    readonly query?: Query
    readonly payload?: Contents<Payload>
    readonly success?: Contents<S>
    readonly error: ReadonlyArray<A>
  },
  annotations: Context.Context<never>
): Endpoint<
  HttpApiEndpoint.HttpApiEndpoint<
    Identifier,
    M,
    Path,
    StringTree<Params>,
    StringTree<Query>,
    Json<Payload>,
    never,
    Success<S>,
    Schema.toCodecJson<Schema.Codec<ErrorOf<A>, unknown>>
  >
> => ({
  identifier,
  method,
  path,
  params,
  query,
  payload: contentsOf(payload),
  success: contentsOf(success),
  error,
  annotations
})

export const get = make("GET")
export const post = make("POST")
export const put = make("PUT")
export const patch = make("PATCH")
const remove = make("DELETE")
export { remove as delete }

/** A group of endpoints. They are a tuple: the order of a union would change between compilations, and all dependents would be compiled again. */
export interface Group<Name extends string, Endpoints extends NonEmptyReadonlyArray<Endpoint>> {
  new(_: never): {}
  readonly identifier: Name
  readonly endpoints: Endpoints
}

/** Makes a group of endpoints, to be extended by a class, whose name is that of its type. */
export const group = <const Name extends string, const Endpoints extends NonEmptyReadonlyArray<Endpoint>>(
  identifier: Name,
  ...endpoints: Endpoints
): Group<Name, Endpoints> =>
  // oxlint-disable-next-line typescript/no-extraneous-class -- see above
  class {
    static readonly identifier = identifier
    static readonly endpoints = endpoints
  }
