/**
 * Faults as data: what the fake does to a call instead of, or beside, answering it.
 *
 * @since 0.1.0
 */
import type { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"

type Groups = typeof LanguageServiceApi["groups"]

/**
 * The name of an operation of the contract: group and endpoint, such as `Writing.rephrase`.
 *
 * @category models
 * @since 0.1.0
 */
export type OperationName = {
  readonly [G in keyof Groups]: `${G}.${keyof Groups[G]["endpoints"] & string}`
}[keyof Groups]

/**
 * The service answers with a status of its own choice.
 *
 * **Details**
 *
 * `description` becomes the `message` of a JSON error body; each common status has one by default. `body` replaces the
 * whole body, JSON or not, so that `{ status: 200, body: "<html>" }` is an answer that makes no sense. `retryAfter` sets the
 * header `Retry-After`, as seconds or as an HTTP date. `delay` passes before the answer. With `afterEffect` the operation
 * runs first, changes what it changes, and only its answer is lost.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly status: number
  readonly retryAfter?: Duration.Input | DateTime.Utc | undefined
  readonly description?: string | undefined
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly delay?: Duration.Input | undefined
  readonly afterEffect?: boolean | undefined
}

/**
 * The connection breaks before an answer. In process the client fails with a `TransportError` whose cause has the code
 * `ECONNRESET`; on a socket the connection is cut.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reset {
  readonly reset: true
  readonly delay?: Duration.Input | undefined
  readonly afterEffect?: boolean | undefined
}

/**
 * The right answer, but late.
 *
 * @category models
 * @since 0.1.0
 */
export interface Slow {
  readonly delay: Duration.Input
}

/**
 * One fault.
 *
 * @category models
 * @since 0.1.0
 */
export type Fault = Answer | Reset | Slow

/**
 * An entry of a script: the next `count` calls (1 by default) of one operation, or of any, meet the fault.
 *
 * @category models
 * @since 0.1.0
 */
export interface Script {
  readonly operation?: OperationName | undefined
  readonly count?: number | undefined
  readonly fault: Fault
}

/**
 * A script or a weather that the fake cannot play, with the reason.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidFault extends Data.TaggedError("InvalidFault")<{ readonly reason: string }> {
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
 * Status 503: the service is not available. Nothing happened.
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
 * The right answer after a delay.
 *
 * @category constructors
 * @since 0.1.0
 */
export const slow = (delay: Duration.Input): Fault => ({ delay })
