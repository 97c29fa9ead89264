import {
  DocumentAlreadyDownloaded,
  DocumentNotFound,
  InvalidKey,
  NotFound
} from "@effect-lingua/core/errors/ServiceError"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fault } from "../../../faults/Fault.ts"
import type { Dialect } from "../../Dialect.ts"
import { failure, statuses } from "../answers.ts"
import { parseJson } from "../decode.ts"

type Response = HttpServerResponse.HttpServerResponse

const wellFormedId = /^[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const hasMalformedId = (url: string, template: string): boolean => {
  const segments = url.replace(/\?.*/, "").split("/")
  return template.split("/").some((part, index) => /^:.*id$/.test(part) && !wellFormedId.test(segments[index] ?? ""))
}

/** The response for an error whose status the dialect changes; `undefined` for other errors. */
export const refusal = (
  error: unknown,
  { invalidKey = 403, malformedId = 404, secondDownload = 404 }: Dialect,
  url: string,
  template: string
): Response | undefined => {
  if (error instanceof InvalidKey && invalidKey !== 403) return failure(invalidKey, error.description)
  if ((error instanceof NotFound || error instanceof DocumentNotFound) && malformedId !== 404) {
    return hasMalformedId(url, template) ? failure(malformedId, "The id in the path is not valid.") : undefined
  }
  return error instanceof DocumentAlreadyDownloaded && secondDownload !== 404
    ? failure(secondDownload, error.description)
    : undefined
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const Failed = Schema.StructWithRest(Schema.Struct({ message: Schema.String }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
const parseFailed = Schema.decodeUnknownOption(Schema.fromJsonString(Failed))

const jsonOf = ({ body }: Response): string =>
  body._tag === "Uint8Array" && body.contentType.startsWith("application/json")
    ? new TextDecoder().decode(body.body)
    : ""

const errorBodies: Readonly<
  Record<NonNullable<Dialect["errorBody"]>, (failed: typeof Failed.Type, status: number) => HttpBody.HttpBody>
> = {
  message: (failed) => HttpBody.jsonUnsafe(failed),
  code: (failed, status) =>
    HttpBody.jsonUnsafe({ ...failed, code: failed["code"] ?? statuses[status]?.code ?? `status_${status}` }),
  capital: ({ message }) => HttpBody.jsonUnsafe({ Message: message }),
  nested: ({ message }) => HttpBody.jsonUnsafe({ error: { message } }),
  text: ({ message }) => HttpBody.text(message),
  html: ({ message }, status) =>
    HttpBody.text(
      `<html><head><title>${status}</title></head><body><h1>${escaped(message)}</h1></body></html>`,
      "text/html"
    ),
  empty: () => HttpBody.empty
}

/**
 * Adds an unknown field to a response and to objects in its lists, but not to other nested objects, which may be maps.
 */
const withUnknownFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknownFields)
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map((
    [name, field]
  ) => [name, Array.isArray(field) ? withUnknownFields(field) : field])
  return { ...Object.fromEntries(fields), a_field_of_tomorrow: { value: [1, null] } }
}

/** Applies a dialect to a response, except for a fault's `body`. */
export const speak = (
  response: Response,
  { errorBody: form = "message", unknownFields = false }: Dialect,
  fault: Fault | undefined
): Response => {
  if (fault !== undefined && "body" in fault && fault.body !== undefined) return response
  if (response.status >= 400) {
    return form === "message" ? response : Option.match(parseFailed(jsonOf(response)), {
      onNone: () => response,
      onSome: (failed) => HttpServerResponse.setBody(response, errorBodies[form](failed, response.status))
    })
  }
  return unknownFields
    ? Option.match(parseJson(jsonOf(response)), {
      onNone: () => response,
      onSome: (json) => HttpServerResponse.setBody(response, HttpBody.jsonUnsafe(withUnknownFields(json)))
    })
    : response
}
