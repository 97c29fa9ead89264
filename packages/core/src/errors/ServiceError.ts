/**
 * Errors for the service's responses, one class per meaning.
 *
 * **Details**
 *
 * Fields of every class: `operation` (service and method), `description` (the service's message, shortened), `status`, `code?`, `detail?`, `traceId?`
 * (for the service's support), `retryAfter?` and `attempts` (see `Attempt`). `message` combines these fields with advice.
 *
 * `outcome` is the known effect of the whole call: `refused` (nothing happened), `unknown` (an attempt may have taken effect), or `pending` (not
 * ready yet). `isTransient` is true if the same call can succeed later: queue the call again unless `outcome` is `unknown`. With an unknown outcome,
 * a read or replacement is safe to repeat; a repeated metered call may count characters again (`possiblyCountedCharacters` is the maximum so far); a
 * creation fails with `OutcomeUnknown`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { AnyJobId, DocumentId } from "../contract/Ids.ts"
import { LanguageListed } from "../contract/Language.ts"
import { failure } from "./internal/failure.ts"
import { prefixed } from "./internal/prefixed.ts"

const aboutLanguage = ({ code, isListed, nearest, parameter }: LanguageListed): string => {
  const subject = `${parameter} ${JSON.stringify(code)}`
  if (isListed) return ` ${subject} is listed.`
  return ` ${subject} is not listed${nearest === undefined ? "" : `; the nearest is ${JSON.stringify(nearest)}`}.`
}

/**
 * Status 400: the request is malformed, or the service does not accept a value. If the message may be about a language, `languages` tells which of the
 * request's codes are in the language list.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadRequest extends failure<BadRequest>()("BadRequest", "usage", {
  languages: Schema.optionalKey(Schema.Array(LanguageListed))
}, ({ languages = [] }) => [
  "the service does not accept the request",
  `Correct the request; the same one fails again.${languages.map(aboutLanguage).join("")}`
]) {}

const keyKind = Schema.optionalKey(Schema.Literals(["admin", "developer"]))

const aboutKey = (
  { keyKind, prefix }: { readonly keyKind?: "admin" | "developer"; readonly prefix?: string },
  otherwise: string
): string =>
  keyKind === "admin"
    ? "The key ends with :adm, so it is an admin key, which works with Admin only: use a developer key"
    : keyKind === "developer"
    ? "Admin needs an admin key, which ends with :adm, and this one does not: check " +
      prefixed(prefix, "LANGUAGE_SERVICE_ADMIN_KEY")
    : otherwise

/**
 * Status 401, or a 403 whose message is about the key: the key is missing or wrong. `keyKind` is the key's kind, present if the operation needs
 * the other kind.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidKey extends failure<InvalidKey>()("InvalidKey", "access", {
  keyKind
}, (error) => [
  "the key is missing or not valid",
  aboutKey(
    error,
    `Check ${
      prefixed(error.prefix, `LANGUAGE_SERVICE_${error.operation.startsWith("Admin.") ? "ADMIN_" : ""}KEY`)
    } and the scheme word`
  )
]) {}

/**
 * Status 403 with missing scopes: the key's scopes do not cover the operation.
 *
 * @category errors
 * @since 0.1.0
 */
export class MissingScope extends failure<MissingScope>()("MissingScope", "access", {
  scopes: Schema.Array(Schema.String)
}, ({ scopes }) => ["the key lacks a scope", `Use a key that has ${scopes.join(", ")}`]) {}

/**
 * Status 403: the key belongs to another tier than the base URL, or the operation needs the paid tier. `attempts` is empty if the configured
 * tier excludes the operation.
 *
 * @category errors
 * @since 0.1.0
 */
export class WrongTier extends failure<WrongTier>()("WrongTier", "access", {}, ({ prefix }) => [
  "the key is of another tier than the operation or the address",
  `Check that ${prefixed(prefix, "LANGUAGE_SERVICE_BASE_URL")} and ${
    prefixed(prefix, "LANGUAGE_SERVICE_TIER")
  } belong to the plan of the key`
]) {}

