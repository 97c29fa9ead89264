/** `plan` and `apply` of glossaries, over the methods that make one call each. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concurrency, createdIn, makeCalls, repeated, unreadable } from "../../call/internal/syncing.ts"
import type { Limits } from "../../contract/Limits.ts"
import { DuplicateGlossaries } from "../../errors/CallError.ts"
import { checkBytes, checkItems, invalid, isId } from "../../errors/internal/checks.ts"
import type { Glossaries } from "../Glossaries.ts"
import {
  type DesiredGlossary,
  format,
  type Plan,
  type PlannedDictionary,
  type PlanOptions,
  Step,
  type Synced
} from "../GlossariesPlan.ts"
import type { GlossaryEntries } from "../GlossaryEntries.ts"
import type { Glossary } from "./glossariesApi.ts"
import { checkDictionaries, type Checked, isPair } from "./glossaryChecks.ts"

type Methods = Pick<
  Glossaries["Service"],
  "create" | "entries" | "list" | "merge" | "remove" | "removeDictionary" | "replaceDictionary"
>

type ChangeFailure = Effect.Error<ReturnType<Methods["merge" | "removeDictionary" | "replaceDictionary"]>>

/** Fails for options that no state of the service can satisfy. Returns the checked dictionaries. */
const checkDesired = Effect.fnUntraced(function*(glossaries: ReadonlyArray<DesiredGlossary>, limits: Limits) {
  yield* checkItems("glossaries", "glossaries", glossaries)
  const checked = yield* Effect.forEach(glossaries, ({ dictionaries, name }, index) =>
    Effect.andThen(
      checkBytes(`glossaries[${index}].name`, name, limits.glossaryNameBytes),
      checkDictionaries(`glossaries[${index}].`, dictionaries, limits)
    ))
  const twice = repeated(glossaries, (one, other) =>
    one.name === other.name ||
    (one.glossaryId !== undefined && other.glossaryId !== undefined && isId(one.glossaryId, other.glossaryId)))
  if (twice !== -1) {
    return yield* invalid(`glossaries[${twice}]`, "a repeated glossary", "each name, and each id, once")
  }
  return checked
})

/** The existing glossary that a desired one matches, if any. */
const matching = Effect.fnUntraced(function*(
  { glossaryId, name }: DesiredGlossary,
  index: number,
  desired: ReadonlyArray<DesiredGlossary>,
  there: ReadonlyArray<Glossary>
) {
  if (glossaryId !== undefined) {
    const found = there.find((glossary) => isId(glossary.glossaryId, glossaryId))
    if (found === undefined) {
      return yield* invalid(`glossaries[${index}].glossaryId`, "an id that no glossary has", "one of a glossary")
    }
    return found
  }
  const found = there.filter((glossary) =>
    glossary.name === name &&
    !desired.some((other) => other.glossaryId !== undefined && isId(other.glossaryId, glossary.glossaryId))
  )
  if (found.length > 1) {
    return yield* new DuplicateGlossaries({ name, glossaryIds: found.map(({ glossaryId }) => glossaryId) })
  }
  return found[0]
})

/** Compares entries regardless of their order. */
const isSame = (one: GlossaryEntries, other: GlossaryEntries): boolean =>
  one.size === other.size && Array.from(one).every(([source, target]) => other.get(source) === target)

/**
 * The calls that bring one glossary to the desired state. Entries are read only if their number is the desired one. Deletions
 * come first, as all dictionaries share one limit.
 */
const changes = Effect.fnUntraced(function*(
  methods: Methods,
  glossary: Glossary,
  name: string,
  desired: ReadonlyArray<Checked>
) {
  const { dictionaries, glossaryId } = glossary
  const about = { glossary: glossary.name, glossaryId }
  if (dictionaries === undefined) {
    return yield* unreadable("Glossaries.list", `the dictionaries of the glossary ${glossaryId} are unreadable`)
  }
  const replaced = yield* Effect.forEach(desired, ({ entries, sourceLanguage, targetLanguage }) => {
    const pair = { sourceLanguage, targetLanguage }
    const found = dictionaries.find((dictionary) => isPair(dictionary, pair))
    const step = Step.ReplaceDictionary({ ...about, dictionary: { ...pair, entries } })
    return found === undefined || (found.entryCount !== undefined && found.entryCount !== entries.size)
      ? Effect.succeed([step])
      : Effect.map(methods.entries({ glossaryId, ...pair }), (there) => isSame(there, entries) ? [] : [step])
  })
  const steps: ReadonlyArray<Step> = [
    ...(name === glossary.name ? [] : [Step.Rename({ ...about, name })]),
    ...dictionaries.filter((dictionary) => !desired.some((other) => isPair(other, dictionary))).map((
      { sourceLanguage, targetLanguage }
    ) => Step.RemoveDictionary({ ...about, pair: { sourceLanguage, targetLanguage } })),
    ...replaced.flat()
  ]
  return steps
})

