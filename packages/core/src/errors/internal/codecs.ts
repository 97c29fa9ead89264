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

interface ErrorSchema<Self extends AnyError> extends Schema.Top {
  readonly Type: Self
  new(answer: Answer): Self
}

/** A decoder that chooses the class of the first pattern that the description matches, or else `usual`. */
const answer = <Self extends AnyError, Other extends AnyError = never>(
  usual: ErrorSchema<Self>,
  status: number,
  ...cases: ReadonlyArray<readonly [pattern: RegExp, self: ErrorSchema<Other>]>
): ErrorAnswer<Self | Other> => ({
  status,
  schema: cases.length === 0 ? usual : Schema.Union([usual, ...cases.map(([, self]) => self)]),
  choose: (answer) => {
    const [, self = usual] = cases.find(([pattern]) => pattern.test(answer.description)) ?? []
    return new self(answer)
  }
})

/** Error statuses of every operation, from the service or a gateway. An error with two statuses is encoded with the first status. */
export const common: ReadonlyArray<ErrorAnswer<Errors.CommonError>> = [
  answer(Errors.BadRequest, 400),
  {
    status: 403,
    schema: Schema.Union([Errors.InvalidKey, Errors.MissingScope, Errors.WrongTier, Errors.AccessDenied]),
    choose: forbidden
  },
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
export const tooManyGlossaryRequests = answer(Errors.TooManyGlossaryRequests, 456, [
  /quota|character/i,
  Errors.QuotaExceeded
])

/** A 429 for an upload means too many documents if the undocumented message mentions documents or downloads. */
export const tooManyUploads = answer(Errors.RateLimited, 429, [/document|download/i, Errors.TooManyDocuments])

const downloaded = [/already (been )?downloaded/i, Errors.DocumentAlreadyDownloaded] as const

export const documentGone = answer(Errors.DocumentNotFound, 404, downloaded)

/** A 503 for a document means "not ready", unless the message is about an earlier download or a failing service. */
export const documentNotReady = answer<
  Errors.DocumentNotReady,
  Errors.DocumentAlreadyDownloaded | Errors.ServiceUnavailable
>(Errors.DocumentNotReady, 503, downloaded, [
  /\b(service|server|backend)\b.*\bunavailable\b|overload|maintenance/i,
  Errors.ServiceUnavailable
])
