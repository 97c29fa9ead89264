/**
 * Quality evaluation: the service finds errors in translations and scores them. In closed alpha: it may change, and requires an
 * invitation of the account.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CallRecord } from "../call/internal/callRecord.ts"
import { runs } from "../call/internal/operation.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { EvaluationId } from "../contract/Ids.ts"
import type { LanguageCode } from "../contract/Language.ts"
import type { JobNotDone, LimitExceeded } from "../errors/CallError.ts"
import { checkItems, checkLength, checkLimit, checkText, invalid } from "../errors/internal/checks.ts"
import { expectUsableId } from "../errors/internal/unexpected.ts"
import type { JobFailed } from "../errors/ServiceError.ts"
import * as Jobs from "../jobs/internal/polling.ts"
import {
  type Evaluation,
  QualityEvaluationApi,
  type Span,
  type StartedEvaluation,
  type TranslatedSegment
} from "./internal/qualityEvaluationApi.ts"

export {
  EvaluatedSegment,
  Evaluation,
  EvaluationState,
  EvaluationSummary,
  Span,
  StartedEvaluation,
  TranslatedSegment,
  TranslationError
} from "./internal/qualityEvaluationApi.ts"

/**
 * Translations to evaluate.
 *
 * @category options
 * @since 0.1.0
 */
export interface EvaluateOptions {
  readonly sourceLanguage: LanguageCode
  readonly targetLanguage: LanguageCode
  /** 1 to 500 texts with their translations, each of at most 10,000 characters. */
  readonly segments: ReadonlyArray<TranslatedSegment>
}

/**
 * An evaluation by its id.
 *
 * @category options
 * @since 0.1.0
 */
export interface EvaluationRef {
  readonly jobId: EvaluationId
}

/**
 * The service's hint for the next request.
 *
 * @category models
 * @since 0.1.0
 */
export interface AskAgain {
  /** The header `Retry-After`, if any. */
  readonly retryAfter?: Duration.Duration
}

/**
 * A started evaluation, with the hint for the first request.
 *
 * @category models
 * @since 0.1.0
 */
export interface EvaluationStart extends StartedEvaluation, AskAgain {}

/**
 * The state of an evaluation, with the hint for the next request.
 *
 * @category models
 * @since 0.1.0
 */
export interface EvaluationStatus extends Evaluation, AskAgain {}

type StartError = Operations.Errors<typeof QualityEvaluationApi, "start", LimitExceeded>["create"]

type StatusError = Operations.Errors<typeof QualityEvaluationApi, "status">["call"]

type WaitError = Operations.Union<StatusError | JobFailed | JobNotDone>["members"]

type EvaluateError = Operations.Union<StartError | WaitError>["members"]

