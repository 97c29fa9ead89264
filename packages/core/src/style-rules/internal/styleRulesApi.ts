/** The style rule endpoints (paid tier). */
import { isNotNull } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { InstructionId, StyleId } from "../../contract/Ids.ts"
import { body, struct, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import type { Optional } from "../../contract/internal/values.ts"
import { LanguageCode, StyleRuleLanguage } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"
import { ConfiguredRules } from "../ConfiguredRules.ts"

/**
 * A custom instruction of a style rule list.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomInstruction extends body<CustomInstruction>()("CustomInstruction", {
  instructionId: InstructionId,
  label: Fields.informativeAs(Schema.String, ""),
  prompt: Fields.informativeAs(Schema.String, ""),
  sourceLanguage: Fields.occasional(LanguageCode)
}, { instructionId: "id" }) {}

const texts = { label: Schema.String, prompt: Schema.String }

export class NewInstruction
  extends body<NewInstruction>()("NewInstruction", { ...texts, sourceLanguage: Schema.optionalKey(LanguageCode) })
{}

/**
 * A new instruction: `label` of at most 100 and `prompt` of at most 300 characters.
 *
 * @category options
 * @since 0.1.0
 */
export interface InstructionOptions extends Optional<NewInstruction> {}

export class InstructionReplacement
  extends body<InstructionReplacement>()("InstructionReplacement", { ...texts, sourceLanguage: LanguageCode })
{}

const summaryFields = {
  styleId: StyleId,
  name: Fields.informativeAs(Schema.String, ""),
  creationTime: Fields.informative(Schema.DateTimeUtcFromString),
  updatedTime: Fields.informative(Schema.DateTimeUtcFromString),
  language: Fields.informative(StyleRuleLanguage),
  version: Fields.informative(Schema.Int)
}

const sentRecord = <S extends Schema.Constraint>(value: S) => Schema.Record(Schema.String, Schema.NullOr(value))

/** A `null` rule or category counts as inactive. */
const SentRules = sentRecord(sentRecord(Schema.String)).pipe(
  Schema.decodeTo(
    Schema.toType(ConfiguredRules),
    Fields.onDecode((sent) => Record.map(Record.filter(sent, isNotNull), Record.filter(isNotNull)))
  )
)

/**
 * A style rule list. `version` starts at 1 and grows with each change. `name` is empty and other fields are absent if the service does not send them.
 * If rules or instructions are partly unreadable, the whole field is absent: sending the list back deletes nothing.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StyleRuleList extends body<StyleRuleList>()("StyleRuleList", {
  ...summaryFields,
  configuredRules: Fields.contents(SentRules, {}),
  customInstructions: Fields.contents(Schema.Array(CustomInstruction), [])
}) {}

/**
 * A style rule list in a page of lists. Rules and instructions are present only with `detailed`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StyleRuleListEntry extends body<StyleRuleListEntry>()("StyleRuleListEntry", {
  ...summaryFields,
  configuredRules: Fields.occasional(SentRules),
  customInstructions: Fields.occasional(Schema.Array(CustomInstruction))
}) {}

export class StyleRuleListPage
  extends body<StyleRuleListPage>()("StyleRuleListPage", { styleRules: Schema.Array(StyleRuleListEntry) })
{}

/**
 * A new list; name and language are required.
 *
 * @category options
 * @since 0.1.0
 */
export interface CreateOptions {
  /** At most 1024 characters, not necessarily unique. */
  readonly name: string
  /** The target language, without a region: applies to all variants. */
  readonly language: StyleRuleLanguage
  readonly configuredRules?: ConfiguredRules | undefined
  /** At most 200 instructions. */
  readonly customInstructions?: ReadonlyArray<InstructionOptions> | undefined
}

export class NewStyleRuleList extends body<NewStyleRuleList>()("NewStyleRuleList", {
  name: Schema.String,
  language: StyleRuleLanguage,
  configuredRules: Schema.optionalKey(ConfiguredRules),
  customInstructions: Schema.optionalKey(Schema.Array(NewInstruction))
}) {}

export class StyleRuleListPatch
  extends body<StyleRuleListPatch>()("StyleRuleListPatch", { name: Schema.optionalKey(Schema.String) })
{}

const Added = Schema.Union([CustomInstruction, StyleRuleList])
const ofList = struct({ styleId: StyleId })
const ofInstruction = struct({ styleId: StyleId, instructionId: InstructionId })
const listPath = "/v3/style_rules/:style_id"
const instructionPath = `${listPath}/custom_instructions/:instruction_id` as const

const api = Endpoint.of({ tier: "paid", error: codecs.common })
const item = Endpoint.of({ tier: "paid", error: [...codecs.common, codecs.notFound] })

export class StyleRulesApi extends Endpoint.group(
  "StyleRules",
  api.post("create", "/v3/style_rules", "Create a style rule list", {
    payload: NewStyleRuleList,
    success: [withStatus(201, StyleRuleList), StyleRuleList],
    error: [codecs.quotaExceeded]
  }),
  api.get("listPage", "/v3/style_rules", "List style rule lists", {
    query: struct({
      page: Schema.optionalKey(Schema.Int),
      pageSize: Schema.optionalKey(Schema.Int),
      detailed: Schema.optionalKey(Schema.Boolean)
    }),
    success: StyleRuleListPage
  }),
  item.get("get", listPath, "Get a style rule list", { params: ofList, success: StyleRuleList }),
  item.patch("rename", listPath, "Rename a style rule list", {
    params: ofList,
    payload: StyleRuleListPatch,
    success: StyleRuleList,
    error: [codecs.quotaExceeded]
  }),
  item.delete("remove", listPath, "Delete a style rule list", { params: ofList }),
  item.put("replaceConfiguredRules", `${listPath}/configured_rules`, "Replace the configured rules of a list", {
    params: ofList,
    payload: ConfiguredRules,
    success: StyleRuleList
  }),
  // The service responds with the instruction, or with a list that ends with the instruction.
  item.post("addInstruction", `${listPath}/custom_instructions`, "Add a custom instruction to a list", {
    params: ofList,
    payload: NewInstruction,
    success: [withStatus(201, Added), Added],
    error: [codecs.quotaExceeded]
  }),
  item.get("getInstruction", instructionPath, "Get a custom instruction", {
    params: ofInstruction,
    success: CustomInstruction
  }),
  item.put("replaceInstruction", instructionPath, "Replace a custom instruction", {
    params: ofInstruction,
    payload: InstructionReplacement,
    success: CustomInstruction
  }),
  item.delete("removeInstruction", instructionPath, "Remove a custom instruction", { params: ofInstruction })
) {}
