import * as Duration from "effect/Duration"
import type * as HttpClient from "effect/http/HttpClient"
import { isFunction, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { resultFn } from "../../contract/internal/values.ts"
import * as Limits from "../../contract/Limits.ts"
import * as Rules from "./options.ts"

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1

export const count = Rules.number(isCount, "must be a whole number from 1")
export const countOrInfinity = Rules.number(
  (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
  "must be a whole number from 1, or Infinity"
)
export const notNegative = Rules.duration((millis) => millis >= 0, "must not be negative")

/**
 * A limit of requests, spread evenly over the window; unused requests expire. There are no bursts: two bursts could fall into one window of the
 * service.
 *
 * @category models
 * @since 0.1.0
 */
export interface RateLimit {
  /** Requests per window, at least 1 and at most one per millisecond. */
  readonly requests: number
  readonly window: Duration.Duration
}

const evenRate = Rules.struct<RateLimit>({ requests: count, window: Rules.finite })

export const rate: Rules.Rule<RateLimit> = (value, field) =>
  Result.filterOrFail(
    evenRate(value, field),
    ({ requests, window }) => requests <= Duration.toMillis(window),
    () => ({ field: `${field}.requests`, problem: "must be at most one in a millisecond" })
  )

const isSecret = (value: unknown): value is Redacted.Redacted =>
  Redacted.isRedacted(value) && isString(Redacted.value(value))

export const secret = Rules.is(isSecret, "must be a string in Redacted: use Redacted.make")

/**
 * Transforms an `HttpClient`, with `HttpClient.mapRequest`, `mapRequestEffect` or `transformResponse`.
 *
 * @category models
 * @since 0.3.0
 */
export type ClientTransform = (client: HttpClient.HttpClient) => HttpClient.HttpClient

export const transformClient = Rules.optional(Rules.is(
  (value): value is ClientTransform => isFunction(value),
  "must be a function from an HttpClient to an HttpClient"
))

export const name = Rules.is(
  (value): value is string => isString(value) && /^[\w.-]{1,64}$/.test(value),
  "must be 1 to 64 letters, digits, '.', '_' or '-'"
)

/** The message omits the value, which may contain a password. */
export const url = Rules.is(
  (value): value is string | URL => (isString(value) || value instanceof URL) && URL.canParse(value),
  "is not a URL such as https://host"
)

export const characterBudget = Rules.optional(
  Rules.number((value) => Number.isSafeInteger(value) && value >= 0, "must be a whole number from 0")
)

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
const reserved = new Set(["authorization", "user-agent", "content-type", "content-length", "host"])

/** Values and their parts, because a response may contain a token without its scheme. */
export const secretsOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((value) => [value, ...value.split(/\s+/), ...value.split(/[\s,;=]+/)])

export const isToken = (word: string): boolean => token.test(word)

export const isFieldValue = (value: string): boolean => fieldValue.test(value)

export const isReserved = (name: string): boolean => reserved.has(name.toLowerCase())

const problemOfHeader = (name: string, value: unknown): string | undefined =>
  !isToken(name)
    ? `has the name ${JSON.stringify(name)}, which a header cannot have`
    : isReserved(name)
    ? `has ${name}, which the client sets itself (see key, authScheme and userAgent)`
    : isSecret(value) && isFieldValue(Redacted.value(value))
    ? undefined
    : `has a value for ${name} that a header cannot carry`

export const headers: Rules.Rule<Readonly<Record<string, Redacted.Redacted>>> = resultFn(function*(value, field) {
  const decoded: Record<string, Redacted.Redacted> = {}
  for (const [name, header] of Object.entries(yield* Rules.record(value, field))) {
    const hidden = isString(header) ? Redacted.make(header) : header
    const problem = problemOfHeader(name, hidden)
    if (problem !== undefined) yield* Result.fail({ field, problem })
    if (isSecret(hidden)) decoded[name] = hidden
  }
  return decoded
})

const wholeNumber = Rules.number(
  (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 0),
  "must be a whole number from 0, or Infinity"
)

const texts = Rules.is(
  (value): value is ReadonlyArray<string> | "any" => value === "any" || (Array.isArray(value) && value.every(isString)),
  "must be an array of strings, or \"any\""
)

export const limits: Rules.Rule<Limits.Limits> = resultFn(function*(value, field) {
  const overrides = yield* Rules.record(value, field)
  for (const [name, limit] of Object.entries(overrides)) {
    const path = `${field}.${name}`
    if (!Object.hasOwn(Limits.defaults, name)) yield* Result.fail({ field: path, problem: "is not an option" })
    yield* name === "styleRuleLanguages" ? texts(limit, path) : wholeNumber(limit, path)
  }
  return { ...Limits.defaults, ...overrides }
})

export const languages = Rules.struct({
  timeToLive: Rules.optional(notNegative),
  keepStale: Rules.optional(notNegative),
  checks: Rules.optional(Rules.flag),
  explains: Rules.optional(Rules.flag),
  glossaryDetection: Rules.optional(Rules.flag)
})
