/**
 * How a call is repeated, how long it waits and when it gives up, as a value.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/**
 * The policy of a client or of a region of a program.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResiliencePolicy {
  /** Attempts of a call in a row that may fail, the first included. Default 5: with the backoff about 8 s of waiting. */
  readonly attempts: number
  /** Upper bound of the first wait; each wait is a random part of its bound (full jitter). Default 500 ms. */
  readonly backoffBase: Duration.Duration
  /** Growth of the bound from wait to wait. Default 2. */
  readonly backoffFactor: number
  /** Largest bound of a wait. Default 20 s. */
  readonly backoffCap: Duration.Duration
  /** A `Retry-After` above it is not waited for: the call fails at once with the hint on the error. Default 60 s. */
  readonly retryAfterCap: Duration.Duration
  /** Time for one attempt from sending to the headers of the answer. Default 10 s, as other clients have. */
  readonly attemptTimeout: Duration.Duration
  /** Time a body may go without a byte before it counts as broken. Default 30 s. */
  readonly bodyIdleTimeout: Duration.Duration
  /** Time for a whole call: attempts and waits. Default 100 s. */
  readonly deadline: Duration.Duration
  /** Time for a document to become ready. Default 30 min, because large files take that long. */
  readonly documentDeadline: Duration.Duration
  /** First wait between two polls for something that is not ready. Default 1 s. */
  readonly pollBase: Duration.Duration
  /** Growth of the wait from poll to poll. Default 1.5. */
  readonly pollFactor: number
  /** Largest wait between polls; each is jittered by a fifth. Default 15 s. */
  readonly pollCap: Duration.Duration
  /** Whether a call that counts characters is repeated when the first may have been counted. Default true. */
  readonly repeatMetered: boolean
  /** Bytes of a body that is read into memory; a larger one is an error. Default 16 MiB. Downloads stream. */
  readonly maxBodyBytes: number
}

/**
 * The defaults.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults: ResiliencePolicy = {
  attempts: 5,
  backoffBase: Duration.millis(500),
  backoffFactor: 2,
  backoffCap: Duration.seconds(20),
  retryAfterCap: Duration.seconds(60),
  attemptTimeout: Duration.seconds(10),
  bodyIdleTimeout: Duration.seconds(30),
  deadline: Duration.seconds(100),
  documentDeadline: Duration.minutes(30),
  pollBase: Duration.seconds(1),
  pollFactor: 1.5,
  pollCap: Duration.seconds(15),
  repeatMetered: true,
  maxBodyBytes: 16 * 1024 * 1024
}

/**
 * What differs from the client's policy in a region of a program.
 *
 * **Example** (A shorter deadline for one call)
 *
 * ```ts import.meta.vitest
 * import * as ResiliencePolicy from "@effect-lingua/core/ResiliencePolicy"
 * import { Duration, Effect } from "effect"
 *
 * const deadline = await ResiliencePolicy.Override.pipe(
 *   Effect.map((override) => override.deadline),
 *   Effect.provideService(ResiliencePolicy.Override, { deadline: Duration.seconds(5) }),
 *   Effect.runPromise
 * )
 * deadline // => Duration.seconds(5)
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export const Override = Context.Reference<Partial<ResiliencePolicy>>("@effect-lingua/core/ResiliencePolicy/Override", {
  defaultValue: () => ({})
})
