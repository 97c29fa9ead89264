/**
 * The contract of style rule lists. Paid tier only.
 *
 * @since 0.1.0
 */
import { identity } from "effect/Function"
import { isNotNull } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { InstructionId, StyleId } from "../contract/Ids.ts"
import { body, struct, withStatus } from "../contract/internal/body.ts"
import * as Endpoint from "../contract/internal/endpoint.ts"
import { contents, informative, informativeAs, occasional } from "../contract/internal/schema.ts"
import { LanguageCode, StyleRuleLanguage } from "../contract/Language.ts"
import * as Operation from "../contract/Operation.ts"
import * as codecs from "../errors/internal/codecs.ts"
import { ConfiguredRules } from "./ConfiguredRules.ts"

export { InstructionId, StyleId } from "../contract/Ids.ts"

/**
 * A custom instruction of a style rule list. Only the id is always present: `label` and `prompt` are empty where the service
 * does not send them.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomInstruction extends body<CustomInstruction>()("CustomInstruction", {
  instructionId: InstructionId,
  label: informativeAs(Schema.String, ""),
  prompt: informativeAs(Schema.String, ""),
  sourceLanguage: occasional(LanguageCode)
}, { instructionId: "id" }) {}

/**
 * A new custom instruction: `label` of at most 100 and `prompt` of at most 300 characters.
 *
 * @category schemas
 * @since 0.1.0
 */
export class NewInstruction extends body<NewInstruction>()("NewInstruction", {
  label: Schema.String,
  prompt: Schema.String,
  sourceLanguage: Schema.optionalKey(LanguageCode)
}) {}

/**
 * The body that replaces a custom instruction: all fields are required.
 *
 * @category schemas
 * @since 0.1.0
 */
export class InstructionReplacement extends body<InstructionReplacement>()("InstructionReplacement", {
  label: Schema.String,
  prompt: Schema.String,
  sourceLanguage: LanguageCode
}) {}

const summaryFields = {
  styleId: StyleId,
  name: informativeAs(Schema.String, ""),
  creationTime: informative(Schema.DateTimeUtcFromString),
  updatedTime: informative(Schema.DateTimeUtcFromString),
  language: informative(StyleRuleLanguage),
  version: informative(Schema.Int)
}

type Sent<A> = Readonly<Record<string, A | null>>

/** A rule or a category that is `null` is off. */
const SentRules = Schema.Record(
  Schema.String,
  Schema.NullOr(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))
)
  .pipe(
    Schema.decodeTo(
      Schema.toType(ConfiguredRules),
      SchemaTransformation.transform<ConfiguredRules, Sent<Sent<string>>>({
        decode: (sent) => Record.map(Record.filter(sent, isNotNull), Record.filter(isNotNull)),
        encode: identity
      })
    )
  )

/**
 * A style rule list. `version` starts at 1 and grows with each modification.
 *
 * **Details**
 *
 * Only the id is always present: `name` is empty and the other fields are absent where the service does not send them. Rules
 * and instructions are absent if their value is unreadable, so that sending a list back loses nothing.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StyleRuleList extends body<StyleRuleList>()("StyleRuleList", {
  ...summaryFields,
  configuredRules: contents(SentRules, {}),
  customInstructions: contents(Schema.Array(CustomInstruction), [])
}) {}

/**
 * A style rule list in a page of lists. Rules and instructions are present only in a page requested with `detailed`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StyleRuleListEntry extends body<StyleRuleListEntry>()("StyleRuleListEntry", {
  ...summaryFields,
  configuredRules: occasional(SentRules),
  customInstructions: occasional(Schema.Array(CustomInstruction))
}) {}

/**
 * A page of style rule lists.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StyleRuleListPage
  extends body<StyleRuleListPage>()("StyleRuleListPage", { styleRules: Schema.Array(StyleRuleListEntry) })
{}

/**
 * The body that creates a style rule list.
 *
 * @category schemas
 * @since 0.1.0
 */
export class NewStyleRuleList extends body<NewStyleRuleList>()("NewStyleRuleList", {
  name: Schema.String,
  language: StyleRuleLanguage,
  configuredRules: Schema.optionalKey(ConfiguredRules),
  customInstructions: Schema.optionalKey(Schema.Array(NewInstruction))
}) {}

