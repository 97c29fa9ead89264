/**
 * Faults of responses: delays, error statuses, broken connections and invalid bodies. A `Script` assigns faults to
 * selected calls; a `Weather` assigns faults at random.
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
 * A response with `status` instead of the normal response. `description` is the error body's `message`; `body` replaces
 * the whole body. The operation is performed only with `afterEffect`.
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
 * A connection reset before the response. In process, the client fails with a `TransportError` whose cause has the code
 * `ECONNRESET`. The operation is performed only with `afterEffect`.
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
 * The normal response after a delay. With `afterEffect` the operation is performed first, even if the client times out.
 *
 * @category models
 * @since 0.1.0
 */
export type Slow = {
  readonly delay: DurationInput
  readonly afterEffect?: boolean | undefined
}

/**
 * A connection that closes in the middle of the body: after `bytes` bytes, or after a `share` between 0 and 1 (default:
 * 0.5). The operation is performed; status, headers and `Content-Length` are normal. An empty body is unchanged.
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
 * The first half of the JSON body. Status and headers are normal; `Content-Length` is the half's length. The operation
 * is performed.
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
 * operation is performed. A response without results is unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export type WrongLength = {
  readonly wrongLength: number
  readonly delay?: DurationInput | undefined
}

/**
 * Changes to result texts. `empty` removes the text, `folded` collapses white space, `untagged` removes the first tag,
 * `retagged` renames the first element, `tagged` adds `<i>`, `filled` extends the first element's text, `unescaped` decodes
 * `&amp;`, `&lt;`, `&gt;`.
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
 * @category models
 * @since 0.3.0
 */
export type Alteration = typeof Alteration.Type

/**
 * A valid response with altered `translations` or `improvements`. Texts to which the alteration does not apply are
 * unchanged.
 *
 * @category models
 * @since 0.3.0
 */
export type Altered = {
  readonly altered: Alteration
  readonly delay?: DurationInput | undefined
}

/**
 * The normal response, but the started job fails later for the reason `jobFails`.
 *
 * @category models
 * @since 0.1.0
 */
export type JobFails = {
  readonly jobFails: string
  readonly delay?: DurationInput | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export type Fault = Answer | Reset | Slow | Truncated | Stalled | Malformed | WrongLength | Altered | JobFails

/** A fault has one key that names its kind, and other keys that the kind allows. */
const oneKind = Schema.makeFilter((fault: object) => {
  const keys = Object.keys(fault)
  const [kind, other] = kindNames.filter((kind) => keys.includes(kind))
  if (kind === undefined) return `A fault has one of ${list(kindNames, "or")}.`
  const { others } = kindOf(kind)
  if (other !== undefined && !others.includes(other)) return `The keys ${kind} and ${other} are two faults.`
  const extra = keys.find((key) => key !== kind && !others.includes(key))
  return extra === undefined
    ? undefined
    : { path: [extra], issue: `This key cannot be combined with ${kind}. Its other keys are ${list(others, "and")}.` }
})

const bytesOrShare = Schema.makeFilter((
  fault: { readonly bytes?: number | undefined; readonly share?: number | undefined }
) => fault.bytes === undefined || fault.share === undefined || "Set bytes or share, not both.")

/**
 * Schema of a {@link Fault}. In JSON, durations are strings such as `"2 seconds"` or milliseconds; dates are strings
 * such as `"2026-01-31T12:00:00Z"`. Rejects unknown keys.
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
}).check(oneKind, bytesOrShare).pipe(Schema.refine((_fault): _fault is Fault => true))

/**
 * A script or weather is invalid. `reason` lists each invalid field with its allowed values.
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
 * A response with status 429 (too many requests).
 *
 * @category constructors
 * @since 0.1.0
 */
export const rateLimited = (details?: Details): Fault => ({ ...details, status: 429 })

/**
 * A response with status 529 (service overloaded).
 *
 * @category constructors
 * @since 0.1.0
 */
export const overloaded = (details?: Details): Fault => ({ ...details, status: 529 })

/**
 * A response with status 503 (service unavailable).
 *
 * @category constructors
 * @since 0.1.0
 */
export const unavailable = (details?: Details): Fault => ({ ...details, status: 503 })

/**
 * A response with status 500 (internal error).
 *
 * @category constructors
 * @since 0.1.0
 */
export const serverError = (details?: Details): Fault => ({ ...details, status: 500 })

/**
 * A connection reset before the response.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reset = (details?: Omit<Reset, "reset">): Fault => ({ ...details, reset: true })

/**
 * The normal response after a delay.
 *
 * @category constructors
 * @since 0.1.0
 */
export const slow = (delay: DurationInput, details?: Omit<Slow, "delay">): Fault => ({ ...details, delay })

/**
 * A connection that closes in the middle of the body.
 *
 * @category constructors
 * @since 0.1.0
 */
export const truncated = (details?: Omit<Truncated, "truncated">): Fault => ({ ...details, truncated: true })

/**
 * A body that stops while the connection stays open.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stalled = (details?: Omit<Stalled, "stalled">): Fault => ({ ...details, stalled: true })

/**
 * A body that is not valid JSON.
 *
 * @category constructors
 * @since 0.1.0
 */
export const malformed = (details?: Omit<Malformed, "malformed">): Fault => ({ ...details, malformed: true })

/**
 * A response with `by` more results than texts; fewer if `by` is negative.
 *
 * @category constructors
 * @since 0.1.0
 */
export const wrongLength = (by: number, details?: Omit<WrongLength, "wrongLength">): Fault => ({
  ...details,
  wrongLength: by
})

/**
 * A valid response with altered texts.
 *
 * @category constructors
 * @since 0.3.0
 */
export const altered = (alteration: Alteration, details?: Omit<Altered, "altered">): Fault => ({
  ...details,
  altered: alteration
})

/**
 * An accepted job that later fails with `reason`.
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
 * Describes a fault in one line, for a failing test's output.
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
