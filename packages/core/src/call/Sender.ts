/**
 * The service that sends all requests of a client, provided by `LanguageServiceClient.layerOf`.
 *
 * @since 0.3.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { Failure } from "../errors/internal/failure.ts"
import type { ContractFailure } from "../errors/internal/unexpected.ts"
import type { ClientState } from "../telemetry/ClientState.ts"
import type { Events } from "../telemetry/Events.ts"
import type { CallRecord, File, Wait } from "./internal/callRecord.ts"
import type { Lifetime } from "./internal/client.ts"
import type { Plan } from "./internal/plan.ts"

/**
 * Sends requests under the client's policy and returns decoded responses. Only services of this library call its functions.
 *
 * @category services
 * @since 0.3.0
 */
export class Sender extends Context.Service<Sender, {
  readonly send: (
    record: CallRecord,
    plan: Plan,
    request: HttpClientRequest.HttpClientRequest,
    wait?: Wait
  ) => Effect.Effect<unknown, Failure | ContractFailure>
  readonly transfer: <A, E, R>(file: File<A, E, R>) => Effect.Effect<A, E, R>
  readonly lifetime: Lifetime
}>()("@effect-lingua/core/call/Sender") {}

/**
 * The requirements of layers such as `Writing.layer`.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements = ClientState | Events | LanguageServiceConfig | Sender
