/** The parts of the client that `ClientState` asks for their state. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Monotonic from "../../contract/internal/monotonic.ts"

/**
 * The states of the circuit breaker.
 *
 * @category models
 * @since 0.1.0
 */
export type BreakerState = "Closed" | "Open" | "HalfOpen"

/**
 * The state of the circuit breaker.
 *
 * @category models
 * @since 0.1.0
 */
export interface Breaker {
  /** `HalfOpen` from the time on at which a call may probe the service. */
  readonly state: BreakerState
  /** Time until the next probe; zero unless the state is `Open`. */
  readonly retryAfter: Duration.Duration
}

/**
 * The state of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** The circuit breaker: none if `concurrency` of the policy is `Infinity`. */
  readonly breaker: Breaker | undefined
  /** Attempts that are sent and have no complete response yet, without open streams. */
  readonly inFlight: number
  /**
   * Attempts that may be in flight: the number that the client has learned, up to `concurrency` of the policy. It begins with 2, grows with
   * responses, and is halved after signs of overload.
   *
   * @since 0.3.0
   */
  readonly concurrency: number
  /**
   * Requests a second that the client has learned from 429 and 529 responses; `Infinity` without a limit.
   *
   * @since 0.3.0
   */
  readonly rate: number
  /**
   * Attempts that wait to be sent: for the client's limits of rate and concurrency or a connection. Without those
   * that wait for the limits of their tenant. An HTTP client other than that of `@effect-lingua/node` does not show its waits for
   * connections, so they count as in flight.
   */
  readonly queued: number
  /** Time until the last queued attempt has its turn by the limits of rate; zero without such attempts. */
  readonly rateDelay: Duration.Duration
  /** Response streams that are open. */
  readonly openStreams: number
  /** Documents in the journal that are not saved yet: see `Documents.pending`. */
  readonly pendingDocuments: number
  /** True from the release of the client's layer on: calls fail. */
  readonly isClosing: boolean
}

type Resilience = Omit<State, "openStreams" | "pendingDocuments">

interface Parts {
  /** The state of the resilience layer at a time of `Monotonic`. */
  resilience?: (now: number) => Resilience
  openStreams?: () => number
  pendingDocuments?: Effect.Effect<number>
}

interface Client {
  readonly name: string | undefined
  readonly get: () => Effect.Effect<State>
}

const reported = new WeakMap<Client, Parts>()

const unused: Resilience = {
  breaker: undefined,
  inFlight: 0,
  queued: 0,
  concurrency: Number.POSITIVE_INFINITY,
  rate: Number.POSITIVE_INFINITY,
  rateDelay: Duration.zero,
  isClosing: false
}

/** A state without parts. */
export const make = (name: string | undefined): Client => {
  const parts: Parts = {}
  const state: Client = {
    name,
    get: () =>
      Effect.zipWith(
        Monotonic.now,
        Effect.suspend(() => parts.pendingDocuments ?? Effect.succeed(0)),
        (now, pendingDocuments) => ({
          ...(parts.resilience?.(now) ?? unused),
          openStreams: parts.openStreams?.() ?? 0,
          pendingDocuments
        })
      )
  }
  reported.set(state, parts)
  return state
}

/** Adds a part to the state of a client, unless the service was made elsewhere. */
export const report = (state: Client, part: Parts): void => {
  const parts = reported.get(state)
  if (parts !== undefined) Object.assign(parts, part)
}
