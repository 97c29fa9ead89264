/**
 * The contract of administration: the developer keys of an account, and what they have used up. It needs an admin key. All of
 * it is described publicly, not by the specification.
 *
 * @since 0.2.0
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Authorization } from "../client/Authorization.ts"
import { KeyId } from "../client/Ids.ts"
import { absent, absentAs, occasional, occasionalAs, type Open, open } from "../client/internal/schema.ts"
import * as Operation from "../client/Operation.ts"
import { Resilience } from "../client/Resilience.ts"
import { codecs } from "../client/ServiceError.ts"

export { KeyId } from "../client/Ids.ts"

/**
 * What a key may use up: a number, of which 0 blocks the key, or a word that no arithmetic takes for one.
 *
 * @category models
 * @since 0.2.0
 */
export type KeyLimit = number | "unlimited"

/**
 * Schema of a {@link KeyLimit}: on the wire a number, or `null` for no limit.
 *
 * @category schemas
 * @since 0.2.0
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

const limitKeys = { speechToTextMilliseconds: "speech_to_text_milliseconds" } as const

/**
 * What a key may use up in a period. What was not told is absent.
 *
 * @category schemas
 * @since 0.2.0
 */
export class KeyLimits extends Schema.Opaque<KeyLimits>()(
  Schema.Struct(toldLimitFields).pipe(Schema.encodeKeys(limitKeys)).pipe(
    Schema.annotateEncoded({ identifier: "KeyLimits" })
  )
) {}

const keyFields = {
  keyId: KeyId,
  label: occasional(Schema.String),
  creationTime: occasional(Schema.DateTimeUtcFromString),
  deactivatedTime: occasional(Schema.DateTimeUtcFromString),
  isDeactivated: occasional(Schema.Boolean),
  usageLimits: occasionalAs(KeyLimits, {})
}

const keyKeys = {
  keyId: "key_id",
  creationTime: "creation_time",
  deactivatedTime: "deactivated_time",
  isDeactivated: "is_deactivated",
  usageLimits: "usage_limits"
} as const

/**
 * A developer key, active or not.
 *
 * @category schemas
 * @since 0.2.0
 */
export class DeveloperKey extends Schema.Opaque<DeveloperKey>()(
  Schema.Struct(keyFields).pipe(Schema.encodeKeys(keyKeys)).pipe(
    Schema.annotateEncoded({ identifier: "DeveloperKey" })
  )
) {}

/**
 * A developer key as it is when it was made. `secret` is the key itself, which calls are made with; whether the service tells it
 * here is not known, so it can be absent (reference D43). It is `Redacted` from the wire to the caller.
 *
 * @category schemas
 * @since 0.2.0
 */
export class CreatedKey extends Schema.Opaque<CreatedKey>()(
  Schema.Struct({ ...keyFields, secret: occasional(Schema.RedactedFromValue(Schema.String)) }).pipe(
    Schema.encodeKeys({ ...keyKeys, secret: "api_key" })
  ).pipe(Schema.annotateEncoded({ identifier: "CreatedKey" }))
) {}

/**
 * The body that makes a key.
 *
 * @category schemas
 * @since 0.2.0
 */
export class NewKey extends Schema.Opaque<NewKey>()(
  Schema.Struct({ label: Schema.optionalKey(Schema.String) }).pipe(Schema.annotateEncoded({ identifier: "NewKey" }))
) {}

/**
 * The body that deactivates a key.
 *
 * @category schemas
 * @since 0.2.0
 */
export class KeyDeactivation extends Schema.Opaque<KeyDeactivation>()(
  Schema.Struct({ keyId: KeyId }).pipe(Schema.encodeKeys({ keyId: "key_id" })).pipe(
    Schema.annotateEncoded({ identifier: "KeyDeactivation" })
  )
) {}

/**
 * The body that labels a key.
 *
 * @category schemas
 * @since 0.2.0
 */
export class KeyLabel extends Schema.Opaque<KeyLabel>()(
  Schema.Struct({ keyId: KeyId, label: Schema.String }).pipe(Schema.encodeKeys({ keyId: "key_id" })).pipe(
    Schema.annotateEncoded({ identifier: "KeyLabel" })
  )
) {}

/**
 * The body that limits a key.
 *
 * @category schemas
 * @since 0.2.0
 */
export class KeyLimitation extends Schema.Opaque<KeyLimitation>()(
  Schema.Struct({ keyId: KeyId, ...limitFields }).pipe(Schema.encodeKeys({ keyId: "key_id", ...limitKeys })).pipe(
    Schema.annotateEncoded({ identifier: "KeyLimitation" })
  )
) {}

/**
 * What a report of usage is divided by.
 *
 * @category models
 * @since 0.2.0
 */
export type GroupBy = Open<"key" | "key_and_day">

/**
 * Schema of a {@link GroupBy}.
 *
 * @category schemas
 * @since 0.2.0
 */
