/**
 * Glossaries: terms for translations, in dictionaries for language pairs. Version 3 of the interface, which also reads and edits glossaries of
 * version 2.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { CallRecord } from "../call/internal/callRecord.ts"
import { runs } from "../call/internal/operation.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { GlossaryId } from "../contract/Ids.ts"
import { defined } from "../contract/internal/values.ts"
import type { DuplicateGlossaries, InvalidEntries, LimitExceeded } from "../errors/CallError.ts"
import { checkBytes, invalid } from "../errors/internal/checks.ts"
import { mismatch } from "../errors/internal/unexpected.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import type { Plan, PlanOptions, Synced } from "./GlossariesPlan.ts"
import type { GlossaryEntries, LanguagePair } from "./GlossaryEntries.ts"
import { GlossariesApi, type Glossary, type GlossaryDictionary, type GlossaryPatch } from "./internal/glossariesApi.ts"
import * as Sync from "./internal/glossariesSync.ts"
import {
  bodyOf,
  checkDictionaries,
  checkDictionary,
  checkPair,
  type CreateOptions,
  type DictionaryOptions,
  isPair,
  readAnswer
} from "./internal/glossaryChecks.ts"

export { Glossary, GlossaryDictionary } from "./internal/glossariesApi.ts"
export type { CreateOptions, DictionaryOptions } from "./internal/glossaryChecks.ts"

/**
 * A reference to a glossary.
 *
 * @category options
 * @since 0.1.0
 */
export interface GlossaryRef {
  readonly glossaryId: GlossaryId
}

/**
 * A reference to a dictionary.
 *
 * @category options
 * @since 0.1.0
 */
export interface DictionaryRef extends GlossaryRef, LanguagePair {}

/**
 * A new name of a glossary, entries for one of its dictionaries, or both.
 *
 * @category options
 * @since 0.1.0
 */
export interface MergeOptions extends GlossaryRef {
  /** At most 1024 bytes. */
  readonly name?: string | undefined
  /** Entries to add, or to replace those with the same source. */
  readonly dictionary?: DictionaryOptions | undefined
}

type GetError = Operations.Errors<typeof GlossariesApi, "get">["call"]

type CreateError = Operations.Errors<typeof GlossariesApi, "create", InvalidEntries | LimitExceeded>["create"]

type WriteError = Operations.Union<GetError | InvalidEntries | LimitExceeded>["members"]

type PlanError = Operations.Union<WriteError | DuplicateGlossaries>["members"]

type ApplyError = Operations.Union<CreateError | WriteError>["members"]

