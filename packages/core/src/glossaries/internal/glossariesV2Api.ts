/** The contract of glossaries, version 2: one immutable dictionary each. */
import * as Schema from "effect/Schema"
import { GlossaryId } from "../../contract/Ids.ts"
import { body, form, text, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Operation from "../../contract/internal/operation.ts"
import { informativeAs, occasional, occasionalAs } from "../../contract/internal/schema.ts"
import { LanguageCode } from "../../contract/Language.ts"
import { EntriesFormat, errors, ofGlossary, pairNames } from "./glossariesApi.ts"

/**
 * A glossary, without its entries, for translations once it is `ready`. A list can include glossaries of version 3, with other languages. `name` is
 * empty if absent from the response.
 *
 * @category schemas
 * @since 0.3.0
 */
export class GlossaryV2 extends body<GlossaryV2>()("GlossaryV2", {
  glossaryId: GlossaryId,
  name: informativeAs(Schema.String, ""),
  ready: occasionalAs(Schema.Boolean, true),
  sourceLanguage: occasional(LanguageCode),
  targetLanguage: occasional(LanguageCode),
  creationTime: occasional(Schema.DateTimeUtcFromString),
  entryCount: occasional(Schema.Int)
}, pairNames) {}

export class GlossaryV2List
  extends body<GlossaryV2List>()("GlossaryV2List", { glossaries: Schema.Array(GlossaryV2) })
{}

export class NewGlossaryV2 extends body<NewGlossaryV2>()("NewGlossaryV2", {
  name: Schema.String,
  sourceLanguage: LanguageCode,
  targetLanguage: LanguageCode,
  entries: Schema.String,
  entriesFormat: EntriesFormat
}, pairNames) {}

export const create = Endpoint.post("create", "/v2/glossaries", {
  payload: [NewGlossaryV2, form(NewGlossaryV2)],
  success: [withStatus(201, GlossaryV2), GlossaryV2],
  error: errors
}, Operation.annotations("Create", "Create a glossary (version 2)"))

export const list = Endpoint.get(
  "list",
  "/v2/glossaries",
  { success: GlossaryV2List, error: errors },
  Operation.annotations("Read", "List glossaries (version 2)")
)

export const get = Endpoint.get("get", "/v2/glossaries/:glossary_id", {
  params: ofGlossary,
  success: GlossaryV2,
  error: errors
}, Operation.annotations("Read", "Get a glossary (version 2)"))

export const entries = Endpoint.get("entries", "/v2/glossaries/:glossary_id/entries", {
  params: ofGlossary,
  success: text("text/tab-separated-values; charset=utf-8"),
  error: errors
}, Operation.annotations("Read", "Get the entries of a glossary (version 2)"))

export const remove = Endpoint.delete("remove", "/v2/glossaries/:glossary_id", {
  params: ofGlossary,
  error: errors
}, Operation.annotations("Replace", "Delete a glossary (version 2)"))

export class GlossariesV2Api extends Endpoint.group("GlossariesV2", create, list, get, entries, remove) {}