export const GroupBy = open<GroupBy>()

/**
 * Whether a report of tags has one entry for a tag, or one for each of its days.
 *
 * @category models
 * @since 0.2.0
 */
export type AggregateBy = Open<"period" | "day">

/**
 * Schema of an {@link AggregateBy}.
 *
 * @category schemas
 * @since 0.2.0
 */
export const AggregateBy = open<AggregateBy>()

/**
 * What was used up. What was not told is absent.
 *
 * @category schemas
 * @since 0.2.0
 */
export class UsageCounts extends Schema.Opaque<UsageCounts>()(
  Schema.Struct({
    totalCharacters: occasional(Schema.Int),
    textTranslationCharacters: occasional(Schema.Int),
    documentTranslationCharacters: occasional(Schema.Int),
    textImprovementCharacters: occasional(Schema.Int),
    speechToTextMinutes: occasional(Schema.Finite)
  }).pipe(Schema.encodeKeys({
    totalCharacters: "total_characters",
    textTranslationCharacters: "text_translation_characters",
    documentTranslationCharacters: "document_translation_characters",
    textImprovementCharacters: "text_improvement_characters",
    speechToTextMinutes: "speech_to_text_minutes"
  })).pipe(Schema.annotateEncoded({ identifier: "UsageCounts" }))
) {}

const usageFields = {
  apiKey: occasional(Schema.String),
  apiKeyLabel: occasional(Schema.String),
  usage: occasionalAs(UsageCounts, {})
}

const usageKeys = { apiKey: "api_key", apiKeyLabel: "api_key_label" } as const

/**
 * What one key has used up. `apiKey` is masked by the service, so that it may be shown.
 *
 * @category schemas
 * @since 0.2.0
 */
export class KeyUsage extends Schema.Opaque<KeyUsage>()(
  Schema.Struct(usageFields).pipe(Schema.encodeKeys(usageKeys)).pipe(
    Schema.annotateEncoded({ identifier: "KeyUsage" })
  )
) {}

/**
 * What one key has used up on one day, a day of UTC.
 *
 * @category schemas
 * @since 0.2.0
 */
export class KeyAndDayUsage extends Schema.Opaque<KeyAndDayUsage>()(
  Schema.Struct({ ...usageFields, usageDate: occasional(Schema.DateTimeUtcFromString) }).pipe(
    Schema.encodeKeys({ ...usageKeys, usageDate: "usage_date" })
  ).pipe(Schema.annotateEncoded({ identifier: "KeyAndDayUsage" }))
) {}

/**
 * What an account has used up in a range of time. Times without a zone are UTC.
 *
 * @category schemas
 * @since 0.2.0
 */
export class UsageReport extends Schema.Opaque<UsageReport>()(
  Schema.Struct({
    startDate: occasional(Schema.DateTimeUtcFromString),
    endDate: occasional(Schema.DateTimeUtcFromString),
    groupBy: occasional(GroupBy),
    totalUsage: occasionalAs(UsageCounts, {}),
    keyUsages: absentAs(Schema.Array(KeyUsage), []),
    keyAndDayUsages: absentAs(Schema.Array(KeyAndDayUsage), [])
  }).pipe(Schema.encodeKeys({
    startDate: "start_date",
    endDate: "end_date",
    groupBy: "group_by",
    totalUsage: "total_usage",
    keyUsages: "key_usages",
    keyAndDayUsages: "key_and_day_usages"
  })).pipe(Schema.annotateEncoded({ identifier: "UsageReport" }))
) {}

/**
 * The answer with a {@link UsageReport}.
 *
 * @category schemas
 * @since 0.2.0
 */
export class UsageReportAnswer extends Schema.Opaque<UsageReportAnswer>()(
  Schema.Struct({ usageReport: UsageReport }).pipe(Schema.encodeKeys({ usageReport: "usage_report" })).pipe(
    Schema.annotateEncoded({ identifier: "UsageReportAnswer" })
  )
) {}

/**
 * What the translations with one tag have used up, in the whole range or, with `usageDate`, on one day.
 *
 * @category schemas
 * @since 0.2.0
 */
export class CustomTagUsage extends Schema.Opaque<CustomTagUsage>()(
  Schema.Struct({
    customTag: occasional(Schema.String),
    usageDate: occasional(Schema.DateTimeUtcFromString),
    breakdown: occasionalAs(UsageCounts, {})
  }).pipe(Schema.encodeKeys({ customTag: "custom_tag", usageDate: "usage_date" })).pipe(
    Schema.annotateEncoded({ identifier: "CustomTagUsage" })
  )
) {}

/**
 * One page of the usage by tags. `nextPage` is absent at the end.
 *
 * @category schemas
 * @since 0.2.0
 */
