import { BadRequest } from "@effect-lingua/core/errors/ServiceError"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { unhandled } from "effect/Types"

export const statuses: Readonly<Record<number, { readonly code?: string; readonly message?: string }>> = {
  400: { code: "bad_request", message: "Bad request" },
  401: { code: "unauthorized", message: "Missing or invalid key" },
  403: { code: "forbidden", message: "Forbidden" },
  404: { code: "not_found", message: "Not found" },
  405: { code: "method_not_allowed" },
  408: { message: "Request timeout" },
  413: { code: "payload_too_large", message: "Request entity too large" },
  415: { code: "invalid_content_type" },
  429: { code: "too_many_requests", message: "Too many requests" },
  456: { code: "quota_exceeded", message: "Quota Exceeded" },
  500: { code: "internal_error", message: "Internal server error." },
  502: { code: "bad_gateway", message: "Bad Gateway." },
  503: { code: "unavailable", message: "Service unavailable" },
  504: { code: "gateway_timeout", message: "Resource currently unavailable" },
  529: { code: "overloaded", message: "Too many requests" }
}

export const failure = (
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify({ message }), { status, headers, contentType: "application/json" })

/** Fails in a middleware with an error of the contract, which the endpoint encodes. */
export const refuse = (
  error: { readonly _tag: string; readonly description: string }
): Effect.Effect<never, unhandled> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of a middleware leaves no other way
  Effect.fail(error as unknown as unhandled)

export const badRequest = (description: string): Result.Result<never, BadRequest> =>
  Result.fail(new BadRequest({ description }))

const unsupportedValue = (parameter: string): string => `Value for '${parameter}' not supported.`

export const notSupported = (parameter: string): Result.Result<never, BadRequest> =>
  badRequest(unsupportedValue(parameter))

export const checkName = (name: string, bytes: number): Result.Result<void, BadRequest> =>
  name === "" || new TextEncoder().encode(name).length > bytes ? notSupported("name") : Result.succeed(undefined)

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The service's error for a request that the contract cannot decode. */
export const malformed = ({ issue: cause }: Schema.SchemaError): BadRequest => {
  const [issue] = formatIssues(cause).issues
  const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  // Removes the contract's schema names, which the service would not send.
  const message = (issue?.message ?? "").replace(/^Expected [A-Z].*$/, "Expected an object")
  const reason = `${path === "" ? "" : `${unsupportedValue(path)} `}${message}`
  return new BadRequest({
    description: issue?.message === "Missing key" ? `Missing parameter ${path}.` : `Bad request. Reason: ${reason}`
  })
}
