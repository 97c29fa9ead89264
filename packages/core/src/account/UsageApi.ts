/**
 * The contract of usage: how many characters the current period has used up, and how many it may.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { body } from "../client/internal/body.ts"
import { group } from "../client/internal/group.ts"
import { informativeObject, occasional, occasionalAs, type Open, open } from "../client/internal/schema.ts"
import * as Operation from "../client/Operation.ts"
import { codecs } from "../client/ServiceError.ts"

/**
 * What may be used up: a number, or one of two words that no arithmetic takes for one. `unlimited`: the service says that
 * there is no limit. `unknown`: it sends 0, which samples have where there is no limit and where nothing may be used
 * (reference B20-33).
 *
 * @category models
 * @since 0.1.0
 */
export type UsageLimit = number | "unlimited" | "unknown"

/** What the service sends where there is no limit (reference B13). */
const noLimit = 1_000_000_000_000

/**
 * Schema of a {@link UsageLimit}: on the wire a number, 1,000,000,000,000 for no limit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UsageLimit = Schema.Int.pipe(
  Schema.decodeTo(
    Schema.Union([Schema.Int.check(Schema.isGreaterThan(0)), Schema.Literals(["unlimited", "unknown"])]),
    SchemaTransformation.transform<UsageLimit, number>({
      decode: (sent) => sent === noLimit ? "unlimited" : sent > 0 ? sent : "unknown",
      encode: (limit) => limit === "unlimited" ? noLimit : limit === "unknown" ? 0 : limit
    })
  )
)

/**
 * A product of the service that is billed.
 *
 * @category models
 * @since 0.1.0
 */
export type Product = Open<"translate" | "write" | "speechToText">

/**
 * Schema of a {@link Product}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Product = open<Product>()

/**
 * What a product is billed by.
 *
 * @category models
 * @since 0.1.0
 */
export type BillingUnit = Open<"characters" | "minutes">

/**
 * Schema of a {@link BillingUnit}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BillingUnit = open<BillingUnit>()

/**
 * What one product has used up in the period: by the account, and by the key of the call. Documents count as `translate`.
 * `product` is empty where the service does not say it.
 *
 * @category schemas
 * @since 0.1.0
 */
export class ProductUsage extends body<ProductUsage>()("ProductUsage", {
  product: occasionalAs(Product, ""),
  billingUnit: occasional(BillingUnit),
  accountUnits: occasional(Schema.Finite),
  keyUnits: occasional(Schema.Finite)
}, { product: "product_type", accountUnits: "account_unit_count", keyUnits: "api_key_unit_count" }) {}

/**
 * What the current period has used up. Which fields come depends on the plan: the free ones have the first two only. The
 * fields of documents are those of some old plans.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CurrentUsage extends body<CurrentUsage>()("CurrentUsage", {
  characterCount: occasional(Schema.Int),
  characterLimit: occasional(UsageLimit),
  keyCharacterCount: occasional(Schema.Int),
  keyCharacterLimit: occasional(UsageLimit),
  products: occasionalAs(Schema.Array(informativeObject(ProductUsage)), []),
  speechMinutesCount: occasional(Schema.Finite),
  speechMinutesLimit: occasional(UsageLimit),
  documentCount: occasional(Schema.Int),
  documentLimit: occasional(UsageLimit),
  teamDocumentCount: occasional(Schema.Int),
  teamDocumentLimit: occasional(UsageLimit),
  startTime: occasional(Schema.DateTimeUtcFromString),
  endTime: occasional(Schema.DateTimeUtcFromString)
}, {
  keyCharacterCount: "api_key_character_count",
  keyCharacterLimit: "api_key_character_limit",
  speechMinutesCount: "speech_to_text_minutes_count",
  speechMinutesLimit: "speech_to_text_minutes_limit"
}) {}

/**
 * `GET /v2/usage`: what the current period has used up. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const get = HttpApiEndpoint.get("get", "/v2/usage", {
  success: CurrentUsage,
  error: [...codecs.common, codecs.notFound, codecs.quotaExceeded]
}).annotateMerge(Operation.annotations("Read", "What the current period has used up"))

/**
 * The group of usage.
 *
 * @category groups
 * @since 0.1.0
 */
export class UsageApi extends group("Usage", get) {}