/**
 * Any other status 403: the key may be wrong, or the account may lack the operation, such as language detection, which needs an opt-in.
 * `keyKind` is the key's kind, present if the operation needs the other kind.
 *
 * @category errors
 * @since 0.1.0
 */
export class AccessDenied extends failure<AccessDenied>()("AccessDenied", "access", {
  keyKind
}, (error) => ["access denied", aboutKey(error, "Check the key, and that the account may use this operation")]) {}

/**
 * Status 404: the requested object does not exist or belongs to another account. For a translation: the translation memory is absent or
 * lacks the language pair.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFound extends failure<NotFound>()("NotFound", "missing", {}, [
  "not found",
  "Check the ids of the request"
]) {}

/**
 * Status 404 for a document: the id is unknown, the document key belongs to another document, or the document was downloaded
 * before.
 *
 * @category errors
 * @since 0.1.0
 */
export class DocumentNotFound extends failure<DocumentNotFound>()("DocumentNotFound", "missing", {}, [
  "no such document",
  "The id is unknown, the document key belongs to another document, or it was downloaded before: then upload it again"
]) {}

/**
 * Status 404, or a 503: the document was downloaded before. A document can be downloaded once.
 *
 * @category errors
 * @since 0.1.0
 */
export class DocumentAlreadyDownloaded
  extends failure<DocumentAlreadyDownloaded>()("DocumentAlreadyDownloaded", "gone", {}, [
    "the document was downloaded before",
    "Use the copy that was saved, or upload again"
  ])
{}

/**
 * Status 503 for a document that is still being translated. The client polls until the deadline.
 *
 * @category errors
 * @since 0.1.0
 */
export class DocumentNotReady extends failure<DocumentNotReady>()("DocumentNotReady", "notReady", {}, [
  "the document is not ready yet",
  "Request it later with the same id and key"
]) {}

/**
 * The service could not translate the document; `description` is the reason. Nothing is billed, and the same file most likely fails again.
 *
 * @category errors
 * @since 0.1.0
 */
export class DocumentFailed extends failure<DocumentFailed>()("DocumentFailed", "rejected", {
  documentId: DocumentId
}, ({ documentId }) => [
  `the translation of document ${documentId} failed`,
  "Nothing was billed; correct the file or its options, then upload it again"
]) {}

/**
 * Status 409: another export of the translation memory is running. Raised when the time for retries is used up.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExportRunning extends failure<ExportRunning>()("ExportRunning", "busy", {}, [
  "another export of this translation memory is running",
  "Start the export when that one has ended"
], "pending") {}

/**
 * A job ended without a result: it failed, its file arrived too late, or its result expired. `state` and `description` are from the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class JobFailed extends failure<JobFailed>()("JobFailed", "rejected", {
  jobId: AnyJobId,
  state: Schema.String
}, ({ jobId, state }) => [
  `job ${jobId} ended as ${JSON.stringify(state)}`,
  "Correct the input if that is the reason; then start a new job"
]) {}

/**
 * Status 413: the request is larger than the service accepts.
 *
 * @category errors
 * @since 0.1.0
 */
export class PayloadTooLarge extends failure<PayloadTooLarge>()("PayloadTooLarge", "tooLarge", {}, [
  "the request is too large for the service",
  "Send fewer or shorter texts, or a smaller file"
]) {}

/**
 * Status 414: the request's address is longer than the service accepts.
 *
 * @category errors
 * @since 0.1.0
 */
export class UriTooLong extends failure<UriTooLong>()("UriTooLong", "usage", {}, [
  "the address is too long",
  "Shorten the ids and query parameters"
]) {}

