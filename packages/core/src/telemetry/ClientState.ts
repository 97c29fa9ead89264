/**
 * The current state of a client, for example for a health endpoint: circuit breaker, queues, open streams, pending documents.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import * as StateParts from "./internal/stateParts.ts"
import type { Breaker, State } from "./internal/stateParts.ts"

export type { Breaker, State } from "./internal/stateParts.ts"

const make = Effect.map(LanguageServiceConfig, ({ name }) => StateParts.make(name))

/**
 * Reports the state of a client, for example to a health endpoint.
 *
 * @category services
 * @since 0.1.0
 */
export class ClientState extends Context.Service<ClientState, {
  /** The `name` of the configuration. */
  readonly name: string | undefined
  /** Reads the current state, including pending documents of the journal. Sends no request. */
  readonly get: Effect.Effect<State>
}>()("@effect-lingua/core/telemetry/ClientState") {
  static readonly make: Effect.Effect<ClientState["Service"], never, LanguageServiceConfig> = make

  static readonly layer: Layer.Layer<ClientState, never, LanguageServiceConfig> = Layer.effect(this, make)
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace ClientState {
  export type { Breaker, State }
}
