/** Translation options: names of glossaries, style lists and translation memories become ids. */
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { Settings } from "../projects/internal/locales.ts"
import { InvalidProject } from "../projects/Project.ts"

interface Job extends Readonly<Record<"from" | "language" | "target", string>> {
  readonly settings: Settings
}

/** Compares languages without regions, because glossaries, style lists and translation memories have no region. */
const areAlike = (one: string, other: string): boolean =>
  one.split("-")[0]?.toLowerCase() === other.split("-")[0]?.toLowerCase()

const kindOf = Effect.fnUntraced(function*<A extends { readonly name: string }, Id extends string, E, R>(
  file: string,
  jobs: ReadonlyArray<Job>,
  leftOut: Array<readonly [target: string, name: string]>,
  { idOf, isFor, list, setting, thing }: {
    readonly setting: "glossary" | "styleRules" | "translationMemory"
    readonly thing: string
    readonly list: Stream.Stream<A, E, R>
    readonly idOf: (one: A) => Id
    readonly isFor: (one: A, job: Job) => boolean
  }
) {
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  const isUsed = jobs.some(({ settings }) => settings[setting] !== undefined)
  const all = isUsed ? yield* Stream.runCollect(list) : []
  /** The named resource's id. If the resource lacks the job's language, fails only if the language's settings name the resource. */
  return Effect.fnUntraced(function*(job: Job) {
    const { own, [setting]: nameOrId } = job.settings
    if (nameOrId === undefined) return undefined
    const found = all.filter((one) => one.name === nameOrId || idOf(one) === nameOrId)
    const fit = found.find((one) => isFor(one, job))
    if (fit !== undefined) return idOf(fit)
    if (found.length === 0) {
      const names = all.map(({ name }) => name).join(", ") || "none"
      return yield* invalid(`there is no ${thing} ${nameOrId}; there are ${names}`)
    }
    if (own[setting] !== undefined) return yield* invalid(`the ${thing} ${nameOrId} is not for ${job.language}`)
    leftOut.push([job.target, nameOrId])
    return undefined
  })
})

const passed = ["customInstructions", "formality", "modelType", "preserveFormatting", "splitSentences"] as const

/** Each job's options, and the resources left out because they lack the job's language. */
export const optionsOf = Effect.fnUntraced(function*<J extends Job>(file: string, jobs: ReadonlyArray<J>) {
  const leftOut: Array<readonly [target: string, name: string]> = []
  const glossaryIn = yield* kindOf(file, jobs, leftOut, {
    setting: "glossary",
    thing: "glossary",
    list: (yield* Glossaries).list,
    idOf: ({ glossaryId }) => glossaryId,
    // A response without dictionaries is incomplete, so the glossary may have the languages.
    isFor: ({ dictionaries = [] }, { from, language }) =>
      dictionaries.length === 0 ||
      dictionaries.some(({ sourceLanguage, targetLanguage }) =>
        areAlike(sourceLanguage, from) && areAlike(targetLanguage, language)
      )
  })
  const listIn = yield* kindOf(file, jobs, leftOut, {
    setting: "styleRules",
    thing: "style list",
    list: (yield* StyleRules).list(),
    idOf: ({ styleId }) => styleId,
    isFor: (list, { language }) => list.language === undefined || areAlike(list.language, language)
  })
  const memoryIn = yield* kindOf(file, jobs, leftOut, {
    setting: "translationMemory",
    thing: "translation memory",
    list: (yield* TranslationMemories).list,
    idOf: ({ translationMemoryId }) => translationMemoryId,
    isFor: ({ targetLanguages = [] }, { language }) =>
      targetLanguages.length === 0 || targetLanguages.some((target) => areAlike(target, language))
  })
  const found = yield* Effect.forEach(
    jobs,
    Effect.fnUntraced(function*(job) {
      return [job, {
        ...Struct.pick(job.settings, passed),
        glossaryId: yield* glossaryIn(job),
        styleId: yield* listIn(job),
        translationMemoryId: yield* memoryIn(job)
      }] as const
    })
  )
  return { leftOut, options: new Map(found) }
})

type Of<A> = A extends ReadonlyMap<unknown, infer Value> ? Value : never

export type TextOptions = Of<Effect.Success<ReturnType<typeof optionsOf>>["options"]>
