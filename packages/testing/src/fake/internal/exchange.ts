/** One request on its way through the fake, with its record. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RecordedRequest } from "./model.ts"

/** The record of a request, which is filled in as the request proceeds. */
export type Note = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] }

export interface Exchange {
  readonly note: Note
  /** The connection is to be broken instead of answered. */
  broken: boolean
  /** The reason for which the work that it starts will fail. */
  jobFails: string | undefined
  /** The account of its key, once that is known. */
  account: string
  /** The key itself, likewise. */
  key: string
  /** The address at which the fake was called, as the client knows it; in a container the server does not. */
  readonly host: string
  /** True once the fake was reset after the arrival of the request. */
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
