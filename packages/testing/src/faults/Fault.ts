/**
 * Faults as data: late, wrong, broken and missing responses. A `Script` or a `Weather` assigns them to calls.
 *
 * @since 0.1.0
 */
import type { DurationInput } from "@effect-lingua/core/config/ResiliencePolicy"
import { Failure } from "@effect-lingua/core/extension/Service"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { kindNames, kindOf } from "./internal/kinds.ts"
import { closed, Count, Headers, Hint, list, Wait } from "./internal/schema.ts"

export * from "./internal/added.ts"
export { OperationName } from "./internal/operations.ts"

/**
 * A response with the given status. `description` is the `message` of the JSON error body; `body` replaces the whole
 * body. With `afterEffect` the operation takes effect and only its response is lost.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = {
  readonly status: number
  readonly retryAfter?: DurationInput | DateTime.Utc | undefined
  readonly description?: string | undefined
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly delay?: DurationInput | undefined
  readonly afterEffect?: boolean | undefined
}

/**
 * A connection that breaks before the response. In process the client fails with a `TransportError` whose cause has the
 * code `ECONNRESET`.
 *
 * @category models
 * @since 0.1.0
 */
export type Reset = {
  readonly reset: true
  readonly delay?: DurationInput | undefined
  readonly afterEffect?: boolean | undefined
}

/**
 * The right response after a delay. With `afterEffect` the operation takes effect even if the client no longer waits.
 *
 * @category models
 * @since 0.1.0
 */
export type Slow = {
  readonly delay: DurationInput
  readonly afterEffect?: boolean | undefined
}

/**
 * A body cut after `bytes`, or after a `share` between 0 and 1, by default half. The operation takes effect; status,
 * headers and promised length are right. An empty body is sent unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export type Truncated = {
  readonly truncated: true
  readonly bytes?: number | undefined
  readonly share?: number | undefined
  readonly delay?: DurationInput | undefined
}

/**
 * Like {@link Truncated}, but the connection stays open until the client closes it.
 *
 * **Gotchas**
 *
 * A client without a body timeout, such as the policy's `bodyIdleTimeout`, waits forever.
 *
 * @category models
 * @since 0.1.0
 */
export type Stalled = {
  readonly stalled: true
  readonly bytes?: number | undefined
  readonly share?: number | undefined
  readonly delay?: DurationInput | undefined
}

/**
 * Half of the JSON body, with the right status, headers and length. The operation takes effect.
 *
 * @category models
 * @since 0.1.0
 */
export type Malformed = {
  readonly malformed: true
  readonly delay?: DurationInput | undefined
}

/**
 * A response with `wrongLength` more (if negative, fewer) `improvements`, `translations` or `results` than texts. The
 * operation takes effect. A response without results is sent unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export type WrongLength = {
  readonly wrongLength: number
  readonly delay?: DurationInput | undefined
}

/**
 * Ways to spoil texts: `empty`; white space `folded` and trimmed; first tag removed (`untagged`) or renamed
 * (`retagged`); wrapped in an element (`tagged`); first element lengthened (`filled`); `&`, `<` and `>` `unescaped`.
 *
 * @category schemas
 * @since 0.3.0
 */
export const Alteration = Schema.Literals([
  "empty",
  "folded",
  "untagged",
  "retagged",
  "tagged",
  "filled",
  "unescaped"
])

/**
 * A way to spoil texts.
 *
 * @category models
 * @since 0.3.0
 */
export type Alteration = typeof Alteration.Type

/**
 * Spoiled `translations` or `improvements` in a valid response. A text without anything to spoil is sent unchanged.
 *
 * @category models
 * @since 0.3.0
 */
export type Altered = {
  readonly altered: Alteration
  readonly delay?: DurationInput | undefined
}

/**
 * The right response, but the started job fails later with this reason.
 *
 * @category models
 * @since 0.1.0
 */
export type JobFails = {
  readonly jobFails: string
  readonly delay?: DurationInput | undefined
}

/**
 * A fault of any kind.
 *
 * @category models
 * @since 0.1.0
 */
export type Fault = Answer | Reset | Slow | Truncated | Stalled | Malformed | WrongLength | Altered | JobFails

/** One key decides a fault's kind and other keys. */
const oneKind = Schema.makeFilter((fault: object) => {
  const keys = Object.keys(fault)
  const [kind, other] = kindNames.filter((kind) => keys.includes(kind))
  if (kind === undefined) return `A fault has one of ${list(kindNames, "or")}.`
  const { others } = kindOf(kind)
  if (other !== undefined && !others.includes(other)) return `The keys ${kind} and ${other} are two faults.`
  const stray = keys.find((key) => key !== kind && !others.includes(key))
  return stray === undefined
    ? undefined
    : { path: [stray], issue: `This key cannot be combined with ${kind}. Its other keys are ${list(others, "and")}.` }
})

const eitherPlace = Schema.makeFilter((
  fault: { readonly bytes?: number | undefined; readonly share?: number | undefined }
) => fault.bytes === undefined || fault.share === undefined || "Give bytes or a share of them, not both.")

