/** Translation from `NodeLanguageService.layer`, with 16 calls in flight. */
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { translate } from "./translation.ts"

export const run = (url: string, calls = 1) =>
  Effect.forEach(Array.from({ length: calls }), () => translate, { concurrency: 16, discard: true }).pipe(
    Effect.provide(NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: url, journal: "memory" })),
    Effect.runPromise
  )
