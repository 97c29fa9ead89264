/**
 * Faults as data: late, wrong, broken and missing responses. A `Script` or a `Weather` selects the calls that meet a fault.
 *
 * @since 0.1.0
 */
import type { DurationInput } from "@effect-lingua/core/config/ResiliencePolicy"
import { Failure } from "@effect-lingua/core/extension/Service"
import type * as LanguageServiceApi from "@effect-lingua/core/LanguageServiceApi"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Format from "./internal/format.ts"
import { kindNames, kindOf } from "./internal/kinds.ts"
import { isOperation, operationNames } from "./internal/operations.ts"
import { closed, Count, Headers, Hint, list, Wait } from "./internal/schema.ts"

/**
 * The groups of resources from outside, by name. A package that adds a resource to the fake declares its group here, by declaration merging.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedGroups {}

/**
 * The services of these groups, by the same names: the generators of a resource from outside take the types of requests and errors from them.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedServices {}

type NamesOf<Groups> = {
  readonly [G in keyof Groups & string]: Groups[G] extends { readonly endpoints: infer Endpoints }
    ? `${G}.${keyof Endpoints & string}`
    : never
}[keyof Groups & string]

/**
 * The name of an operation of the contract or of a resource from outside: group and endpoint, such as `Writing.rephrase`.
 *
 * @category models
 * @since 0.1.0
 */
export type OperationName = LanguageServiceApi.OperationName | NamesOf<AddedGroups> // oxlint-disable-line typescript/no-redundant-type-constituents -- none in this package

const anOperation = { expected: operationNames.map((name) => JSON.stringify(name)).join(" | ") }

/**
 * Schema of an {@link OperationName}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OperationName: Schema.Codec<OperationName, string> = Schema.String.pipe(
  Schema.decodeTo(Schema.declare(isOperation, anOperation), SchemaTransformation.passthroughSupertype())
)

/**
 * The service responds with the given status.
 *
 * **Details**
 *
 * `description` becomes the `message` of a JSON error body; each common status has one by default. `body` replaces the
 * whole body, JSON or not, so that `{ status: 200, body: "<html>" }` is an invalid response. `retryAfter` sets the
 * header `Retry-After`, as seconds or as an HTTP date. `delay` passes before the response. With `afterEffect` the operation
 * runs first, changes what it changes, and only its response is lost.
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
 * The connection breaks before a response. In process the client fails with a `TransportError` whose cause has the code
 * `ECONNRESET`; on a socket the connection is cut.
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
 * The right response after a delay. The work is delayed too. With `afterEffect` only the response is, so that the operation takes
 * effect even if the client no longer waits.
 *
 * @category models
 * @since 0.1.0
 */
export type Slow = {
  readonly delay: DurationInput
  readonly afterEffect?: boolean | undefined
}

/**
 * The work is done, and the response begins: status, headers, the promised length. Then the connection ends in the middle of
 * the body, after a number of `bytes`, or a `share` of them between 0 and 1; after half of them by default. At least the
 * last byte is always missing. A body without bytes, such as that of an empty document, is sent unchanged; the fault still
 * counts as played.
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
 * Like {@link Truncated}, but the connection stays open without further bytes until the client closes it.
 *
 * **Gotchas**
 *
 * A client without a timeout for bodies waits forever. Set one, such as the `bodyIdleTimeout` of the policy.
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
 * The work is done, and status, headers and length of its response are right, but its body is no JSON: the first half of it
 * only.
 *
 * @category models
 * @since 0.1.0
 */
export type Malformed = {
  readonly malformed: true
  readonly delay?: DurationInput | undefined
}

/**
 * The work is done, and its response has another number of results than there were texts: that many more or, below zero, fewer
 * of `improvements`, `translations` or `results`. It hits the operations that have these. A response without them, such as a
 * refusal, is sent unchanged; the fault still counts as played.
 *
 * @category models
 * @since 0.1.0
 */
export type WrongLength = {
  readonly wrongLength: number
  readonly delay?: DurationInput | undefined
}

/**
 * The ways in which services spoil texts.
 *
 * **Details**
 *
 * - `empty`: nothing is left of a text
 * - `folded`: no white space at its ends, and one space for any other white space, line breaks too
 * - `untagged`: without its first tag
 * - `retagged`: its first element has another name
 * - `tagged`: an element is added around it
 * - `filled`: the content of its first element has a character more
 * - `unescaped`: `&`, `<` and `>` in the place of their entities
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
 * A way in which a service spoils texts.
 *
 * @category models
 * @since 0.3.0
 */
export type Alteration = typeof Alteration.Type

