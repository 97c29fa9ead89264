/** Translation from `LanguageService.layer`, over `fetch`. */
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { translate } from "./translation.ts"

const layer = (url: string) =>
  Layer.provide(LanguageService.layer({ key: Redacted.make("key"), baseUrl: url }), FetchHttpClient.layer)

export const run = (url: string) => translate.pipe(Effect.provide(layer(url)), Effect.runPromise)
