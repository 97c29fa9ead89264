/** The state of a client, reported to `ClientState` in parts. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Monotonic from "../../contract/internal/monotonic.ts"

/**
 * `Closed`: calls are sent. `Open`: calls wait or fail. `HalfOpen`: a call may probe the service.
 *
 * @category models
 * @since 0.1.0
 */
export type BreakerState = "Closed" | "Open" | "HalfOpen"

/**
 * The circuit breaker's state and the time until its next probe.
 *
 * @category models
 * @since 0.1.0
 */
export interface Breaker {
  readonly state: BreakerState
  /** Time until the next probe; zero unless the state is `Open`. */
  readonly retryAfter: Duration.Duration
}

/**
 * A snapshot of a client's queues, limits, streams and documents.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** `undefined` if `concurrency` of the policy is `Infinity`. */
  readonly breaker: Breaker | undefined
  /** Number of sent attempts without a complete response, excluding open streams. */
  readonly inFlight: number
  /**
   * The learned concurrency limit, at most `concurrency` of the policy.
   *
   * @since 0.3.0
   */
  readonly concurrency: number
  /**
   * Rate limit in requests a second, learned from 429 and 529 responses; `Infinity` without a limit.
   *
   * @since 0.3.0
   */
  readonly rate: number
  /**
   * Number of attempts that wait for the client's rate limit, concurrency limit or a connection. Only the HTTP client of `@effect-lingua/node` reports
   * waits for connections.
   */
  readonly queued: number
  /** Time until the rate admits the last queued attempt; zero without queued attempts. */
  readonly rateDelay: Duration.Duration
  readonly openStreams: number
  /** Number of unsaved documents in the journal: see `Documents.pending`. */
  readonly pendingDocuments: number
  /** True after the release of the client's layer, when calls fail. */
  readonly isClosing: boolean
}

type Resilience = Omit<State, "openStreams" | "pendingDocuments">

interface Parts {
  resilience?: (now: number) => Resilience
  openStreams?: () => number
  pendingDocuments?: Effect.Effect<number>
}

const partsByState = new WeakMap<object, Parts>()

const noResilience: Resilience = {
  breaker: undefined,
  inFlight: 0,
  queued: 0,
  concurrency: Number.POSITIVE_INFINITY,
  rate: Number.POSITIVE_INFINITY,
  rateDelay: Duration.zero,
  isClosing: false
}

export const make = (name: string | undefined) => {
  const parts: Parts = {}
  const state = {
    name,
    get: Effect.zipWith(
      Monotonic.now,
      Effect.suspend(() => parts.pendingDocuments ?? Effect.succeed(0)),
      (now, pendingDocuments) => ({
        ...(parts.resilience?.(now) ?? noResilience),
        openStreams: parts.openStreams?.() ?? 0,
        pendingDocuments
      })
    )
  }
  partsByState.set(state, parts)
  return state
}

export const report = (state: object, part: Parts): void => {
  const parts = partsByState.get(state)
  if (parts !== undefined) Object.assign(parts, part)
}