/**
 * The body that renames a style rule list.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StyleRuleListPatch
  extends body<StyleRuleListPatch>()("StyleRuleListPatch", { name: Schema.optionalKey(Schema.String) })
{}

const errors = codecs.common
const Added = Schema.Union([CustomInstruction, StyleRuleList])
const itemErrors = [...codecs.common, codecs.notFound] as const
const ofList = struct({ styleId: StyleId })
const ofInstruction = struct({ styleId: StyleId, instructionId: InstructionId })
const operation = (repeat: Operation.RepeatKind, summary: string) =>
  Operation.annotations(repeat, summary, { tier: "paid" })

/**
 * `POST /v3/style_rules`: creates a list.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const create = Endpoint.post("create", "/v3/style_rules", {
  payload: NewStyleRuleList,
  success: [withStatus(201, StyleRuleList), StyleRuleList],
  error: [...errors, codecs.quotaExceeded]
}, operation("Create", "Create a style rule list"))

/**
 * `GET /v3/style_rules`: a page of lists. Pages count from 0 and hold 1 to 25 lists, 10 by default.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const listPage = Endpoint.get("listPage", "/v3/style_rules", {
  query: struct({
    page: Schema.optionalKey(Schema.Int),
    pageSize: Schema.optionalKey(Schema.Int),
    detailed: Schema.optionalKey(Schema.Boolean)
  }),
  success: StyleRuleListPage,
  error: errors
}, operation("Read", "List style rule lists"))

/**
 * `GET /v3/style_rules/{style_id}`: one list.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const get = Endpoint.get("get", "/v3/style_rules/:style_id", {
  params: ofList,
  success: StyleRuleList,
  error: itemErrors
}, operation("Read", "Get a style rule list"))

/**
 * `PATCH /v3/style_rules/{style_id}`: changes the name.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const rename = Endpoint.patch("rename", "/v3/style_rules/:style_id", {
  params: ofList,
  payload: StyleRuleListPatch,
  success: StyleRuleList,
  error: [...itemErrors, codecs.quotaExceeded]
}, operation("Replace", "Rename a style rule list"))

/**
 * `DELETE /v3/style_rules/{style_id}`: deletes a list; it cannot be undone.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const remove = Endpoint.delete("remove", "/v3/style_rules/:style_id", {
  params: ofList,
  error: itemErrors
}, operation("Replace", "Delete a style rule list"))

/**
 * `PUT /v3/style_rules/{style_id}/configured_rules`: replaces all configured rules; `{}` clears them. Instructions stay.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const replaceConfiguredRules = Endpoint.put(
  "replaceConfiguredRules",
  "/v3/style_rules/:style_id/configured_rules",
  { params: ofList, payload: ConfiguredRules, success: StyleRuleList, error: itemErrors },
  operation("Replace", "Replace the configured rules of a list")
)

/**
 * `POST /v3/style_rules/{style_id}/custom_instructions`: adds an instruction. The service responds with the instruction or with
 * the whole list, whose last instruction is the new one.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const addInstruction = Endpoint.post(
  "addInstruction",
  "/v3/style_rules/:style_id/custom_instructions",
  {
    params: ofList,
    payload: NewInstruction,
    success: [withStatus(201, Added), Added],
    error: [...itemErrors, codecs.quotaExceeded]
  },
  operation("Create", "Add a custom instruction to a list")
)

/**
 * `GET /v3/style_rules/{style_id}/custom_instructions/{instruction_id}`: one instruction.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const getInstruction = Endpoint.get(
  "getInstruction",
  "/v3/style_rules/:style_id/custom_instructions/:instruction_id",
  { params: ofInstruction, success: CustomInstruction, error: itemErrors },
  operation("Read", "Get a custom instruction")
)

/**
 * `PUT /v3/style_rules/{style_id}/custom_instructions/{instruction_id}`: replaces an instruction in its place.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const replaceInstruction = Endpoint.put(
  "replaceInstruction",
  "/v3/style_rules/:style_id/custom_instructions/:instruction_id",
  { params: ofInstruction, payload: InstructionReplacement, success: CustomInstruction, error: itemErrors },
  operation("Replace", "Replace a custom instruction")
)

/**
 * `DELETE /v3/style_rules/{style_id}/custom_instructions/{instruction_id}`: removes an instruction.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const removeInstruction = Endpoint.delete(
  "removeInstruction",
  "/v3/style_rules/:style_id/custom_instructions/:instruction_id",
  { params: ofInstruction, error: itemErrors },
  operation("Replace", "Remove a custom instruction")
)

/**
 * The group of style rule lists.
 *
 * @category groups
 * @since 0.1.0
 */
export class StyleRulesApi extends Endpoint.group(
  "StyleRules",
  create,
  listPage,
  get,
  rename,
  remove,
  replaceConfiguredRules,
  addInstruction,
  getInstruction,
  replaceInstruction,
  removeInstruction
) {}
