/** Glossaries, style lists and translation memories that are given by their names. */
import type { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { defined } from "@effect-lingua/core/extension/Service"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { misuse } from "../settings/errors.ts"

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

const glossary = (given: GlossaryId) =>
  Glossaries.use(({ list }) => idFor("glossary", given, list, ({ glossaryId }) => glossaryId))

const style = (given: StyleId) =>
  StyleRules.use(({ list }) => idFor("list of style rules", given, list(), ({ styleId }) => styleId))

const memory = (given: TranslationMemoryId) =>
  TranslationMemories.use(({ list }) =>
    idFor("translation memory", given, list, ({ translationMemoryId }) => translationMemoryId)
  )

const ifSet = <A, E, R>(value: A | undefined, find: (value: A) => Effect.Effect<A, E, R>) =>
  value === undefined ? Effect.undefined : find(value)

interface Named {
  readonly glossaryId?: GlossaryId | undefined
  readonly glossaryIds?: ReadonlyArray<GlossaryId> | undefined
  readonly styleId?: StyleId | undefined
  readonly translationMemoryId?: TranslationMemoryId | undefined
}

/** The options of a call with ids in the place of names. */
export const withIds = Effect.fnUntraced(function*<Options extends object>(options: Options) {
  const { glossaryId, glossaryIds, styleId, translationMemoryId }: Named = options
  const ids = {
    glossaryId: yield* ifSet(glossaryId, glossary),
    glossaryIds: yield* ifSet(glossaryIds, Effect.forEach(glossary)),
    styleId: yield* ifSet(styleId, style),
    translationMemoryId: yield* ifSet(translationMemoryId, memory)
  }
  return { ...options, ...defined(ids) }
})
