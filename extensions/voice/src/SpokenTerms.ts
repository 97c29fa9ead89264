/**
 * Spoken terms: names and technical words for speech recognition. A collection has a list of terms for each language. `Voice.requestSession` accepts
 * a collection.
 *
 * **Details**
 *
 * Each list is checked before anything is sent: terms are unique (case-sensitive), not empty, and without surrounding white space, control
 * characters, tabs and line breaks. Joined with line breaks, a list's terms have at most 300 characters (code points).
 *
 * Not in the specification: see `SpokenTermsApi`. Requires the paid tier's address and a key without scopes: otherwise calls fail with `WrongTier` or
 * `AccessDenied`.
 *
 * **Example** (A session that knows the words of a harbour)
 *
 * ```ts import.meta.vitest
 * import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
 * import { SpokenTerms, Voice } from "@effect-lingua/voice"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const spokenTerms = yield* SpokenTerms
 *   const { spokenTermsId } = yield* spokenTerms.create({
 *     name: "Harbour words",
 *     termLists: [{ language: "en", terms: ["Plimsoll line", "fairlead"] }]
 *   })
 *   yield* spokenTerms.merge({ spokenTermsId, termLists: [{ language: "en", terms: ["bollard"] }] })
 *   yield* Voice.use((voice) =>
 *     voice.requestSession({ sourceMediaContentType: "audio/webm", sourceLanguage: "en", spokenTermsId })
 *   )
 *   return yield* spokenTerms.terms({ spokenTermsId, language: "en" })
 * })
 * const terms = await program.pipe(Effect.provide(FakeVoice.layerServices()), Effect.runPromise)
 * terms // => ["Plimsoll line", "fairlead", "bollard"]
 * ```
 *
 * @since 0.3.0
 */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { LanguageCode } from "@effect-lingua/core/contract/Language"
import { InvalidEntries, type LimitExceeded } from "@effect-lingua/core/errors/CallError"
import type { EntryProblem } from "@effect-lingua/core/errors/EntryProblem"
import {
  type CallRecord,
  Checks,
  defined,
  Operations,
  repeated,
  Terms,
  Unexpected,
  withKnownOptions
} from "@effect-lingua/core/extension/Service"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  SpokenTermsApi,
  type SpokenTermsCollection,
  type SpokenTermsId,
  type SpokenTermsPatch,
  type TermList
} from "./SpokenTermsApi.ts"

export { SpokenTermsCollection, SpokenTermsId, TermList } from "./SpokenTermsApi.ts"

/**
 * A list of terms in one language.
 *
 * @category options
 * @since 0.3.0
 */
export interface TermListOptions {
  /** The spoken language: a root code, such as `en`, case-insensitive. */
  readonly language: LanguageCode
  /** At least one term; at most 300 characters when joined with line breaks. */
  readonly terms: ReadonlyArray<string>
}

/**
 * The name and term lists of a new collection.
 *
 * @category options
 * @since 0.3.0
 */
export interface CreateOptions {
  /** At most 1024 bytes; need not be unique. */
  readonly name: string
  /** At most one list per language; may be empty. */
  readonly termLists: ReadonlyArray<TermListOptions>
}

/**
 * Identifies a collection.
 *
 * @category options
 * @since 0.3.0
 */
export interface SpokenTermsRef {
  readonly spokenTermsId: SpokenTermsId
}

/**
 * Identifies a collection's term list in one language.
 *
 * @category options
 * @since 0.3.0
 */
export interface TermListRef extends SpokenTermsRef {
  /** The list's language, case-insensitive. */
  readonly language: LanguageCode
}

/**
 * Changes to a collection: a new name, terms to add, or both.
 *
 * @category options
 * @since 0.3.0
 */
export interface MergeOptions extends SpokenTermsRef {
  /** At most 1024 bytes. */
  readonly name?: string | undefined
  /** Terms to add: at most one list per language. */
  readonly termLists?: ReadonlyArray<TermListOptions> | undefined
}

/**
 * The errors of `list`, such as `AccessDenied`.
 *
 * @category errors
 * @since 0.3.0
 */
export type ListError = Operations.Errors<typeof SpokenTermsApi, "list">["call"]

/**
 * The errors of `get`, `remove`, `terms` and `removeList`.
 *
 * @category errors
 * @since 0.3.0
 */
export type GetError = Operations.Errors<typeof SpokenTermsApi, "get">["call"]

/**
 * The errors of `create`, including `OutcomeUnknown`.
 *
 * @category errors
 * @since 0.3.0
 */
