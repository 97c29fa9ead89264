/** Decodes error responses: status, body and headers become an error. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ErrorAnswer } from "../../contract/internal/endpoint.ts"
import { type Sanitizer, sanitizer, traceOf } from "../../contract/internal/sanitizer.ts"
import { defined } from "../../contract/internal/values.ts"
import { type Failure, isFailure } from "./failure.ts"

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const record = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

export interface Body {
  readonly description: string
  readonly code?: string | undefined
  readonly detail?: string | undefined
}

/** Extracts the message from JSON of several shapes, even if truncated. Any other body, such as HTML, is the message. */
const messageOf = (raw: string, beginning: Sanitizer["beginning"]): Body =>
  Option.match(parse(raw), {
    // Truncated JSON may be a success response with the caller's texts, so only `message` is read. Secrets are removed first, because a quotation mark
    // in a secret would end the match.
    onNone: () => ({
      description: /^["[\s]*\{/.test(raw)
        ? /"message"\s*:\s*"((?:[^"\\]|\\.)*)/i.exec(beginning(raw))?.[1] ?? ""
        : raw
    }),
    onSome: (json) => {
      if (typeof json === "string") return messageOf(json, beginning)
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

/** Reads an error body. Texts are sanitized after decoding because JSON may escape secrets. */
export const parseBody = (raw: string, { beginning, fit }: Sanitizer): Body => {
  const { code, description, detail } = messageOf(raw, beginning)
  return { description: fit(description), code: code && fit(code), detail: detail && fit(detail) }
}

/** Parses an HTTP date. Effect's `DateTime` would add 2 kB to a bundle. */
const httpDate = (text = ""): number | undefined => {
  // HTTP has three date formats. One has no time zone, so GMT is appended.
  const isDate = /^[a-z]{3,9},? .* \d\d:\d\d:\d\d( gmt| \d{4})$/i.test(text.trim())
  const time = isDate ? Date.parse(text.trim().replace(/( gmt)?$/i, " GMT")) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** One year in seconds. A longer wait could overflow the range of valid dates. */
const maxRetryAfterSeconds = 365 * 24 * 60 * 60

/** Parses `Retry-After`: seconds, or an HTTP date relative to the response's `Date`, because clocks differ. */
export const delay = (
  { now, text }: { readonly text: string; readonly now?: number },
  date: string | undefined
): Duration.Duration | undefined => {
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Duration.seconds(Math.min(Number(text), maxRetryAfterSeconds))
  const until = httpDate(text)
  const base = httpDate(date) ?? now
  return until === undefined || base === undefined ? undefined : Duration.millis(Math.max(0, until - base))
}

export const retryAfterOf = (headers: Headers.Headers): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const text = headers["retry-after"]
    return text === undefined ? undefined : delay({ text, now }, headers["date"])
  })

export const read = (
  { choose, status }: ErrorAnswer,
  { headers, text }: HttpClientResponse.HttpClientResponse
): Effect.Effect<never, Failure | HttpClientError.HttpClientError> =>
  Effect.flatMap(Effect.all([sanitizer, text, retryAfterOf(headers)]), ([sanitizer, text, retryAfter]) => {
    const body = parseBody(text, sanitizer)
    const error = choose(defined({ status, ...body, ...traceOf({ headers }, sanitizer), retryAfter }))
    return isFailure(error) ? Effect.fail(error) : Effect.die(error)
  })
