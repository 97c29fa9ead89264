// Runs in a process of its own: translates texts with a cache that other processes share.
import * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Effect, Layer, Redacted } from "effect"

const [, , place = "", ...texts] = process.argv

const timeout = "10 seconds"

const cache = place.startsWith("redis:")
  ? NodeResultCache.layerRedis({ url: Redacted.make(place), timeout })
  : NodeResultCache.layer({ path: place, timeout })

await Translation.use(({ translate }) => translate(texts, { targetLanguage: "de" })).pipe(
  Effect.provide(Layer.provide(cache, NodeLanguageService.layerConfig())),
  Effect.runPromise
)
