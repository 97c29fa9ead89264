/**
 * The contract of spoken terms: collections of terms for speech recognition, with one list per language. Requires the paid tier's address and a key
 * without scopes.
 *
 * **Details**
 *
 * Source: the service's public description, version 3.12; not in the specification. Response fields may be absent.
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
 * Identifies a collection of spoken terms.
 *
 * @category models
 * @since 0.1.0
 */
export type SpokenTermsId = typeof SpokenTermsId.Type

const wireNames = { language: "lang" } as const

/**
 * The language and size of a term list. `language` is empty if the service does not send it.
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
 * All collections of spoken terms.
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
 * The request body that creates a collection of spoken terms.
 *
 * @category schemas
 * @since 0.3.0
 */
export class NewSpokenTerms extends body<NewSpokenTerms>()("NewSpokenTerms", { name: Schema.String, termLists }) {}

/**
 * The request body that renames a collection of spoken terms, adds terms, or both.
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
const collections = "/v3/spoken-terms"
const collectionPath = `${collections}/:spoken_terms_id` as const

const api = Endpoint.of({ tier: "paid", error: Errors.common })
const item = Endpoint.of({ tier: "paid", error: [...Errors.common, Errors.notFound] })

/**
 * The endpoints of spoken terms. `merge` adds terms to lists, `replaceList` replaces a list.
 *
 * @category groups
 * @since 0.3.0
 */
export class SpokenTermsApi extends Endpoint.group(
  "SpokenTerms",
  api.post("create", collections, "Create a collection of spoken terms", {
    payload: [NewSpokenTerms, form(listForm(NewSpokenTerms))],
    success: [withStatus(201, SpokenTermsCollection), SpokenTermsCollection],
    error: [Errors.unsupportedMediaType, Errors.quotaExceeded]
  }),
  api.get("list", collections, "List the collections of spoken terms", { success: SpokenTermsCollections }),
  item.get("get", collectionPath, "Get a collection of spoken terms", {
    params: ofCollection,
    success: SpokenTermsCollection
  }),
  item.patch("merge", collectionPath, "Rename a collection of spoken terms, or merge terms into its lists", {
    params: ofCollection,
    payload: [SpokenTermsPatch, form(listForm(SpokenTermsPatch))],
    success: SpokenTermsCollection,
    error: [Errors.unsupportedMediaType]
  }),
  item.delete("remove", collectionPath, "Delete a collection of spoken terms", { params: ofCollection }),
  item.get("terms", `${collectionPath}/entries`, "Get the spoken terms of a language", {
    params: ofCollection,
    query: ofLanguage,
    success: TermListEntries
  }),
  item.put("replaceList", `${collectionPath}/term-lists`, "Replace or create the spoken terms of a language", {
    params: ofCollection,
    payload: [NewTermList, form(NewTermList)],
    success: TermList,
    error: [Errors.unsupportedMediaType]
  }),
  item.delete("removeList", `${collectionPath}/term-lists`, "Delete the spoken terms of a language", {
    params: ofCollection,
    query: ofLanguage
  })
) {}
