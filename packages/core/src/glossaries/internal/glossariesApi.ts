/**
 * Glossary endpoints: API version 3 with several editable dictionaries per glossary, version 2 with one immutable dictionary.
 */
import * as Schema from "effect/Schema"
import { GlossaryId } from "../../contract/Ids.ts"
import { body, form, struct, text, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import { listForm } from "../../contract/internal/listForm.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { languageNames } from "../../contract/internal/textOptions.ts"
import { LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"

export type EntriesFormat = Fields.Open<"tsv" | "csv">

export const EntriesFormat = Fields.open<EntriesFormat>()

const pair = { sourceLanguage: LanguageCode, targetLanguage: LanguageCode }

/**
 * A dictionary of a glossary, without its entries.
 *
 * @category schemas
 * @since 0.1.0
 */
export class GlossaryDictionary extends body<GlossaryDictionary>()("GlossaryDictionary", {
  ...pair,
  entryCount: Fields.occasional(Schema.Int)
}, languageNames) {}

/**
 * A glossary, without entries. `name` is empty if absent from the response; `dictionaries` is absent if it cannot be decoded.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Glossary extends body<Glossary>()("Glossary", {
  glossaryId: GlossaryId,
  name: Fields.informativeAs(Schema.String, ""),
  dictionaries: Fields.contents(Schema.Array(GlossaryDictionary), []),
  creationTime: Fields.occasional(Schema.DateTimeUtcFromString)
}) {}

export class GlossaryList extends body<GlossaryList>()("GlossaryList", { glossaries: Schema.Array(Glossary) }) {}

export class DictionaryEntries extends body<DictionaryEntries>()("DictionaryEntries", {
  sourceLanguage: Fields.informative(LanguageCode),
  targetLanguage: Fields.informative(LanguageCode),
  entries: Schema.String,
  entriesFormat: Fields.occasional(EntriesFormat)
}, languageNames) {}

export class DictionaryEntriesList
  extends body<DictionaryEntriesList>()("DictionaryEntriesList", { dictionaries: Schema.Array(DictionaryEntries) })
{}

export class NewDictionary extends body<NewDictionary>()("NewDictionary", {
  ...pair,
  entries: Schema.String,
  entriesFormat: Schema.optionalKey(EntriesFormat)
}, languageNames) {}

export class NewGlossary
  extends body<NewGlossary>()("NewGlossary", { name: Schema.String, dictionaries: Schema.Array(NewDictionary) })
{}

export class GlossaryPatch extends body<GlossaryPatch>()("GlossaryPatch", {
  name: Schema.optionalKey(Schema.String),
  dictionaries: Schema.optionalKey(Schema.Array(NewDictionary))
}) {}

const ofGlossary = struct({ glossaryId: GlossaryId })
const ofPair = struct(pair, languageNames)
const path = "/v3/glossaries/:glossary_id"

const api = Endpoint.of({
  error: [...codecs.common, codecs.notFound, codecs.unsupportedMediaType, codecs.tooManyGlossaryRequests]
})

export class GlossariesApi extends Endpoint.group(
  "Glossaries",
  api.post("create", "/v3/glossaries", "Create a glossary", {
    payload: [NewGlossary, form(listForm(NewGlossary))],
    success: [withStatus(201, Glossary), Glossary]
  }),
  api.get("list", "/v3/glossaries", "List glossaries", { success: GlossaryList }),
  api.get("get", path, "Get a glossary", { params: ofGlossary, success: Glossary }),
  // The service accepts at most one dictionary per request.
  api.patch("merge", path, "Rename a glossary, or merge entries into one of its dictionaries", {
    params: ofGlossary,
    payload: [GlossaryPatch, form(listForm(GlossaryPatch))],
    success: Glossary
  }),
  api.delete("remove", path, "Delete a glossary", { params: ofGlossary }),
  api.get("entries", `${path}/entries`, "Get the entries of a dictionary", {
    params: ofGlossary,
    query: ofPair,
    success: Schema.Union([DictionaryEntriesList, DictionaryEntries])
  }),
  api.put("replaceDictionary", `${path}/dictionaries`, "Replace or create a dictionary of a glossary", {
    params: ofGlossary,
    payload: [NewDictionary, form(NewDictionary)],
    success: GlossaryDictionary
  }),
  api.delete("removeDictionary", `${path}/dictionaries`, "Delete a dictionary of a glossary", {
    params: ofGlossary,
    query: ofPair
  })
) {}

/**
 * A glossary of API version 2, without entries. Translations can use it once `ready` is true. A list can include version 3 glossaries, which may lack
 * the two languages. `name` is empty if absent from the response.
 *
 * @category schemas
 * @since 0.3.0
 */
export class GlossaryV2 extends body<GlossaryV2>()("GlossaryV2", {
  glossaryId: GlossaryId,
  name: Fields.informativeAs(Schema.String, ""),
  ready: Fields.occasionalAs(Schema.Boolean, true),
  sourceLanguage: Fields.occasional(LanguageCode),
  targetLanguage: Fields.occasional(LanguageCode),
  creationTime: Fields.occasional(Schema.DateTimeUtcFromString),
  entryCount: Fields.occasional(Schema.Int)
}, languageNames) {}

export class GlossaryV2List
  extends body<GlossaryV2List>()("GlossaryV2List", { glossaries: Schema.Array(GlossaryV2) })
{}

export class NewGlossaryV2 extends body<NewGlossaryV2>()("NewGlossaryV2", {
  name: Schema.String,
  ...pair,
  entries: Schema.String,
  entriesFormat: EntriesFormat
}, languageNames) {}

const pathV2 = "/v2/glossaries/:glossary_id"

export class GlossariesV2Api extends Endpoint.group(
  "GlossariesV2",
  api.post("create", "/v2/glossaries", "Create a glossary (version 2)", {
    payload: [NewGlossaryV2, form(NewGlossaryV2)],
    success: [withStatus(201, GlossaryV2), GlossaryV2]
  }),
  api.get("list", "/v2/glossaries", "List glossaries (version 2)", { success: GlossaryV2List }),
  api.get("get", pathV2, "Get a glossary (version 2)", { params: ofGlossary, success: GlossaryV2 }),
  api.get("entries", `${pathV2}/entries`, "Get the entries of a glossary (version 2)", {
    params: ofGlossary,
    success: text("text/tab-separated-values; charset=utf-8")
  }),
  api.delete("remove", pathV2, "Delete a glossary (version 2)", { params: ofGlossary })
) {}
