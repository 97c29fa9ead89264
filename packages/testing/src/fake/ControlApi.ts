/**
 * The control endpoint: everything that the handle `FakeLanguageService` offers, over HTTP, so that a test in another
 * process or in another language plays the service too. A fake on a socket serves it beside the contract.
 *
 * **Details**
 *
 * Bodies are JSON in camelCase. A duration is a number of milliseconds or a string such as `"2 seconds"`; in answers it is
 * a number. What cannot be decoded is refused with status 400 and a problem (RFC 9457) whose `errors` name the places.
 *
 * The control stands outside of what it controls: weather, scripts, latency and authorization do not concern it, and its
 * requests are not remembered. It refuses web pages of other origins, and, on a loopback socket, hosts that are not
 * loopback, so that no page in a browser on the same machine can reach it.
 *
 * @since 0.2.0
 */
import { DeveloperKey } from "@effect-lingua/core/account/AdminApi"
import { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import { DocumentId, DocumentKey } from "@effect-lingua/core/documents/DocumentsApi"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import { StyleRuleList } from "@effect-lingua/core/style-rules/StyleRulesApi"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { BadRequestProblem } from "effect/http-api/HttpApiError"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Fault, InvalidFault, OperationName } from "../faults/Fault.ts"
import { operationNames } from "../faults/internal/operations.ts"
import { FiniteWait, Wait } from "../faults/internal/schema.ts"
import { Scripts } from "../faults/Script.ts"
import { Weathers } from "../faults/Weather.ts"
import { isWhole } from "./internal/style-rules/wholeList.ts"

/**
 * Where the control endpoint stands. No path of the contract begins so.
 *
 * @category configuration
 * @since 0.2.0
 */
export const path = "/_fake"

/**
 * What the fake tells of itself: where its contract begins, and its time.
 *
 * @category schemas
 * @since 0.2.0
 */
export class Info extends Schema.Opaque<Info>()(Schema.Struct({
  basePath: Schema.String,
  time: Schema.DateTimeUtcFromString
})) {}

const account = Schema.optional(Schema.String)

const documentFields = {
  fileName: Schema.optional(Schema.String),
  contentType: Schema.optional(Schema.String),
  readyAfter: Schema.optional(FiniteWait),
  expiresAfter: Schema.optional(Wait),
  fails: Schema.optional(Schema.String),
  characters: Schema.optional(Schema.Finite),
  account
}

/**
 * A document as it would be after its upload; its content is `text`, or bytes as `base64`.
 *
 * @category schemas
 * @since 0.2.0
 */
export const NewDocument = Schema.Union([
  Schema.Struct({ text: Schema.String, ...documentFields }),
  Schema.Struct({ base64: Schema.Uint8ArrayFromBase64, ...documentFields })
])

/**
 * The id and the key of a document.
 *
 * @category schemas
 * @since 0.2.0
 */
export class IssuedDocument extends Schema.Opaque<IssuedDocument>()(Schema.Struct({
  documentId: DocumentId,
  documentKey: DocumentKey
})) {}

/**
 * A document as the service sees it now.
 *
 * @category schemas
 * @since 0.2.0
 */
export class DocumentState extends Schema.Opaque<DocumentState>()(Schema.Struct({
  ...IssuedDocument.fields,
  fileName: Schema.String,
  targetLanguage: Schema.optional(Schema.String),
  status: Schema.Literals(["queued", "translating", "done", "error", "gone"]),
  taken: Schema.Boolean,
  billedCharacters: Schema.Finite,
  age: Schema.DurationFromMillis
})) {}

/**
 * A style rule list as another person would have made it, written as the contract writes lists.
 *
 * @category schemas
 * @since 0.2.0
 */
export class NewStyleRuleList extends Schema.Opaque<NewStyleRuleList>()(
  Schema.Struct({
    name: Schema.String,
    language: Schema.String,
    configuredRules: Schema.optional(ConfiguredRules),
    customInstructions: Schema.optional(Schema.Array(
      Schema.Struct({ label: Schema.String, prompt: Schema.String, sourceLanguage: Schema.optional(Schema.String) })
        .pipe(
          Schema.encodeKeys({ sourceLanguage: "source_language" })
        )
    )),
    account
  }).pipe(Schema.encodeKeys({ configuredRules: "configured_rules", customInstructions: "custom_instructions" }))
) {}

