/** Detection and no other service, over `fetch`. */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Detection } from "@effect-lingua/core/texts/Detection"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { detect } from "./detection.ts"

const layer = (url: string) =>
  LanguageServiceClient.layerOf(Detection.layer).pipe(
    Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: url })),
    Layer.provide(FetchHttpClient.layer)
  )

export const run = (url: string) => detect.pipe(Effect.provide(layer(url)), Effect.runPromise)
