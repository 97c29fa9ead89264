import * as Schema from "effect/Schema"
import { EvaluationId } from "../../contract/Ids.ts"
import { body, struct, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"

/**
 * A text and its translation.
 *
 * @category schemas
 * @since 0.1.0
 */
export class TranslatedSegment extends body<TranslatedSegment>()("TranslatedSegment", {
  source: Schema.String,
  target: Schema.String
}) {}

export class NewEvaluation extends body<NewEvaluation>()("NewEvaluation", {
  metadata: struct({ sourceLanguage: LanguageCode, targetLanguage: LanguageCode }),
  segments: Schema.Array(TranslatedSegment)
}) {}

/**
 * A started evaluation. The client ignores `pollUrl`, because it never sends the key to an address from a response.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StartedEvaluation extends body<StartedEvaluation>()("StartedEvaluation", {
  jobId: EvaluationId,
  pollUrl: Fields.occasional(Schema.String)
}) {}

/**
 * The state of an evaluation. An unknown state is not final.
 *
 * @category models
 * @since 0.1.0
 */
export type EvaluationState = Fields.Open<"processing" | "done" | "error">

export const EvaluationState = Fields.reportedState<EvaluationState>("processing done error")

/**
 * A part of a text, from `start` (inclusive) to `end` (exclusive) in Unicode code points. `QualityEvaluation.cut` returns the text.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Span extends body<Span>()("Span", { start: Schema.Int, end: Schema.Int }) {}

/**
 * An error in a translation, with spans in both texts.
 *
 * @category schemas
 * @since 0.1.0
 */
export class TranslationError extends body<TranslationError>()("TranslationError", {
  type: Fields.occasionalAs(Schema.String, ""),
  subType: Fields.occasional(Schema.String),
  severity: Fields.occasionalAs(Schema.String, ""),
  explanation: Fields.occasionalAs(Schema.String, ""),
  sourceSpans: Fields.occasionalAs(Schema.Array(Span), []),
  targetSpans: Fields.occasionalAs(Schema.Array(Span), [])
}) {}

/**
 * The errors of a segment, absent if unreadable. `segmentIndex` is the segment's position in the request, from 0.
 *
 * @category schemas
 * @since 0.1.0
 */
export class EvaluatedSegment extends body<EvaluatedSegment>()("EvaluatedSegment", {
  segmentIndex: Schema.Int,
  errors: Fields.contents(Schema.Array(Fields.informativeObject(TranslationError)), [])
}) {}

/**
 * The result of an evaluation. `overallScore` is at most 100. `granularCounts` counts errors by type, sub-type and severity.
 *
 * @category schemas
 * @since 0.1.0
 */
export class EvaluationSummary extends body<EvaluationSummary>()("EvaluationSummary", {
  overallScore: Fields.occasional(Schema.Finite),
  granularCounts: Fields.occasional(
    Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Finite)))
  )
}) {}

/**
 * The state of an evaluation. `state` is empty if absent. Only state `done` has `segments` and `summary`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Evaluation extends body<Evaluation>()("Evaluation", {
  jobId: Fields.occasional(EvaluationId),
  state: Fields.absentAs(EvaluationState, ""),
  segments: Fields.absentAs(Schema.Array(EvaluatedSegment), []),
  summary: Fields.occasional(EvaluationSummary),
  error: Fields.occasional(
    Schema.Struct({ code: Fields.occasional(Fields.Reported), message: Fields.occasional(Fields.Reported) })
  )
}, { state: "status" }) {}

const api = Endpoint.of({ error: codecs.common, hasRetryAfter: true })

export class QualityEvaluationApi extends Endpoint.group(
  "QualityEvaluation",
  api.post("start", "/v1/quality-evaluation", "Start the evaluation of translations", {
    payload: NewEvaluation,
    success: [withStatus(202, StartedEvaluation), StartedEvaluation]
  }),
  // The response has the status 202 until the evaluation is done.
  api.get("status", "/v1/quality-evaluation/:job_id", "Get an evaluation of translations", {
    params: struct({ jobId: EvaluationId }),
    success: [Evaluation, withStatus(202, Evaluation)],
    error: [codecs.notFound]
  })
) {}
