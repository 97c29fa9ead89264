/**
 * Requests that the fake received: raw, decoded, and formatted.
 *
 * @since 0.1.0
 */
import type { DocumentsApi } from "@effect-lingua/core/extension/Resources"
import type { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Duration from "effect/Duration"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as UrlParams from "effect/http/UrlParams"
import type * as Stream from "effect/Stream"
import * as Fault from "../faults/Fault.ts"
import * as Decode from "./internal/decode.ts"
import type { RecordedRequest } from "./internal/model.ts"

/**
 * A received request, with its outcome.
 *
 * @category models
 * @since 0.1.0
 */
export type { RecordedRequest } from "./internal/model.ts"

type Groups = typeof LanguageServiceApi["groups"] & Fault.AddedGroups

type RequestOf<Name> = {
  [G in keyof Groups]: {
    [E in keyof Groups[G]["endpoints"]]: Name extends `${G}.${E & string}`
      ? HttpApiEndpoint.Request<Groups[G]["endpoints"][E]>
      : never
  }[keyof Groups[G]["endpoints"]]
}[keyof Groups]

/** Replaces an upload's stream by the form's fields, with the file's name instead of its bytes. */
type WithoutStream<Part> = Part extends Stream.Stream<unknown, unknown, unknown> ? DocumentsApi.UploadForm : Part

type Parts<Request> = Request extends unknown ? {
    readonly [K in Extract<keyof Request, "params" | "query" | "payload">]: WithoutStream<Request[K]>
  }
  : never

/**
 * An operation's path parameters, query and payload, decoded to the client's field names and values.
 *
 * @category models
 * @since 0.1.0
 */
export type Decoded<Name extends Fault.OperationName> = Parts<RequestOf<Name>>

/**
 * A request of one operation. `decoded` is `undefined` if the request is invalid or its body too long for the record.
 *
 * @category models
 * @since 0.1.0
 */
export interface Of<Name extends Fault.OperationName> extends RecordedRequest {
  readonly operation: Name
  readonly decoded: Decoded<Name> | undefined
}

/**
 * Decodes a request. Returns `undefined` for another operation, an invalid request, or a body too long for the record.
 * Secrets are `Redacted`.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = <Name extends Fault.OperationName>(
  request: RecordedRequest,
  operation: Name
): Decoded<Name> | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is derived from the decoding schemas
  request.operation === operation ? Decode.decode(request) as Decoded<Name> | undefined : undefined

/**
 * The decoded requests of one operation.
 *
 * @category decoding
 * @since 0.1.0
 */
export const select = <Name extends Fault.OperationName>(
  requests: ReadonlyArray<RecordedRequest>,
  operation: Name
): ReadonlyArray<Of<Name>> =>
  requests.flatMap((request) =>
    request.operation === operation ? [{ ...request, operation, decoded: decode(request, operation) }] : []
  )

const shownPath = 100

/** Names of query parameters that may contain a secret. */
const secretNames = [/key$/i, /token$/i, /secret$/i]

const columns = (request: RecordedRequest, start: number): ReadonlyArray<string> => {
  const url = UrlParams.redactUrl(request.url, secretNames)
  return [
    `#${request.number}`,
    `+${Duration.format(Duration.millis(request.time - start))}`,
    request.operation ?? "(no operation)",
    `${request.method} ${url.length > shownPath ? `${url.slice(0, shownPath)}…` : url}`,
    request.status === undefined ? "no response" : String(request.status),
    request.tookEffect ? "took effect" : "no effect",
    request.fault === undefined ? "no fault" : `fault: ${Fault.format(request.fault)}`,
    `trace ${request.traceId}`
  ]
}

/**
 * Formats the last requests (default: 10), one line each, without headers, bodies and secret query parameters.
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (
  requests: ReadonlyArray<RecordedRequest>,
  options: { readonly last?: number | undefined } = {}
): string => {
  const [first] = requests
  if (first === undefined) return "(no requests)"
  const shown = requests.slice(-(options.last ?? 10))
  const rows = shown.map((request) => columns(request, first.time))
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
  const earlier = requests.length - shown.length
  return (earlier === 0 ? lines : [`(${earlier} earlier)`, ...lines]).join("\n")
}
