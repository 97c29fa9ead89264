/**
 * Errors of calls without a documented response: no connection, a passed deadline, an invalid response, or input refused before the request.
 * They have the fields of every `ServiceError`; after an upload, `document` has the document's id and key.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { AnyJobId, DocumentId, GlossaryId, StyleId } from "../contract/Ids.ts"
import { formatDuration } from "./Attempt.ts"
import { EntryProblem } from "./EntryProblem.ts"
import { deadlineTooNear, failure, releasedCode } from "./internal/failure.ts"
import { prefixed } from "./internal/prefixed.ts"
import type { CommonError, RateLimited } from "./ServiceError.ts"

const KnownOutcome = Schema.Literals(["refused", "unknown"])

const tooNear = Object.values(deadlineTooNear)

const advise = (advice: string) => ["no connection to the service", advice] as const

/** OpenSSL alerts from a server that rejects the client's certificate, or requires one. */
const clientCertificateAlert = /_ALERT_(.*CERTIFICATE.*|UNKNOWN_CA|HANDSHAKE_FAILURE)$/

/** OpenSSL codes of an unknown certificate authority. */
const unknownAuthority = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/**
 * No connection, so nothing was sent: connection refused, unknown host, rejected certificate, broken handshake, or released layer. `code` is the
 * platform's error code, such as `ECONNREFUSED`, or `ERR_CLIENT_RELEASED`. Unknown hosts, bad certificates and released layers are not
 * transient. `proxy` is the proxy that refused the connection.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectionFailed extends failure<ConnectionFailed>()("ConnectionFailed", "unreachable", {
  code: Schema.optionalKey(Schema.String),
  proxy: Schema.optionalKey(Schema.String),
  isTransient: Schema.Boolean
}, ({ code = "", isTransient, prefix, proxy }) => {
  if (proxy !== undefined) {
    return advise(`Check the proxy ${proxy}: its address, its user and password, and its rules`)
  }
  if (code === releasedCode) {
    return advise("Nothing was sent; make calls while the scope of the client's layer is open")
  }
  if (isTransient) return advise("Check that the host responds")
  if (clientCertificateAlert.test(code)) {
    return advise("The service requires a client certificate that it accepts: set one (in Node.js `pool.tls.client`)")
  }
  const host = `Check ${prefixed(prefix, "LANGUAGE_SERVICE_BASE_URL")}, the host and its certificate`
  return advise(
    unknownAuthority.test(code)
      ? `${host}, or trust its authority (in Node.js by \`pool.tls.ca\` or NODE_EXTRA_CA_CERTS)`
      : host
  )
}) {}

/**
 * The connection broke after the request was sent: no response, or a truncated response.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectionLost extends failure<ConnectionLost>()("ConnectionLost", "badResponse", {
  code: Schema.optionalKey(Schema.String)
}, ["the connection broke", "Whether the service acted is not known; try later"]) {}

/**
 * The response, or the next part of the body, did not arrive within the policy's time limit.
 *
 * @category errors
 * @since 0.1.0
 */
export class AttemptTimeout extends failure<AttemptTimeout>()("AttemptTimeout", "timeout", {
  limit: Schema.Duration
}, ({ limit }) => [
  `no response within ${formatDuration(limit)}`,
  "Whether the service acted is not known; try later or raise the timeout"
]) {}

/**
 * The call's deadline passed, while a request was in flight (`unknown`) or before the request (`refused`). `deadline` is the time that the call was allowed to take.
 * If the next wait would pass the deadline, the call fails at once with its last error instead.
 *
 * @category errors
 * @since 0.1.0
 */
export class DeadlineExceeded extends failure<DeadlineExceeded>()("DeadlineExceeded", "timeout", {
  deadline: Schema.Duration,
  outcome: KnownOutcome
}, ({ attempts, deadline, description, outcome }) => [
  `the deadline of ${formatDuration(deadline)} ${tooNear.includes(description) ? "cannot be met" : "passed"}`,
  outcome === "unknown"
    ? "Whether the last attempt took effect is not known; try later or raise the deadline"
    : attempts.length === 0 && !description.startsWith("Nothing was sent")
    ? "Nothing was sent; try later or raise the deadline"
    : "Try later or raise the deadline"
]) {}

