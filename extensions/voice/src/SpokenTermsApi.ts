/**
 * The contract of spoken terms: collections of terms for speech recognition, with a list for each language. Only for the paid tier's address and keys
 * without scopes.
 *
 * **Details**
 *
 * From the public description of the service, 3.12, beyond the specification. Response fields may be absent.
 *
 * @since 0.3.0
 */
import { LanguageCode } from "@effect-lingua/core/contract/Language"
import {
  body,
  Endpoint,
  Errors,
  Fields,
  form,
  listForm,
  Operation,
  struct,
  withStatus
} from "@effect-lingua/core/extension/Contract"
import * as Schema from "effect/Schema"

/**
 * The id of a collection of spoken terms, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SpokenTermsId = Schema.String.pipe(Schema.brand("SpokenTermsId"))

/**
 * The identifier of a collection of spoken terms.
 *
 * @category models
 * @since 0.1.0
 */
export type SpokenTermsId = typeof SpokenTermsId.Type

const wireNames = { language: "lang" } as const

/**
 * A language's list, without its terms. `language` is empty if the service does not send it.
 *
 * @category schemas
 * @since 0.3.0
 */
export class TermList extends body<TermList>()("TermList", {
  language: Fields.occasionalAs(LanguageCode, ""),
  entryCount: Fields.occasional(Schema.Int)
}, wireNames) {}

/**
 * A collection of spoken terms, without the terms. `name` is empty if the service does not send it, and `termLists` is absent if unreadable.
 *
 * @category schemas
 * @since 0.3.0
 */
export class SpokenTermsCollection extends body<SpokenTermsCollection>()("SpokenTermsCollection", {
  spokenTermsId: SpokenTermsId,
  name: Fields.occasionalAs(Schema.String, ""),
  termLists: Fields.contents(Schema.Array(TermList), []),
  creationTime: Fields.occasional(Schema.DateTimeUtcFromString)
}) {}

/**
 * All collections.
 *
 * @category schemas
 * @since 0.3.0
 */
export class SpokenTermsCollections extends body<SpokenTermsCollections>()("SpokenTermsCollections", {
  spokenTerms: Schema.Array(SpokenTermsCollection)
}) {}

/**
 * The terms of a language, one per line. `language` is empty if the service does not send it.
 *
 * @category schemas
 * @since 0.3.0
 */
export class TermListEntries extends body<TermListEntries>()("TermListEntries", {
  language: Fields.occasionalAs(LanguageCode, ""),
  entries: Schema.String
}, wireNames) {}

/**
 * The terms of a language in a request, one per line.
 *
 * @category schemas
 * @since 0.3.0
 */
export class NewTermList extends body<NewTermList>()("NewTermList", {
  language: LanguageCode,
  entries: Schema.String
}, wireNames) {}

const termLists = Schema.optionalKey(Schema.Array(NewTermList))

/**
 * The body that creates a collection.
 *
 * @category schemas
 * @since 0.3.0
 */
export class NewSpokenTerms extends body<NewSpokenTerms>()("NewSpokenTerms", { name: Schema.String, termLists }) {}

/**
 * The body that renames a collection, merges terms into its lists, or both.
 *
 * @category schemas
 * @since 0.3.0
 */
export class SpokenTermsPatch extends body<SpokenTermsPatch>()("SpokenTermsPatch", {
  name: Schema.optionalKey(Schema.String),
  termLists
}) {}

const ofCollection = struct({ spokenTermsId: SpokenTermsId })
const ofLanguage = struct({ language: LanguageCode }, wireNames)
const reading = [...Errors.common, Errors.notFound] as const
const writing = [...reading, Errors.unsupportedMediaType] as const

const operation = (repeat: Operation.RepeatKind, summary: string) =>
  Operation.annotations(repeat, summary, { tier: "paid" })

/**
 * `POST /v3/spoken-terms`: creates a collection. Names need not be unique.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const create = Endpoint.post("create", "/v3/spoken-terms", {
  payload: [NewSpokenTerms, form(listForm(NewSpokenTerms))],
  success: [withStatus(201, SpokenTermsCollection), SpokenTermsCollection],
  error: [...Errors.common, Errors.unsupportedMediaType, Errors.quotaExceeded]
}, operation("Create", "Create a collection of spoken terms"))

/**
 * `GET /v3/spoken-terms`: all collections.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const list = Endpoint.get(
  "list",
  "/v3/spoken-terms",
  { success: SpokenTermsCollections, error: Errors.common },
  operation("Read", "List the collections of spoken terms")
)

/**
 * `GET /v3/spoken-terms/{spoken_terms_id}`: one collection.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const get = Endpoint.get(
  "get",
  "/v3/spoken-terms/:spoken_terms_id",
  { params: ofCollection, success: SpokenTermsCollection, error: reading },
  operation("Read", "Get a collection of spoken terms")
)

/**
 * `PATCH /v3/spoken-terms/{spoken_terms_id}`: changes the name, or merges terms into the lists of their languages. A missing
 * list is created.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const merge = Endpoint.patch("merge", "/v3/spoken-terms/:spoken_terms_id", {
  params: ofCollection,
  payload: [SpokenTermsPatch, form(listForm(SpokenTermsPatch))],
  success: SpokenTermsCollection,
  error: writing
}, operation("Replace", "Rename a collection of spoken terms, or merge terms into its lists"))

/**
 * `DELETE /v3/spoken-terms/{spoken_terms_id}`: deletes a collection.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const remove = Endpoint.delete(
  "remove",
  "/v3/spoken-terms/:spoken_terms_id",
  { params: ofCollection, error: reading },
  operation("Replace", "Delete a collection of spoken terms")
)

/**
 * `GET /v3/spoken-terms/{spoken_terms_id}/entries`: the terms of a language.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const terms = Endpoint.get(
  "terms",
  "/v3/spoken-terms/:spoken_terms_id/entries",
  { params: ofCollection, query: ofLanguage, success: TermListEntries, error: reading },
  operation("Read", "Get the spoken terms of a language")
)

/**
 * `PUT /v3/spoken-terms/{spoken_terms_id}/term-lists`: replaces all terms of a language, or creates their list.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const replaceList = Endpoint.put("replaceList", "/v3/spoken-terms/:spoken_terms_id/term-lists", {
  params: ofCollection,
  payload: [NewTermList, form(NewTermList)],
  success: TermList,
  error: writing
}, operation("Replace", "Replace or create the spoken terms of a language"))

/**
 * `DELETE /v3/spoken-terms/{spoken_terms_id}/term-lists`: deletes the list of a language.
 *
 * @category endpoints
 * @since 0.3.0
 */
export const removeList = Endpoint.delete(
  "removeList",
  "/v3/spoken-terms/:spoken_terms_id/term-lists",
  { params: ofCollection, query: ofLanguage, error: reading },
  operation("Replace", "Delete the spoken terms of a language")
)

/**
 * The group of spoken terms.
 *
 * @category groups
 * @since 0.3.0
 */
export class SpokenTermsApi
  extends Endpoint.group("SpokenTerms", create, list, get, merge, remove, terms, replaceList, removeList)
{}
