/** The parts of the client that `ClientState` asks for their state. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import type { ClientState, State } from "../ClientState.ts"

type Resilience = Omit<State, "openStreams" | "pendingDocuments">

interface Parts {
  /** The state of the resilience layer at a time of `Monotonic`. */
  resilience?: (now: number) => Resilience
  openStreams?: () => number
  pendingDocuments?: Effect.Effect<number>
}

const reported = new WeakMap<ClientState["Service"], Parts>()

const unused: Resilience = {
  breaker: undefined,
  inFlight: 0,
  queued: 0,
  concurrency: Number.POSITIVE_INFINITY,
  rate: Number.POSITIVE_INFINITY,
  rateDelay: Duration.zero,
  isClosing: false
}

/** A state without parts. */
export const make = (name: string | undefined): ClientState["Service"] => {
  const parts: Parts = {}
  const state: ClientState["Service"] = {
    name,
    get: () =>
      Effect.zipWith(
        Monotonic.now,
        Effect.suspend(() => parts.pendingDocuments ?? Effect.succeed(0)),
        (now, pendingDocuments) => ({
          ...(parts.resilience?.(now) ?? unused),
          openStreams: parts.openStreams?.() ?? 0,
          pendingDocuments
        })
      )
  }
  reported.set(state, parts)
  return state
}

/** Adds a part to the state of a client, unless the service was made elsewhere. */
export const report = (state: ClientState["Service"], part: Parts): void => {
  const parts = reported.get(state)
  if (parts !== undefined) Object.assign(parts, part)
}
