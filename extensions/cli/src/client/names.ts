/** Glossaries, style lists and translation memories that are given by their names. */
import type { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { misuse } from "../settings/errors.ts"
import type * as Services from "./services.ts"

const usual = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The id of a thing that is given by its name or id. Nothing is requested for an id of the usual form. */
const idFor = Effect.fnUntraced(function*<A extends { readonly name: string }, Id extends string, E, R>(
  thing: string,
  given: Id,
  list: Stream.Stream<A, E, R>,
  idOf: (one: A) => Id
) {
  if (usual.test(given)) return given
  const all = yield* Stream.runCollect(list)
  const [found, ...more] = all.filter((one) => one.name === given || idOf(one) === given).map(idOf)
  if (found === undefined) {
    const names = all.map(({ name }) => JSON.stringify(name)).join(", ")
    return yield* misuse(`there is no ${thing} ${JSON.stringify(given)}; there are ${names || "none"}`)
  }
  return more.length === 0
    ? found
    : yield* misuse(`several have the name ${JSON.stringify(given)}; give an id: ${[found, ...more].join(", ")}`)
})

interface Named {
  readonly glossaryId?: GlossaryId | undefined
  readonly glossaryIds?: ReadonlyArray<GlossaryId> | undefined
  readonly styleId?: StyleId | undefined
  readonly translationMemoryId?: TranslationMemoryId | undefined
}

/** The options of a call with ids in the place of names. */
export const withIds = Effect.fnUntraced(function*<Options extends object>(
  { Glossaries, StyleRules, TranslationMemories }: typeof Services,
  options: Options
) {
  const { glossaryId, glossaryIds, styleId, translationMemoryId }: Named = options
  const glossary = (given: GlossaryId) =>
    Glossaries.use(({ list }) => idFor("glossary", given, list(), ({ glossaryId }) => glossaryId))
  return {
    ...options,
    ...glossaryId === undefined ? undefined : { glossaryId: yield* glossary(glossaryId) },
    ...glossaryIds === undefined ? undefined : { glossaryIds: yield* Effect.forEach(glossaryIds, glossary) },
    ...styleId === undefined ? undefined : {
      styleId: yield* StyleRules.use(({ list }) =>
        idFor("list of style rules", styleId, list(), (list) => list.styleId)
      )
    },
    ...translationMemoryId === undefined ? undefined : {
      translationMemoryId: yield* TranslationMemories.use(({ list }) =>
        idFor("translation memory", translationMemoryId, list(), (memory) => memory.translationMemoryId)
      )
    }
  }
})