export type CreateError = Operations.Errors<typeof SpokenTermsApi, "create", InvalidEntries | LimitExceeded>["create"]

/**
 * The errors of `merge` and `replaceList`.
 *
 * @category errors
 * @since 0.3.0
 */
export type WriteError = Operations.Errors<typeof SpokenTermsApi, "merge", InvalidEntries | LimitExceeded>["call"]

/**
 * The errors of all methods.
 *
 * @category errors
 * @since 0.3.0
 */
export type AnyError = Operations.Union<CreateError | WriteError>["members"]

/** Returns the invalid and duplicate terms, numbered from 1. */
const problemsOf = (terms: ReadonlyArray<string>): ReadonlyArray<EntryProblem> => {
  const firstEntries = new Map<string, number>()
  return Array.from(terms).flatMap((term, index) => {
    const entry = index + 1
    const first = firstEntries.get(term)
    if (first === undefined) firstEntries.set(term, entry)
    const reason = Terms.fault(term)?.[0] ?? (first === undefined ? undefined : `is a duplicate of entry ${first}`)
    return reason === undefined ? [] : [{ entry, reason: `the term ${reason}` }]
  })
}

const make = Effect.gen(function*() {
  const api = yield* Operations.make(SpokenTermsApi)
  const { limits } = yield* LanguageServiceConfig

  const checkName = (name: string) => Checks.checkBytes("name", name, limits.spokenTermsNameBytes)

  /** Checks a term list and converts it to a request body. */
  const checkList = Effect.fnUntraced(function*(path: string, { language, terms }: TermListOptions) {
    const parameter = `${path}terms`
    yield* Checks.checkText(`${path}language`, language)
    if (!Array.isArray(terms)) return yield* Checks.invalid(parameter, Checks.typeOf(terms), "an array of texts")
    if (terms.length === 0) return yield* Checks.invalid(parameter, "none", "one or more")
    const problems = problemsOf(terms)
    if (problems.length > 0) {
      return yield* new InvalidEntries({
        parameter,
        problems: problems.slice(0, Terms.keptProblems),
        count: problems.length
      })
    }
    const entries = terms.join("\n")
    yield* Checks.checkLength(parameter, entries, limits.spokenTermsCharacters)
    return { language, entries }
  })

  const checkLists = Effect.fnUntraced(function*(lists: ReadonlyArray<TermListOptions>) {
    yield* Checks.checkItems("termLists", "term lists", lists)
    const checked = yield* Effect.forEach(lists, (list, index) => checkList(`termLists[${index}].`, list))
    const repeatedIndex = repeated(lists, (one, other) => Checks.isId(one.language, other.language))
    return repeatedIndex === -1
      ? checked
      : yield* Checks.invalid(`termLists[${repeatedIndex}]`, "a repeated language", "each language once")
  })

  const create = Effect.fnUntraced(function*(record: CallRecord, { name, termLists }: CreateOptions) {
    yield* checkName(name)
    return yield* api.create.request(record, { payload: { name, termLists: yield* checkLists(termLists) } })
  })

  const merge = Effect.fnUntraced(function*({ name, spokenTermsId, termLists }: MergeOptions) {
    if (name !== undefined) yield* checkName(name)
    if (name === undefined && termLists === undefined) {
      return yield* Checks.invalid("name and termLists", "neither", "one of them, or both")
    }
    const checked = termLists === undefined ? undefined : yield* checkLists(termLists)
    const payload: SpokenTermsPatch = defined({ name, termLists: checked })
    return { params: { spokenTermsId }, payload }
  })

  const terms = Effect.fnUntraced(function*(record: CallRecord, { language, spokenTermsId }: TermListRef) {
    yield* Checks.checkText("language", language)
    const answer = yield* api.terms.request(record, { params: { spokenTermsId }, query: { language } })
    yield* Unexpected.expectId("language", language, answer.language || undefined)
    return answer.entries.split(/\r?\n/).filter((term) => term !== "")
  })

  const replaceList = Effect.fnUntraced(function*(
    record: CallRecord,
    { spokenTermsId, ...list }: SpokenTermsRef & TermListOptions
  ) {
    const payload = yield* checkList("", list)
    const answer = yield* api.replaceList.request(record, { params: { spokenTermsId }, payload })
    yield* Unexpected.expectId("language", list.language, answer.language || undefined)
    return answer
  })

  const list: Stream.Stream<SpokenTermsCollection, ListError> = Stream.fromIterableEffect(
    Effect.map(api.list(), ({ spokenTerms }) => spokenTerms)
  )

  return yield* withKnownOptions(SpokenTermsApi, {
    /**
     * Creates a collection.
     *
     * **Details**
     *
     * `POST /v3/spoken-terms`. Retried only if the service refused the request. After a lost response, fails with `OutcomeUnknown`, whose `lookup`
     * has the collection's name.
     *
     * Before anything is sent, fails with `InvalidEntries`, which numbers each invalid term; with `LimitExceeded` for a name over 1024 bytes or a
     * list over 300 characters; with `InvalidInput` for a list without terms or a repeated language. Fails with `QuotaExceeded` if the plan allows no
     * more collections.
     */
    create: (options: CreateOptions): Effect.Effect<SpokenTermsCollection, CreateError> =>
      api.create.create({ name: options.name }, (record) => create(record, options)),
    /**
     * Lists all collections, without their terms.
     *
     * **Details**
     *
     * `GET /v3/spoken-terms`. The list is not paginated.
     */
    list,
    /**
     * Gets one collection, without its terms.
     *
     * **Details**
     *
     * `GET /v3/spoken-terms/{spoken_terms_id}`. Fails with `NotFound` for an unknown id.
     */
    get: ({ spokenTermsId }: SpokenTermsRef): Effect.Effect<SpokenTermsCollection, GetError> =>
      api.get({ params: { spokenTermsId } }),
    /**
     * Adds terms to a collection, renames the collection, or both. Existing terms stay, and a missing list is created. `replaceList` replaces all
     * terms of a language.
     *
     * **Details**
     *
     * `PATCH /v3/spoken-terms/{spoken_terms_id}`. Safe to retry. Fails like `create` before anything is sent; with `BadRequest` if a list would
     * exceed 300 characters; with `NotFound` for an unknown id.
     */
    merge: (options: MergeOptions): Effect.Effect<SpokenTermsCollection, WriteError> => api.merge(merge(options)),
    /**
     * Deletes a collection permanently.
     *
     * **Details**
     *
     * `DELETE /v3/spoken-terms/{spoken_terms_id}`. Fails with `NotFound` for an unknown id; succeeds if a retry finds the collection deleted.
     */
    remove: ({ spokenTermsId }: SpokenTermsRef): Effect.Effect<void, GetError> =>
      api.remove({ params: { spokenTermsId } }),
    /**
     * Gets the terms of a language, in the service's order.
     *
     * **Details**
     *
     * `GET /v3/spoken-terms/{spoken_terms_id}/entries`. Fails with `NotFound` for an unknown id or a language that the collection
     * does not have.
     */
    terms: (options: TermListRef): Effect.Effect<ReadonlyArray<string>, GetError> =>
      api.terms.run((record) => terms(record, options)),
    /**
     * Replaces all terms of a language, or creates the language's list. `merge` adds terms.
     *
     * **Details**
     *
     * `PUT /v3/spoken-terms/{spoken_terms_id}/term-lists`. Safe to retry. Fails like `create` before anything is sent, and with `NotFound` for an
     * unknown id.
     */
    replaceList: (options: SpokenTermsRef & TermListOptions): Effect.Effect<TermList, WriteError> =>
      api.replaceList.run((record) => replaceList(record, options)),
    /**
     * Deletes the terms of a language. The collection remains, even without lists.
     *
     * **Details**
     *
     * `DELETE /v3/spoken-terms/{spoken_terms_id}/term-lists`. Retried like `remove`; fails with `NotFound` for an unknown id or a
     * language that the collection does not have.
     */
    removeList: ({ language, spokenTermsId }: TermListRef): Effect.Effect<void, GetError> =>
      api.removeList(
        Effect.as(Checks.checkText("language", language), { params: { spokenTermsId }, query: { language } })
      )
  }, {
    replaceList: { spokenTermsId: true, language: true, terms: true }
  })
})

/**
 * Manages collections of spoken terms.
 *
 * @category services
 * @since 0.3.0
 */
export class SpokenTerms extends Operations.service<SpokenTerms>()("@effect-lingua/voice/SpokenTerms", make) {
}

/**
 * Types, such as `SpokenTerms.CreateOptions`.
 *
 * @category models
 * @since 0.3.0
 */
export declare namespace SpokenTerms {
  export type { CreateOptions, MergeOptions, TermListOptions }
  export type { AnyError, CreateError, GetError, ListError, WriteError }
  export type { SpokenTermsCollection, SpokenTermsId, SpokenTermsRef, TermList, TermListRef }
}
