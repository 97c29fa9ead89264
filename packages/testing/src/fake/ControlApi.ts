/**
 * The control endpoint: the methods of `FakeLanguageService` over HTTP, for tests in another process or language. Each fake
 * on a socket serves it.
 *
 * **Details**
 *
 * Bodies are JSON with keys in camelCase; style rule lists have the contract's keys. A duration is a number of
 * milliseconds, or in requests a string such as `"2 seconds"`. An invalid body gets status 400 and a problem (RFC 9457)
 * whose `errors` contain the invalid paths.
 *
 * Requests to the endpoint need no key, are not recorded, and have no latency and no faults. Web pages of other origins are
 * refused. On a loopback socket, requests for other hosts are refused too, so that no page in a local browser has access.
 *
 * @since 0.1.0
 */
import { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { BadRequestProblem } from "effect/http-api/HttpApiError"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { InvalidFault, OperationName } from "../faults/Fault.ts"
import { operationNames } from "../faults/internal/operations.ts"
import { FiniteWait } from "../faults/internal/schema.ts"
import { Scripts } from "../faults/Script.ts"
import { Weathers } from "../faults/Weather.ts"
import * as Schemas from "./internal/schemas.ts"

/**
 * The control endpoint's path.
 *
 * @category configuration
 * @since 0.1.0
 */
export const path = "/_fake"

class Info extends Schema.Opaque<Info>()(Schema.Struct({
  basePath: Schema.String,
  time: Schema.DateTimeUtcFromString
})) {}

/**
 * A document to add, with the content as `text` or `base64`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NewDocument = Schema.Union([
  Schema.Struct({ text: Schema.String, ...Schemas.documentFields }),
  Schema.Struct({ base64: Schema.Uint8ArrayFromBase64, ...Schemas.documentFields })
])

const Effects = Schema.StructWithRest(
  Schema.Record(Schema.Literals(operationNames), Schemas.OperationEffects),
  [Schema.Record(Schema.String, Schemas.OperationEffects)]
)

const Refused = InvalidFault.pipe(HttpApiSchema.status(400))

/**
 * The control endpoints, each a method of a derived client.
 *
 * @category groups
 * @since 0.1.0
 */
export class ControlGroup extends HttpApiGroup.make("Control", { topLevel: true })
  .add(
    HttpApiEndpoint.get("info", "/", { success: Info }).annotate(
      OpenApi.Summary,
      "The base path of the contract, and the time of the fake"
    ),
    HttpApiEndpoint.get("documents", "/documents", { success: Schema.Array(Schemas.DocumentState) }).annotate(
      OpenApi.Summary,
      "All documents with their state"
    ),
    HttpApiEndpoint.post("addDocument", "/documents", {
      payload: NewDocument,
      success: Schemas.IssuedDocument,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a document as it would be after its upload"),
    HttpApiEndpoint.post("addStyleRuleList", "/style-rule-lists", {
      payload: Schemas.NewStyleRuleList,
      success: Schemas.StyleRuleList,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a style rule list, as if it had existed before"),
    HttpApiEndpoint.post("addGlossary", "/glossaries", {
      payload: Schemas.NewGlossary,
      success: Schema.Struct({ glossaryId: GlossaryId }),
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a glossary"),
    HttpApiEndpoint.post("addTranslationMemory", "/translation-memories", {
      payload: Schemas.NewTranslationMemory,
      success: Schema.Struct({ translationMemoryId: TranslationMemoryId }),
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a translation memory"),
    HttpApiEndpoint.get("quota", "/quota", {
      query: { account: Schema.optional(Schema.String) },
      success: Schemas.Quota,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Read the quota of characters of an account, by default the first key's"),
    HttpApiEndpoint.patch("setQuota", "/quota", {
      payload: Schemas.QuotaChange,
      success: Schemas.Quota,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Change the quota of an account; omitted fields stay"),
    HttpApiEndpoint.get("taught", "/taught", { success: Schemas.Taught }).annotate(
      OpenApi.Summary,
      "The taught answers"
    ),
    HttpApiEndpoint.put("teach", "/taught", { payload: Schemas.Taught }).annotate(
      OpenApi.Summary,
      "Replace the taught answers"
    ),
    HttpApiEndpoint.post("addScripts", "/scripts", {
      payload: Scripts,
      error: Refused
    }).annotate(OpenApi.Summary, "Add scripts: the next calls meet these faults"),
    HttpApiEndpoint.get("unplayed", "/scripts", { success: Scripts }).annotate(
      OpenApi.Summary,
      "The remaining scripts"
    ),
    HttpApiEndpoint.put("setWeather", "/weather", {
      payload: Weathers,
      error: Refused
    }).annotate(OpenApi.Summary, "Change the weather"),
    HttpApiEndpoint.get("requests", "/requests", {
      query: Schema.Struct({
        operation: Schema.optionalKey(OperationName),
        status: Schema.optionalKey(Schema.Int),
        last: Schema.optionalKey(Schema.Int)
      }),
      success: Schema.Array(Schemas.RecordedRequest)
    }).annotate(OpenApi.Summary, "The last requests, in order of arrival"),
    HttpApiEndpoint.get("effects", "/effects", { success: Effects }).annotate(
      OpenApi.Summary,
      "How often each operation really took effect"
    ),
    HttpApiEndpoint.get("state", "/state", { success: Schemas.ServiceState }).annotate(
      OpenApi.Summary,
      "The current state of the service"
    ),
    HttpApiEndpoint.get("secrets", "/secrets", {
      success: Schema.Array(Schema.Struct({ label: Schema.String, value: Schema.String }))
    }).annotate(OpenApi.Summary, "Secrets that must not leak: accepted keys and document keys"),
    HttpApiEndpoint.post("advance", "/clock/advance", {
      payload: Schema.Struct({ duration: FiniteWait }),
      success: Schema.Struct({ time: Schema.DateTimeUtcFromString })
    }).annotate(OpenApi.Summary, "Advance the time of the fake"),
    HttpApiEndpoint.post("reset", "/reset").annotate(
      OpenApi.Summary,
      "Restore the initial state of the fake"
    )
  )
  .prefix(path)
{}

/**
 * The control endpoint, for `HttpApiClient.make(ControlApi, { baseUrl })`.
 *
 * @category contract
 * @since 0.1.0
 */
export class ControlApi extends HttpApi.make("FakeLanguageServiceControl")
  .add(ControlGroup)
  .middleware(HttpApiMiddleware.ProblemDetails)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({
    title: "Control of a fake of the Language Service API",
    version: "1",
    description: "Documents, quota, faults, time and the record of requests of a fake."
  }))
{}