/**
 * The circuit breaker is open, so nothing was sent. `retryAfter` is the time until the next probe. Only with `whenUnavailable: "fail"`.
 *
 * @category errors
 * @since 0.1.0
 */
export class CircuitOpen extends failure<CircuitOpen>()("CircuitOpen", "unreachable", {
  retryAfter: Schema.Duration
}, ["the circuit breaker is open", "Nothing was sent, because the service fails too often; try later"]) {}

/**
 * An undocumented response: an unknown status, a body of unexpected shape, type or length, or a body over the size limit. Transient for an
 * unknown status of 500 or above, and for a success that was altered in transit, such as a gateway's page. `body` is the start of the body,
 * `Redacted` because a body can contain a user's text.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedResponse extends failure<UnexpectedResponse>()("UnexpectedResponse", "badResponse", {
  status: Schema.Int,
  body: Schema.optionalKey(Schema.Redacted(Schema.String)),
  outcome: KnownOutcome,
  isTransient: Schema.Boolean
}, [
  "the response does not match the contract",
  "Give the trace id to the service's support; when the base URL is new, check that it is the service's"
]) {}

/**
 * A creation of unknown outcome, not retried because the object may exist. `lookup` has the values to search for, `cause` names the
 * underlying error.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends failure<OutcomeUnknown>()("OutcomeUnknown", "unknown", {
  cause: Schema.String,
  lookup: Schema.Record(Schema.String, Schema.String)
}, (error) => {
  const lookup = Object.entries(error.lookup).map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", ")
  return [
    `whether it took effect is not known (${error.cause})`,
    lookup === ""
      ? "Nothing identifies the object, and sending the call again can create it twice"
      : `Look for an object with ${lookup} before sending it again`
  ]
}) {}

const ofBytes = ({ bytesExpected }: { readonly bytesExpected?: number }): string =>
  bytesExpected === undefined ? "" : ` of ${bytesExpected}`

/**
 * A download ended early. The service deletes a document when its download starts, so the received part may be the only copy. `path` is the
 * file with the part. `available` tells whether the service still has the document; absent if unknown.
 *
 * @category errors
 * @since 0.1.0
 */
export class DownloadInterrupted extends failure<DownloadInterrupted>()("DownloadInterrupted", "lost", {
  documentId: DocumentId,
  bytesReceived: Schema.Int,
  bytesExpected: Schema.optionalKey(Schema.Int),
  path: Schema.optionalKey(Schema.String),
  available: Schema.optionalKey(Schema.Boolean)
}, (error) => {
  const advice = error.available === undefined
    ? "Whether the service still has it is not known: resume it, or else upload it again"
    : error.available
    ? "The service still has it: resume it, or download it again"
    : "The service has deleted it: upload it again"
  return [
    `the download of document ${error.documentId} stopped after ${error.bytesReceived}${ofBytes(error)} bytes`,
    error.path === undefined ? advice : `${advice}. The received bytes are kept in ${error.path}`
  ]
}) {}

/**
 * Another fiber, or a process with the same journal, has claimed a document or file. `id` is the document's id or the file's path, `holder`
 * the claimant.
 *
 * @category errors
 * @since 0.1.0
 */
export class Busy extends failure<Busy>()("Busy", "busy", {
  id: Schema.String,
  holder: Schema.String
}, ({ holder, id }) => [`${id} is claimed by ${holder}`, "Nothing was done; wait until the claim ends"]) {}

/**
 * The target exists and `overwrite` is not set, or the workflow execution `claimedBy` has claimed the target. Raised before the document is
 * requested, so nothing is lost. If a file appears later, the error is `SaveFailed`, with the complete document in `parts`.
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetExists extends failure<TargetExists>()("TargetExists", "local", {
  path: Schema.String,
  documentId: Schema.optionalKey(DocumentId),
  claimedBy: Schema.optionalKey(Schema.String)
}, ({ attempts, claimedBy, documentId, path }) => {
  // An error without a document is from an export, which may have sent requests.
  const progress = attempts.length === 0 ? "Nothing was sent" : "Nothing was saved"
  return [
    claimedBy === undefined ? `${path} exists` : `${path} is the target of the workflow execution ${claimedBy}`,
    `${documentId === undefined ? progress : "The document was not requested"}; name another target${
      claimedBy === undefined ? " or set overwrite" : ""
    }`
  ]
}) {}

/**
 * The journal has no entry from which document `id` could be resumed. `description` is the reason.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotResumable extends failure<NotResumable>()(
  "NotResumable",
  "missing",
  { id: Schema.String },
  ({ id }) => [`${id} cannot be resumed`, "Nothing was done; `pending` of the service lists the resumable entries"]
) {}

/**
 * A file's stream failed during its upload. `cause` is the stream's failure.
 *
 * @category errors
 * @since 0.1.0
 */
