/** Detection and no other service, over `fetch`, imported from the barrel. */
import { Detection, LanguageServiceClient, LanguageServiceConfig } from "@effect-lingua/core"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const layer = (url: string) =>
  LanguageServiceClient.layerOf(Detection.layer).pipe(
    Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: url })),
    Layer.provide(FetchHttpClient.layer)
  )

export const run = (url: string) =>
  Detection.use((detection) => detection.detect("Good.")).pipe(Effect.provide(layer(url)), Effect.runPromise)
