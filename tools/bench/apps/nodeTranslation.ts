/** Translation from `NodeLanguageService.layer`. */
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { translate } from "./translation.ts"

export const run = (url: string) =>
  translate.pipe(
    Effect.provide(NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: url, journal: "memory" })),
    Effect.runPromise
  )
