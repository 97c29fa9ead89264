/** What runs over any number of texts and joined calls for one text need to know of a method for several texts. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import type { InvalidInput, LimitExceeded } from "../../client/CallError.ts"
import { call, shared } from "../../client/internal/call.ts"
import type { Splitting } from "./splitting.ts"

/** What is said of a text or of options that are not sent. */
export type Refusal = InvalidInput | LimitExceeded

/** A method, its limits, and what it makes of its options. */
export interface Method<O, A, E> {
  readonly operation: string
  /** Texts of a request at most. */
  readonly texts: number
  /** Bytes of the body of a request at most. */
  readonly bytes: number
  readonly prepare: (options: O) => Effect.Effect<Prepared<A, E>, Refusal | Schema.SchemaError>
}

/** What options come to. */
export interface Prepared<A, E> {
  /** What has to be equal for texts to go in one request. */
  readonly common: object
  /** The bytes of a body without texts. */
  readonly envelope: number
  /** Sends a request: as a call of its own, or as one that the calls share whose spans are linked. */
  readonly send: (
    texts: ReadonlyArray<string>,
    links?: ReadonlyArray<Tracer.SpanLink>
  ) => Effect.Effect<ReadonlyArray<A>, E>
  /** How a text that is too large is split, if it is. */
  readonly splitting?: Splitting<A> | undefined
}

/** How requests of an operation are sent: each as a call of its own, or for the calls whose spans are linked. */
export const sender = <A, E, R>(
  operation: string,
  send: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E, R>
) =>
(texts: ReadonlyArray<string>, links?: ReadonlyArray<Tracer.SpanLink>) =>
  links === undefined ? call(operation, send(texts)) : shared(operation, links, send(texts))