const WholeList = StyleRuleList.pipe(Schema.refine(isWhole))

/**
 * A glossary to be added: for a pair of languages, with a name and entries where they matter.
 *
 * @category schemas
 * @since 0.2.0
 */
export class NewGlossary extends Schema.Opaque<NewGlossary>()(Schema.Struct({
  sourceLanguage: Schema.String,
  targetLanguage: Schema.String,
  name: Schema.optional(Schema.String),
  entries: Schema.optional(Schema.ReadonlyMap(Schema.String, Schema.String)),
  account
})) {}

/**
 * A translation memory to be added.
 *
 * @category schemas
 * @since 0.2.0
 */
export class NewTranslationMemory extends Schema.Opaque<NewTranslationMemory>()(Schema.Struct({
  sourceLanguage: Schema.String,
  targetLanguages: Schema.Array(Schema.String),
  name: Schema.optional(Schema.String),
  segments: Schema.optional(Schema.Array(Schema.Struct({
    source: Schema.String,
    targets: Schema.Record(Schema.String, Schema.String)
  }))),
  account
})) {}

/**
 * The quota of characters in the current period.
 *
 * @category schemas
 * @since 0.2.0
 */
export class Quota extends Schema.Opaque<Quota>()(Schema.Struct({
  characters: Schema.Finite,
  used: Schema.Finite,
  period: Schema.DurationFromMillis
})) {}

/**
 * What changes about the quota; what is not named stays.
 *
 * @category schemas
 * @since 0.2.0
 */
export class QuotaChange extends Schema.Opaque<QuotaChange>()(Schema.Struct({
  characters: Schema.optional(Schema.Finite),
  used: Schema.optional(Schema.Finite),
  period: Schema.optional(FiniteWait)
})) {}

/**
 * Everything that the service holds, at one time. Style rule lists are as the contract writes them.
 *
 * @category schemas
 * @since 0.2.0
 */
export class ServiceState extends Schema.Opaque<ServiceState>()(Schema.Struct({
  time: Schema.DateTimeUtcFromString,
  documents: Schema.Array(DocumentState),
  styleRuleLists: Schema.Array(WholeList),
  glossaries: Schema.Array(Schema.Struct({
    glossaryId: GlossaryId,
    name: Schema.String,
    dictionaries: Schema.Array(Schema.Struct({
      sourceLanguage: Schema.String,
      targetLanguage: Schema.String,
      entries: Schema.ReadonlyMap(Schema.String, Schema.String)
    }))
  })),
  translationMemories: Schema.Array(
    Schema.Struct({ translationMemoryId: TranslationMemoryId, ...NewTranslationMemory.fields })
  ),
  developerKeys: Schema.Array(DeveloperKey),
  quota: Quota
})) {}

/**
 * A request as it came and what became of it.
 *
 * @category schemas
 * @since 0.2.0
 */
export const RecordedRequest = Schema.Struct({
  number: Schema.Int,
  time: Schema.Finite,
  traceId: Schema.String,
  operation: Schema.UndefinedOr(OperationName),
  method: Schema.String,
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String,
  payload: Schema.optionalKey(Schema.Unknown),
  status: Schema.UndefinedOr(Schema.Int),
  fault: Schema.UndefinedOr(Fault),
  tookEffect: Schema.Boolean,
  answerTime: Schema.UndefinedOr(Schema.Finite),
  retryTime: Schema.UndefinedOr(Schema.Finite)
})

/**
 * How often each operation really took effect, and on what.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Effects = Schema.Record(
  Schema.Literals(operationNames),
  Schema.Struct({ count: Schema.Int, ids: Schema.Array(Schema.String) })
)

const Refused = InvalidFault.pipe(HttpApiSchema.status(400))

/**
 * The endpoints of the control, each as one method of a derived client.
 *
 * @category groups
 * @since 0.2.0
 */
