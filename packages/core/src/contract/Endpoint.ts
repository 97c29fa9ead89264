/**
 * The types of the endpoints of the contract: `translate` of `TranslationApi` is an {@link Endpoint}.
 *
 * @since 0.3.0
 */
import type * as Context from "effect/Context"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { AnyError, Content, ErrorAnswer, Method } from "./internal/endpoint.ts"

/**
 * A form with a file: the payload of a request, with the schema of its fields.
 *
 * @category models
 * @since 0.3.0
 */
export interface Multipart<S extends Schema.Top> extends Schema.Schema<FormData> {
  readonly "~form": S
}

/**
 * A stream of bytes with the headers before it: the success of an endpoint.
 *
 * @category models
 * @since 0.3.0
 */
export interface Download<H extends Schema.Struct.Fields> extends
  Schema.Schema<{
    readonly body: Stream.Stream<Uint8Array, HttpClientError.HttpClientError>
    readonly headers: Schema.Struct.Type<H>
  }>
{
  readonly "~headers": H
}

/**
 * The facts of an endpoint. A part of requests that it does not have is of the type `never`.
 *
 * @category models
 * @since 0.3.0
 */
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
  /** The formats of the body, the one that the client sends first. */
  readonly payload: ReadonlyArray<Content<Schema.Top>>
  /** The successes; without any, one of status 204 without a body. */
  readonly success: ReadonlyArray<Content<Schema.Top>>
  readonly error: ReadonlyArray<ErrorAnswer>
  readonly annotations: Context.Context<never>
  readonly "~types"?: {
    readonly params: Params
    readonly query: Query
    readonly payload: Payload
    readonly success: Success
    readonly error: E
  }
}
