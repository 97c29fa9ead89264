/** The codec of error responses: status, body and headers become an instance of an error class. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { words } from "./currentCall.ts"
import { defined } from "./optional.ts"
import { Said } from "./schema.ts"
import type { Words } from "./words.ts"

/** The fields of a response as decoded from the wire, before a class is chosen. */
export interface Answer {
  readonly description: string
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly traceId?: string
  readonly retryAfter?: Duration.Duration
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const record = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

interface Body {
  readonly description: string
  readonly code?: string | undefined
  readonly detail?: string | undefined
}

/** Finds the message in an error body: JSON of four shapes, HTML, plain text, truncated or empty. */
const wordsOf = (raw: string): Body =>
  Option.match(parse(raw), {
    onNone: () => ({ description: raw }),
    onSome: (json) => {
      const body = record(json)
      const nested = record(body["error"])
      const detail = textOf(body["detail"])
      const description = textOf(body["message"]) ?? textOf(body["Message"]) ?? textOf(nested["message"]) ??
        textOf(body["error"]) ?? textOf(json)
      return {
        description: description ?? detail ?? "",
        code: textOf(body["code"]) ?? textOf(nested["code"]),
        detail: description === undefined ? undefined : detail
      }
    }
  })

/** Reads an error body. Its message is sanitized after decoding, as secrets in it may be escaped. */
export const parseBody = (raw: string, { fit }: Words): Body => {
  const { code, description, detail } = wordsOf(raw)
  return {
    description: fit(description),
    code: code === undefined ? undefined : fit(code),
    detail: detail === undefined ? undefined : fit(detail)
  }
}

const ErrorBody = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({
      description: Schema.String,
      code: Schema.optional(Schema.String),
      detail: Schema.optional(Schema.String)
    }),
    SchemaTransformation.transformEffect<Body, string>({
      decode: (raw) => Effect.map(words, (words) => parseBody(raw, words)),
      encode: ({ code, description, detail }) => Effect.succeed(JSON.stringify({ message: description, code, detail }))
    })
  )
)

/** `Retry-After` with the time at which it was received. */
const RetryAfter = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({ text: Schema.String, now: Schema.optionalKey(Schema.Finite) }),
    SchemaTransformation.transformEffect<{ readonly text: string; readonly now?: number }, string>({
      decode: (text) => Effect.map(Clock.currentTimeMillis, (now) => ({ text, now })),
      encode: ({ text }) => Effect.succeed(text)
    })
  )
)

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
const delay = (
  { now, text }: typeof RetryAfter.Type,
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

const answerBody = (status: number) =>
  ErrorBody.pipe(HttpApiSchema.asText({ contentType: "application/json" }), HttpApiSchema.status(status))

const answerHeaders = {
  "x-trace-id": Schema.optionalKey(Said),
  "retry-after": Schema.optionalKey(RetryAfter),
  date: Schema.optionalKey(Schema.String)
}

/**
 * The codec of the error responses of one status with several meanings: body and headers become the class that `choose` picks.
 * The client decodes and the fake encodes with the same codec.
 */
export const wireOf = <S extends Schema.Top & { readonly Type: Answer }>(
  self: S,
  status: number,
  choose: (answer: Answer) => S["Type"]
): Schema.Codec<S["Type"], unknown> =>
  HttpApiSchema.encodeToWithHeaders<Schema.toType<S>, ReturnType<typeof answerBody>, typeof answerHeaders>({
    body: answerBody(status),
    headers: answerHeaders
  }, {
    decode: ({ body, headers }) => {
      const hint = headers["retry-after"]
      return choose(defined({
        status,
        ...body,
        traceId: headers["x-trace-id"],
        retryAfter: hint && delay(hint, headers.date)
      }))
    },
    encode: ({ code, description, detail, retryAfter, traceId }: Answer) => ({
      body: { description, code, detail },
      headers: defined({
        "x-trace-id": traceId,
        "retry-after": retryAfter && { text: String(Math.ceil(Duration.toSeconds(retryAfter))) }
      })
    })
  })(Schema.toType(self))

/** The codec of an error response of one status and one meaning. */
export const wire = <Self extends Answer, S extends Schema.Top & { readonly Type: Self; new(answer: Answer): Self }>(
  self: S & { readonly Type: Self },
  status: number
) => wireOf(self, status, (answer) => new self(answer))
