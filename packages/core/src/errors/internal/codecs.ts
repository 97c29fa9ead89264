/** The error responses, one per status, from which each endpoint of the contract takes its list. */
import * as Schema from "effect/Schema"
import type { Answer, ErrorAnswer } from "../../contract/internal/endpoint.ts"
import {
  AccessDenied,
  BadGateway,
  BadRequest,
  type CommonError,
  DocumentAlreadyDownloaded,
  DocumentNotFound,
  DocumentNotReady,
  ExportRunning,
  GatewayTimeout,
  InternalServerError,
  InvalidKey,
  MissingScope,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  QuotaExceeded,
  RateLimited,
  ServiceUnavailable,
  TooManyDocuments,
  TooManyGlossaryRequests,
  UnsupportedMediaType,
  UriTooLong,
  WrongTier
} from "../ServiceError.ts"
import { answer, answerOf } from "./answerCodec.ts"

const missingScope = /missing required scope\(s\):\s*(.+)/i
const wrongTier = /wrong endpoint|\b(free|paid) (tier|plan)\b/i
const invalidKey =
  /\b(missing|invalid|wrong|unknown|bad|expired)( or \w+)? (api[ -]?|auth(entication)?[ -]?)?key\b|\bauth\w* (failed|failure)\b/i

/** The meanings of status 403 are distinguished by the body; without a hint it is `AccessDenied`. */
const forbidden = (answer: Answer) => {
  const text = `${answer.description} ${answer.detail ?? ""}`
  const scopes = missingScope.exec(text)?.[1]
  if (scopes !== undefined) {
    return new MissingScope({ ...answer, scopes: scopes.split(",").map((scope) => scope.trim()) })
  }
  if (wrongTier.test(text)) return new WrongTier(answer)
  return invalidKey.test(text) ? new InvalidKey(answer) : new AccessDenied(answer)
}

const saysDownloaded = (answer: Answer): boolean => /already (been )?downloaded/i.test(answer.description)

const documentNotFound = (answer: Answer) =>
  saysDownloaded(answer) ? new DocumentAlreadyDownloaded(answer) : new DocumentNotFound(answer)

/** A 503 for a document means "not ready", unless its message is that of a failing service or gateway. */
const documentUnavailable = (answer: Answer) => {
  if (saysDownloaded(answer)) return new DocumentAlreadyDownloaded(answer)
  return /\b(service|server|backend)\b.*\bunavailable\b|overload|maintenance/i.test(answer.description)
    ? new ServiceUnavailable(answer)
    : new DocumentNotReady(answer)
}

/** The service's message for it is not documented, so any message about documents counts. */
const tooManyUploads = (answer: Answer) =>
  /document|download/i.test(answer.description) ? new TooManyDocuments(answer) : new RateLimited(answer)

/** The same status also means the character quota and limits of the plan, which its message names. */
const glossaryLimit = (answer: Answer) =>
  /quota|character/i.test(answer.description) ? new QuotaExceeded(answer) : new TooManyGlossaryRequests(answer)

const badRequest = answer(BadRequest, 400)
export const notFound = answer(NotFound, 404)
export const exportRunning = answer(ExportRunning, 409)
const payloadTooLarge = answer(PayloadTooLarge, 413)
export const uriTooLong = answer(UriTooLong, 414)
export const unsupportedMediaType = answer(UnsupportedMediaType, 415)
export const quotaExceeded = answer(QuotaExceeded, 456)
export const tooManyGlossaryRequests = answerOf(
  Schema.Union([TooManyGlossaryRequests, QuotaExceeded]),
  456,
  glossaryLimit
)
const serviceUnavailable = answer(ServiceUnavailable, 503)
const documentGone = answerOf(
  Schema.Union([DocumentNotFound, DocumentAlreadyDownloaded]),
  404,
  documentNotFound
)
const documentNotReady = answerOf(
  Schema.Union([DocumentNotReady, DocumentAlreadyDownloaded, ServiceUnavailable]),
  503,
  documentUnavailable
)

/**
 * The error responses of every operation: the statuses that the specification gives to all of them, and those of a gateway in
 * front of the service, any of which a client must accept anywhere.
 */
const general = [
  badRequest,
  answerOf(Schema.Union([InvalidKey, MissingScope, WrongTier, AccessDenied]), 403, forbidden),
  payloadTooLarge,
  answer(InternalServerError, 500),
  answer(BadGateway, 502),
  answer(GatewayTimeout, 504),
  answer(Overloaded, 529)
] as const

const limited = [...general, answer(RateLimited, 429)] as const

/** Second statuses of errors. They come last, because an error is encoded with its first. */
const seldom = [
  answer(InvalidKey, 401),
  answer(ServiceUnavailable, 408)
] as const

/** Of every operation. */
export const common: ReadonlyArray<ErrorAnswer<CommonError>> = [...limited, serviceUnavailable, ...seldom]

export const upload = [
  ...general,
  answerOf(Schema.Union([TooManyDocuments, RateLimited]), 429, tooManyUploads),
  serviceUnavailable,
  notFound,
  quotaExceeded,
  ...seldom
]

export const documentStatus = [...limited, serviceUnavailable, documentGone, quotaExceeded, ...seldom]

export const document = [...limited, documentGone, documentNotReady, quotaExceeded, ...seldom]
