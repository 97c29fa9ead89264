/**
 * The ledger of a call: each attempt with its result, and the wait before it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The cause of a wait before an attempt: backoff, the service's `Retry-After`, or polling for a pending result.
 *
 * @category models
 * @since 0.1.0
 */
export const WaitCause = Schema.Literals(["backoff", "retry-after", "poll"])

/**
 * @category models
 * @since 0.1.0
 */
export type WaitCause = typeof WaitCause.Type

/**
 * Why a call was not retried after a transient failure. `outcome-unknown`: the call must not run twice. `source-read`: the request's `ReadableStream`
 * was already read. `limiter`: the rate limit allows no request before the deadline. `released`: the client's layer was released.
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
 * @category models
 * @since 0.1.0
 */
export type StopCause = typeof StopCause.Type

/**
 * One attempt of a call.
 *
 * **Details**
 *
 * `number` counts from 1. `failure` is the error's name, or `interrupted`; `outcome` is the failure's known effect. Both are absent on success.
 * `waited` is the delay before this attempt, due to `waitCause`; `queued` is the time spent in the client's limits and waiting for a connection.
 * `stopCause` is why no retry followed a transient failure. `took` is the time from sending to the end of the body, or to the headers of a download.
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
 * Formats a call's attempts as one line; of a long list, only the first and last three.
 *
 * **Example** (Reading the attempts)
 *
 * ```ts import.meta.vitest
 * import { Attempt } from "@effect-lingua/core"
 * import { Duration } from "effect"
 *
 * const second = new Attempt.Attempt({
 *   operation: "Writing.rephrase", number: 2, status: 200, took: Duration.millis(30),
 *   waited: Duration.seconds(2), waitCause: "retry-after"
 * })
 * Attempt.format([second]) // => "waited 2 s (retry-after), #2 200"
 * ```
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (attempts: ReadonlyArray<Attempt>): string =>
  attempts.length > 2 * edgeAttempts
    ? `${formatAll(attempts.slice(0, edgeAttempts))}, … ${attempts.length - 2 * edgeAttempts} more …, ${
      formatAll(attempts.slice(-edgeAttempts))
    }`
    : formatAll(attempts)

/**
 * Formats a duration with one unit and two significant digits, `3.1 s` or `2 min`; whole numbers keep all digits, `100 s`.
 *
 * @category formatting
 * @since 0.1.0
 */
export const formatDuration = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  if (millis === 0) return "0 s"
  if (!Number.isFinite(millis)) return String(millis)
  const [name, length] = units.find(([, , from]) => Math.abs(millis) >= from) ?? ["ms", 1]
  const amount = millis / length
  const digits = Math.abs(amount) < 9.95 ? 10 : 1
  return `${Math.round(amount * digits) / digits} ${name}`
}

/** Units from longest to shortest. `from` is the shortest duration in milliseconds shown in the unit: `119 s`, but `2 min` for 120 s. */
const units: ReadonlyArray<readonly [name: string, millis: number, from: number]> = [
  ["d", 86_400_000, 47.5 * 3_600_000],
  ["h", 3_600_000, 119.5 * 60_000],
  ["min", 60_000, 119.5 * 1000],
  ["s", 1000, 999.5],
  ["ms", 1, 0]
]

/** Attempts shown at each end of a line, because a document may be polled a hundred times. */
const edgeAttempts = 3

const formatAll = (attempts: ReadonlyArray<Attempt>): string =>
  attempts.map((attempt) => {
    const wait = attempt.waitCause === undefined
      ? ""
      : `waited ${formatDuration(attempt.waited)} (${attempt.waitCause}), `
    const what = [attempt.status, attempt.failure].filter((part) => part !== undefined).join(" ")
    const trace = attempt.traceId === undefined ? "" : ` (trace ${attempt.traceId})`
    const queued = attempt.queued === undefined ? "" : `queued ${formatDuration(attempt.queued)}, `
    const stop = attempt.stopCause === undefined ? "" : `, gave up (${attempt.stopCause})`
    return `${wait}${queued}#${attempt.number} ${what}${trace}${stop}`
  }).join(", ")

/**
 * A function that receives the attempts of an effect's calls, each when it ends. Default: none.
 *
 * **Gotchas**
 *
 * An attempt is received once. If its planned retry is cancelled later, only the `attempts` of the error have the `stopCause`.
 *
 * @category services
 * @since 0.1.0
 */
export const Recorder = Context.Reference<((attempt: Attempt) => void) | undefined>(
  "@effect-lingua/core/errors/Attempt/Recorder",
  { defaultValue: () => undefined }
)

/**
 * Runs an effect and returns its value with the attempts of its calls, in order.
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
