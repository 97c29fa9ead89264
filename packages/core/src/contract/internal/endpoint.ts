/** Endpoints and groups as plain data, so that a client bundles no module of Effect's `http-api`. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"

export interface Answer {
  readonly description: string
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly traceId?: string
  readonly retryAfter?: Duration.Duration
}

export type AnyError = Error & Answer & { readonly _tag: string }

/** The error responses of one status. `choose` makes the error from a response. */
export interface ErrorAnswer<out E extends AnyError = AnyError> {
  readonly status: number
  readonly schema: Schema.Top & { readonly Type: E }
  readonly choose: (answer: Answer) => E
}

export type ErrorOf<A> = A extends ErrorAnswer<infer E> ? E : never

/**
 * The effect of repeating a call.
 *
 * - `Read`: no effect.
 * - `Metered`: characters are counted again.
 * - `Replace`: the same end state (PUT, PATCH, DELETE).
 * - `Create`: another object, so no retry after an unknown outcome.
 * - `Consume`: the first success deletes the object (a document's result).
 */
export const RepeatKind = Schema.Literals(["Read", "Metered", "Replace", "Create", "Consume"])

export type RepeatKind = typeof RepeatKind.Type

/** The plan of an API key. The two tiers have different base URLs. */
export type Tier = "free" | "paid"

/** The facts of an operation apart from its schemas. */
export interface OperationFacts {
  readonly repeat: RepeatKind
  readonly summary: string
  /** The lowest tier that may call the operation. */
  readonly tier: Tier
  /** The required key: a developer key, or the admin key that manages developer keys; `undefined` accepts both. */
  readonly key: "admin" | "developer" | undefined
  /** True if the operation transfers a file, so that the policy's document timeouts apply. */
  readonly transfers: boolean
  readonly deprecated: boolean
  /** True if the service also accepts a POST with the query in the body, which the client does not use. */
  readonly acceptsPost: boolean
  readonly hasRetryAfter: boolean
}

/** An operation without facts counts as `Create`, the kind with the fewest retries. */
export const defaultFacts: OperationFacts = {
  repeat: "Create",
  summary: "",
  tier: "free",
  key: "developer",
  transfers: false,
  deprecated: false,
  acceptsPost: false,
  hasRetryAfter: false
}

/** The facts in the annotations of an `HttpApi` endpoint. */
export const Facts = Context.Reference<OperationFacts>("@effect-lingua/core/contract/internal/endpoint/Facts", {
  defaultValue: () => defaultFacts
})

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface Content<S extends Schema.Top> {
  readonly format: "Json" | "Form" | "Multipart" | "Text" | "Uint8Array" | "Stream" | "Empty"
  readonly schema: Schema.Top
  readonly status?: number
  readonly contentType?: string
  readonly "~schema"?: S
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** False for 204 and 205, which have no body, and 206, which has a partial body. */
export const hasWholeBody = (status: number): boolean => status >= 200 && status < 204

export interface Multipart<S extends Schema.Top> extends Schema.Schema<FormData> {
  readonly "~form": S
}

export interface Download<H extends Schema.Struct.Fields> extends
  Schema.Schema<{
    readonly body: Stream.Stream<Uint8Array, HttpClientError.HttpClientError>
    readonly headers: Schema.Struct.Type<H>
  }>
{
  readonly "~headers": H
}

/** An operation. Missing parts of the request have the type `never`. */
export interface Endpoint<
  out Identifier extends string = string,
  out M extends Method = Method,
  out Path extends `/${string}` = `/${string}`,
  out Params extends Schema.Top = Schema.Top,
  out Query extends Schema.Top = Schema.Top,
  out Payload extends Schema.Top = Schema.Top,
  out Success extends Schema.Top = Schema.Top,
  out E extends AnyError = AnyError
> {
  readonly identifier: Identifier
  readonly method: M
  readonly path: Path
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  /** Accepted formats; the client sends the first format. */
  readonly payload: ReadonlyArray<Content<Schema.Top>>
  /** Formats of the response; empty for status 204. */
  readonly success: ReadonlyArray<Content<Schema.Top>>
  readonly error: ReadonlyArray<ErrorAnswer>
  readonly facts: OperationFacts
  readonly "~types"?: {
    readonly params: Params
    readonly query: Query
    readonly payload: Payload
    readonly success: Success
    readonly error: E
  }
}

type Contents<S extends Schema.Top> = S | Content<S> | ReadonlyArray<S | Content<S>>

const contentOf = (content: Schema.Top | Content<Schema.Top>): Content<Schema.Top> =>
  Schema.isSchema(content) ? { format: "Json", schema: content } : content

const contentsOf = (contents: Contents<Schema.Top> = []): ReadonlyArray<Content<Schema.Top>> =>
  (Array.isArray(contents) ? contents : [contents]).map(contentOf)

/**
 * Makes the constructors of a resource's endpoints. The errors and facts of an endpoint override the shared errors and facts. By default `repeat`
 * depends on the method.
 */
export const of = <Shared extends ErrorAnswer>(
  { error: sharedErrors, ...shared }: Partial<OperationFacts> & { readonly error: ReadonlyArray<Shared> }
) => {
  const make = <M extends Method>(method: M, repeat: RepeatKind) =>
  <
    const Identifier extends string,
    const Path extends `/${string}`,
    Params extends Schema.Top = never,
    Query extends Schema.Top = never,
    Payload extends Schema.Top = never,
    S extends Schema.Top = Schema.Void,
    A extends ErrorAnswer = never
  >(
    identifier: Identifier,
    path: Path,
    summary: string,
    { error = [], params, payload, query, success, ...facts }: Partial<OperationFacts> & {
      readonly params?: Params
      readonly query?: Query
      readonly payload?: Contents<Payload>
      readonly success?: Contents<S>
      readonly error?: ReadonlyArray<A>
    }
  ): Endpoint<Identifier, M, Path, Params, Query, Payload, S, ErrorOf<A | Shared>> => ({
    identifier,
    method,
    path,
    params,
    query,
    payload: contentsOf(payload),
    success: contentsOf(success),
    error: [...error, ...sharedErrors.filter(({ status }) => error.every((other) => other.status !== status))],
    facts: { ...defaultFacts, repeat, ...shared, ...facts, summary }
  })
  return {
    get: make("GET", "Read"),
    post: make("POST", "Create"),
    put: make("PUT", "Replace"),
    patch: make("PATCH", "Replace"),
    delete: make("DELETE", "Replace")
  }
}

/** A group of endpoints. `endpoints` is a tuple, because the order of a union may change in declaration files. */
export interface Group<
  Name extends string = string,
  Endpoints extends NonEmptyReadonlyArray<Endpoint> = NonEmptyReadonlyArray<Endpoint>
> {
  new(_: never): {}
  readonly identifier: Name
  readonly endpoints: Endpoints
}

/** Makes a group as a base class, so that a subclass names the group's type. */
export const group = <const Name extends string, const Endpoints extends NonEmptyReadonlyArray<Endpoint>>(
  identifier: Name,
  ...endpoints: Endpoints
): Group<Name, Endpoints> =>
  // oxlint-disable-next-line typescript/no-extraneous-class -- the caller extends the class
  class {
    static readonly identifier = identifier
    static readonly endpoints = endpoints
  }
