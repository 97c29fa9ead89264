/** The options of the texts of a project, with ids for the names of glossaries, style lists and translation memories. */
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidProject, type Project } from "../projects/Project.ts"

/** The id of one of a list, which is given by its name or id. */
const idOf = Effect.fnUntraced(function*<A extends { readonly name: string }, Id extends string, E, R>(
  file: string,
  things: string,
  given: string | undefined,
  list: Stream.Stream<A, E, R>,
  idOf: (one: A) => Id
) {
  if (given === undefined) return undefined
  const all = yield* Stream.runCollect(list)
  const found = all.find((one) => one.name === given || idOf(one) === given)
  return found === undefined
    ? yield* new InvalidProject({
      file,
      problem: `there is no ${things} ${given}; there are ${all.map(({ name }) => name).join(", ") || "none"}`
    })
    : idOf(found)
})

/** The options of all translations of a project. Glossary, style list and translation memory are found by name or id. */
export const optionsOf = Effect.fnUntraced(function*(
  {
    customInstructions,
    formality,
    glossary,
    modelType,
    preserveFormatting,
    source,
    splitSentences,
    styleRules,
    translationMemory
  }: Project,
  file: string
) {
  const glossaries = yield* Glossaries
  const lists = yield* StyleRules
  const memories = yield* TranslationMemories
  const options = {
    sourceLanguage: source,
    customInstructions,
    formality,
    modelType,
    preserveFormatting,
    splitSentences,
    glossaryId: yield* idOf(file, "glossary", glossary, glossaries.list(), ({ glossaryId }) => glossaryId),
    styleId: yield* idOf(file, "style list", styleRules, lists.list(), ({ styleId }) => styleId),
    translationMemoryId: yield* idOf(
      file,
      "translation memory",
      translationMemory,
      memories.list(),
      ({ translationMemoryId }) => translationMemoryId
    )
  }
  return () => options
})

/** The options of the texts of a file. */
export type TextOptions = ReturnType<Effect.Success<ReturnType<typeof optionsOf>>>
