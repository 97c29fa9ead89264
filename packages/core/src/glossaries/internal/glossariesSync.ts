/** `plan` and `apply` of glossaries. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Operations from "../../call/internal/operation.ts"
import {
  type ChangeOf,
  checkUnique,
  concurrency,
  createdIn,
  creationsFirst,
  makeCalls,
  match,
  unreadable
} from "../../call/internal/syncing.ts"
import type { Limits } from "../../contract/Limits.ts"
import { DuplicateGlossaries, type InvalidEntries, type LimitExceeded } from "../../errors/CallError.ts"
import { checkBytes, checkItems } from "../../errors/internal/checks.ts"
import {
  type DesiredGlossary,
  format,
  type Plan,
  type PlannedDictionary,
  type PlanOptions,
  Step,
  type Synced
} from "../GlossariesPlan.ts"
import type { GlossariesApi, Glossary } from "./glossariesApi.ts"
import { checkDictionaries, type Checked, type CreateOptions, isPair } from "./glossaryChecks.ts"
import type { GlossaryEntries, LanguagePair } from "./glossaryText.ts"

type CreateError = Operations.Errors<typeof GlossariesApi, "create", InvalidEntries | LimitExceeded>["create"]

type GetError = Operations.Errors<typeof GlossariesApi, "get">["call"]

type WriteError = Operations.Union<GetError | InvalidEntries | LimitExceeded>["members"]

/** The methods of one call each. */
interface Methods {
  readonly create: (options: CreateOptions) => Effect.Effect<Glossary, CreateError>
  readonly list: () => Stream.Stream<Glossary, GetError>
  readonly entries: (dictionary: Ref & LanguagePair) => Effect.Effect<GlossaryEntries, GetError>
  readonly merge: (options: Ref & { readonly name: string }) => Effect.Effect<unknown, WriteError>
  readonly remove: (glossary: Ref) => Effect.Effect<void, GetError>
  readonly removeDictionary: (dictionary: Ref & LanguagePair) => Effect.Effect<void, GetError>
  readonly replaceDictionary: (dictionary: Ref & PlannedDictionary) => Effect.Effect<unknown, WriteError>
}

type Ref = Pick<Glossary, "glossaryId">

const kind = {
  option: "glossaries",
  noun: "glossary",
  idName: "glossaryId",
  idOf: ({ glossaryId }: DesiredGlossary | Glossary) => glossaryId,
  isSame: (one: DesiredGlossary | Glossary, other: DesiredGlossary | Glossary) => one.name === other.name,
  unique: "each name, and each id, once",
  duplicate: ({ name }: DesiredGlossary, found: ReadonlyArray<Glossary>) =>
    new DuplicateGlossaries({ name, glossaryIds: found.map(({ glossaryId }) => glossaryId) }),
  listed: "Glossaries.list",
  lacks: ({ name }: Glossary) => name === "" ? "name" : undefined
}

const isSame = (one: GlossaryEntries, other: GlossaryEntries): boolean =>
  one.size === other.size && Array.from(one).every(([source, target]) => other.get(source) === target)

/** The changes of one glossary: deletions first, because its dictionaries share one limit. */
const changes = Effect.fnUntraced(function*(
  methods: Methods,
  glossary: Glossary,
  name: string,
  desired: ReadonlyArray<Checked>
) {
  const { dictionaries, glossaryId } = glossary
  const common = { glossary: glossary.name, glossaryId }
  if (dictionaries === undefined) {
    return yield* unreadable("Glossaries.list", `the dictionaries of the glossary ${glossaryId} are unreadable`)
  }
  const replaced = yield* Effect.forEach(desired, ({ entries, sourceLanguage, targetLanguage }) => {
    const pair = { sourceLanguage, targetLanguage }
    const found = dictionaries.find((dictionary) => isPair(dictionary, pair))
    const step = Step.ReplaceDictionary({ ...common, dictionary: { ...pair, entries } })
    return found === undefined || (found.entryCount !== undefined && found.entryCount !== entries.size)
      ? Effect.succeed([step])
      : Effect.map(methods.entries({ glossaryId, ...pair }), (there) => isSame(there, entries) ? [] : [step])
  })
  const removed = dictionaries.filter((dictionary) => !desired.some((other) => isPair(other, dictionary)))
  const steps: ReadonlyArray<Step> = [
    ...(name === glossary.name ? [] : [Step.Rename({ ...common, name })]),
    ...removed.map(({ sourceLanguage, targetLanguage }) =>
      Step.RemoveDictionary({ ...common, pair: { sourceLanguage, targetLanguage } })
    ),
    ...replaced.flat()
  ]
  return steps
})

export const plan = Effect.fnUntraced(function*(
  methods: Methods,
  limits: Limits,
  { glossaries, removeOthers = false }: PlanOptions
) {
  yield* checkItems("glossaries", "glossaries", glossaries)
  const checked = yield* Effect.forEach(glossaries, ({ dictionaries, name }, index) =>
    Effect.andThen(
      checkBytes(`glossaries[${index}].name`, name, limits.glossaryNameBytes),
      checkDictionaries(`glossaries[${index}].`, dictionaries, limits)
    ))
  yield* checkUnique(kind, glossaries)
  const there = yield* Stream.runCollect(methods.list())
  const { found, others } = yield* match(kind, glossaries, there, removeOthers)
  const steps = yield* Effect.forEach(found, ({ desired: { name }, existing }, index) => {
    const dictionaries = checked[index] ?? []
    return existing === undefined
      ? Effect.succeed([
        Step.Create({ glossary: name, dictionaries: dictionaries.map(({ tsv: _tsv, ...rest }) => rest) })
      ])
      : changes(methods, existing, name, dictionaries)
  }, { concurrency })
  const planned: Plan = {
    steps: [
      ...creationsFirst(steps.flat()),
      ...others.map(({ glossaryId, name }) => Step.Remove({ glossary: name, glossaryId }))
    ],
    glossaries: found.map(({ desired: { name }, existing }) =>
      existing === undefined ? { name } : { name, glossaryId: existing.glossaryId }
    )
  }
  return planned
})

/** True if a glossary may have been created from these dictionaries, of which the entries are not read. */
const canBe = ({ dictionaries = [] }: Glossary, made: ReadonlyArray<PlannedDictionary>): boolean =>
  dictionaries.length === made.length &&
  made.every((desired) =>
    dictionaries.some((dictionary) =>
      isPair(dictionary, desired) && (dictionary.entryCount ?? desired.entries.size) === desired.entries.size
    )
  )

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

  const change = (step: ChangeOf<Step>): Effect.Effect<void, WriteError> => {
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
    create,
    change,
    idOf: (step) => step.glossaryId,
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
