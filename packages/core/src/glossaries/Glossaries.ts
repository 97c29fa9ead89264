/**
 * Glossaries: terms for translations, one dictionary per language pair. Uses API version 3, which includes glossaries of version 2.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import * as Syncing from "../call/internal/syncing.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { GlossaryId } from "../contract/Ids.ts"
import { defined } from "../contract/internal/values.ts"
import { DuplicateGlossaries, type InvalidEntries, type LimitExceeded } from "../errors/CallError.ts"
import { checkBytes, invalid } from "../errors/internal/checks.ts"
import { mismatch } from "../errors/internal/unexpected.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import * as GlossariesPlan from "./GlossariesPlan.ts"
import type { GlossaryEntries, LanguagePair } from "./GlossaryEntries.ts"
import { GlossariesApi, type Glossary, type GlossaryDictionary, type GlossaryPatch } from "./internal/glossariesApi.ts"
import * as Text from "./internal/glossaryText.ts"
import type { CreateOptions, DictionaryOptions } from "./internal/glossaryText.ts"

export type { CreateOptions, DictionaryOptions } from "./internal/glossaryText.ts"

export { Glossary, GlossaryDictionary } from "./internal/glossariesApi.ts"

/**
 * A glossary's id, or a whole `Glossary`.
 *
 * @category options
 * @since 0.1.0
 */
export interface GlossaryRef {
  readonly glossaryId: GlossaryId
}

/**
 * A glossary's id and a language pair.
 *
 * @category options
 * @since 0.1.0
 */
export interface DictionaryRef extends GlossaryRef, LanguagePair {}

/**
 * A new name for a glossary, entries for one of its dictionaries, or both.
 *
 * @category options
 * @since 0.1.0
 */
export interface MergeOptions extends GlossaryRef {
  /** At most 1024 bytes. */
  readonly name?: string | undefined
  /** Entries to add; an entry with the same source is replaced. */
  readonly dictionary?: DictionaryOptions | undefined
}

type GetError = Operations.Errors<typeof GlossariesApi, "get">["call"]

type CreateError = Operations.Errors<typeof GlossariesApi, "create", InvalidEntries | LimitExceeded>["create"]

type WriteError = Operations.Union<GetError | InvalidEntries | LimitExceeded>["members"]

type PlanError = Operations.Union<WriteError | DuplicateGlossaries>["members"]

type ApplyError = Operations.Union<CreateError | WriteError>["members"]

type SyncError = Operations.Union<PlanError | ApplyError>["members"]

/** A desired glossary with parsed entries. */
interface CheckedGlossary extends GlossariesPlan.DesiredGlossary {
  readonly dictionaries: ReadonlyArray<GlossariesPlan.PlannedDictionary>
}

const isSame = (one: GlossaryEntries, other: GlossaryEntries): boolean =>
  one.size === other.size && Array.from(one).every(([source, target]) => other.get(source) === target)

/** Compares languages and entry counts, without reading the entries. */
const mayEqual = (dictionary: GlossaryDictionary, desired: GlossariesPlan.PlannedDictionary): boolean =>
  Text.isPair(dictionary, desired) && (dictionary.entryCount ?? desired.entries.size) === desired.entries.size

