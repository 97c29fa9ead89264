/** Versions of the glossaries, style rule lists and translation memories on which results depend. */
import { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { Sha256 } from "@effect-lingua/core/extension/Decorator"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import type { TranslateOptions } from "@effect-lingua/core/texts/Translation"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Cache from "effect/Cache"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

const rootOf = (language = ""): string => language.replace(/-.*/, "").toLowerCase()

/** A resource that options refer to. A glossary's reference includes the language pair. */
type Reference = readonly [kind: "glossary" | "style" | "memory", id: string, source?: string, target?: string]

export const referencesIn = (options: object): ReadonlyArray<Reference> => {
  const named: Partial<TranslateOptions> = options
  const { glossaryId, glossaryIds = [], sourceLanguage, styleId, targetLanguage, translationMemoryId } = named
  const glossaries = glossaryId === undefined ? glossaryIds : [glossaryId, ...glossaryIds]
  return [
    ...glossaries.map((id): Reference => ["glossary", id, rootOf(sourceLanguage), rootOf(targetLanguage)]),
    ...(styleId === undefined ? [] : [["style", styleId] as const]),
    ...(translationMemoryId === undefined ? [] : [["memory", translationMemoryId] as const])
  ]
}

/** A failed request is not repeated for this time. */
const pauseMillis = 1000

/**
 * Makes a function that requests versions of resources. A call's `ResiliencePolicy.within` is ignored, because calls share the requests. The
 * function returns `undefined` if a request fails or takes longer than `millis`; a slow request continues for later calls.
 */
export const make = Effect.fnUntraced(function*(versionsFor: Duration.Duration) {
  const glossaries = yield* Glossaries
  const lists = yield* StyleRules
  const memories = yield* TranslationMemories
  const context = yield* Effect.context()
  const request = Effect.fnUntraced(function*([kind, id, sourceLanguage = "", targetLanguage = ""]: Reference) {
    switch (kind) {
      case "glossary":
        return [...yield* glossaries.entries({ glossaryId: GlossaryId.make(id), sourceLanguage, targetLanguage })]
      case "style": {
        const { updatedTime, version } = yield* lists.get({ styleId: StyleId.make(id) })
        return [version, updatedTime]
      }
      case "memory": {
        const { segmentCount, updatedTime } = yield* memories.get({ translationMemoryId: TranslationMemoryId.make(id) })
        return [segmentCount, updatedTime]
      }
    }
  })
  const versions = yield* Cache.makeWith(
    (reference: Reference) =>
      Effect.map(request(reference), (version) => Sha256.hex(JSON.stringify(version))).pipe(
        Effect.updateContext<never, never>(() => context)
      ),
    { capacity: 1000, timeToLive: (exit) => Exit.isSuccess(exit) ? versionsFor : pauseMillis }
  )
  return Effect.fnUntraced(function*(references: ReadonlyArray<Reference>, millis: number) {
    if (references.length === 0) return []
    const requested = yield* Effect.forkDetach(
      Effect.forEach(references, (reference) => Cache.get(versions, reference), { concurrency: "unbounded" })
    )
    const exit = Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.await(requested), millis))
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  })
})
