/**
 * The contract of administration: the developer keys of an account, and what they have used up. It needs an admin key. All of
 * it is described publicly, not by the specification.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { KeyId } from "../client/Ids.ts"
import { body, struct } from "../client/internal/body.ts"
import { group } from "../client/internal/group.ts"
import { absent, absentAs, occasional, occasionalAs, type Open, open } from "../client/internal/schema.ts"
import * as Operation from "../client/Operation.ts"
import { codecs } from "../client/ServiceError.ts"

export { KeyId } from "../client/Ids.ts"

/**
 * What a key may use up: a number, of which 0 blocks the key, or a word that no arithmetic takes for one.
 *
 * @category models
 * @since 0.1.0
 */
export type KeyLimit = number | "unlimited"

/**
 * Schema of a {@link KeyLimit}: on the wire a number, or `null` for no limit.
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

const limitFields = {
  characters: Schema.optionalKey(KeyLimit),
  speechToTextMilliseconds: Schema.optionalKey(KeyLimit)
}

const toldLimitFields = {
  characters: occasional(KeyLimit),
  speechToTextMilliseconds: occasional(KeyLimit)
}

/**
 * What a key may use up in a period. What was not told is absent.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyLimits extends body<KeyLimits>()("KeyLimits", toldLimitFields) {}

const keyFields = {
  keyId: KeyId,
  label: occasional(Schema.String),
  creationTime: occasional(Schema.DateTimeUtcFromString),
  deactivatedTime: occasional(Schema.DateTimeUtcFromString),
  isDeactivated: occasional(Schema.Boolean),
  usageLimits: occasionalAs(KeyLimits, {})
}

/**
 * A developer key, active or not.
 *
 * @category schemas
 * @since 0.1.0
 */
export class DeveloperKey extends body<DeveloperKey>()("DeveloperKey", keyFields) {}

/**
 * A developer key as it is when it was made. `secret` is the key itself, which calls are made with; whether the service tells it
 * here is not known, so it can be absent (reference D43). It is `Redacted` from the wire to the caller.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CreatedKey extends body<CreatedKey>()("CreatedKey", {
  ...keyFields,
  secret: occasional(Schema.RedactedFromValue(Schema.String))
}, { secret: "api_key" }) {}

/**
 * The body that makes a key.
 *
 * @category schemas
 * @since 0.1.0
 */
export class NewKey extends body<NewKey>()("NewKey", { label: Schema.optionalKey(Schema.String) }) {}

/**
 * The body that deactivates a key.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyDeactivation extends body<KeyDeactivation>()("KeyDeactivation", { keyId: KeyId }) {}

/**
 * The body that labels a key.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyLabel extends body<KeyLabel>()("KeyLabel", { keyId: KeyId, label: Schema.String }) {}

/**
 * The body that limits a key.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyLimitation extends body<KeyLimitation>()("KeyLimitation", { keyId: KeyId, ...limitFields }) {}

/**
 * What a report of usage is divided by.
 *
 * @category models
 * @since 0.1.0
 */
export type GroupBy = Open<"key" | "key_and_day">

/**
 * Schema of a {@link GroupBy}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const GroupBy = open<GroupBy>()

/**
 * Whether a report of tags has one entry for a tag, or one for each of its days.
 *
 * @category models
 * @since 0.1.0
 */
export type AggregateBy = Open<"period" | "day">

/**
 * Schema of an {@link AggregateBy}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AggregateBy = open<AggregateBy>()

/**
 * What was used up. What was not told is absent.
 *
 * @category schemas
 * @since 0.1.0
 */
export class UsageCounts extends body<UsageCounts>()("UsageCounts", {
  totalCharacters: occasional(Schema.Int),
  textTranslationCharacters: occasional(Schema.Int),
  documentTranslationCharacters: occasional(Schema.Int),
  textImprovementCharacters: occasional(Schema.Int),
  speechToTextMinutes: occasional(Schema.Finite)
}) {}

const usageFields = {
  apiKey: occasional(Schema.String),
  apiKeyLabel: occasional(Schema.String),
  usage: occasionalAs(UsageCounts, {})
}

/**
 * What one key has used up. `apiKey` is masked by the service, so that it may be shown.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyUsage extends body<KeyUsage>()("KeyUsage", usageFields) {}

/**
 * What one key has used up on one day, a day of UTC.
 *
 * @category schemas
 * @since 0.1.0
 */
export class KeyAndDayUsage extends body<KeyAndDayUsage>()("KeyAndDayUsage", {
  ...usageFields,
  usageDate: occasional(Schema.DateTimeUtcFromString)
}) {}

/**
 * What an account has used up in a range of time. Times without a zone are UTC.
 *
 * @category schemas
 * @since 0.1.0
 */
