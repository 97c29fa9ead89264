import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Sanitizer, traceOf } from "../../contract/internal/sanitizer.ts"
import { UnexpectedResponse } from "../CallError.ts"
import { parseBody } from "./answerCodec.ts"
import { checkId, isId } from "./checks.ts"
import { outcomeOf } from "./failure.ts"

/** A response of a valid shape that does not match the request. */
class Mismatch extends Data.TaggedClass("Mismatch")<{ readonly description: string }> {}

export const mismatch = (description: string): Effect.Effect<never, Mismatch> =>
  Effect.fail(new Mismatch({ description }))

/** Checks that a response has the requested id. A response without an id passes. */
export const expectId = (
  parameter: string,
  expected: string | undefined,
  actual: string | undefined
): Effect.Effect<void, Mismatch> =>
  actual === undefined || isId(expected, actual) ? Effect.void : mismatch(`the response has another ${parameter}`)

/** Checks that later requests can use a newly issued id. */
export const expectUsableId = (kind: string, id: string): Effect.Effect<void, Mismatch> =>
  Effect.catch(checkId("id", id), () => mismatch(`the id of the ${kind} is invalid`))

/** Failures that are not yet converted to this library's errors. */
export type ContractFailure = HttpClientError.HttpClientError | Schema.SchemaError | Mismatch

export const isContractFailure = (error: unknown): error is ContractFailure =>
  HttpClientError.isHttpClientError(error) || Schema.isSchemaError(error) || error instanceof Mismatch

/** Maximum number of a response body's characters in an error. */
const bodyLimit = 500

/** Permanent server errors: Not Implemented, HTTP Version Not Supported. */
const permanentStatuses = new Set([501, 505])

const describe = (
  response: HttpClientResponse.HttpClientResponse,
  problem: string,
  sanitizer: Sanitizer,
  body: string
): string => {
  if (response.status >= 400) {
    // Quotes only JSON, because any other body can contain the caller's texts.
    const { description } = body.trimStart().startsWith("{") ? parseBody(body, sanitizer) : { description: "" }
    return description === "" ? problem : `${description} (${problem})`
  }
  const contentType = response.headers["content-type"]
  const shown = contentType === undefined ? "absent" : sanitizer.fit(contentType)
  return `${problem} (content type ${shown}, ${body.length} characters)`
}

export const make = (
  response: HttpClientResponse.HttpClientResponse,
  problem: string,
  sanitizer: Sanitizer,
  body?: string,
  isTransient = false
): UnexpectedResponse =>
  new UnexpectedResponse({
    description: body === undefined ? problem : describe(response, problem, sanitizer, body),
    status: response.status,
    outcome: outcomeOf(response.status),
    isTransient,
    ...(body === undefined
      ? undefined
      : { body: Redacted.make(sanitizer.clean(body.slice(0, 2 * bodyLimit)).slice(0, bodyLimit), { label: "body" }) }),
    ...traceOf(response, sanitizer)
  })

export const unknownStatus = (
  response: HttpClientResponse.HttpClientResponse,
  sanitizer: Sanitizer,
  body: string
): UnexpectedResponse =>
  make(
    response,
    `status ${response.status} is undocumented for this operation${
      response.status === 404 ? "; the host, or the path of the base URL, probably does not have this operation" : ""
    }`,
    sanitizer,
    body,
    response.status >= 500 && !permanentStatuses.has(response.status)
  )

/** Formats a schema error, without the duplicate lines that unions report. */
export const describeSchemaError = (error: Schema.SchemaError, { fit }: Sanitizer): string =>
  fit([...new Set(error.message.split(/\n(?=\S)/))].join("; "))