export class SourceFailed extends failure<SourceFailed>()("SourceFailed", "source", {
  cause: Schema.Defect()
}, ["the file could not be read to its end", "The service has not accepted it; see the cause"]) {}

/**
 * A job was not done by the deadline. The job continues at the service: wait again. `state` is the last known state, or empty.
 *
 * @category errors
 * @since 0.1.0
 */
export class JobNotDone extends failure<JobNotDone>()("JobNotDone", "notReady", {
  jobId: AnyJobId,
  state: Schema.String
}, ({ jobId, state }) => [
  `job ${jobId} is not done${state === "" ? "" : `, its state is ${JSON.stringify(state)}`}`,
  "It continues at the service: wait for it again, or raise jobDeadline"
]) {}

/**
 * A job's file could not be transferred to or from the service's signed URL. `host` is the URL's host; the other parts are secret. `status` is
 * the response's status, `bytes` the received length of a download. The API key is never sent to a signed URL.
 *
 * @category errors
 * @since 0.1.0
 */
export class TransferFailed extends failure<TransferFailed>()("TransferFailed", "badResponse", {
  direction: Schema.Literals(["upload", "download"]),
  jobId: AnyJobId,
  host: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  bytes: Schema.optionalKey(Schema.Int),
  bytesExpected: Schema.optionalKey(Schema.Int),
  outcome: KnownOutcome,
  isTransient: Schema.Boolean
}, (error) => {
  const at = error.host === "" ? "" : ` at ${error.host}`
  const after = error.bytes === undefined ? "" : ` after ${error.bytes}${ofBytes(error)} bytes`
  return [
    `the ${error.direction} of job ${error.jobId}${at} failed${after}`,
    error.direction === "download"
      ? "Nothing is lost: resume it, or fetch it again"
      : error.isTransient
      ? "Resume it, or start again with the file"
      : "Start again with the file: the address may have expired, or does not accept a second file"
  ]
}) {}

/**
 * Input refused before the request. `parameter` is the input's path, such as `customInstructions[2]`; `given` describes the value and
 * quotes no text; `allowed` is the rule.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidInput extends failure<InvalidInput>()("InvalidInput", "usage", {
  parameter: Schema.String,
  given: Schema.String,
  allowed: Schema.String
}, (error) => [
  `${error.parameter}: given ${error.given}, allowed ${error.allowed}`,
  "Nothing was sent; correct the input"
]) {}

/**
 * A metered call would exceed its tenant's `characterBudget`. `given` is the call's characters, `remaining` the unused part of `budget`.
 *
 * @category errors
 * @since 0.1.0
 */
export class BudgetExceeded extends failure<BudgetExceeded>()("BudgetExceeded", "budget", {
  given: Schema.Int,
  remaining: Schema.Int,
  budget: Schema.Int,
  tenant: Schema.String
}, ({ budget, given, remaining, tenant }) => [
  `given ${given} characters, and ${remaining} are left of the budget of ${budget} of the tenant ${tenant}`,
  "Nothing was sent; send less, or raise characterBudget of the tenant"
]) {}

/**
 * Several style rule lists, `styleIds`, have the requested name and language.
 *
 * @category errors
 * @since 0.1.0
 */
export class DuplicateStyleRules extends failure<DuplicateStyleRules>()("DuplicateStyleRules", "conflict", {
  name: Schema.String,
  language: Schema.String,
  styleIds: Schema.Array(StyleId)
}, ({ language, name, styleIds }) => [
  `${styleIds.length} lists for ${language} are named ${JSON.stringify(name)}: ${styleIds.join(", ")}`,
  "Nothing was changed; choose one by its styleId, or delete the others"
]) {}

const placeOf = ({ column, entry, line }: EntryProblem): string =>
  line === undefined ? `entry ${entry ?? 0}` : `line ${line}${column === undefined ? "" : `, column ${column}`}`

