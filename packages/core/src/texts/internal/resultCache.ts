/** The place of a cache in the operations on texts. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Sender } from "../../client/Sender.ts"
import type { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { DeadlineExceeded } from "../../errors/CallError.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { ContractFailure } from "../../errors/internal/unexpected.ts"

/** An operation whose results may be cached. */
export interface Cached<A> {
  readonly operation: string
  /** Time for the whole call, from now on. */
  readonly deadline: Duration.Duration
  readonly result: Schema.Codec<A, unknown>
  /** The fields of a body that change a result. */
  readonly fields: object
  /** A result that was not bought by this call. */
  readonly reuse: (result: A) => A
}

/** Sends the texts whose results are unknown, each once, and returns the results of all texts in order, before the deadline. */
export type ResultCache = <A, E extends Failure | ContractFailure>(
  cached: Cached<A>,
  texts: ReadonlyArray<string>,
  send: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>
) => Effect.Effect<ReadonlyArray<A>, E | DeadlineExceeded>

/** The cache for the services of a client, connected to that client when its services are built. */
export const Connect = Context.Reference<
  Effect.Effect<ResultCache, never, LanguageServiceConfig | Sender> | undefined
>("@effect-lingua/core/texts/internal/resultCache/Connect", { defaultValue: () => undefined })