type SyncError = Operations.Union<PlanError | ApplyError>["members"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(GlossariesApi)
  const { composed } = yield* runs
  const { limits } = yield* LanguageServiceConfig
  const checkLanguages = yield* LanguageChecks.make

  const create = Effect.fnUntraced(function*(record: CallRecord, { dictionaries, name }: CreateOptions) {
    yield* checkBytes("name", name, limits.glossaryNameBytes)
    const checked = yield* checkDictionaries("", dictionaries, limits)
    return yield* checkLanguages(
      () => LanguageChecks.ofGlossary(checked),
      api.create.request(record, { payload: { name, dictionaries: checked.map(bodyOf) } })
    )
  })

  const merge = Effect.fnUntraced(function*(record: CallRecord, { dictionary, glossaryId, name }: MergeOptions) {
    if (name !== undefined) yield* checkBytes("name", name, limits.glossaryNameBytes)
    if (name === undefined && dictionary === undefined) {
      return yield* invalid("name and dictionary", "neither", "one of them, or both")
    }
    const checked = dictionary && [yield* checkDictionary("dictionary.", dictionary, limits)]
    const payload: GlossaryPatch = defined({ name, dictionaries: checked?.map(bodyOf) })
    return yield* checkLanguages(
      () => LanguageChecks.ofGlossary(checked ?? []),
      api.merge.request(record, { params: { glossaryId }, payload })
    )
  })

  const entries = Effect.fnUntraced(function*(
    record: CallRecord,
    { glossaryId, sourceLanguage, targetLanguage }: DictionaryRef
  ) {
    const pair = yield* checkPair("", { sourceLanguage, targetLanguage })
    const answer = yield* api.entries.request(record, { params: { glossaryId }, query: pair })
    const found = ("dictionaries" in answer ? answer.dictionaries : [answer]).find((other) =>
      // Without its pair it is the requested one.
      isPair({
        sourceLanguage: other.sourceLanguage ?? sourceLanguage,
        targetLanguage: other.targetLanguage ?? targetLanguage
      }, pair)
    )
    if (found === undefined) return yield* mismatch("the response has another dictionary than the requested one")
    const read = readAnswer(found.entries)
    return read === undefined ? yield* mismatch("the entries in the response are not TSV") : read
  })

  const replaceDictionary = Effect.fnUntraced(
    function*(record: CallRecord, { glossaryId, ...dictionary }: GlossaryRef & DictionaryOptions) {
      const checked = yield* checkDictionary("", dictionary, limits)
      const answer = yield* checkLanguages(
        () => LanguageChecks.ofGlossary([checked]),
        api.replaceDictionary.request(record, { params: { glossaryId }, payload: bodyOf(checked) })
      )
      return isPair(answer, dictionary)
        ? answer
        : yield* mismatch("the response has another dictionary than the replaced one")
    }
  )

  const methods = {
    /**
     * Creates a glossary (`POST /v3/glossaries`). Not sent again after an unknown outcome: fails with `OutcomeUnknown`, with the name in `lookup`.
     *
     * Before anything is sent, fails with `InvalidEntries` for entries that break a rule, with the line and column or the number of each; with
     * `InvalidInput` for a repeated pair or a pair of one language; with `LimitExceeded` for a name over 1024 bytes or more than 10 MiB of
     * entries. Fails with `QuotaExceeded` if there are too many glossaries, and, like every method here, with `TooManyGlossaryRequests` after too
     * many requests in a short time.
     */
    create: (options: CreateOptions): Effect.Effect<Glossary, CreateError> =>
      api.create.create({ name: options.name }, (record) => create(record, options)),
    /**
     * Lists all glossaries in one request (`GET /v3/glossaries`).
     */
    list: (): Stream.Stream<Glossary, GetError> =>
      Stream.fromIterableEffect(Effect.map(api.list(), ({ glossaries }) => glossaries)),
    /**
     * Gets a glossary (`GET /v3/glossaries/{glossary_id}`). Fails with `NotFound` for an unknown id, and with `InvalidInput` for an id that cannot
     * be a path segment.
     */
    get: ({ glossaryId }: GlossaryRef): Effect.Effect<Glossary, GetError> => api.get({ params: { glossaryId } }),
    /**
     * Merges entries into a dictionary, renames a glossary, or both (`PATCH /v3/glossaries/{glossary_id}`). Entries with the same source are
     * replaced, others stay. A missing dictionary is created. Fails like `create` before anything is sent, and like `get`.
     */
    merge: (options: MergeOptions): Effect.Effect<Glossary, WriteError> =>
      api.merge.run((record) => merge(record, options)),
    /**
     * Deletes a glossary (`DELETE /v3/glossaries/{glossary_id}`). Fails with `NotFound` for an unknown id, except in a retry.
     */
    remove: ({ glossaryId }: GlossaryRef): Effect.Effect<void, GetError> => api.remove({ params: { glossaryId } }),
    /**
     * Gets the entries of a dictionary, in the service's order (`GET /v3/glossaries/{glossary_id}/entries`). Fails with `NotFound` for an unknown id
     * or pair.
     */
    entries: (options: DictionaryRef): Effect.Effect<GlossaryEntries, GetError> =>
      api.entries.run((record) => entries(record, options)),
    /**
     * Creates a dictionary, or replaces all of its entries (`PUT /v3/glossaries/{glossary_id}/dictionaries`). Fails like `merge`.
     */
    replaceDictionary: (options: GlossaryRef & DictionaryOptions): Effect.Effect<GlossaryDictionary, WriteError> =>
      api.replaceDictionary.run((record) => replaceDictionary(record, options)),
    /**
     * Deletes a dictionary (`DELETE /v3/glossaries/{glossary_id}/dictionaries`). The glossary remains, even without dictionaries. Fails with
     * `NotFound` for an unknown id or pair, except in a retry.
     */
    removeDictionary: (
      { glossaryId, sourceLanguage, targetLanguage }: DictionaryRef
    ): Effect.Effect<void, GetError> =>
      api.removeDictionary(
        Effect.map(checkPair("", { sourceLanguage, targetLanguage }), (query) => ({ params: { glossaryId }, query }))
      )
  }

  const plan = (options: PlanOptions) => Sync.plan(methods, limits, options)

  return yield* withKnownOptions(GlossariesApi, {
    ...methods,
    /**
     * Compares desired glossaries with the existing ones, and changes nothing. A desired glossary matches an existing one by its id, or else by its
     * name. Entries are read only if their number is the desired one; their order is irrelevant.
     *
     * Fails like `create` before anything is sent; with `InvalidInput` for a repeated name and an id that no glossary has; with
     * `DuplicateGlossaries` if several glossaries have a desired name.
     */
    plan: (options: PlanOptions): Effect.Effect<Plan, PlanError> => composed("Glossaries.plan", plan(options)),
    /**
     * Makes the calls of a plan, for four glossaries at a time. No call begins after a failure, and a new plan continues from there. After a lost
     * response to a creation the glossary is looked up; fails with `OutcomeUnknown` if it is not found. Each error has the progress in `plan`.
     */
    apply: (plan: Plan): Effect.Effect<Synced, ApplyError> => composed("Glossaries.apply", Sync.apply(methods, plan)),
    /**
     * Brings glossaries to the desired state: `plan`, then `apply`. Idempotent.
     *
     * **Gotchas**
     *
     * Two concurrent runs can create the same glossary; the next run then fails with `DuplicateGlossaries`.
     */
    sync: (options: PlanOptions): Effect.Effect<Synced, SyncError> =>
      composed("Glossaries.sync", Effect.flatMap(plan(options), (plan) => Sync.apply(methods, plan)))
  }, {
    merge: { glossaryId: true, name: true, dictionary: true },
    replaceDictionary: { glossaryId: true, sourceLanguage: true, targetLanguage: true, entries: true },
    plan: { glossaries: true, removeOthers: true },
    apply: false,
    sync: { glossaries: true, removeOthers: true }
  })
})

/**
 * The service of glossaries.
 *
 * @category services
 * @since 0.1.0
 */
export class Glossaries
  extends Context.Service<Glossaries, Effect.Success<typeof make>>()("@effect-lingua/core/glossaries/Glossaries")
{}

/**
 * The service over the client of `LanguageService.layer` or `LanguageServiceClient.layerOf`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Glossaries, make), LanguageChecks.layer)
