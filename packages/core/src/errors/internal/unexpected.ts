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

/** Fails for another id than the requested one. A response without an id passes. */
export const expectId = (
  parameter: string,
  expected: string | undefined,
  actual: string | undefined
): Effect.Effect<void, Mismatch> =>
  actual === undefined || isId(expected, actual) ? Effect.void : mismatch(`the response has another ${parameter}`)

/** Fails for a new id that requests cannot use. */
export const expectUsableId = (kind: string, id: string): Effect.Effect<void, Mismatch> =>
  Effect.catch(checkId("id", id), () => mismatch(`the id of the ${kind} is invalid`))

/** Failures of a call before they become errors of this library. */
export type ContractFailure = HttpClientError.HttpClientError | Schema.SchemaError | Mismatch

export const isContractFailure = (error: unknown): error is ContractFailure =>
  HttpClientError.isHttpClientError(error) || Schema.isSchemaError(error) || error instanceof Mismatch

/** Characters of the body that an error keeps. */
const evidence = 500

/** Permanent statuses: not implemented, HTTP version not supported. */
const final = new Set([501, 505])

const describe = (
  response: HttpClientResponse.HttpClientResponse,
  problem: string,
  sanitizer: Sanitizer,
  body: string
): string => {
  if (response.status >= 400) {
    // Not quoted otherwise: any other body can contain a text of the caller.
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
      : { body: Redacted.make(sanitizer.clean(body.slice(0, 2 * evidence)).slice(0, evidence), { label: "body" }) }),
    ...traceOf(response, sanitizer)
  })

export const unknownStatus = (
  response: HttpClientResponse.HttpClientResponse,
  sanitizer: Sanitizer,
  body: string
): UnexpectedResponse =>
  make(
    response,
    `the interface has no status ${response.status} here${
      response.status === 404 ? "; the host, or the path of the base URL, probably does not have this operation" : ""
    }`,
    sanitizer,
    body,
    response.status >= 500 && !final.has(response.status)
  )

/** Formats a schema error. Unions report the same problem twice. */
export const describeSchemaError = (error: Schema.SchemaError, { fit }: Sanitizer): string =>
  fit([...new Set(error.message.split(/\n(?=\S)/))].join("; "))