const make = Effect.gen(function*() {
  const api = yield* Operations.make(GlossariesApi)
  const { composed } = yield* Operations.runs
  const { limits } = yield* LanguageServiceConfig
  const checkLanguages = yield* LanguageChecks.make

  const checkGlossary = (path: string, { dictionaries, name }: CreateOptions) =>
    Effect.andThen(
      checkBytes(`${path}name`, name, limits.glossaryNameBytes),
      Text.checkDictionaries(path, dictionaries, limits)
    )

  const create = Effect.fnUntraced(function*(record: CallRecord, options: CreateOptions) {
    const checked = yield* checkGlossary("", options)
    const payload = { name: options.name, dictionaries: checked.map(Text.bodyOf) }
    return yield* checkLanguages(() => LanguageChecks.ofGlossary(checked), api.create.request(record, { payload }))
  })

  const merge = Effect.fnUntraced(function*(record: CallRecord, { dictionary, glossaryId, name }: MergeOptions) {
    if (name !== undefined) yield* checkBytes("name", name, limits.glossaryNameBytes)
    if (name === undefined && dictionary === undefined) {
      return yield* invalid("name and dictionary", "neither", "one of them, or both")
    }
    const checked = dictionary && [yield* Text.checkDictionary("dictionary.", dictionary, limits)]
    const payload: GlossaryPatch = defined({ name, dictionaries: checked?.map(Text.bodyOf) })
    return yield* checkLanguages(
      () => LanguageChecks.ofGlossary(checked ?? []),
      api.merge.request(record, { params: { glossaryId }, payload })
    )
  })

  const entries = Effect.fnUntraced(function*(
    record: CallRecord,
    { glossaryId, sourceLanguage, targetLanguage }: DictionaryRef
  ) {
    const pair = yield* Text.checkPair("", { sourceLanguage, targetLanguage })
    const answer = yield* api.entries.request(record, { params: { glossaryId }, query: pair })
    const found = ("dictionaries" in answer ? answer.dictionaries : [answer]).find((other) =>
      Text.isPair({ ...pair, ...defined(Struct.pick(other, ["sourceLanguage", "targetLanguage"])) }, pair)
    )
    if (found === undefined) return yield* mismatch("the response has another dictionary than the requested one")
    const read = Text.readAnswer(found.entries)
    return read === undefined ? yield* mismatch("the entries in the response are not TSV") : read
  })

  const replaceDictionary = Effect.fnUntraced(
    function*(record: CallRecord, { glossaryId, ...dictionary }: GlossaryRef & DictionaryOptions) {
      const checked = yield* Text.checkDictionary("", dictionary, limits)
      const answer = yield* checkLanguages(
        () => LanguageChecks.ofGlossary([checked]),
        api.replaceDictionary.request(record, { params: { glossaryId }, payload: Text.bodyOf(checked) })
      )
      return Text.isPair(answer, dictionary)
        ? answer
        : yield* mismatch("the response has another dictionary than the replaced one")
    }
  )

  const list: Stream.Stream<Glossary, GetError> = Stream.fromIterableEffect(
    Effect.map(api.list(), ({ glossaries }) => glossaries)
  )

  const methods = {
    /**
     * Creates a glossary (`POST /v3/glossaries`).
     *
     * Fails before the request with `InvalidEntries` (position of each problem) for invalid entries; with `InvalidInput` for a repeated pair or a
     * pair of one language; with `LimitExceeded` for a name over 1024 bytes or entries over 10 MiB. Fails with `OutcomeUnknown` (name in `lookup`)
     * if the response is lost, and with `QuotaExceeded` for too many glossaries. Every method can fail with `TooManyGlossaryRequests`.
     */
    create: (options: CreateOptions): Effect.Effect<Glossary, CreateError> =>
      api.create.create({ name: options.name }, (record) => create(record, options)),
    /** Lists all glossaries (`GET /v3/glossaries`). */
    list,
    /** Gets a glossary (`GET /v3/glossaries/{glossary_id}`). Fails with `NotFound`, and with `InvalidInput` for an invalid id. */
    get: ({ glossaryId }: GlossaryRef): Effect.Effect<Glossary, GetError> => api.get({ params: { glossaryId } }),
    /**
     * Merges entries into a dictionary, renames a glossary, or both (`PATCH /v3/glossaries/{glossary_id}`). Entries with the same source are
     * replaced. A missing dictionary is created. Checks the input like `create`, and fails like `get`.
     */
    merge: (options: MergeOptions): Effect.Effect<Glossary, WriteError> =>
      api.merge.run((record) => merge(record, options)),
    /** Deletes a glossary (`DELETE /v3/glossaries/{glossary_id}`). Fails like `get`, but a retry ignores `NotFound`. */
    remove: ({ glossaryId }: GlossaryRef): Effect.Effect<void, GetError> => api.remove({ params: { glossaryId } }),
    /** Gets a dictionary's entries (`GET /v3/glossaries/{glossary_id}/entries`). Fails with `NotFound` for an unknown id or pair. */
    entries: (options: DictionaryRef): Effect.Effect<GlossaryEntries, GetError> =>
      api.entries.run((record) => entries(record, options)),
    /**
     * Creates a dictionary, or replaces all of its entries (`PUT /v3/glossaries/{glossary_id}/dictionaries`). Fails like `merge`.
     */
    replaceDictionary: (options: GlossaryRef & DictionaryOptions): Effect.Effect<GlossaryDictionary, WriteError> =>
      api.replaceDictionary.run((record) => replaceDictionary(record, options)),
    /**
     * Deletes a dictionary (`DELETE /v3/glossaries/{glossary_id}/dictionaries`), but not its glossary. Fails with `NotFound` for an unknown id or
     * pair, except in a retry.
     */
    removeDictionary: ({ glossaryId, ...pair }: DictionaryRef): Effect.Effect<void, GetError> =>
      api.removeDictionary(Effect.map(Text.checkPair("", pair), (query) => ({ params: { glossaryId }, query })))
  }

  /** Steps that update one glossary. Deletions precede replacements because the dictionaries share one size limit. */
  const changes = Effect.fnUntraced(function*({ dictionaries, glossaryId, name }: Glossary, desired: CheckedGlossary) {
    const common = { glossary: name, glossaryId }
    if (dictionaries === undefined) {
      return yield* Syncing.unreadable(
        "Glossaries.list",
        `the dictionaries of the glossary ${glossaryId} are unreadable`
      )
    }
    const removed = dictionaries.filter((dictionary) =>
      !desired.dictionaries.some((other) => Text.isPair(other, dictionary))
    )
    const replaced = yield* Effect.filter(
      desired.dictionaries,
      (dictionary) =>
        dictionaries.some((other) => mayEqual(other, dictionary))
          ? Effect.map(
            methods.entries({ glossaryId, ...dictionary }),
            (entries) => !isSame(entries, dictionary.entries)
          )
          : Effect.succeed(true)
    )
    const steps: ReadonlyArray<GlossariesPlan.Step> = [
      ...(desired.name === name ? [] : [GlossariesPlan.Step.Rename({ ...common, name: desired.name })]),
      ...removed.map((dictionary) =>
        GlossariesPlan.Step.RemoveDictionary({
          ...common,
          pair: Struct.pick(dictionary, ["sourceLanguage", "targetLanguage"])
        })
      ),
      ...replaced.map((dictionary) => GlossariesPlan.Step.ReplaceDictionary({ ...common, dictionary }))
    ]
    return steps
  })

  const change = Data.taggedEnum<Syncing.Change<GlossariesPlan.Step>>().$match({
    Rename: ({ glossaryId, name }) => methods.merge({ glossaryId, name }),
    RemoveDictionary: ({ glossaryId, pair }) => methods.removeDictionary({ glossaryId, ...pair }),
    ReplaceDictionary: ({ dictionary, glossaryId }) => methods.replaceDictionary({ glossaryId, ...dictionary }),
    Remove: methods.remove
  })

  const syncing = Syncing.make<PlanError, ApplyError>()({
    option: "glossaries",
    noun: "glossary",
    idName: "glossaryId",
    key: ["name"],
    check: (path, glossary: GlossariesPlan.DesiredGlossary): Effect.Effect<CheckedGlossary, PlanError> =>
      Effect.map(checkGlossary(path, glossary), (dictionaries) => ({
        ...glossary,
        dictionaries: dictionaries.map((dictionary) => Struct.omit(dictionary, ["tsv"]))
      })),
    listOperation: "Glossaries.list",
    list: () => list,
    duplicate: ({ name }, found) =>
      new DuplicateGlossaries({ name, glossaryIds: found.map(({ glossaryId }) => glossaryId) }),
    creation: ({ dictionaries, name }) => GlossariesPlan.Step.Create({ glossary: name, dictionaries }),
    changes,
    removal: ({ glossaryId, name }) => GlossariesPlan.Step.Remove({ glossary: name, glossaryId }),
    planned: ({ name }, existing): GlossariesPlan.PlannedGlossary =>
      defined({ name, glossaryId: existing?.glossaryId }),
    format: GlossariesPlan.format,
    desiredOf: ({ dictionaries, glossary }) => ({ name: glossary, dictionaries }),
    create: methods.create,
    canBe: ({ dictionaries = [] }, created) =>
      dictionaries.length === created.dictionaries.length &&
      created.dictionaries.every((desired) => dictionaries.some((dictionary) => mayEqual(dictionary, desired))),
    change
  })

  const plan = (
    { glossaries, removeOthers }: GlossariesPlan.PlanOptions
  ): Effect.Effect<GlossariesPlan.Plan, PlanError> =>
    Effect.map(syncing.plan(glossaries, removeOthers), ({ resources, steps }) => ({ steps, glossaries: resources }))

  const apply = ({ glossaries, steps }: GlossariesPlan.Plan): Effect.Effect<GlossariesPlan.Synced, ApplyError> =>
    Effect.map(syncing.apply(steps, glossaries), (glossaries) => ({ steps, glossaries }))

  return yield* withKnownOptions(GlossariesApi, {
    ...methods,
    /**
     * Compares desired with existing glossaries, matched by id, or else by name. The order of entries is irrelevant.
     *
     * Checks the input like `create`. Fails with `InvalidInput` for a repeated name or an unknown id; with
     * `DuplicateGlossaries` if several glossaries have a desired name.
     */
    plan: (options: GlossariesPlan.PlanOptions): Effect.Effect<GlossariesPlan.Plan, PlanError> =>
      composed("Glossaries.plan", plan(options)),
    /**
     * Runs the calls of a plan, four glossaries at a time, until the first failure. A new plan has the remaining calls. If a creation's response is
     * lost, looks the glossary up, and fails with `OutcomeUnknown` if it does not exist. Each error reports the progress in `plan`.
     */
    apply: (plan: GlossariesPlan.Plan): Effect.Effect<GlossariesPlan.Synced, ApplyError> =>
      composed("Glossaries.apply", apply(plan)),
    /**
     * Brings glossaries to the desired state: `plan`, then `apply`. Idempotent.
     *
     * **Gotchas**
     *
     * Two concurrent runs can create the same glossary; the next run then fails with `DuplicateGlossaries`.
     */
    sync: (options: GlossariesPlan.PlanOptions): Effect.Effect<GlossariesPlan.Synced, SyncError> =>
      composed("Glossaries.sync", Effect.flatMap(plan(options), apply))
  }, {
    merge: { glossaryId: true, name: true, dictionary: true },
    replaceDictionary: { glossaryId: true, sourceLanguage: true, targetLanguage: true, entries: true },
    plan: { glossaries: true, removeOthers: true },
    apply: false,
    sync: { glossaries: true, removeOthers: true }
  })
})

/**
 * Manages glossaries and their entries.
 *
 * @category services
 * @since 0.1.0
 */
export class Glossaries extends Operations.service<Glossaries>()("@effect-lingua/core/glossaries/Glossaries", make) {}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Glossaries {
  export type { CreateOptions, DictionaryOptions, MergeOptions }
  export type { ApplyError, CreateError, GetError, PlanError, SyncError, WriteError }
  export type { DictionaryRef, Glossary, GlossaryDictionary, GlossaryRef }
}
