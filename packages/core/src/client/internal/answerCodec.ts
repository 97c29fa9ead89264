/** The codec of error answers: status, body and headers become an instance of an error class. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { words } from "./currentCall.ts"
import { Said } from "./schema.ts"
import type { Words } from "./words.ts"

/** The fields of an answer as decoded from the wire, before a class is chosen. */
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

/** Finds the words in an error body: JSON of four shapes, HTML, plain text, truncated or empty. */
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

/** Reads an error body. Its words are cleaned after they are decoded, as secrets in them may be escaped. */
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

interface Hint {
  readonly seconds: number | undefined
  readonly date: DateTime.Utc | undefined
  readonly now: DateTime.Utc | undefined
}

/**
 * `Retry-After`: seconds, or an HTTP date that is kept with the time of its arrival. Anything else is no
 * hint.
 */
const RetryAfter = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({
      seconds: Schema.UndefinedOr(Schema.Number),
      date: Schema.UndefinedOr(Schema.DateTimeUtc),
      now: Schema.UndefinedOr(Schema.DateTimeUtc)
    }),
    SchemaTransformation.transformEffect<Hint, string>({
      decode: (value) => {
        const seconds = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
        return Effect.map(DateTime.now, (now) => ({
          seconds,
          date: seconds === undefined ? httpDate(value) : undefined,
          now
        }))
      },
      encode: ({ seconds }) => Effect.succeed(String(seconds ?? 0))
    })
  )
)

const httpDate = (value: string): DateTime.Utc | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Schema.DateTimeUtcFromHttpDate)(value))

/** A year. A longer hint says no more, and a number without bound would not be a time. */
const longestHint = 365 * 24 * 60 * 60

/** A date is measured against the `Date` of the same answer, so that a skewed clock does no harm. */
const delay = (
  hint: Hint | undefined,
  date: string | undefined
): Duration.Duration | undefined => {
  if (hint === undefined) return undefined
  if (hint.seconds !== undefined) return Duration.seconds(Math.min(hint.seconds, longestHint))
  if (hint.date === undefined) return undefined
  const base = (date === undefined ? undefined : httpDate(date)) ?? hint.now
  return base === undefined ? undefined : Duration.max(DateTime.distance(base, hint.date), Duration.zero)
}

const decodeRetryAfter = Schema.decodeUnknownEffect(RetryAfter)

/** How long an answer that is no error asks to wait, if it does. */
export const retryAfterOf = (headers: Headers.Headers): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(
    Effect.option(decodeRetryAfter(headers["retry-after"])),
    (hint) => delay(Option.getOrUndefined(hint), headers["date"])
  )

const answerBody = (status: number) =>
  ErrorBody.pipe(HttpApiSchema.asText({ contentType: "application/json" }), HttpApiSchema.status(status))

const answerHeaders = {
  "x-trace-id": Schema.optionalKey(Said),
  "retry-after": Schema.optionalKey(RetryAfter),
  date: Schema.optionalKey(Schema.String)
}

/**
 * The codec of the error answers of one status with several meanings: body and headers become the class that `choose` picks. One
 * codec serves both halves: the client decodes with it, the fake encodes with it.
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
      const retryAfter = delay(headers["retry-after"], headers.date)
      const traceId = headers["x-trace-id"]
      return choose({
        status,
        description: body.description,
        ...(body.code === undefined ? undefined : { code: body.code }),
        ...(body.detail === undefined ? undefined : { detail: body.detail }),
        ...(traceId === undefined ? undefined : { traceId }),
        ...(retryAfter === undefined ? undefined : { retryAfter })
      })
    },
    encode: ({ code, description, detail, retryAfter, traceId }: Answer) => ({
      body: { description, code, detail },
      headers: {
        ...(traceId === undefined ? undefined : { "x-trace-id": traceId }),
        ...(retryAfter === undefined
          ? undefined
          : { "retry-after": { seconds: Math.ceil(Duration.toSeconds(retryAfter)), date: undefined, now: undefined } })
      }
    })
  })(Schema.toType(self))

/** The codec of an error answer of one status and one meaning. */
export const wire = <Self extends Answer, S extends Schema.Top & { readonly Type: Self; new(answer: Answer): Self }>(
  self: S & { readonly Type: Self },
  status: number
) => wireOf(self, status, (answer) => new self(answer))
