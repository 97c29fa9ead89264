/**
 * The present state of a client: circuit breaker, queues, open streams and pending documents, as for a health
 * endpoint.
 *
 * **Example** (The state after a call)
 *
 * ```ts import.meta.vitest
 * import { ClientState } from "@effect-lingua/core/telemetry/ClientState"
 * import { Languages } from "@effect-lingua/core/languages/Languages"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   yield* Languages.use((languages) => languages.resources())
 *   return yield* ClientState.use((client) => client.get())
 * })
 * const state = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * const { breaker, inFlight, isClosing } = state
 * const shown = { breaker: breaker?.state, inFlight, isClosing }
 * shown // => { breaker: "Closed", inFlight: 0, isClosing: false }
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { BreakerState } from "./Events.ts"
import * as StateParts from "./internal/stateParts.ts"

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

/**
 * The state of a client.
 *
 * @category services
 * @since 0.1.0
 */
export class ClientState extends Context.Service<ClientState, {
  /** The `name` of the configuration, which the metrics and spans of the client have as well. */
  readonly name: string | undefined
  /** Looks up the state of the present moment. Sends nothing; reads the journal of documents. Never fails. */
  readonly get: () => Effect.Effect<State>
}>()("@effect-lingua/core/telemetry/ClientState") {}

/**
 * The state of one client, which its parts report.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<ClientState, never, LanguageServiceConfig> = Layer.effect(
  ClientState,
  Effect.map(LanguageServiceConfig, ({ name }) => StateParts.make(name))
)
