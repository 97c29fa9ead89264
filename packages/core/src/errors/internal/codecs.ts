/** Decoders for error responses, one per status. */
import * as Schema from "effect/Schema"
import type { Answer, AnyError, ErrorAnswer } from "../../contract/internal/endpoint.ts"
import * as Errors from "../ServiceError.ts"

const missingScope = /missing required scope\(s\):\s*(.+)/i
const wrongTier = /wrong endpoint|\b(free|paid) (tier|plan)\b/i
const invalidKey =
  /\b(missing|invalid|wrong|unknown|bad|expired)( or \w+)? (api[ -]?|auth(entication)?[ -]?)?key\b|\bauth\w* (failed|failure)\b/i

/** Chooses the error class of a 403 from the message. */
const forbidden = (answer: Answer) => {
  const text = `${answer.description} ${answer.detail ?? ""}`
  const scopes = missingScope.exec(text)?.[1]
  if (scopes !== undefined) {
    return new Errors.MissingScope({ ...answer, scopes: scopes.split(",").map((scope) => scope.trim()) })
  }
  if (wrongTier.test(text)) return new Errors.WrongTier(answer)
  return invalidKey.test(text) ? new Errors.InvalidKey(answer) : new Errors.AccessDenied(answer)
}

const saysDownloaded = (answer: Answer): boolean => /already (been )?downloaded/i.test(answer.description)

const answerOf = <const S extends ReadonlyArray<Schema.Top & { readonly Type: AnyError }>>(
  members: S,
  status: number,
  choose: (answer: Answer) => S[number]["Type"]
): ErrorAnswer<S[number]["Type"]> => ({ status, schema: Schema.Union(members), choose })

const answer = <Self extends AnyError>(
  self: Schema.Top & { readonly Type: Self; new(answer: Answer): Self },
  status: number
): ErrorAnswer<Self> => ({ status, schema: self, choose: (answer) => new self(answer) })

/** Error statuses of every operation, from the service or a gateway. An error with two statuses is encoded with the first status. */
export const common: ReadonlyArray<ErrorAnswer<Errors.CommonError>> = [
  answer(Errors.BadRequest, 400),
  answerOf([Errors.InvalidKey, Errors.MissingScope, Errors.WrongTier, Errors.AccessDenied], 403, forbidden),
  answer(Errors.PayloadTooLarge, 413),
  answer(Errors.RateLimited, 429),
  answer(Errors.InternalServerError, 500),
  answer(Errors.BadGateway, 502),
  answer(Errors.ServiceUnavailable, 503),
  answer(Errors.GatewayTimeout, 504),
  answer(Errors.Overloaded, 529),
  answer(Errors.InvalidKey, 401),
  answer(Errors.ServiceUnavailable, 408)
]

export const notFound = answer(Errors.NotFound, 404)
export const exportRunning = answer(Errors.ExportRunning, 409)
export const uriTooLong = answer(Errors.UriTooLong, 414)
export const unsupportedMediaType = answer(Errors.UnsupportedMediaType, 415)
export const quotaExceeded = answer(Errors.QuotaExceeded, 456)

/** A 456 of a glossary endpoint means too many requests, unless the message names the quota or characters. */
export const tooManyGlossaryRequests = answerOf(
  [Errors.TooManyGlossaryRequests, Errors.QuotaExceeded],
  456,
  (answer) =>
    /quota|character/i.test(answer.description)
      ? new Errors.QuotaExceeded(answer)
      : new Errors.TooManyGlossaryRequests(answer)
)

/** A 429 for an upload means too many documents if the undocumented message mentions documents or downloads. */
export const tooManyUploads = answerOf(
  [Errors.TooManyDocuments, Errors.RateLimited],
  429,
  (answer) =>
    /document|download/i.test(answer.description)
      ? new Errors.TooManyDocuments(answer)
      : new Errors.RateLimited(answer)
)

export const documentGone = answerOf(
  [Errors.DocumentNotFound, Errors.DocumentAlreadyDownloaded],
  404,
  (answer) =>
    saysDownloaded(answer) ? new Errors.DocumentAlreadyDownloaded(answer) : new Errors.DocumentNotFound(answer)
)

/** A 503 for a document means "not ready", unless the message is about a failing service or gateway. */
export const documentNotReady = answerOf(
  [Errors.DocumentNotReady, Errors.DocumentAlreadyDownloaded, Errors.ServiceUnavailable],
  503,
  (answer) => {
    if (saysDownloaded(answer)) return new Errors.DocumentAlreadyDownloaded(answer)
    return /\b(service|server|backend)\b.*\bunavailable\b|overload|maintenance/i.test(answer.description)
      ? new Errors.ServiceUnavailable(answer)
      : new Errors.DocumentNotReady(answer)
  }
)
