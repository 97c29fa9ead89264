/** An answer that the contract does not know, as an error. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import { UnexpectedResponse } from "../CallError.ts"
import { outcomeOf, parseBody } from "./answer.ts"

const evidence = 500

/** Statuses from 500 on that another attempt does not change: not implemented, HTTP version not supported. */
const final = new Set([501, 505])

/** Says what came: the type and length of a body that is not as promised, the words of an error that is not known. */
const describe = (response: HttpClientResponse.HttpClientResponse, problem: string, body: string): string => {
  if (response.status >= 400) {
    // Only words that are meant as an error are shown: any other body can be a text of the caller.
    const { description } = body.trimStart().startsWith("{") ? parseBody(body) : { description: "" }
    return description === "" ? problem : `${description} (${problem})`
  }
  return `${problem} (content type ${response.headers["content-type"] ?? "absent"}, ${body.length} characters)`
}

/** `problem` says in what the answer differs from the contract. */
export const make = (
  response: HttpClientResponse.HttpClientResponse,
  problem: string,
  body?: string,
  isTransient = false
): UnexpectedResponse => {
  const traceId = response.headers["x-trace-id"]
  return new UnexpectedResponse({
    description: body === undefined ? problem : describe(response, problem, body),
    status: response.status,
    outcome: outcomeOf(response.status),
    isTransient,
    ...(body === undefined ? undefined : { body: Redacted.make(body.slice(0, evidence), { label: "body" }) }),
    ...(traceId === undefined ? undefined : { traceId })
  })
}

/** For a status that the contract does not have. */
export const unknownStatus = (response: HttpClientResponse.HttpClientResponse, body: string): UnexpectedResponse =>
  make(
    response,
    `the interface has no status ${response.status} here`,
    body,
    response.status >= 500 && !final.has(response.status)
  )