/**
 * Glossary entries or spoken terms break rules, and are refused before the request. `problems` has the first problems, `count` is the number of all.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidEntries extends failure<InvalidEntries>()("InvalidEntries", "usage", {
  parameter: Schema.String,
  problems: Schema.Array(EntryProblem),
  count: Schema.Int
}, (error) => {
  const shown = error.problems.slice(0, 3)
  const more = error.count - shown.length
  const problems = shown.map((problem) => `${placeOf(problem)}: ${problem.reason}`).join("; ")
  return [
    `${error.parameter}: ${problems}${more > 0 ? `; and ${more} more` : ""}`,
    "Nothing was sent; correct the entries"
  ]
}) {}

/**
 * Several glossaries, `glossaryIds`, have the requested name.
 *
 * @category errors
 * @since 0.1.0
 */
export class DuplicateGlossaries extends failure<DuplicateGlossaries>()("DuplicateGlossaries", "conflict", {
  name: Schema.String,
  glossaryIds: Schema.Array(GlossaryId)
}, ({ glossaryIds, name }) => [
  `${glossaryIds.length} glossaries are named ${JSON.stringify(name)}: ${glossaryIds.join(", ")}`,
  "Nothing was changed; choose one by its glossaryId, or delete the others"
]) {}

/**
 * The language list lacks a code for the requested side, source or target. `nearest` is the most similar code, if any.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnknownLanguage extends failure<UnknownLanguage>()("UnknownLanguage", "usage", {
  resource: Schema.String,
  code: Schema.String,
  nearest: Schema.optionalKey(Schema.String)
}, ({ code, nearest, resource }) => [
  `${JSON.stringify(code)} is not a language of ${resource}`,
  nearest === undefined ? "Languages.targets lists the languages" : `The nearest is ${nearest}`
]) {}

/**
 * Input over a limit, refused before the request. `given` and `allowed` are in `unit`; far over the limit, `given` is a lower bound. Limits are
 * configurable (`Limits`).
 *
 * @category errors
 * @since 0.1.0
 */
export class LimitExceeded extends failure<LimitExceeded>()("LimitExceeded", "tooLarge", {
  parameter: Schema.String,
  unit: Schema.Literals(["texts", "bytes", "characters", "instructions", "items", "days"]),
  given: Schema.Int,
  allowed: Schema.Int
}, ({ allowed, given, parameter, unit }) => [
  `${parameter}: given ${given} ${unit}, allowed ${allowed}`,
  "Nothing was sent; split the input, or raise the limit in the configuration if the plan has another"
]) {}

/**
 * @category errors
 * @since 0.1.0
 */
export type CallFailure =
  | AttemptTimeout
  | CircuitOpen
  | ConnectionFailed
  | ConnectionLost
  | DeadlineExceeded
  | UnexpectedResponse

/**
 * The errors of every call, whether it reads, changes or creates.
 *
 * @category errors
 * @since 0.1.0
 */
export type AnyCallError = OtherCallError | RateLimited

/**
 * {@link AnyCallError} without `RateLimited`, because method types list `RateLimited` by name.
 *
 * @category errors
 * @since 0.3.0
 */
export type OtherCallError = Exclude<CallFailure | CommonError | InvalidInput, RateLimited | UnknownOutcomeError>

/**
 * The errors after which a call may have taken effect. A creation fails with `OutcomeUnknown` instead.
 *
 * @category errors
 * @since 0.1.0
 */
export type UnknownOutcomeError = Extract<CallFailure | CommonError, { readonly outcome: "unknown" }>

type Run<E> = Effect.Effect<unknown, E, unknown> | Stream.Stream<unknown, E, unknown>

type MethodError<Method> = Method extends Run<infer E> | ((...args: never) => Run<infer E>)
  ? unknown extends E ? never : E
  : never

/**
 * The errors of a service's method, such as `ErrorOf<typeof Translation, "translate">`, or of all its methods. `never` for methods that also fail
 * with the caller's errors, such as `translateAll`: use the errors of `translate` instead.
 *
 * @category errors
 * @since 0.3.0
 */
export type ErrorOf<
  S extends { readonly Service: object },
  Method extends keyof S["Service"] = keyof S["Service"]
> = { readonly [Name in keyof S["Service"]]: MethodError<S["Service"][Name]> }[Method]