/**
 * The work is done, and its response is valid, but each of its `translations` or `improvements` is spoiled in this way. It hits the operations
 * that have these. A text without anything that could be spoiled so is sent unchanged.
 *
 * @category models
 * @since 0.3.0
 */
export type Altered = {
  readonly altered: Alteration
  readonly delay?: DurationInput | undefined
}

/**
 * The right response: a document is accepted, or an import, an evaluation or another job started. But its work ends as failed,
 * with this reason. It hits the operations that start such work.
 *
 * @category models
 * @since 0.1.0
 */
export type JobFails = {
  readonly jobFails: string
  readonly delay?: DurationInput | undefined
}

/**
 * One fault.
 *
 * @category models
 * @since 0.1.0
 */
export type Fault = Answer | Reset | Slow | Truncated | Stalled | Malformed | WrongLength | Altered | JobFails

/** One key decides the kind of a fault, and so the other keys that it can have. */
const oneKind = Schema.makeFilter((fault: object) => {
  const keys = Object.keys(fault)
  const [kind, other] = kindNames.filter((kind) => keys.includes(kind))
  if (kind === undefined) return `A fault has one of ${list(kindNames, "or")}.`
  const { others } = kindOf(kind)
  if (other !== undefined && !others.includes(other)) return `The keys ${kind} and ${other} are two faults.`
  const stray = keys.find((key) => key !== kind && !others.includes(key))
  return stray === undefined
    ? undefined
    : { path: [stray], issue: `This does not go with ${kind}. Its other keys are ${list(others, "and")}.` }
})

const eitherPlace = Schema.makeFilter((
  fault: { readonly bytes?: number | undefined; readonly share?: number | undefined }
) => fault.bytes === undefined || fault.share === undefined || "Give bytes or a share of them, not both.")

/**
 * Schema of a {@link Fault}. Durations are strings such as `"2 seconds"` or numbers of milliseconds in JSON, a date for
 * `Retry-After` a string such as `"2026-01-31T12:00:00Z"`. Unknown keys are refused.
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
      Schema.makeFilter((by) => by !== 0 || "A result of the right length is no fault.")
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
 * A script or a weather is invalid. The reason names each place and the allowed values.
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
 * Status 429: too many requests. Nothing happened.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rateLimited = (details?: Details): Fault => ({ ...details, status: 429 })

/**
 * Status 529: the service as a whole has too many requests. Nothing happened.
 *
 * @category constructors
 * @since 0.1.0
 */
export const overloaded = (details?: Details): Fault => ({ ...details, status: 529 })

/**
 * Status 503: the service is unavailable. Nothing happened.
 *
 * @category constructors
 * @since 0.1.0
 */
export const unavailable = (details?: Details): Fault => ({ ...details, status: 503 })

/**
 * Status 500: the service failed inside. With `afterEffect` it failed after its work was done.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serverError = (details?: Details): Fault => ({ ...details, status: 500 })

/**
 * The connection breaks. With `afterEffect` it breaks after the work was done.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reset = (details?: Omit<Reset, "reset">): Fault => ({ ...details, reset: true })

/**
 * The right response after a delay. With `afterEffect` the delay follows the work.
 *
 * @category constructors
 * @since 0.1.0
 */
export const slow = (delay: DurationInput, details?: Omit<Slow, "delay">): Fault => ({ ...details, delay })

/**
 * The connection ends in the middle of the body.
 *
 * @category constructors
 * @since 0.1.0
 */
export const truncated = (details?: Omit<Truncated, "truncated">): Fault => ({ ...details, truncated: true })

/**
 * The body stops in its middle, and the connection stays open.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stalled = (details?: Omit<Stalled, "stalled">): Fault => ({ ...details, stalled: true })

/**
 * The body is no JSON.
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
 * Texts that are spoiled in one of the ways of {@link Alteration}, as services spoil them.
 *
 * @category constructors
 * @since 0.3.0
 */
export const altered = (alteration: Alteration, details?: Omit<Altered, "altered">): Fault => ({
  ...details,
  altered: alteration
})

/**
 * A document, an import, an evaluation or another job that is accepted and fails later, for the given reason.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jobFails = (reason: string, details?: Omit<JobFails, "jobFails">): Fault => ({
  ...details,
  jobFails: reason
})

/**
 * A fault in one line, as for the output of a failing test.
 *
 * **Example** (Reading a fault)
 *
 * ```ts import.meta.vitest
 * import * as Fault from "@effect-lingua/testing/faults/Fault"
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
export const format = (fault: Fault): string => Format.fault(fault)
