/** One request on its way through the fake, with its record. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RecordedRequest } from "./model.ts"

/** A growing record. */
export type Note = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] }

export interface Exchange {
  readonly note: Note
  /** Break the connection instead of responding. */
  broken: boolean
  /** The reason for which the started work will fail. */
  jobFails: string | undefined
  /** Set with the key. */
  account: string
  key: string
  /** The address that the client called, which in a container differs from the server's. */
  readonly host: string
  /** True after a reset since the request's arrival. */
  readonly isOver: () => boolean
}

export const Current = Context.Reference<Exchange>("@effect-lingua/testing/fake/internal/exchange/Current", {
  defaultValue: () => {
    throw new Error("No request is under way")
  }
})

/** Breaks the connection of a request that arrived before a reset, so that it does not affect the new state. */
export const endIfOver: Effect.Effect<void> = Effect.flatMap(Current, (exchange) => {
  if (!exchange.isOver()) return Effect.void
  exchange.broken = true
  return Effect.die("The fake was reset")
})
