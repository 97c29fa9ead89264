/**
 * The ledger of a call: its attempts, their results, and the waits before them.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Durations from "./internal/duration.ts"

/**
 * The causes of a wait before an attempt: backoff, the service's `Retry-After`, or a poll for something that is
 * not ready yet.
 *
 * @category models
 * @since 0.1.0
 */
export const WaitCause = Schema.Literals(["backoff", "retry-after", "poll"])

/**
 * A cause of a wait before an attempt.
 *
 * @category models
 * @since 0.1.0
 */
export type WaitCause = typeof WaitCause.Type

/**
 * The reasons not to send a call again after a transient failure: no attempts left, no time left, a `Retry-After` above its
 * cap, an unknown outcome of a call that must not run twice, a `ReadableStream` that was read, a retry held back by the circuit breaker or the
 * limiter, or the release of the client's layer.
 *
 * @category models
 * @since 0.1.0
 */
export const StopCause = Schema.Literals([
  "attempts",
  "deadline",
  "retry-after-cap",
  "outcome-unknown",
  "source-read",
  "breaker",
  "limiter",
  "released"
])

/**
 * A reason not to send a call again.
 *
 * @category models
 * @since 0.1.0
 */
export type StopCause = typeof StopCause.Type

/**
 * One attempt of a call.
 *
 * **Details**
 *
 * `number` counts from 1. `status` is the HTTP status, absent without a response. `failure` is the name of the error
 * class the attempt ended with, or `interrupted` if the caller no longer waited, and `outcome` its known effect, both absent on success. `waited` is the wait before this attempt and `waitCause` the reason;
 * `queued` is the time it then spent in the client's own limiter and in the queue for a connection. `stopCause` is the reason why no other attempt followed, where one could have. `took` is the time from sending to
 * the end of the body, or to the headers of a streamed download.
 *
 * @category models
 * @since 0.1.0
 */
export class Attempt extends Schema.Class<Attempt>("Attempt")({
  operation: Schema.String,
  number: Schema.Int,
  status: Schema.optionalKey(Schema.Int),
  failure: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(Schema.Literals(["refused", "unknown", "pending"])),
  traceId: Schema.optionalKey(Schema.String),
  waited: Schema.Duration,
  waitCause: Schema.optionalKey(WaitCause),
  queued: Schema.optionalKey(Schema.Duration),
  took: Schema.Duration,
  stopCause: Schema.optionalKey(StopCause)
}) {}

/**
 * Formats a ledger as one readable line: all of it, or the first and last three attempts of a long one.
 *
 * **Example** (Reading a ledger)
 *
 * ```ts import.meta.vitest
 * import * as Attempt from "@effect-lingua/core/errors/Attempt"
 * import { Duration } from "effect"
 *
 * const first = new Attempt.Attempt({
 *   operation: "Writing.rephrase", number: 1, status: 429, failure: "RateLimited", traceId: "a1",
 *   waited: Duration.zero, took: Duration.millis(20)
 * })
 * const second = new Attempt.Attempt({
 *   operation: "Writing.rephrase", number: 2, status: 200,
 *   waited: Duration.seconds(2), waitCause: "retry-after", took: Duration.millis(30)
 * })
 * Attempt.format([first, second]) // => "#1 429 RateLimited (trace a1), waited 2 s (retry-after), #2 200"
 * ```
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (attempts: ReadonlyArray<Attempt>): string =>
  attempts.length > 2 * shown
    ? `${formatAll(attempts.slice(0, shown))}, … ${attempts.length - 2 * shown} more …, ${
      formatAll(attempts.slice(-shown))
    }`
    : formatAll(attempts)

/**
 * Formats a duration as in the messages of this library: rounded, with one unit.
 *
 * **Example** (A wait)
 *
 * ```ts import.meta.vitest
 * import * as Attempt from "@effect-lingua/core/errors/Attempt"
 * import { Duration } from "effect"
 *
 * Attempt.formatDuration(Duration.millis(3070)) // => "3.1 s"
 * Attempt.formatDuration(Duration.minutes(2)) // => "2 min"
 * ```
 *
 * @category formatting
 * @since 0.1.0
 */
export const formatDuration: (duration: Duration.Duration) => string = Durations.format

/** The number of attempts shown at the beginning and at the end of a line: a document may be polled a hundred times. */
const shown = 3

const formatAll = (attempts: ReadonlyArray<Attempt>): string =>
  attempts.map((attempt) => {
    const wait = attempt.waitCause === undefined
      ? ""
      : `waited ${Durations.format(attempt.waited)} (${attempt.waitCause}), `
    const what = [attempt.status, attempt.failure].filter((part) => part !== undefined).join(" ")
    const trace = attempt.traceId === undefined ? "" : ` (trace ${attempt.traceId})`
    const queued = attempt.queued === undefined ? "" : `queued ${Durations.format(attempt.queued)}, `
    const stop = attempt.stopCause === undefined ? "" : `, gave up (${attempt.stopCause})`
    return `${wait}${queued}#${attempt.number} ${what}${trace}${stop}`
  }).join(", ")

/**
 * Receives each attempt of every call in a region of a program as it ends. Absent by default, which costs nothing.
 *
 * **Gotchas**
 *
 * An attempt is received once. If the next attempt is planned and then held back, by the breaker, the limiter, the deadline or the
 * release of the layer, the `stopCause` is only in the `attempts` of the error.
 *
 * @category services
 * @since 0.1.0
 */
export const Recorder = Context.Reference<((attempt: Attempt) => void) | undefined>(
  "@effect-lingua/core/errors/Attempt/Recorder",
  { defaultValue: () => undefined }
)

/**
 * Runs an effect and returns its value together with the attempts of its calls, in order: the ledger of a success, as every
 * error has it.
 *
 * @category combinators
 * @since 0.1.0
 */
export const record = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<readonly [A, ReadonlyArray<Attempt>], E, R> =>
  Effect.suspend(() => {
    const attempts: Array<Attempt> = []
    return Effect.map(
      Effect.provideService(effect, Recorder, (attempt) => {
        attempts.push(attempt)
      }),
      (value) => [value, attempts] as const
    )
  })
