/** Resolves names of glossaries, style lists and translation memories to ids. */
import type { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { defined } from "@effect-lingua/core/extension/Service"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { misuse } from "../settings/errors.ts"

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Resolves a name or id to an id. A UUID is returned without a request. */
const idFor = Effect.fnUntraced(function*<A extends { readonly name: string }, Id extends string, E, R>(
  thing: string,
  nameOrId: Id,
  list: Stream.Stream<A, E, R>,
  idOf: (one: A) => Id
) {
  if (uuid.test(nameOrId)) return nameOrId
  const all = yield* Stream.runCollect(list)
  const [found, ...more] = all.filter((one) => one.name === nameOrId || idOf(one) === nameOrId).map(idOf)
  if (found === undefined) {
    const names = all.map(({ name }) => JSON.stringify(name)).join(", ")
    return yield* misuse(`there is no ${thing} ${JSON.stringify(nameOrId)}; there are ${names || "none"}`)
  }
  return more.length === 0
    ? found
    : yield* misuse(`several have the name ${JSON.stringify(nameOrId)}; give an id: ${[found, ...more].join(", ")}`)
})

const glossary = (nameOrId: GlossaryId) =>
  Glossaries.use(({ list }) => idFor("glossary", nameOrId, list, ({ glossaryId }) => glossaryId))

const style = (nameOrId: StyleId) =>
  StyleRules.use(({ list }) => idFor("list of style rules", nameOrId, list(), ({ styleId }) => styleId))

const memory = (nameOrId: TranslationMemoryId) =>
  TranslationMemories.use(({ list }) =>
    idFor("translation memory", nameOrId, list, ({ translationMemoryId }) => translationMemoryId)
  )

const ifSet = <A, E, R>(value: A | undefined, find: (value: A) => Effect.Effect<A, E, R>) =>
  value === undefined ? Effect.undefined : find(value)

interface Named {
  readonly glossaryId?: GlossaryId | undefined
  readonly glossaryIds?: ReadonlyArray<GlossaryId> | undefined
  readonly styleId?: StyleId | undefined
  readonly translationMemoryId?: TranslationMemoryId | undefined
}

/** Replaces names in a call's options with ids. */
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
