/** What every error that the service answers with shares: its fields, its codec, its message. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Attempt from "../Attempt.ts"
import { words } from "./currentCall.ts"
import * as Durations from "./duration.ts"
import { Said } from "./schema.ts"
import type { Words } from "./words.ts"

/**
 * The known effect of an attempt or a call that failed. `refused`: nothing happened. `unknown`: it may have
 * happened. `pending`: the thing asked for is not ready yet. A call that only reads changes nothing, so either is harmless to it.
 */
export type Outcome = "refused" | "unknown" | "pending"

/** What an answer that the contract does not know says about the effect. */
export const outcomeOf = (status: number): "refused" | "unknown" =>
  status < 300 || status >= 500 ? "unknown" : "refused"

/**
 * The outcome of a call by its ledger: that of its last attempt, unless an earlier one may have taken effect. A document that is
 * pending was not taken by the attempts before.
 */
export const outcomeOfCall = <Last extends Outcome>(
  attempts: ReadonlyArray<{ readonly outcome?: Outcome }>,
  last: Last
): Last | "unknown" =>
  attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === "pending") + 1)
      .some(({ outcome }) => outcome === "unknown")
    ? "unknown"
    : last

/** What every error of this library has, for code that treats them alike. */
export interface Failure {
  readonly _tag: string
  readonly operation: string
  readonly description: string
  readonly attempts: ReadonlyArray<Attempt.Attempt>
  readonly outcome: Outcome
  readonly isTransient: boolean
  readonly status?: number
  readonly traceId?: string
  readonly retryAfter?: Duration.Duration
  readonly texts?: Texts
  readonly targetLanguage?: string
  readonly plan?: Unfinished
  readonly document?: Handle
  readonly jobId?: string
  readonly possiblyCountedCharacters?: number
}

/** The handle of a document: its id and its key. */
const Handle = Schema.Struct({
  // The contract of documents, whose schema this is, is made with the errors.
  documentId: Schema.String.pipe(Schema.brand("DocumentId")),
  documentKey: Schema.Redacted(Schema.String)
})

type Handle = typeof Handle.Type

/** Which texts of a run an error is about: positions in the input that count from 0, both included. */
export interface Texts {
  readonly first: number
  readonly last: number
}

/** What became of a plan: the call that failed, those that were made, and those that were not, in the words of its format. */
interface Unfinished {
  readonly failed: string
  readonly done: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
}

/** Tells the errors of this library from others. */
export const isFailure = (error: unknown): error is Failure =>
  typeof error === "object" && error !== null && "outcome" in error && "isTransient" in error

/** Fields of every error of this library. */
export const failureFields = {
  operation: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(""))),
  description: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(""))),
  attempts: Schema.Array(Attempt.Attempt).pipe(Schema.withConstructorDefault(Effect.succeed([]))),
  texts: Schema.optionalKey(Schema.Struct({ first: Schema.Int, last: Schema.Int })),
  targetLanguage: Schema.optionalKey(Schema.String),
  plan: Schema.optionalKey(
    Schema.Struct({ failed: Schema.String, done: Schema.Array(Schema.String), left: Schema.Array(Schema.String) })
  ),
  document: Schema.optionalKey(Handle),
  jobId: Schema.optionalKey(Schema.String),
  /**
   * Most characters that the service may have counted for the request, over all attempts of unknown outcome. A request shared by
   * several calls has the characters of all their texts.
   */
  possiblyCountedCharacters: Schema.optionalKey(Schema.Int)
}

/** Fields of every error that the service answers with. */
export const answerFields = {
  ...failureFields,
  status: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  traceId: Schema.optionalKey(Schema.String),
  retryAfter: Schema.optionalKey(Schema.Duration)
}

/** The fields of an answer as they come off the wire, before a class is chosen. */
export interface Answer {
  readonly description: string
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly traceId?: string
  readonly retryAfter?: Duration.Duration
}

interface MessageParts {
  readonly operation: string
  readonly description: string
  readonly attempts: ReadonlyArray<Attempt.Attempt>
  readonly status?: number
  readonly detail?: string
  readonly traceId?: string
  readonly retryAfter?: Duration.Duration | undefined
  readonly texts?: Texts
  readonly targetLanguage?: string
  readonly plan?: Unfinished
  readonly document?: Handle
  readonly jobId?: string
  readonly possiblyCountedCharacters?: number
}

const about = ({ first, last }: Texts): string =>
  first === last ? `It is about text ${first}.` : `It is about texts ${first} to ${last}.`

const unfinished = ({ done, failed, left }: Unfinished): string =>
  `It was to ${failed}. Calls of the plan: ${done.length} made, ${left.length} left.`

/** A note on earlier attempts of unknown outcome, if the last one has another. */
const uncertain = (attempts: ReadonlyArray<Attempt.Attempt>): string =>
  attempts.at(-1)?.outcome !== "unknown" && outcomeOfCall(attempts, "refused") === "unknown"
    ? "The outcome of an earlier attempt is not known."
    : ""

const tried = (attempts: ReadonlyArray<Attempt.Attempt>): string => {
  if (attempts.length > 1) return `Tried ${attempts.length} times: ${Attempt.format(attempts)}.`
  const stop = attempts[0]?.stopCause
  return stop === undefined ? "" : `Not tried again (${stop}).`
}

const sentence = (text: string): string => text === "" || /[.!?]$/.test(text) ? text : `${text}.`

/** The code of a call on a released layer. */
export const releasedCode = "ERR_CLIENT_RELEASED"

/** The message of an error: what happened, to which operation, what was tried, what to do. */
export const message = (error: MessageParts, what: string, advice: string): string =>
  [
    `${error.operation === "" ? "" : `${error.operation}: `}${what}${
      error.status === undefined ? "" : ` (status ${error.status})`
    }.`,
    error.description === "" ? "" : sentence(error.description),
    error.detail === undefined ? "" : sentence(error.detail),
    error.texts === undefined ? "" : about(error.texts),
    error.targetLanguage === undefined ? "" : `The target was ${error.targetLanguage}.`,
    error.plan === undefined ? "" : unfinished(error.plan),
    error.document === undefined || what.includes(error.document.documentId)
      ? ""
      : `The document is ${error.document.documentId}.`,
    error.jobId === undefined || what.includes(error.jobId) ? "" : `The job is ${error.jobId}.`,
    error.retryAfter === undefined
      ? ""
      : `${error.status === undefined ? "Come back in" : "The service asks to wait"} ${
        Durations.format(error.retryAfter)
      }.`,
    tried(error.attempts),
    uncertain(error.attempts),
    error.possiblyCountedCharacters === undefined
      ? ""
      : `Up to ${error.possiblyCountedCharacters} characters may have been counted for this request.`,
    sentence(advice),
    error.traceId === undefined ? "" : `Trace id ${error.traceId}.`
  ].filter((part) => part !== "").join(" ")

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

/** Finds the words in an error body of any of the shapes of reference A4: JSON of four kinds, HTML, plain text, cut, empty. */
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
 * `Retry-After`: seconds, or an HTTP date that is kept with the time of its arrival (reference D6). Anything else is no
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
 * The codec of an error answer with one status: body and headers become the class that `choose` picks. One codec serves
 * both halves: the client decodes with it, the fake encodes with it.
 */
export const wire = <S extends Schema.Top & { readonly Type: Answer }>(
  self: S,
  status: number,
  choose: (answer: Answer) => S["Type"]
): HttpApiSchema.encodeToWithHeaders<Schema.toType<S>, ReturnType<typeof answerBody>, typeof answerHeaders> =>
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