export class CustomTagUsagePage extends Schema.Opaque<CustomTagUsagePage>()(
  Schema.Struct({
    startDate: occasional(Schema.DateTimeUtcFromString),
    endDate: occasional(Schema.DateTimeUtcFromString),
    aggregateBy: occasional(AggregateBy),
    nextPage: absent(Schema.Int),
    usage: absentAs(Schema.Array(CustomTagUsage), [])
  }).pipe(Schema.encodeKeys({
    startDate: "start_date",
    endDate: "end_date",
    aggregateBy: "aggregate_by",
    nextPage: "next_page"
  })).pipe(Schema.annotateEncoded({ identifier: "CustomTagUsagePage" }))
) {}

/**
 * The answer with a {@link CustomTagUsagePage}.
 *
 * @category schemas
 * @since 0.2.0
 */
export class CustomTagUsageAnswer extends Schema.Opaque<CustomTagUsageAnswer>()(
  Schema.Struct({ customTagUsageReport: CustomTagUsagePage }).pipe(
    Schema.encodeKeys({ customTagUsageReport: "custom_tag_usage_report" })
  ).pipe(Schema.annotateEncoded({ identifier: "CustomTagUsageAnswer" }))
) {}

const errors = [...codecs.common, codecs.notFound] as const
const operation = (repeat: Operation.RepeatKind, row: number, summary: string) =>
  Operation.annotations({ summary, repeat, source: `reference B17-${row}` })

const range = { startDate: Schema.String, endDate: Schema.String }
const rangeKeys = { startDate: "start_date", endDate: "end_date" } as const

/**
 * `POST /v2/admin/developer-keys`: makes a key, another one each time. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const createKey = HttpApiEndpoint.post("createKey", "/v2/admin/developer-keys", {
  payload: NewKey,
  success: CreatedKey,
  error: errors
}).annotateMerge(operation("Create", 1, "Create a developer key"))

/**
 * `GET /v2/admin/developer-keys`: all keys, those that are deactivated too. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const listKeys = HttpApiEndpoint.get("listKeys", "/v2/admin/developer-keys", {
  success: Schema.Array(DeveloperKey),
  error: errors
}).annotateMerge(operation("Read", 2, "List developer keys"))

/**
 * `PUT /v2/admin/developer-keys/deactivate`: deactivates a key for good. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const deactivateKey = HttpApiEndpoint.put("deactivateKey", "/v2/admin/developer-keys/deactivate", {
  payload: KeyDeactivation,
  success: DeveloperKey,
  error: errors
}).annotateMerge(operation("Replace", 3, "Deactivate a developer key"))

/**
 * `PUT /v2/admin/developer-keys/label`: labels a key. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const setKeyLabel = HttpApiEndpoint.put("setKeyLabel", "/v2/admin/developer-keys/label", {
  payload: KeyLabel,
  success: DeveloperKey,
  error: errors
}).annotateMerge(operation("Replace", 4, "Label a developer key"))

/**
 * `PUT /v2/admin/developer-keys/limits`: limits what a key may use up. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const setKeyLimits = HttpApiEndpoint.put("setKeyLimits", "/v2/admin/developer-keys/limits", {
  payload: KeyLimitation,
  success: DeveloperKey,
  error: errors
}).annotateMerge(operation("Replace", 5, "Limit what a developer key may use up"))

/**
 * `GET /v2/admin/analytics`: what was used up in a range of time. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const analytics = HttpApiEndpoint.get("analytics", "/v2/admin/analytics", {
  query: Schema.Struct({ ...range, groupBy: Schema.optionalKey(GroupBy) }).pipe(
    Schema.encodeKeys({ ...rangeKeys, groupBy: "group_by" })
  ),
  success: UsageReportAnswer,
  error: errors
}).annotateMerge(operation("Read", 6, "What was used up in a range of time"))

/**
 * `GET /v2/admin/analytics/custom-tags`: a page of what was used up by tagged translations. Described publicly, not by the
 * specification.
 *
 * @category endpoints
 * @since 0.2.0
 */
export const listCustomTagUsage = HttpApiEndpoint.get("listCustomTagUsage", "/v2/admin/analytics/custom-tags", {
  query: Schema.Struct({
    ...range,
    aggregateBy: Schema.optionalKey(AggregateBy),
    page: Schema.optionalKey(Schema.Int)
  }).pipe(Schema.encodeKeys({ ...rangeKeys, aggregateBy: "aggregate_by" })),
  success: CustomTagUsageAnswer,
  error: errors
}).annotateMerge(operation("Read", 7, "What tagged translations have used up"))

/**
 * The group of administration.
 *
 * @category groups
 * @since 0.2.0
 */
export class AdminApi extends HttpApiGroup.make("Admin").add(
  createKey,
  listKeys,
  deactivateKey,
  setKeyLabel,
  setKeyLimits,
  analytics,
  listCustomTagUsage
).middleware(Authorization).middleware(Resilience) {}
