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
    : yield* misuse(
      `several have the name ${JSON.stringify(given)}; give one of the ids ${[found, ...more].join(", ")}`
    )
})

/** The things that a translation uses. */
interface Named {
  readonly glossaryId?: GlossaryId | undefined
  readonly glossaryIds?: ReadonlyArray<GlossaryId> | undefined
  readonly styleId?: StyleId | undefined
  readonly translationMemoryId?: TranslationMemoryId | undefined
}

/** The id of a glossary. */
const glossary = ({ Glossaries }: typeof Services, given: GlossaryId) =>
  Glossaries.use(({ list }) => idFor("glossary", given, list(), ({ glossaryId }) => glossaryId))

/** The id of a list of style rules. */
const styleList = ({ StyleRules }: typeof Services, given: StyleId) =>
  StyleRules.use(({ list }) => idFor("list of style rules", given, list(), ({ styleId }) => styleId))

/** The id of a translation memory. */
const memory = ({ TranslationMemories }: typeof Services, given: TranslationMemoryId) =>
  TranslationMemories.use(({ list }) =>
    idFor("translation memory", given, list(), ({ translationMemoryId }) => translationMemoryId)
  )

/** What names a glossary, with its id in the place of its name. */
export const glossaryRef = <Ref extends { readonly glossaryId: GlossaryId }>(services: typeof Services, ref: Ref) =>
  Effect.map(glossary(services, ref.glossaryId), (glossaryId) => ({ ...ref, glossaryId }))

/** What names a list of style rules, with its id in the place of its name. */
export const styleListRef = <Ref extends { readonly styleId: StyleId }>(services: typeof Services, ref: Ref) =>
  Effect.map(styleList(services, ref.styleId), (styleId) => ({ ...ref, styleId }))

/** What names a translation memory, with its id in the place of its name. */
export const memoryRef = <Ref extends { readonly translationMemoryId: TranslationMemoryId }>(
  services: typeof Services,
  ref: Ref
) => Effect.map(memory(services, ref.translationMemoryId), (translationMemoryId) => ({ ...ref, translationMemoryId }))

/** The options of a translation with ids in the place of names. */
export const withIds = Effect.fnUntraced(function*<Options extends Named>(services: typeof Services, options: Options) {
  const { glossaryId, glossaryIds, styleId, translationMemoryId } = options
  return {
    ...options,
    glossaryId: glossaryId === undefined ? undefined : yield* glossary(services, glossaryId),
    glossaryIds: glossaryIds === undefined
      ? undefined
      : yield* Effect.forEach(glossaryIds, (given) => glossary(services, given)),
    styleId: styleId === undefined ? undefined : yield* styleList(services, styleId),
    translationMemoryId: translationMemoryId === undefined ? undefined : yield* memory(services, translationMemoryId)
  }
})
