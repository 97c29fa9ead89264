/** The name of the client of the context. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ClientState } from "../ClientState.ts"

/** The name of the client of the context; `undefined` without a client, or if it has no name. */
export const clientName: Effect.Effect<string | undefined> = Effect.map(
  Effect.serviceOption(ClientState),
  (client) => Option.getOrUndefined(client)?.name
)
