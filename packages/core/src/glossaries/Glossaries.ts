/**
 * Glossaries: terms that translations keep to, in dictionaries for pairs of languages. Version 3 of the interface, which reads
 * and edits those that version 2 made too.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { DuplicateGlossaries, InvalidEntries, LimitExceeded } from "../client/CallError.ts"
import type { GlossaryId } from "../client/Ids.ts"
import { composed } from "../client/internal/call.ts"
import { invalid } from "../client/internal/checks.ts"
import { misfit } from "../client/internal/misfit.ts"
import * as Operations from "../client/internal/operations.ts"
import { LanguageServiceConfig } from "../client/LanguageServiceConfig.ts"

import { GlossariesApi, type Glossary, type GlossaryDictionary, type GlossaryPatch } from "./GlossariesApi.ts"
import type { Plan, PlanOptions, Synced } from "./GlossariesPlan.ts"
import type { EntriesInput, GlossaryEntries, LanguagePair } from "./GlossaryEntries.ts"
import * as Sync from "./internal/glossariesSync.ts"
import {
  bodyOf,
  checkDictionaries,
  checkDictionary,
  checkName,
  checkPair,
  isPair,
  readAnswer
} from "./internal/glossaryChecks.ts"

export { GlossaryId } from "../client/Ids.ts"
export { Glossary, GlossaryDictionary } from "./GlossariesApi.ts"
export type { Plan, PlanOptions, Synced, WantedGlossary } from "./GlossariesPlan.ts"
export type { EntriesInput, GlossaryEntries, LanguagePair } from "./GlossaryEntries.ts"

/**
 * A dictionary to be written. Its languages are root codes: a target `en`, `pt` or `zh` serves all variants.
 *
 * @category options
 * @since 0.1.0
 */
export interface DictionaryOptions extends LanguagePair {
  /** A map, or text in TSV or CSV; what they have to keep to is told at {@link GlossaryEntries}. One at least. */
  readonly entries: EntriesInput
}

/**
 * A glossary to be created.
 *
 * @category options
 * @since 0.1.0
 */
export interface CreateOptions {
  /** A name of at most 1024 bytes. Names need not be unique. */
  readonly name: string
  /** A dictionary for each pair of languages, of at most 10 MiB together. */
  readonly dictionaries: ReadonlyArray<DictionaryOptions>
}

/**
 * A glossary by its id.
 *
 * @category options
 * @since 0.1.0
 */
export interface GlossaryRef {
  readonly glossaryId: GlossaryId
}

/**
 * A dictionary of a glossary by its languages.
 *
 * @category options
 * @since 0.1.0
 */
export interface DictionaryRef extends GlossaryRef, LanguagePair {}

/**
 * Changes of a glossary: its name, entries that are merged into one of its dictionaries, or both.
 *
 * @category options
 * @since 0.1.0
 */
export interface MergeOptions extends GlossaryRef {
  /** A name of at most 1024 bytes. */
  readonly name?: string | undefined
  /** Entries that are added, or come in the place of those with the same source. */
  readonly dictionary?: DictionaryOptions | undefined
}

/**
 * The errors of `list`, `get`, `remove`, `entries` and `removeDictionary`.
 *
 * @category errors
 * @since 0.1.0
 */
export type GetError = Operations.Errors<typeof GlossariesApi, "get">["call"]

/**
 * The errors of `create`.
 *
 * @category errors
 * @since 0.1.0
 */
export type CreateError = Operations.Errors<typeof GlossariesApi, "create", InvalidEntries | LimitExceeded>["create"]

/**
 * The errors of `merge` and `replaceDictionary`.
 *
 * @category errors
 * @since 0.1.0
 */
export type WriteError = Operations.Union<GetError | InvalidEntries | LimitExceeded>["members"]

/**
 * The errors of `plan`.
 *
 * @category errors
 * @since 0.1.0
 */
export type PlanError = Operations.Union<WriteError | DuplicateGlossaries>["members"]

/**
 * The errors of `apply`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ApplyError = Operations.Union<CreateError | WriteError>["members"]

/**
 * The errors of `sync`.
 *
 * @category errors
 * @since 0.1.0
 */
