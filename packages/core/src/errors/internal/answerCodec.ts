/** Error responses: status, body and headers become an instance of an error class. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Answer, AnyError, ErrorAnswer } from "../../contract/internal/endpoint.ts"
import { type Sanitizer, sanitizer } from "../../contract/internal/sanitizer.ts"
import { defined } from "../../contract/internal/values.ts"
import { type Failure, isFailure } from "./failure.ts"

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const record = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The words of an error body. */
export interface Body {
  readonly description: string
  readonly code?: string | undefined
  readonly detail?: string | undefined
}

/** Finds the message in an error body: JSON of four shapes, HTML, plain text, truncated or empty. */
const wordsOf = (raw: string, beginning: Sanitizer["beginning"]): Body =>
  Option.match(parse(raw), {
    // Truncated JSON can be that of a success, whose fields are secrets and texts of the caller. Secrets are removed from it before
    // its message is cut out, as one with a quotation mark would be cut there, and what is left of it not recognized.
    onNone: () => ({
      description: /^["[\s]*\{/.test(raw)
        ? /"message"\s*:\s*"((?:[^"\\]|\\.)*)/i.exec(beginning(raw))?.[1] ?? ""
        : raw
    }),
    onSome: (json) => {
      if (typeof json === "string") return wordsOf(json, beginning)
      const body = record(json)
      const nested = record(body["error"])
      const detail = textOf(body["detail"])
      const description = textOf(body["message"]) ?? textOf(body["Message"]) ?? textOf(nested["message"]) ??
        textOf(body["error"])
      return {
        description: description ?? detail ?? "",
        code: textOf(body["code"]) ?? textOf(nested["code"]),
        detail: description === undefined ? undefined : detail
      }
    }
  })

/** Reads an error body. Its message is sanitized after decoding, as secrets in it may be escaped. */
export const parseBody = (raw: string, { beginning, fit }: Sanitizer): Body => {
  const { code, description, detail } = wordsOf(raw, beginning)
  return {
    description: fit(description),
    code: code === undefined ? undefined : fit(code),
    detail: detail === undefined ? undefined : fit(detail)
  }
}

/** Parses an HTTP date. Effect's parser returns a `DateTime`, whose module would add 2 kB to a bundle. */
const httpDate = (text = ""): number | undefined => {
  // One of the three formats names no zone.
  const isDate = /^[a-z]{3,9},? .* \d\d:\d\d:\d\d( gmt| \d{4})$/i.test(text.trim())
  const time = isDate ? Date.parse(text.trim().replace(/( gmt)?$/i, " GMT")) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** A year, the upper limit of a hint: an unbounded number might not be a valid time. */
const longestHint = 365 * 24 * 60 * 60

/**
 * The wait requested by a response, in seconds or until an HTTP date; any other value is ignored. A date is compared with the
 * `Date` of the same response, so that a skewed clock does no harm.
 */
export const delay = (
  { now, text }: { readonly text: string; readonly now?: number },
  date: string | undefined
): Duration.Duration | undefined => {
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Duration.seconds(Math.min(Number(text), longestHint))
  const until = httpDate(text)
  const base = httpDate(date) ?? now
  return until === undefined || base === undefined ? undefined : Duration.millis(Math.max(0, until - base))
}

/** The wait requested by a successful response, if any. */
export const retryAfterOf = (headers: Headers.Headers): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const text = headers["retry-after"]
    return text === undefined ? undefined : delay({ text, now }, headers["date"])
  })

/** The error responses of one status with several meanings. */
export const answerOf = <S extends Schema.Top & { readonly Type: AnyError }>(
  schema: S,
  status: number,
  choose: (answer: Answer) => S["Type"]
): ErrorAnswer<S["Type"]> => ({ status, schema, choose })

/** The error responses of one status and one meaning. */
export const answer = <Self extends AnyError>(
  self: Schema.Top & { readonly Type: Self; new(answer: Answer): Self },
  status: number
): ErrorAnswer<Self> => answerOf(self, status, (answer) => new self(answer))

/** Fails with an error response: status, body and headers become an instance of an error class. */
export const read = (
  { choose, status }: ErrorAnswer,
  { headers, text }: HttpClientResponse.HttpClientResponse
): Effect.Effect<never, Failure | HttpClientError.HttpClientError> =>
  Effect.flatMap(Effect.all([sanitizer, text, retryAfterOf(headers)]), ([sanitizer, text, retryAfter]) => {
    const traceId = headers["x-trace-id"]
    const error = choose(defined({
      status,
      ...parseBody(text, sanitizer),
      traceId: traceId === undefined ? undefined : sanitizer.fit(traceId),
      retryAfter
    }))
    return isFailure(error) ? Effect.fail(error) : Effect.die(error)
  })