/**
 * Status 415: the service does not accept the content type. The client sends the specification's types, so a proxy is the likely cause.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedMediaType extends failure<UnsupportedMediaType>()("UnsupportedMediaType", "access", {}, [
  "the service does not accept the content type",
  "Look for a proxy that changes the header Content-Type"
]) {}

/**
 * Status 429: too many requests, raised when attempts or time are used up. If `status` is absent, nothing was sent: the rate of the client
 * or of `tenant` has no free slot before the deadline.
 *
 * @category errors
 * @since 0.1.0
 */
export class RateLimited extends failure<RateLimited>()("RateLimited", "throttled", {
  /** The tenant whose limit was reached; absent for a limit of the service or client. */
  tenant: Schema.optionalKey(Schema.String)
}, ["too many requests", "Send less at a time, or allow more attempts and a later deadline"]) {}

const listed = (pending: ReadonlyArray<string>): string =>
  `${pending.slice(0, 5).join(", ")}${pending.length > 5 ? ` and ${pending.length - 5} more` : ""}`

/**
 * Status 429 on an upload: the account has too many documents in translation or not downloaded. Raised when attempts or time are used up.
 * `pending` has the document ids from the journal.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooManyDocuments extends failure<TooManyDocuments>()("TooManyDocuments", "throttled", {
  pending: Schema.optionalKey(Schema.Array(Schema.String))
}, ({ pending = [] }) => [
  "too many documents are being translated or not downloaded yet",
  pending.length === 0
    ? "Download the documents that are done, then upload again; they belong to another program, because the journal does not have them"
    : `Resume ${listed(pending)}, then upload again`
]) {}

/**
 * Status 456: the character quota or a limit of the plan is used up. Never retried.
 *
 * @category errors
 * @since 0.1.0
 */
export class QuotaExceeded extends failure<QuotaExceeded>()("QuotaExceeded", "quota", {}, [
  "the quota is used up",
  "Raise the limit of the plan or wait for the next period"
]) {}

/**
 * Status 456 of a glossary operation: too many glossary requests, not the character quota. Waiting helps, but the time is undocumented. The
 * client never retries after a 456, because the service forbids it.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooManyGlossaryRequests
  extends failure<TooManyGlossaryRequests>()("TooManyGlossaryRequests", "throttled", {}, [
    "too many requests were made to the glossary endpoints",
    "Wait for a while, then send fewer of them: keep the glossaries that were read, and change many entries with one call"
  ])
{}

/**
 * Status 500: an internal error of the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class InternalServerError extends failure<InternalServerError>()("InternalServerError", "badResponse", {}, [
  "the service failed",
  "Try later; give the trace id to the service's support"
]) {}

/**
 * Status 502: a gateway got no valid response from the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadGateway extends failure<BadGateway>()("BadGateway", "badResponse", {}, [
  "a gateway got no valid response from the service",
  "Try later"
]) {}

/**
 * Status 503 (unless a document is not ready) or 408: the service did not accept the request.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServiceUnavailable extends failure<ServiceUnavailable>()("ServiceUnavailable", "unavailable", {}, [
  "the service is not available",
  "Try later"
]) {}

/**
 * Status 504: the service did not respond to its gateway in time.
 *
 * @category errors
 * @since 0.1.0
 */
export class GatewayTimeout extends failure<GatewayTimeout>()("GatewayTimeout", "timeout", {}, [
  "the service did not respond in time",
  "Try later"
]) {}

/**
 * Status 529: too many requests for the service as a whole.
 *
 * @category errors
 * @since 0.1.0
 */
export class Overloaded extends failure<Overloaded>()("Overloaded", "throttled", {}, [
  "the service is overloaded",
  "Send less at a time, or allow more attempts and a later deadline"
]) {}

/**
 * The service errors of every operation.
 *
 * @category errors
 * @since 0.1.0
 */
export type CommonError =
  | AccessDenied
  | BadGateway
  | BadRequest
  | GatewayTimeout
  | InternalServerError
  | InvalidKey
  | MissingScope
  | Overloaded
  | PayloadTooLarge
  | RateLimited
  | ServiceUnavailable
  | WrongTier
