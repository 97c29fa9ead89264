import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Fake, Note } from "./state.ts"

export interface Exchange {
  readonly fake: Fake
  readonly note: Note
  /** True to break the connection instead of responding. */
  broken: boolean
  /** Why the job that the request starts will fail; `undefined` if it will succeed. */
  jobFails: string | undefined
  /** The key's account, set once the key was checked. */
  account: string
  key: string
  /** The fake's address for clients, which in a container differs from the server's address. */
  readonly host: string
  /** True if the fake was reset since the request arrived. */
  readonly isOver: () => boolean
}

export const Current = Context.Reference<Exchange>("@effect-lingua/testing/fake/internal/exchange/Current", {
  defaultValue: () => {
    throw new Error("No request is in progress")
  }
})

/**
 * Breaks the connection of a request that arrived before a reset, so that the request does not affect the new state.
 */
export const endIfOver: Effect.Effect<void> = Effect.flatMap(Current, (exchange) => {
  if (!exchange.isOver()) return Effect.void
  exchange.broken = true
  return Effect.die("The fake was reset")
})