/**
 * Schema of a {@link Fault}. In JSON, durations are strings such as `"2 seconds"` or milliseconds, and dates strings
 * such as `"2026-01-31T12:00:00Z"`. Refuses unknown keys.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Fault: Schema.Codec<Fault, unknown> = closed({
  status: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
  reset: Schema.optionalKey(Schema.Literal(true)),
  truncated: Schema.optionalKey(Schema.Literal(true)),
  stalled: Schema.optionalKey(Schema.Literal(true)),
  malformed: Schema.optionalKey(Schema.Literal(true)),
  wrongLength: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: -1000, maximum: 1000 }),
      Schema.makeFilter((by) => by !== 0 || "A result of the right length is not a fault.")
    )
  ),
  altered: Schema.optionalKey(Alteration),
  jobFails: Schema.optionalKey(Schema.NonEmptyString),
  retryAfter: Schema.optional(Hint),
  description: Schema.optional(Schema.String),
  body: Schema.optional(Schema.String),
  headers: Schema.optional(Headers),
  bytes: Schema.optional(Count),
  share: Schema.optional(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  delay: Schema.optional(Wait),
  afterEffect: Schema.optional(Schema.Boolean)
}).check(oneKind, eitherPlace).pipe(Schema.refine((_fault): _fault is Fault => true))

/**
 * An invalid script or weather. The reason names each place and the allowed values.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidFault
  extends Failure.messageFirst(Schema.TaggedError<InvalidFault>()("InvalidFault", { reason: Schema.String }))
{
  override get message(): string {
    return this.reason
  }
}

type Details = Omit<Answer, "status">

/**
 * Status 429: too many requests. No effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rateLimited = (details?: Details): Fault => ({ ...details, status: 429 })

/**
 * Status 529: the whole service is overloaded. No effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const overloaded = (details?: Details): Fault => ({ ...details, status: 529 })

/**
 * Status 503: unavailable. No effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const unavailable = (details?: Details): Fault => ({ ...details, status: 503 })

/**
 * Status 500: an internal failure; with `afterEffect` the operation takes effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serverError = (details?: Details): Fault => ({ ...details, status: 500 })

/**
 * A broken connection; with `afterEffect` the operation takes effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reset = (details?: Omit<Reset, "reset">): Fault => ({ ...details, reset: true })

/**
 * The right response after a delay; with `afterEffect` the operation precedes the delay.
 *
 * @category constructors
 * @since 0.1.0
 */
export const slow = (delay: DurationInput, details?: Omit<Slow, "delay">): Fault => ({ ...details, delay })

/**
 * A connection that ends in the middle of the body.
 *
 * @category constructors
 * @since 0.1.0
 */
export const truncated = (details?: Omit<Truncated, "truncated">): Fault => ({ ...details, truncated: true })

/**
 * A body that stops in the middle, over an open connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stalled = (details?: Omit<Stalled, "stalled">): Fault => ({ ...details, stalled: true })

/**
 * A body that is not JSON.
 *
 * @category constructors
 * @since 0.1.0
 */
export const malformed = (details?: Omit<Malformed, "malformed">): Fault => ({ ...details, malformed: true })

/**
 * A number of results that differs from the number of texts by `by`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const wrongLength = (by: number, details?: Omit<WrongLength, "wrongLength">): Fault => ({
  ...details,
  wrongLength: by
})

/**
 * A response with spoiled texts.
 *
 * @category constructors
 * @since 0.3.0
 */
export const altered = (alteration: Alteration, details?: Omit<Altered, "altered">): Fault => ({
  ...details,
  altered: alteration
})

/**
 * An accepted job that fails later, for the given reason.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jobFails = (reason: string, details?: Omit<JobFails, "jobFails">): Fault => ({
  ...details,
  jobFails: reason
})

const span = (input: Duration.Input): string => Duration.format(Duration.fromInputUnsafe(input))

const shortened = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text)

const place = ({ bytes, share = 0.5 }: Truncated | Stalled): string =>
  bytes === undefined ? `${Math.round(share * 100)} %` : `${bytes} ${bytes === 1 ? "byte" : "bytes"}`

const formatAnswer = ({ body, description, headers = {}, retryAfter, status }: Answer): ReadonlyArray<string> => [
  `status ${status}`,
  ...(retryAfter === undefined
    ? []
    : [`Retry-After ${DateTime.isDateTime(retryAfter) ? DateTime.formatIso(retryAfter) : span(retryAfter)}`]),
  ...(description === undefined ? [] : [shortened(description)]),
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ...(body === undefined ? [] : [`body ${shortened(body)}`])
]

const formatKind = (fault: Fault): ReadonlyArray<string> => {
  if ("status" in fault) return formatAnswer(fault)
  if ("reset" in fault) return ["connection reset"]
  if ("truncated" in fault) return [`body cut after ${place(fault)}`]
  if ("stalled" in fault) return [`body stalled after ${place(fault)}`]
  if ("malformed" in fault) return ["body malformed"]
  if ("wrongLength" in fault) {
    const by = Math.abs(fault.wrongLength)
    return [`${by} ${by === 1 ? "result" : "results"} too ${fault.wrongLength > 0 ? "many" : "few"}`]
  }
  if ("altered" in fault) return [`texts ${fault.altered}`]
  if ("jobFails" in fault) return [`job fails: ${shortened(fault.jobFails)}`]
  return ["right response"]
}

/**
 * A fault in one line, for the output of a failing test.
 *
 * **Example** (Reading a fault)
 *
 * ```ts import.meta.vitest
 * import { Fault } from "@effect-lingua/testing"
 *
 * Fault.format(Fault.unavailable({ retryAfter: "2 seconds" })) // => "status 503, Retry-After 2s"
 * Fault.format(Fault.reset({ afterEffect: true })) // => "connection reset, after the effect"
 * Fault.format(Fault.slow("10 seconds")) // => "right response, 10s late"
 * Fault.format(Fault.truncated({ bytes: 100 })) // => "body cut after 100 bytes"
 * ```
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (fault: Fault): string =>
  [
    ...formatKind(fault),
    ...(fault.delay === undefined ? [] : [`${span(fault.delay)} late`]),
    ...("afterEffect" in fault && fault.afterEffect === true ? ["after the effect"] : [])
  ].join(", ")