/** Reads the existing glossaries and compares. */
export const plan = Effect.fnUntraced(function*(
  methods: Methods,
  limits: Limits,
  { glossaries, removeOthers = false }: PlanOptions
) {
  const checked = yield* checkDesired(glossaries, limits)
  const there = yield* Stream.runCollect(methods.list())
  const found = yield* Effect.forEach(
    glossaries,
    (desired, index) =>
      Effect.map(matching(desired, index, glossaries, there), (glossary) => ({
        name: desired.name,
        dictionaries: checked[index] ?? [],
        glossary
      }))
  )
  const anonymous = there.find(({ name }) => name === "")
  if (anonymous !== undefined && (removeOthers || found.some(({ glossary }) => glossary === undefined))) {
    return yield* unreadable("Glossaries.list", `the glossary ${anonymous.glossaryId} has no name`)
  }
  const changed = yield* Effect.forEach(
    found,
    ({ dictionaries, glossary, name }) =>
      glossary === undefined ? Effect.succeed([]) : changes(methods, glossary, name, dictionaries),
    { concurrency }
  )
  const kept = new Set(found.flatMap(({ glossary }) => glossary === undefined ? [] : [glossary.glossaryId]))
  const steps: ReadonlyArray<Step> = [
    ...found.flatMap(({ dictionaries, glossary, name }) =>
      glossary === undefined
        ? [Step.Create({ glossary: name, dictionaries: dictionaries.map(({ tsv: _tsv, ...rest }) => rest) })]
        : []
    ),
    ...changed.flat(),
    ...(removeOthers ? there.filter(({ glossaryId }) => !kept.has(glossaryId)) : []).map(({ glossaryId, name }) =>
      Step.Remove({ glossary: name, glossaryId })
    )
  ]
  const planned: Plan = {
    steps,
    glossaries: found.map(({ glossary, name }) =>
      glossary === undefined ? { name } : { name, glossaryId: glossary.glossaryId }
    )
  }
  return planned
})

/** True for a glossary that may have been created from these dictionaries, without reading their entries. */
const canBe = ({ dictionaries = [] }: Glossary, made: ReadonlyArray<PlannedDictionary>): boolean =>
  dictionaries.length === made.length &&
  made.every((desired) =>
    dictionaries.some((dictionary) =>
      isPair(dictionary, desired) && (dictionary.entryCount ?? desired.entries.size) === desired.entries.size
    )
  )

/** A step that changes an existing glossary. */
type Change = Exclude<Step, { readonly _tag: "Create" | "Remove" }>

/** Makes the calls of a plan. */
export const apply = Effect.fnUntraced(function*(methods: Methods, { glossaries, steps }: Plan) {
  const known = new Set(glossaries.flatMap(({ glossaryId }) => glossaryId === undefined ? [] : [glossaryId]))

  const create = ({ dictionaries, glossary: name }: Extract<Step, { _tag: "Create" }>) =>
    methods.create({ name, dictionaries }).pipe(
      Effect.catchTag(
        "OutcomeUnknown",
        (error) =>
          createdIn(
            methods.list(),
            error,
            (glossary) => glossary.name === name && !known.has(glossary.glossaryId) && canBe(glossary, dictionaries)
          )
      ),
      Effect.map(({ glossaryId }) => ({ name, glossaryId }))
    )

  const change = (step: Change): Effect.Effect<void, ChangeFailure> => {
    switch (step._tag) {
      case "Rename":
        return Effect.asVoid(methods.merge({ glossaryId: step.glossaryId, name: step.name }))
      case "RemoveDictionary":
        return Effect.catchTag(
          methods.removeDictionary({ glossaryId: step.glossaryId, ...step.pair }),
          "NotFound",
          () => Effect.void
        )
      case "ReplaceDictionary":
        return Effect.asVoid(methods.replaceDictionary({ glossaryId: step.glossaryId, ...step.dictionary }))
    }
  }

  const created = yield* makeCalls(steps, format, {
    creates: steps.filter((step) => Step.$is("Create")(step)),
    create,
    changes: steps.filter((step): step is Change => step._tag !== "Create" && step._tag !== "Remove"),
    idOf: (step) => step.glossaryId,
    change,
    removes: steps.filter((step) => Step.$is("Remove")(step)),
    remove: ({ glossaryId }) => Effect.catchTag(methods.remove({ glossaryId }), "NotFound", () => Effect.void)
  })
  const synced: Synced = {
    steps,
    glossaries: glossaries.flatMap(({ glossaryId, name }) => {
      const id = glossaryId ?? created.find((glossary) => glossary.name === name)?.glossaryId
      return id === undefined ? [] : [{ name, glossaryId: id }]
    })
  }
  return synced
})
