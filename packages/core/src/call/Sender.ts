/**
 * The service over which all services of a client send their requests. `LanguageServiceClient.layerOf` provides it.
 *
 * @since 0.3.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Failure } from "../errors/internal/failure.ts"
import type { ContractFailure } from "../errors/internal/unexpected.ts"
import type { CallRecord, File, Wait } from "./internal/callRecord.ts"
import type { Plan } from "./internal/plan.ts"

/**
 * The functions of a {@link Sender}, for the services of this library only.
 *
 * @category models
 * @since 0.3.0
 */
export interface Functions {
  readonly send: (
    record: CallRecord,
    plan: Plan,
    request: HttpClientRequest.HttpClientRequest,
    wait?: Wait
  ) => Effect.Effect<unknown, Failure | ContractFailure>
  readonly transfer: <A, E, R>(file: File<A, E, R>) => Effect.Effect<A, E, R>
  /** Sleeps; the release of the client ends the sleep. */
  readonly sleep: (millis: number) => Effect.Effect<void>
}

/**
 * Sends requests under the policy of the client, and returns their decoded success: a requirement of the layer of each service.
 *
 * @category services
 * @since 0.3.0
 */
export class Sender extends Context.Service<Sender, Functions>()("@effect-lingua/core/call/Sender") {}