export type SyncError = Operations.Union<PlanError | ApplyError>["members"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(GlossariesApi)
  const { limits } = yield* LanguageServiceConfig

  const create = Effect.fnUntraced(function*({ dictionaries, name }: CreateOptions) {
    yield* checkName("", name, limits)
    const checked = yield* checkDictionaries("", dictionaries, limits)
    return yield* api.create.request({ payload: { name, dictionaries: checked.map(bodyOf) } })
  })

  const merge = Effect.fnUntraced(function*({ dictionary, glossaryId, name }: MergeOptions) {
    if (name !== undefined) yield* checkName("", name, limits)
    if (name === undefined && dictionary === undefined) {
      return yield* invalid("name and dictionary", "neither", "one of them, or both")
    }
    const checked = dictionary === undefined ? undefined : yield* checkDictionary("dictionary.", dictionary, limits)
    const payload: GlossaryPatch = {
      ...(name === undefined ? undefined : { name }),
      ...(checked === undefined ? undefined : { dictionaries: [bodyOf(checked)] })
    }
    return { params: { glossaryId }, payload }
  })

  const entries = Effect.fnUntraced(function*({ glossaryId, sourceLanguage, targetLanguage }: DictionaryRef) {
    const pair = { sourceLanguage, targetLanguage }
    yield* checkPair("", pair)
    const answer = yield* api.entries.request({ params: { glossaryId }, query: pair })
    const found = ("dictionaries" in answer ? answer.dictionaries : [answer]).find((other) =>
      // One that does not repeat its pair is taken for the one asked for.
      isPair({
        sourceLanguage: other.sourceLanguage ?? sourceLanguage,
        targetLanguage: other.targetLanguage ?? targetLanguage
      }, pair)
    )
    if (found === undefined) return yield* misfit("another dictionary came than was asked for")
    const read = readAnswer(found.entries)
    return read === undefined ? yield* misfit("the entries that came are no TSV") : read
  })

  const replaceDictionary = Effect.fnUntraced(
    function*({ glossaryId, ...dictionary }: GlossaryRef & DictionaryOptions) {
      const checked = yield* checkDictionary("", dictionary, limits)
      const answer = yield* api.replaceDictionary.request({ params: { glossaryId }, payload: bodyOf(checked) })
      return isPair(answer, dictionary) ? answer : yield* misfit("another dictionary came than was replaced")
    }
  )

  const methods = {
    /**
     * Creates a glossary.
     *
     * **Details**
     *
     * `POST /v3/glossaries`. Each run makes another glossary,
     * so a call is repeated only when the service refused it. When its fate is not known it fails with `OutcomeUnknown`, whose
     * `lookup` has the name to look for.
     *
     * Fails with `InvalidEntries` for entries that break a rule, with the line and column or the number of each; with
     * `InvalidInput` for a pair of languages that comes twice or is one language; with `LimitExceeded` for a name over 1024
     * bytes or more than 10 MiB of entries in all, before anything is sent; with `QuotaExceeded` when there are too many
     * glossaries, and, as every method here, `TooManyGlossaryRequests` after too many requests in a short time.
     */
    create: (options: CreateOptions): Effect.Effect<Glossary, CreateError> =>
      api.create.create({ name: options.name }, create(options)),
    /**
     * Lists all glossaries, without their entries.
     *
     * **Details**
     *
     * `GET /v3/glossaries`. There are no pages.
     */
    list: (): Stream.Stream<Glossary, GetError> =>
      Stream.fromIterableEffect(Effect.map(api.list(), ({ glossaries }) => glossaries)),
    /**
     * Gets one glossary, without its entries.
     *
     * **Details**
     *
     * `GET /v3/glossaries/{glossary_id}`. Fails with
     * `NotFound` for an unknown id and `InvalidInput` for one that cannot be a path segment.
     */
    get: ({ glossaryId }: GlossaryRef): Effect.Effect<Glossary, GetError> => api.get({ params: { glossaryId } }),
    /**
     * Merges entries into a dictionary of a glossary, changes its name, or both. Entries with the same source are replaced, all
     * others stay; a dictionary that is not there is made. For entries that are to be all of them see `replaceDictionary`.
     *
     * **Details**
     *
     * `PATCH /v3/glossaries/{glossary_id}`. A repeat leaves the
     * same entries. Fails as `create` does before anything is sent, and with `NotFound` for an unknown id.
     */
    merge: (options: MergeOptions): Effect.Effect<Glossary, WriteError> => api.merge(merge(options)),
    /**
     * Deletes a glossary; it cannot be undone.
     *
     * **Details**
     *
     * `DELETE /v3/glossaries/{glossary_id}`. A repeat that
     * finds nothing has done its work; a first attempt that finds nothing fails with `NotFound`.
     */
    remove: ({ glossaryId }: GlossaryRef): Effect.Effect<void, GetError> => api.remove({ params: { glossaryId } }),
    /**
     * Gets the entries of one dictionary, each source with its target.
     *
     * **Details**
     *
     * `GET /v3/glossaries/{glossary_id}/entries`. The order is
     * that of the service. Fails with `NotFound` for an unknown id or a pair that the glossary does not have.
     */
    entries: (options: DictionaryRef): Effect.Effect<GlossaryEntries, GetError> => api.entries.run(entries(options)),
    /**
     * Replaces a dictionary: the entries become all that it has. It is made when it is not there. For entries that are added to
     * those there are see `merge`.
     *
     * **Details**
     *
     * `PUT /v3/glossaries/{glossary_id}/dictionaries`. Fails
     * as `create` does before anything is sent, and with `NotFound` for an unknown id.
     */
    replaceDictionary: (options: GlossaryRef & DictionaryOptions): Effect.Effect<GlossaryDictionary, WriteError> =>
      api.replaceDictionary.run(replaceDictionary(options)),
    /**
     * Deletes a dictionary of a glossary, which stays, even without any.
     *
     * **Details**
     *
     * `DELETE /v3/glossaries/{glossary_id}/dictionaries`.
     * Repeats are those of `remove`; fails with `NotFound` for an unknown id or a pair that the glossary does not have.
     */
    removeDictionary: (
      { glossaryId, sourceLanguage, targetLanguage }: DictionaryRef
    ): Effect.Effect<void, GetError> => {
      const query = { sourceLanguage, targetLanguage }
      return api.removeDictionary(Effect.as(checkPair("", query), { params: { glossaryId }, query }))
    }
  }

  const plan = (options: PlanOptions) => Sync.plan(methods, limits, options)

  return {
    ...methods,
    /**
     * Compares wanted glossaries with the existing ones.
     *
     * **Details**
     *
     * Nothing is changed. The wanted glossary and the one that is there are the same when their names are, or the id where one is
     * given. Entries are read only where their number is the same as is wanted; their order does not count.
     *
     * Fails with `DuplicateGlossaries` when several have the name of one that is wanted; with `InvalidInput` for a name or a pair
     * that is wanted twice and an id that no glossary has; with `InvalidEntries` and `LimitExceeded` as `create` does, before
     * anything is sent.
     */
    plan: (options: PlanOptions): Effect.Effect<Plan, PlanError> => composed("Glossaries.plan", plan(options)),
    /**
     * Makes the calls of a plan.
     *
     * **Details**
     *
     * Four glossaries at a time; the calls of one glossary in their order. Glossaries are created first and deleted last, and
     * after a failure nothing new begins. A creation whose answer is lost is looked for; when it is not seen the call fails with
     * `OutcomeUnknown`, as it may still come about. Making a plan again and applying that one goes on from there. Any failure of a
     * call has `plan`: the call in words, those that were made, and those that were not.
     */
    apply: (plan: Plan): Effect.Effect<Synced, ApplyError> => composed("Glossaries.apply", Sync.apply(methods, plan)),
    /**
     * Brings glossaries to the wanted state with the fewest calls: `plan`, then `apply`. Changes nothing when the state is the
     * wanted one already.
     *
     * **Gotchas**
     *
     * Two of these at the same time can both create the same glossary; the next one then fails with `DuplicateGlossaries`.
     */
    sync: (options: PlanOptions): Effect.Effect<Synced, SyncError> =>
      composed("Glossaries.sync", Effect.flatMap(plan(options), (plan) => Sync.apply(methods, plan)))
  }
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
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(Glossaries, make)
