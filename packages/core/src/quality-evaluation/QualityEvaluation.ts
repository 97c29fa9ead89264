/**
 * Quality evaluation: finds and scores errors in translations. Closed alpha: the API may change; accounts need an
 * invitation.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { EvaluationId } from "../contract/Ids.ts"
import { defined } from "../contract/internal/values.ts"
import type { LanguageCode } from "../contract/Language.ts"
import type { JobNotDone, LimitExceeded } from "../errors/CallError.ts"
import { checkItems, checkLength, checkLimit, checkText, invalid } from "../errors/internal/checks.ts"
import { expectUsableId } from "../errors/internal/unexpected.ts"
import type { JobFailed } from "../errors/ServiceError.ts"
import * as Jobs from "../jobs/internal/polling.ts"
import {
  type EvaluatedSegment,
  type Evaluation,
  type EvaluationState,
  type EvaluationSummary,
  QualityEvaluationApi,
  type Span,
  type StartedEvaluation,
  type TranslatedSegment,
  type TranslationError
} from "./internal/qualityEvaluationApi.ts"

export { EvaluatedSegment, Evaluation, EvaluationState, EvaluationSummary } from "./internal/qualityEvaluationApi.ts"
export { Span, StartedEvaluation, TranslatedSegment, TranslationError } from "./internal/qualityEvaluationApi.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface EvaluateOptions {
  readonly sourceLanguage: LanguageCode
  readonly targetLanguage: LanguageCode
  /** 1 to 500 segments, with at most 10,000 characters in each text. */
  readonly segments: ReadonlyArray<TranslatedSegment>
}

/**
 * An evaluation's id, or a whole `EvaluationStart`.
 *
 * @category options
 * @since 0.1.0
 */
export interface EvaluationRef {
  readonly jobId: EvaluationId
}

/**
 * The service's hint for the next poll.
 *
 * @category models
 * @since 0.1.0
 */
export interface AskAgain {
  /** The response's `Retry-After`. */
  readonly retryAfter?: Duration.Duration
}

/**
 * @category models
 * @since 0.1.0
 */
export interface EvaluationStart extends StartedEvaluation, AskAgain {}

/**
 * @category models
 * @since 0.1.0
 */
export interface EvaluationStatus extends Evaluation, AskAgain {}

type StartError = Operations.Errors<typeof QualityEvaluationApi, "start", LimitExceeded>["create"]

type StatusError = Operations.Errors<typeof QualityEvaluationApi, "status">["call"]

type WaitError = Operations.Union<StatusError | JobFailed | JobNotDone>["members"]

type EvaluateError = Operations.Union<StartError | WaitError>["members"]

const withHint = <A extends object>(record: CallRecord, answer: A): Effect.Effect<A & AskAgain> =>
  Effect.map(Jobs.hint(record), (retryAfter) => retryAfter === undefined ? answer : { ...answer, retryAfter })

