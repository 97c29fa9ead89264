/** The administration endpoints, which need an admin key. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { KeyId } from "../../contract/Ids.ts"
import { body, struct } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import * as codecs from "../../errors/internal/codecs.ts"

/**
 * A developer key's limit: a number, or `"unlimited"`. 0 blocks the key.
 *
 * @category models
 * @since 0.1.0
 */
export type KeyLimit = number | "unlimited"

/**
 * On the wire a number, or `null` for no limit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const KeyLimit = Schema.NullOr(Schema.Int).pipe(
  Schema.decodeTo(
    Schema.Union([Schema.Int, Schema.Literal("unlimited")]),
    SchemaTransformation.transform<KeyLimit, number | null>({
      decode: (sent) => sent ?? "unlimited",
      encode: (limit) => limit === "unlimited" ? null : limit
    })
  )
)

const limitsOf = <S extends Schema.ConstraintCodec<unknown, unknown>>(limit: S) => ({
  characters: limit,
  speechToTextMilliseconds: limit,
  speechToSpeechMilliseconds: limit
})

/**
 * A key's usage limits in each billing period.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyLimits extends body<KeyLimits>()("KeyLimits", limitsOf(Fields.occasional(KeyLimit))) {}

const keyFields = {
  keyId: KeyId,
  label: Fields.occasional(Schema.String),
  creationTime: Fields.occasional(Schema.DateTimeUtcFromString),
  deactivatedTime: Fields.occasional(Schema.DateTimeUtcFromString),
  isDeactivated: Fields.occasional(Schema.Boolean),
  usageLimits: Fields.occasionalAs(KeyLimits, {})
}

/**
 * A developer key, active or not.
 *
 * @category schemas
 * @since 0.1.0
 */
export class DeveloperKey extends body<DeveloperKey>()("DeveloperKey", keyFields) {}

/**
 * `secret` is the new key itself.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CreatedKey extends body<CreatedKey>()("CreatedKey", {
  ...keyFields,
  secret: Fields.occasional(Schema.RedactedFromValue(Schema.String))
}, { secret: "api_key" }) {}

export class NewKey extends body<NewKey>()("NewKey", { label: Schema.optionalKey(Schema.String) }) {}

export class KeyDeactivation extends body<KeyDeactivation>()("KeyDeactivation", { keyId: KeyId }) {}

export class KeyLabel extends body<KeyLabel>()("KeyLabel", { keyId: KeyId, label: Schema.String }) {}

export class KeyLimitation extends body<KeyLimitation>()("KeyLimitation", {
  keyId: KeyId,
  ...limitsOf(Schema.optionalKey(KeyLimit))
}) {}

/**
 * Divides a usage report per key, or per key and day.
 *
 * @category models
 * @since 0.1.0
 */
export type GroupBy = Fields.Open<"key" | "key_and_day">

export const GroupBy = Fields.open<GroupBy>()

/**
 * Divides a custom tag report per tag (`period`), or per tag and day (`day`).
 *
 * @category models
 * @since 0.1.0
 */
export type AggregateBy = Fields.Open<"period" | "day">

export const AggregateBy = Fields.open<AggregateBy>()

/**
 * A count is absent if the service does not send it.
 *
 * @category schemas
 * @since 0.1.0
 */
export class UsageCounts extends body<UsageCounts>()("UsageCounts", {
  totalCharacters: Fields.occasional(Schema.Int),
  textTranslationCharacters: Fields.occasional(Schema.Int),
  documentTranslationCharacters: Fields.occasional(Schema.Int),
  textImprovementCharacters: Fields.occasional(Schema.Int),
  speechToTextMinutes: Fields.occasional(Schema.Finite),
  speechToSpeechMinutes: Fields.occasional(Schema.Finite)
}) {}

const usageFields = {
  apiKey: Fields.occasional(Schema.String),
  apiKeyLabel: Fields.occasional(Schema.String),
  usage: Fields.occasionalAs(UsageCounts, {})
}

/**
 * The usage of one key. The service masks `apiKey`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyUsage extends body<KeyUsage>()("KeyUsage", usageFields) {}

/**
 * The usage of one key on one day in UTC.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyAndDayUsage extends body<KeyAndDayUsage>()("KeyAndDayUsage", {
  ...usageFields,
  usageDate: Fields.occasional(Schema.DateTimeUtcFromString)
}) {}

/**
 * An account's usage in a time range. Times without a zone are UTC.
 *
 * @category schemas
 * @since 0.1.0
 */
export class UsageReport extends body<UsageReport>()("UsageReport", {
  startDate: Fields.occasional(Schema.DateTimeUtcFromString),
  endDate: Fields.occasional(Schema.DateTimeUtcFromString),
  groupBy: Fields.occasional(GroupBy),
  totalUsage: Fields.occasionalAs(UsageCounts, {}),
  keyUsages: Fields.absentAs(Schema.Array(KeyUsage), []),
  keyAndDayUsages: Fields.absentAs(Schema.Array(KeyAndDayUsage), [])
}) {}

export class UsageReportAnswer extends body<UsageReportAnswer>()("UsageReportAnswer", { usageReport: UsageReport }) {}

/**
 * The usage of translations with one tag, in total or on the day `usageDate`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomTagUsage extends body<CustomTagUsage>()("CustomTagUsage", {
  customTag: Fields.occasional(Schema.String),
  usageDate: Fields.occasional(Schema.DateTimeUtcFromString),
  breakdown: Fields.occasionalAs(UsageCounts, {})
}) {}

/**
 * One page of a custom tag report. `nextPage` is absent on the last page.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomTagUsagePage extends body<CustomTagUsagePage>()("CustomTagUsagePage", {
  startDate: Fields.occasional(Schema.DateTimeUtcFromString),
  endDate: Fields.occasional(Schema.DateTimeUtcFromString),
  aggregateBy: Fields.occasional(AggregateBy),
  nextPage: Fields.absent(Schema.Int),
  usage: Fields.absentAs(Schema.Array(CustomTagUsage), [])
}) {}

export class CustomTagUsageAnswer
  extends body<CustomTagUsageAnswer>()("CustomTagUsageAnswer", { customTagUsageReport: CustomTagUsagePage })
{}

const range = { startDate: Schema.String, endDate: Schema.String }

const keys = "/v2/admin/developer-keys"
const changing = <S extends Schema.Top>(payload: S) => ({ payload, success: DeveloperKey })
const api = Endpoint.of({ key: "admin", error: [...codecs.common, codecs.notFound] })

export class AdminApi extends Endpoint.group(
  "Admin",
  api.post("createKey", keys, "Create a developer key", { payload: NewKey, success: CreatedKey }),
  api.get("listKeys", keys, "List developer keys", { success: Schema.Array(DeveloperKey) }),
  api.put("deactivateKey", `${keys}/deactivate`, "Deactivate a developer key", changing(KeyDeactivation)),
  api.put("setKeyLabel", `${keys}/label`, "Label a developer key", changing(KeyLabel)),
  api.put("setKeyLimits", `${keys}/limits`, "Limit the usage of a developer key", changing(KeyLimitation)),
  api.get("analytics", "/v2/admin/analytics", "Get the usage in a range of time", {
    query: struct({ ...range, groupBy: Schema.optionalKey(GroupBy) }),
    success: UsageReportAnswer
  }),
  api.get("listCustomTagUsagePage", "/v2/admin/analytics/custom-tags", "Get the usage of tagged translations", {
    query: struct({ ...range, aggregateBy: Schema.optionalKey(AggregateBy), page: Schema.optionalKey(Schema.Int) }),
    success: CustomTagUsageAnswer
  })
) {}