export class UsageReport extends body<UsageReport>()("UsageReport", {
  startDate: occasional(Schema.DateTimeUtcFromString),
  endDate: occasional(Schema.DateTimeUtcFromString),
  groupBy: occasional(GroupBy),
  totalUsage: occasionalAs(UsageCounts, {}),
  keyUsages: absentAs(Schema.Array(KeyUsage), []),
  keyAndDayUsages: absentAs(Schema.Array(KeyAndDayUsage), [])
}) {}

/**
 * The answer with a {@link UsageReport}.
 *
 * @category schemas
 * @since 0.1.0
 */
export class UsageReportAnswer extends body<UsageReportAnswer>()("UsageReportAnswer", { usageReport: UsageReport }) {}

/**
 * What the translations with one tag have used up, in the whole range or, with `usageDate`, on one day.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomTagUsage extends body<CustomTagUsage>()("CustomTagUsage", {
  customTag: occasional(Schema.String),
  usageDate: occasional(Schema.DateTimeUtcFromString),
  breakdown: occasionalAs(UsageCounts, {})
}) {}

/**
 * One page of the usage by tags. `nextPage` is absent at the end.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomTagUsagePage extends body<CustomTagUsagePage>()("CustomTagUsagePage", {
  startDate: occasional(Schema.DateTimeUtcFromString),
  endDate: occasional(Schema.DateTimeUtcFromString),
  aggregateBy: occasional(AggregateBy),
  nextPage: absent(Schema.Int),
  usage: absentAs(Schema.Array(CustomTagUsage), [])
}) {}

/**
 * The answer with a {@link CustomTagUsagePage}.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CustomTagUsageAnswer
  extends body<CustomTagUsageAnswer>()("CustomTagUsageAnswer", { customTagUsageReport: CustomTagUsagePage })
{}

const errors = [...codecs.common, codecs.notFound] as const

const range = { startDate: Schema.String, endDate: Schema.String }

/**
 * `POST /v2/admin/developer-keys`: makes a key, another one each time. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createKey = HttpApiEndpoint.post("createKey", "/v2/admin/developer-keys", {
  payload: NewKey,
  success: CreatedKey,
  error: errors
}).annotateMerge(Operation.annotations("Create", "Create a developer key"))

/**
 * `GET /v2/admin/developer-keys`: all keys, those that are deactivated too. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const listKeys = HttpApiEndpoint.get("listKeys", "/v2/admin/developer-keys", {
  success: Schema.Array(DeveloperKey),
  error: errors
}).annotateMerge(Operation.annotations("Read", "List developer keys"))

/**
 * `PUT /v2/admin/developer-keys/deactivate`: deactivates a key for good. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const deactivateKey = HttpApiEndpoint.put("deactivateKey", "/v2/admin/developer-keys/deactivate", {
  payload: KeyDeactivation,
  success: DeveloperKey,
  error: errors
}).annotateMerge(Operation.annotations("Replace", "Deactivate a developer key"))

/**
 * `PUT /v2/admin/developer-keys/label`: labels a key. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const setKeyLabel = HttpApiEndpoint.put("setKeyLabel", "/v2/admin/developer-keys/label", {
  payload: KeyLabel,
  success: DeveloperKey,
  error: errors
}).annotateMerge(Operation.annotations("Replace", "Label a developer key"))

/**
 * `PUT /v2/admin/developer-keys/limits`: limits what a key may use up. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const setKeyLimits = HttpApiEndpoint.put("setKeyLimits", "/v2/admin/developer-keys/limits", {
  payload: KeyLimitation,
  success: DeveloperKey,
  error: errors
}).annotateMerge(Operation.annotations("Replace", "Limit what a developer key may use up"))

/**
 * `GET /v2/admin/analytics`: what was used up in a range of time. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const analytics = HttpApiEndpoint.get("analytics", "/v2/admin/analytics", {
  query: struct({ ...range, groupBy: Schema.optionalKey(GroupBy) }),
  success: UsageReportAnswer,
  error: errors
}).annotateMerge(Operation.annotations("Read", "What was used up in a range of time"))

/**
 * `GET /v2/admin/analytics/custom-tags`: a page of what was used up by tagged translations. Described publicly, not by the
 * specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const listCustomTagUsagePage = HttpApiEndpoint.get("listCustomTagUsagePage", "/v2/admin/analytics/custom-tags", {
  query: struct({
    ...range,
    aggregateBy: Schema.optionalKey(AggregateBy),
    page: Schema.optionalKey(Schema.Int)
  }),
  success: CustomTagUsageAnswer,
  error: errors
}).annotateMerge(Operation.annotations("Read", "What tagged translations have used up"))

/**
 * The group of administration.
 *
 * @category groups
 * @since 0.1.0
 */
export class AdminApi extends group(
  "Admin",
  createKey,
  listKeys,
  deactivateKey,
  setKeyLabel,
  setKeyLimits,
  analytics,
  listCustomTagUsagePage
) {}