const make = Effect.gen(function*() {
  const api = yield* Operations.make(QualityEvaluationApi)
  const { composed } = yield* Operations.runs
  const jobs = yield* Jobs.make("QualityEvaluation")
  const { limits } = yield* LanguageServiceConfig

  const checkOptions = Effect.fnUntraced(function*({ segments, sourceLanguage, targetLanguage }: EvaluateOptions) {
    yield* checkText("sourceLanguage", sourceLanguage)
    yield* checkText("targetLanguage", targetLanguage)
    yield* checkItems("segments", "texts with their translations", segments)
    if (segments.length === 0) {
      return yield* invalid("segments", "none", `1 to ${limits.evaluationSegments} texts with their translations`)
    }
    yield* checkLimit("segments", "items", segments.length, limits.evaluationSegments)
    for (const [index, segment] of segments.entries()) {
      for (const side of ["source", "target"] as const) {
        yield* checkLength(`segments[${index}].${side}`, segment[side], limits.evaluationCharacters)
      }
    }
  })

  const start = (options: EvaluateOptions): Effect.Effect<EvaluationStart, StartError> =>
    api.start.create(
      {},
      Effect.fnUntraced(function*(record) {
        yield* checkOptions(options)
        const { segments, ...metadata } = options
        const evaluation: StartedEvaluation = yield* api.start.request(record, { payload: { metadata, segments } })
        yield* expectUsableId("evaluation", evaluation.jobId)
        return yield* withHint(record, evaluation)
      })
    )

  const wait = ({ jobId }: EvaluationRef, first?: Duration.Duration) =>
    jobs.wait(
      jobId,
      Effect.fnUntraced(function*(record, wait) {
        const evaluation = yield* api.status.request(record, { params: { jobId }, wait })
        const { error: { code, message: description = "" } = {}, state } = evaluation
        if (state === "error") {
          const operation = "QualityEvaluation.wait"
          return yield* Jobs.failed(record, { operation, jobId, state, description, ...defined({ code }) })
        }
        return { state, result: state === "done" ? evaluation : undefined }
      }),
      { first }
    )

  const runEvaluation = Effect.fnUntraced(function*(options: EvaluateOptions) {
    const { jobId, retryAfter } = yield* start(options)
    return yield* Jobs.started(jobId, wait({ jobId }, retryAfter))
  })

  return yield* withKnownOptions(QualityEvaluationApi, {
    /**
     * Starts an evaluation (`POST /v1/quality-evaluation`). `evaluate` runs all steps.
     *
     * Fails before the request with `InvalidInput` or `LimitExceeded`. Fails with `OutcomeUnknown` if the response is lost, and with `AccessDenied`
     * for an account without invitation.
     */
    start,
    /**
     * Gets the state of an evaluation (`GET /v1/quality-evaluation/{job_id}`). The service keeps evaluations for 24 hours. Fails with `NotFound`, and
     * with `InvalidInput` for an invalid id.
     */
    status: ({ jobId }: EvaluationRef): Effect.Effect<EvaluationStatus, StatusError> =>
      api.status.run((record) =>
        Effect.flatMap(api.status.request(record, { params: { jobId } }), (status) => withHint(record, status))
      ),
    /**
     * Waits until an evaluation is done. Fails like `status`; with `JobFailed` if the evaluation failed; with `JobNotDone` after the policy's
     * `jobDeadline`: call `wait` again.
     */
    wait: (ref: EvaluationRef): Effect.Effect<Evaluation, WaitError> => wait(ref),
    /**
     * Evaluates translations, and returns the errors of each segment and the score. Fails like `start` and `wait`; errors after the start have the
     * evaluation's id in `job`.
     */
    evaluate: (options: EvaluateOptions): Effect.Effect<Evaluation, EvaluateError> =>
      composed("QualityEvaluation.evaluate", runEvaluation(options))
  }, {
    start: { segments: true, sourceLanguage: true, targetLanguage: true },
    evaluate: { segments: true, sourceLanguage: true, targetLanguage: true },
    wait: { jobId: true }
  })
})

/**
 * Evaluates translations (closed alpha).
 *
 * @category services
 * @since 0.1.0
 */
export class QualityEvaluation
  extends Operations.service<QualityEvaluation>()("@effect-lingua/core/quality-evaluation/QualityEvaluation", make)
{
  /** The text of a span. Positions count Unicode code points: an emoji counts 1, but 2 in `String.slice`. */
  static readonly cut = (text: string, { end, start }: Span): string => Array.from(text).slice(start, end).join("")
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace QualityEvaluation {
  export type { EvaluateOptions }
  export type { EvaluateError, StartError, StatusError, TranslationError, WaitError }
  export type { AskAgain, EvaluatedSegment, Evaluation, EvaluationRef, EvaluationStart, EvaluationState }
  export type { EvaluationStatus, EvaluationSummary, Span, StartedEvaluation, TranslatedSegment }
}
