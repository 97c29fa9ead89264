/** `effect` without this library, over undici, with 16 calls in flight. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import { translate } from "./effect.ts"

export const run = (url: string, calls = 1) =>
  Effect.forEach(Array.from({ length: calls }), () => translate(url), { concurrency: 16, discard: true }).pipe(
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.runPromise
  )
