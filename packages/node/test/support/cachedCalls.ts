// Runs in a process of its own: translates texts with a cache that other processes share.
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeResultCache from "@effect-lingua/node/NodeResultCache"
import { Effect, Layer, Redacted } from "effect"

const [, , place = "", ...texts] = process.argv

const timeout = "10 seconds"

const cache = place.startsWith("redis:")
  ? NodeResultCache.layerRedis({ url: Redacted.make(place), timeout })
  : NodeResultCache.layer({ path: place, timeout })

await Translation.use(({ translate }) => translate(texts, { targetLanguage: "de" })).pipe(
  Effect.provide(Layer.provide(NodeLanguageService.layerConfig(), cache)),
  Effect.runPromise
)
