/** Nothing but `effect`, over undici. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import { translate } from "./effect.ts"

export const run = (url: string) => translate(url).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.runPromise)