export class ControlGroup extends HttpApiGroup.make("Control", { topLevel: true })
  .add(
    HttpApiEndpoint.get("info", "/", { success: Info }).annotate(
      OpenApi.Summary,
      "The base path of the contract, and the time of the fake"
    ),
    HttpApiEndpoint.get("documents", "/documents", { success: Schema.Array(DocumentState) }).annotate(
      OpenApi.Summary,
      "All documents with their state"
    ),
    HttpApiEndpoint.post("addDocument", "/documents", {
      payload: NewDocument,
      success: IssuedDocument,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a document as it would be after its upload"),
    HttpApiEndpoint.post("addStyleRuleList", "/style-rule-lists", {
      payload: NewStyleRuleList,
      success: WholeList,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a style rule list as another person would have made it"),
    HttpApiEndpoint.post("addGlossary", "/glossaries", {
      payload: NewGlossary,
      success: Schema.Struct({ glossaryId: GlossaryId }),
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a glossary"),
    HttpApiEndpoint.post("addTranslationMemory", "/translation-memories", {
      payload: NewTranslationMemory,
      success: Schema.Struct({ translationMemoryId: TranslationMemoryId }),
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Add a translation memory"),
    HttpApiEndpoint.get("quota", "/quota", { success: Quota }).annotate(
      OpenApi.Summary,
      "Read the quota of characters"
    ),
    HttpApiEndpoint.patch("setQuota", "/quota", {
      payload: QuotaChange,
      success: Quota,
      error: BadRequestProblem
    }).annotate(OpenApi.Summary, "Change the quota; what is not named stays"),
    HttpApiEndpoint.post("addScripts", "/scripts", {
      payload: Scripts,
      success: HttpApiSchema.NoContent,
      error: Refused
    }).annotate(OpenApi.Summary, "Add scripts: the next calls meet these faults"),
    HttpApiEndpoint.get("unplayed", "/scripts", { success: Scripts }).annotate(
      OpenApi.Summary,
      "The scripts that are left"
    ),
    HttpApiEndpoint.put("setWeather", "/weather", {
      payload: Weathers,
      success: HttpApiSchema.NoContent,
      error: Refused
    }).annotate(OpenApi.Summary, "Change the weather"),
    HttpApiEndpoint.get("requests", "/requests", {
      query: Schema.Struct({
        operation: Schema.optionalKey(OperationName),
        status: Schema.optionalKey(Schema.Int),
        last: Schema.optionalKey(Schema.Int)
      }),
      success: Schema.Array(RecordedRequest)
    }).annotate(OpenApi.Summary, "The last requests, in order of arrival"),
    HttpApiEndpoint.get("effects", "/effects", { success: Effects }).annotate(
      OpenApi.Summary,
      "How often each operation really took effect"
    ),
    HttpApiEndpoint.get("state", "/state", { success: ServiceState }).annotate(
      OpenApi.Summary,
      "Everything that the service holds"
    ),
    HttpApiEndpoint.get("secrets", "/secrets", {
      success: Schema.Array(Schema.Struct({ label: Schema.String, value: Schema.String }))
    }).annotate(OpenApi.Summary, "What must not be seen: the keys that the fake accepts, and those of its documents"),
    HttpApiEndpoint.post("advance", "/clock/advance", {
      payload: Schema.Struct({ duration: FiniteWait }),
      success: Schema.Struct({ time: Schema.DateTimeUtcFromString })
    }).annotate(OpenApi.Summary, "Move the time of the fake on"),
    HttpApiEndpoint.post("reset", "/reset", { success: HttpApiSchema.NoContent }).annotate(
      OpenApi.Summary,
      "Back to the state in which the fake was made"
    )
  )
  .prefix(path)
{}

/**
 * The control endpoint as one `HttpApi`: `HttpApiClient.make(ControlApi, { baseUrl })` is a client of it.
 *
 * @category contract
 * @since 0.2.0
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