/**
 * The part of a text within a span of an evaluation. Spans count Unicode code points, so an emoji counts one, but two for
 * `String.slice`.
 *
 * **Example** (An emoji before the error)
 *
 * ```ts import.meta.vitest
 * import * as QualityEvaluation from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
 *
 * QualityEvaluation.cut("👋 Hello word", { start: 8, end: 12 }) // => "word"
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const cut = (text: string, { end, start }: Span): string => Array.from(text).slice(start, end).join("")

const withHint = <A extends object>(record: CallRecord, answer: A): Effect.Effect<A & AskAgain> =>
  Effect.map(Jobs.hint(record), (retryAfter) => retryAfter === undefined ? answer : { ...answer, retryAfter })

const make = Effect.gen(function*() {
  const api = yield* Operations.make(QualityEvaluationApi)
  const { composed } = yield* runs
  const jobs = yield* Jobs.make("QualityEvaluation")
  const { limits } = yield* LanguageServiceConfig

  const checkSegments = Effect.fnUntraced(function*(segments: EvaluateOptions["segments"]) {
    yield* checkItems("segments", "texts with their translations", segments)
    if (segments.length === 0) {
      return yield* invalid("segments", "none", `1 to ${limits.evaluationSegments} texts with their translations`)
    }
    yield* checkLimit("segments", "items", segments.length, limits.evaluationSegments)
    for (const [index, segment] of segments.entries()) {
      for (const side of ["source", "target"] as const) {
        const place = `segments[${index}].${side}`
        yield* checkText(place, segment[side])
        yield* checkLength(place, segment[side], limits.evaluationCharacters)
      }
    }
  })

  const started = Effect.fnUntraced(function*(
    record: CallRecord,
    { segments, sourceLanguage, targetLanguage }: EvaluateOptions
  ) {
    yield* checkText("sourceLanguage", sourceLanguage)
    yield* checkText("targetLanguage", targetLanguage)
    yield* checkSegments(segments)
    const evaluation: StartedEvaluation = yield* api.start.request(record, {
      payload: { metadata: { sourceLanguage, targetLanguage }, segments }
    })
    yield* expectUsableId("evaluation", evaluation.jobId)
    return yield* withHint(record, evaluation)
  })

  const start = (options: EvaluateOptions): Effect.Effect<EvaluationStart, StartError> =>
    api.start.create({}, (record) => started(record, options))

  const wait = ({ jobId }: EvaluationRef, first?: Duration.Duration) =>
    jobs.wait(jobId, {
      ask: (record, wait) => api.status.request(record, { params: { jobId }, wait }),
      stateOf: ({ state }) => state,
      end: (evaluation, record) => {
        switch (evaluation.state) {
          case "done":
            return Effect.succeed(evaluation)
          case "error": {
            const { code, message = "" } = evaluation.error ?? {}
            return Jobs.failed(record, {
              operation: "QualityEvaluation.wait",
              jobId,
              state: evaluation.state,
              description: message,
              ...(code === undefined ? undefined : { code })
            })
          }
          default:
            return undefined
        }
      },
      first
    })

  const evaluated = Effect.fnUntraced(function*(options: EvaluateOptions) {
    const { jobId, retryAfter } = yield* start(options)
    return yield* Jobs.started(jobId, wait({ jobId }, retryAfter))
  })

  return yield* withKnownOptions(QualityEvaluationApi, {
    /**
     * Starts an evaluation. `evaluate` runs all steps.
     *
     * **Details**
     *
     * `POST /v1/quality-evaluation`. Each run starts another evaluation, so a call of unknown outcome fails with
     * `OutcomeUnknown` and is not sent again. Fails with `LimitExceeded` for more than 500 segments or a text of more than
     * 10,000 characters, and `InvalidInput` for no segments or a text that cannot be encoded, both with the position and before
     * anything is sent; with `AccessDenied` when the account is not admitted to the closed alpha.
     */
    start,
    /**
     * Gets the current state of an evaluation. The service keeps it for 24 hours.
     *
     * **Details**
     *
     * `GET /v1/quality-evaluation/{job_id}`. Fails with `NotFound` for an unknown id and `InvalidInput` for one that cannot be a path
     * segment.
     */
    status: ({ jobId }: EvaluationRef): Effect.Effect<EvaluationStatus, StatusError> =>
      api.status.run((record) =>
        Effect.flatMap(api.status.request(record, { params: { jobId } }), (status) => withHint(record, status))
      ),
    /**
     * Waits until an evaluation is done, and returns it.
     *
     * **Details**
     *
     * Requests it at once, and then after each `Retry-After`, or by the policy's waits for polls if there is none, until the
     * policy's `jobDeadline`, 30 minutes by default. An unknown state does not end the wait.
     *
     * Fails with `JobFailed` when the service could not evaluate; with `JobNotDone` when the deadline passes first: the evaluation
     * continues at the service; with `NotFound` for an unknown id.
     */
    wait: (ref: EvaluationRef): Effect.Effect<Evaluation, WaitError> => wait(ref),
    /**
     * Evaluates translations: starts the evaluation, waits, and returns the errors of each segment
     * and the score.
     *
     * **Details**
     *
     * Fails like `start` and `wait`. Each error after the start has the id of the job in `job`, with which `wait` continues.
     */
    evaluate: (options: EvaluateOptions): Effect.Effect<Evaluation, EvaluateError> =>
      composed("QualityEvaluation.evaluate", evaluated(options))
  }, {
    start: { segments: true, sourceLanguage: true, targetLanguage: true },
    evaluate: { segments: true, sourceLanguage: true, targetLanguage: true },
    wait: { jobId: true }
  })
})

/**
 * The service of quality evaluation.
 *
 * @category services
 * @since 0.1.0
 */
export class QualityEvaluation extends Context.Service<QualityEvaluation, Effect.Success<typeof make>>()(
  "@effect-lingua/core/quality-evaluation/QualityEvaluation"
) {}

/**
 * The service over a client: that of `LanguageService.layer`, whose connections and limits it shares, or one of `LanguageServiceClient.layerOf`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(QualityEvaluation, make)
