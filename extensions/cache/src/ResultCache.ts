/**
 * A cache of paid results: a text that was translated, improved or detected before is not sent again. The layer decorates `Translation`, `Writing`
 * and `Detection`, and stores results in any `BackingPersistence` of Effect: memory, Redis, SQL or a `KeyValueStore`.
 *
 * **Details**
 *
 * - Only unknown texts of a list or run are sent, each once; results are in order. Concurrent calls with the same unknown text all send the text.
 *   `translateInto` does not use the cache.
 * - A result is keyed by host, operation, text, the client's `headers`, and every option that changes the result. The key includes a glossary's
 *   entries for the language pair, a style rule list's version, and a translation memory's last change, which the cache requests, without cost, at
 *   most once per `versionsFor`. If a request fails, or takes 10 seconds or half of the call's remaining time, the call does not use the cache.
 * - With `showBilledCharacters`, the `billedCharacters` of a cached result are 0.
 * - An entry's name is a SHA-256 digest, which does not reveal the text; its value is the service's result.
 * - A failing or slow store never fails a call: the failure is logged once and counted in `language_service.client.cache.failures`, and the store is
 *   skipped for a second. `language_service.client.cache.texts` and `.saved_characters` count hits, misses and savings.
 *
 * **Gotchas**
 *
 * Limits apply only to sent texts. A run, such as `translateAll`, reads some hundred texts at a time, so a text that is too large fails the run after
 * earlier requests.
 *
 * **Example** (A text that is bought once)
 *
 * ```ts import.meta.vitest
 * import { ResultCache } from "@effect-lingua/cache"
 * import { Translation } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer } from "effect"
 *
 * const service = ResultCache.layerMemory().pipe(Layer.provideMerge(FakeLanguageService.layerServices()))
 * const program = Effect.gen(function*() {
 *   const translation = yield* Translation
 *   yield* translation.translate(["One", "Two"], { targetLanguage: "de" })
 *   yield* translation.translate(["Two", "Three"], { targetLanguage: "de" })
 *   const fake = yield* FakeLanguageService
 *   return (yield* fake.requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload.text)
 * })
 *
 * await Effect.runPromise(Effect.provide(program, service)) // => [["One", "Two"], ["Three"]]
 * ```
 *
 * @since 0.2.0
 */
import type { InvalidConfiguration, LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Rules, usable } from "@effect-lingua/core/extension/Settings"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import type { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection, DetectionResult } from "@effect-lingua/core/texts/Detection"
import { Translated, Translation } from "@effect-lingua/core/texts/Translation"
import { Improvement, Writing } from "@effect-lingua/core/texts/Writing"
import type { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Persistence from "effect/persistence/Persistence"
import * as Decorated from "./internal/decorated.ts"
import * as Lookup from "./internal/lookup.ts"
import * as Stores from "./internal/stores.ts"

/**
 * Lifetimes of entries, and settings of the store.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** Lifetime of a result. Default 30 days; the store may drop the result earlier. */
  readonly timeToLive?: ResiliencePolicy.DurationInput | undefined
  /** Lifetime of a requested version of a glossary, style rule list or translation memory. Default 1 minute. */
  readonly versionsFor?: ResiliencePolicy.DurationInput | undefined
  /** Timeout of a store operation. Default 250 ms. */
  readonly timeout?: ResiliencePolicy.DurationInput | undefined
  /** The store's name, so that several caches can share a database. Default `effect_lingua_results`. */
  readonly storeId?: string | undefined
}

const decodeOptions = Rules.struct({
  timeToLive: Rules.positive,
  versionsFor: Rules.duration((millis) => millis >= 0, "must not be negative"),
  timeout: Rules.positive,
  storeId: Rules.is(
    (value): value is string => typeof value === "string" && /^\w{1,40}$/.test(value),
    "must have 1 to 40 letters, digits and underscores"
  )
})

/**
 * The text services that a cache decorates.
 *
 * @category models
 * @since 0.3.0
 */
export type Services = Detection | Translation | Writing

/**
 * The services that a cache requires, which `LanguageService.layer` provides.
 *
 * @category models
 * @since 0.3.0
 */
export type Requirements = Services | Glossaries | LanguageServiceConfig | StyleRules | TranslationMemories

/**
 * A cache over a store: Effect's `Persistence.layerBackingRedis`, `layerBackingSql`, `layerBackingKvs` or another layer. If the store cannot be
 * built, the next use tries again. Fails with `InvalidConfiguration` for an invalid option.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = <E, R>(
  store: Layer.Layer<Persistence.BackingPersistence, E, R>,
  {
    storeId = "effect_lingua_results",
    timeout = "250 millis",
    timeToLive = "30 days",
    versionsFor = "1 minute"
  }: Options = {}
): Layer.Layer<Services, InvalidConfiguration, Requirements | R> =>
  Layer.effectContext(Effect.gen(function*() {
    const options = yield* Effect.fromResult(usable(decodeOptions({ storeId, timeout, timeToLive, versionsFor }, "")))
    const connected = yield* Stores.connectTo(store, options.storeId)
    const cached = Decorated.make(yield* Lookup.make(connected, options))
    const detection = yield* Detection
    const translation = yield* Translation
    const writing = yield* Writing
    const detect = cached("Detection.detect", DetectionResult, detection.detect, detection.detectAll)
    const translate = cached("Translation.translate", Translated, translation.translate, translation.translateAll)
    const rephrase = cached("Writing.rephrase", Improvement, writing.rephrase, writing.rephraseAll)
    const correct = cached("Writing.correct", Improvement, writing.correct, writing.correctAll)
    return Context.make(Detection, { ...detection, detect: detect.each, detectAll: detect.all }).pipe(
      Context.add(Translation, { ...translation, translate: translate.each, translateAll: translate.all }),
      Context.add(Writing, {
        ...writing,
        rephrase: rephrase.each,
        rephraseAll: rephrase.all,
        correct: correct.each,
        correctAll: correct.all
      })
    )
  }))

/**
 * A cache in memory with `maximumEntries` results (10,000 by default); the least recently used results are dropped.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerMemory = (
  { maximumEntries = 10_000, ...options }: Options & { readonly maximumEntries?: number | undefined } = {}
): Layer.Layer<Services, InvalidConfiguration, Requirements> =>
  Stores.limited(maximumEntries, layer(Stores.bounded(maximumEntries), options))
