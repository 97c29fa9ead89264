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
  /** The account of its key, once that is known. */
  account: string
  /** The key itself, likewise. */
  key: string
  /** True once the fake was reset after the request came. */
  readonly isOver: () => boolean
}

export const makeNote = (
  arrival: Pick<Note, "number" | "time" | "traceId" | "method" | "url" | "headers">
): Note => ({
  ...arrival,
  operation: undefined,
  body: "",
  payload: undefined,
  status: undefined,
  fault: undefined,
  tookEffect: false,
  answerTime: undefined,
  retryTime: undefined
})

export const Current = Context.Reference<Exchange>("@effect-lingua/testing/internal/exchange/Current", {
  defaultValue: () => ({
    note: makeNote({ number: 0, time: 0, traceId: "", method: "", url: "", headers: {} }),
    broken: false,
    account: "",
    key: "",
    isOver: () => false
  })
})

/** Breaks the connection of a request that came before a reset, so that nothing of it is in the new state. */
export const endIfOver: Effect.Effect<void> = Effect.flatMap(Current, (exchange) => {
  if (!exchange.isOver()) return Effect.void
  exchange.broken = true
  return Effect.die("The fake was reset")
})
