/** Translation and no other service, over `fetch`. */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { translate } from "./translation.ts"

const layer = (url: string) =>
  LanguageServiceClient.layerOf(Translation.layer).pipe(
    Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: url })),
    Layer.provide(FetchHttpClient.layer)
  )

export const run = (url: string) => translate.pipe(Effect.provide(layer(url)), Effect.runPromise)
