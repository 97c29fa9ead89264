import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { body } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import * as codecs from "../../errors/internal/codecs.ts"

/**
 * A usage limit. `unlimited`: no limit. `unknown`: the service sends 0, which can mean no limit or a blocked key.
 *
 * @category models
 * @since 0.1.0
 */
export type UsageLimit = number | "unlimited" | "unknown"

const noLimit = 1_000_000_000_000

/**
 * On the wire a number: 1,000,000,000,000 for no limit.
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
 * @category models
 * @since 0.1.0
 */
export type Product = Fields.Open<"translate" | "write" | "speechToText" | "speechToSpeech">

export const Product = Fields.open<Product>()

/**
 * @category models
 * @since 0.1.0
 */
export type BillingUnit = Fields.Open<"characters" | "minutes">

export const BillingUnit = Fields.open<BillingUnit>()

/**
 * The usage of one product by the account, and by the key of the call. Documents count as `translate`. `accountUnits` and `keyUnits`
 * replace the deprecated `characterCount` and `keyCharacterCount`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class ProductUsage extends body<ProductUsage>()("ProductUsage", {
  product: Fields.occasionalAs(Product, ""),
  billingUnit: Fields.occasional(BillingUnit),
  accountUnits: Fields.occasional(Schema.Finite),
  keyUnits: Fields.occasional(Schema.Finite),
  characterCount: Fields.occasional(Schema.Int),
  keyCharacterCount: Fields.occasional(Schema.Int)
}, {
  product: "product_type",
  accountUnits: "account_unit_count",
  keyUnits: "api_key_unit_count",
  keyCharacterCount: "api_key_character_count"
}) {}

/**
 * The usage of the current period. Free plans have only `characterCount` and `characterLimit`. The specification lacks speech-to-speech minutes.
 * Speech milliseconds are deprecated and always 0.
 *
 * @category schemas
 * @since 0.1.0
 */
export class CurrentUsage extends body<CurrentUsage>()("CurrentUsage", {
  characterCount: Fields.occasional(Schema.Int),
  characterLimit: Fields.occasional(UsageLimit),
  keyCharacterCount: Fields.occasional(Schema.Int),
  keyCharacterLimit: Fields.occasional(UsageLimit),
  products: Fields.occasionalAs(Schema.Array(Fields.informativeObject(ProductUsage)), []),
  speechMinutesCount: Fields.occasional(Schema.Finite),
  speechMinutesLimit: Fields.occasional(UsageLimit),
  speechToSpeechMinutesCount: Fields.occasional(Schema.Finite),
  speechToSpeechMinutesLimit: Fields.occasional(UsageLimit),
  speechMillisecondsCount: Fields.occasional(Schema.Int),
  speechMillisecondsLimit: Fields.occasional(UsageLimit),
  documentCount: Fields.occasional(Schema.Int),
  documentLimit: Fields.occasional(UsageLimit),
  teamDocumentCount: Fields.occasional(Schema.Int),
  teamDocumentLimit: Fields.occasional(UsageLimit),
  startTime: Fields.occasional(Schema.DateTimeUtcFromString),
  endTime: Fields.occasional(Schema.DateTimeUtcFromString)
}, {
  keyCharacterCount: "api_key_character_count",
  keyCharacterLimit: "api_key_character_limit",
  speechMinutesCount: "speech_to_text_minutes_count",
  speechMinutesLimit: "speech_to_text_minutes_limit",
  speechMillisecondsCount: "speech_to_text_milliseconds_count",
  speechMillisecondsLimit: "speech_to_text_milliseconds_limit"
}) {}

const api = Endpoint.of({ error: [...codecs.common, codecs.notFound, codecs.quotaExceeded] })

export class UsageApi extends Endpoint.group(
  "Usage",
  api.get("get", "/v2/usage", "Get the usage of the current period", { success: CurrentUsage })
) {}
