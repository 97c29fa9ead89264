/** Versions of the glossaries, style rule lists and translation memories on which results depend. */
import { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { Sha256 } from "@effect-lingua/core/extension/Decorator"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Cache from "effect/Cache"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const rootOf = (language = ""): string => language.replace(/-.*/, "").toLowerCase()

/** The resources that options name, as keys of {@link make}. */
export const referencesIn = (options: object): ReadonlyArray<string> => {
  const { glossaryId, glossaryIds = [], sourceLanguage, styleId, targetLanguage, translationMemoryId }: {
    readonly glossaryId?: string
    readonly glossaryIds?: ReadonlyArray<string>
    readonly sourceLanguage?: string
    readonly styleId?: string
    readonly targetLanguage?: string
    readonly translationMemoryId?: string
  } = options
  return [
    ...[...(glossaryId === undefined ? [] : [glossaryId]), ...glossaryIds].map((id) =>
      JSON.stringify(["glossary", id, rootOf(sourceLanguage), rootOf(targetLanguage)])
    ),
    ...(styleId === undefined ? [] : [JSON.stringify(["style", styleId])]),
    ...(translationMemoryId === undefined ? [] : [JSON.stringify(["memory", translationMemoryId])])
  ]
}

const Reference = Schema.fromJsonString(Schema.Union([
  Schema.Tuple([Schema.Literal("glossary"), GlossaryId, Schema.String, Schema.String]),
  Schema.Tuple([Schema.Literal("style"), StyleId]),
  Schema.Tuple([Schema.Literal("memory"), TranslationMemoryId])
]))

/** A failed request is not repeated for this time in milliseconds. */
const pause = 1000

/**
 * Requests the versions of resources for all calls, and so under the policy of the client, not of the region of one. Returns `undefined` if a
 * version cannot be requested in time; a request that takes longer continues for later calls.
 */
export const make = Effect.fnUntraced(function*(versionsFor: Duration.Duration) {
  const glossaries = yield* Glossaries
  const lists = yield* StyleRules
  const memories = yield* TranslationMemories
  const context = yield* Effect.context()
  const request = Effect.fnUntraced(function*(name: string) {
    const reference = yield* Schema.decodeUnknownEffect(Reference)(name)
    switch (reference[0]) {
      case "glossary": {
        const [, glossaryId, sourceLanguage, targetLanguage] = reference
        return [...yield* glossaries.entries({ glossaryId, sourceLanguage, targetLanguage })]
      }
      case "style": {
        const { updatedTime, version } = yield* lists.get({ styleId: reference[1] })
        return [version, updatedTime]
      }
      case "memory": {
        const { segmentCount, updatedTime } = yield* memories.get({ translationMemoryId: reference[1] })
        return [segmentCount, updatedTime]
      }
    }
  })
  const versions = yield* Cache.makeWith(
    (name: string) =>
      Effect.map(request(name), (version) => Sha256.hex(JSON.stringify(version))).pipe(
        Effect.updateContext<never, never>(() => context)
      ),
    { capacity: 1000, timeToLive: (exit) => Exit.isSuccess(exit) ? versionsFor : pause }
  )
  return Effect.fnUntraced(function*(names: ReadonlyArray<string>, millis: number) {
    if (names.length === 0) return []
    const requested = yield* Effect.forkDetach(
      Effect.forEach(names, (name) => Cache.get(versions, name), { concurrency: "unbounded" })
    )
    const exit = Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.await(requested), millis))
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  })
})
