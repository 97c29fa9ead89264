import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failure } from "../../fake/internal/answers.ts"
import type { Recent } from "./recent.ts"
import type { Session } from "./sessions.ts"

type Response = HttpServerResponse.HttpServerResponse
type Json = Readonly<Record<string, unknown>>

const Fields = Schema.Record(Schema.String, Schema.Unknown)
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Fields))

const jsonOf = ({ body, status }: Response): Json | undefined =>
  status < 300 && body._tag === "Uint8Array"
    ? Option.getOrUndefined(parse(new TextDecoder().decode(body.body)))
    : undefined

const replaced = (response: Response, body: Json): Response =>
  HttpServerResponse.setBody(response, HttpBody.jsonUnsafe(body))

export interface Upload {
  readonly at: number
  readonly fails: boolean
}

/** Records an uploaded document under its API key and document id. */
export const uploaded = (
  documents: Recent<Upload>,
  key: string,
  response: Response,
  session: Session | undefined,
  now: number
): Response => {
  const id = jsonOf(response)?.["document_id"]
  if (typeof id !== "string") return response
  const fails = session !== undefined && session.failingDocuments > 0
  if (fails) session.failingDocuments -= 1
  documents.set(`${key} ${id}`, { at: now, fails }, now)
  return response
}

/** A document's state in the session that polls; `undefined` once the document is done. */
const stateOf = ({ at, fails }: Upload, session: Session | undefined, now: number) => {
  const passed = now - at
  const { queueMillis = 0, translateMillis = 0 } = session ?? {}
  if (passed < queueMillis) return { status: "queued" }
  const left = queueMillis + translateMillis - passed
  if (left > 0) return { status: "translating", seconds_remaining: Math.ceil(left / 1000) }
  const message = "Translation error triggered"
  return fails ? { status: "error", error_message: message, message } : undefined
}

export const documentStatus = (
  upload: Upload | undefined,
  response: Response,
  session: Session | undefined,
  now: number
): Response => {
  const json = jsonOf(response)
  const state = upload === undefined ? undefined : stateOf(upload, session, now)
  return json === undefined || state === undefined
    ? response
    : replaced(response, { document_id: json["document_id"], ...state })
}

export const documentRefusal = (
  upload: Upload | undefined,
  session: Session | undefined,
  now: number
): Response | undefined =>
  upload === undefined || stateOf(upload, session, now) === undefined
    ? undefined
    : failure(503, "Document translation is not done")

/** Records for how many polls a new job is reported as in progress. */
export const startedJob = (
  polls: Recent<number>,
  response: Response,
  session: Session | undefined,
  now: number
): Response => {
  const id = response.status === 202 ? jsonOf(response)?.["job_id"] : undefined
  if (typeof id === "string") polls.set(id, session?.jobPolls ?? 0, now)
  return response
}

/** Reports a completed job as in progress during the recorded number of polls. */
export const job = (polls: Recent<number>, id: string, response: Response, now: number): Response => {
  const json = jsonOf(response)
  const results: unknown = json?.["results"]
  const left = polls.get(id, now) ?? 0
  if (left === 0 || json === undefined || !Array.isArray(results)) return response
  const isCompleted = results.some((result: unknown) =>
    typeof result === "object" && result !== null && "status" in result && result.status === "completed"
  )
  if (!isCompleted) return response
  polls.set(id, left - 1, now)
  const status = json["operation"] === "import" ? "awaiting_input" : "processing"
  return replaced(response, { ...json, results: [{ status }] })
}

const ofCharacters: ReadonlySet<string> = new Set(["character_count", "character_limit", "start_time", "end_time"])

/** Removes character counts and period from an unlimited account's usage. */
export const usage = (response: Response): Response => {
  const json = jsonOf(response)
  return json === undefined
    ? response
    : replaced(response, Object.fromEntries(Object.entries(json).filter(([name]) => !ofCharacters.has(name))))
}
