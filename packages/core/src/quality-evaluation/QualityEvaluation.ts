/**
 * Quality evaluation: translations are looked through for errors, and scored. In closed alpha (spec): it may change, and an
 * account needs to be let in.
 *
 * @since 0.2.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidInput } from "../client/CallError.ts"
import * as Events from "../client/Events.ts"
import type { EvaluationId } from "../client/Ids.ts"
import { call, composed, create, expectId, expectUsableId } from "../client/internal/call.ts"
import { checkId, checkItems, checkLength, checkLimit, checkText } from "../client/internal/checks.ts"
import * as ContractClient from "../client/internal/contractClient.ts"
import { policyOf } from "../client/internal/region.ts"
import type { LanguageCode } from "../client/Language.ts"
import { LanguageServiceConfig } from "../client/LanguageServiceConfig.ts"
import * as Jobs from "../jobs/internal/polling.ts"
import { JobProgress, report } from "../jobs/JobProgress.ts"
import {
  type Evaluation,
  QualityEvaluationApi,
  type Span,
  type StartedEvaluation,
  type TranslatedSegment
} from "./QualityEvaluationApi.ts"

/**
 * What to evaluate.
 *
 * @category options
 * @since 0.2.0
 */
export interface EvaluateOptions {
  readonly sourceLanguage: LanguageCode
  readonly targetLanguage: LanguageCode
  /** 1 to 500 texts with their translations, each of at most 10,000 characters. */
  readonly segments: ReadonlyArray<TranslatedSegment>
}

/**
 * Names one evaluation.
 *
 * @category options
 * @since 0.2.0
 */
export interface EvaluationRef {
  readonly jobId: EvaluationId
}

/**
 * What the service says of when to ask again.
 *
 * @category models
 * @since 0.2.0
 */
export interface AskAgain {
  /** The header `Retry-After`, where it came. */
  readonly retryAfter?: Duration.Duration
}

/**
 * The part of a text that a span of an evaluation means. Spans count Unicode code points, of which an emoji is one, where
 * `String.slice` counts two.
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
 * @since 0.2.0
 */
export const cut = (text: string, { end, start }: Span): string => Array.from(text).slice(start, end).join("")

const withHint = <A extends object>(answer: A): Effect.Effect<A & AskAgain> =>
  Effect.map(Jobs.hint, (retryAfter) => retryAfter === undefined ? answer : { ...answer, retryAfter })

const make = Effect.gen(function*() {
  const client = yield* ContractClient.make(QualityEvaluationApi)
  const events = yield* Events.Events
  const config = yield* LanguageServiceConfig
  const { limits } = config

  const checkSegments = Effect.fnUntraced(function*(segments: EvaluateOptions["segments"]) {
    yield* checkItems("segments", "texts with their translations", segments)
    if (segments.length === 0) {
      return yield* new InvalidInput({
        parameter: "segments",
        given: "none",
        allowed: `1 to ${limits.evaluationSegments} texts with their translations`
      })
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

  const submitted = Effect.fnUntraced(function*({ segments, sourceLanguage, targetLanguage }: EvaluateOptions) {
    yield* checkText("sourceLanguage", sourceLanguage)
    yield* checkText("targetLanguage", targetLanguage)
    yield* checkSegments(segments)
    const started: StartedEvaluation = yield* client().QualityEvaluation.submit({
      payload: { metadata: { sourceLanguage, targetLanguage }, segments }
    })
    // Nobody could ask for it.
    yield* expectUsableId("evaluation", started.jobId)
    return yield* withHint(started)
  })

  const submit = (options: EvaluateOptions) => create("QualityEvaluation.submit", {}, submitted(options))

  const ask = (jobId: EvaluationId) =>
    Effect.tap(
      client().QualityEvaluation.get({ params: { jobId } }),
      (evaluation: Evaluation) => expectId("evaluation", jobId, evaluation.jobId)
    )

  const untilDone = Effect.fnUntraced(function*(jobId: EvaluationId, first?: Duration.Duration) {
    const operation = "QualityEvaluation.wait"
    return yield* Jobs.untilEnded({
      operation,
      jobId,
      ask: ask(jobId),
      stateOf: ({ state }) => state,
      end: (evaluation) => {
        switch (evaluation.state) {
          case "done":
            return Effect.as(report(() => JobProgress.Completed({ jobId })), evaluation)
          case "error": {
            const { code, message = "" } = evaluation.error ?? {}
            return Jobs.failed({
              operation,
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
      policy: yield* policyOf(config, "QualityEvaluation"),
      events,
      first
    })
  })

  const wait = ({ jobId }: EvaluationRef, first?: Duration.Duration) =>
    call("QualityEvaluation.wait", Effect.andThen(checkId("jobId", jobId), untilDone(jobId, first)))

  const evaluated = Effect.fnUntraced(function*(options: EvaluateOptions) {
    const { jobId, retryAfter } = yield* submit(options)
    yield* report(() => JobProgress.Started({ jobId }))
    return yield* wait({ jobId }, retryAfter)
  })

  return {
    /**
     * Starts an evaluation. `evaluate` does all of it.
     *
     * **Details**
     *
     * `POST /v1/quality-evaluation` (reference B19; described publicly, not by the specification; closed alpha). Each run makes
     * another evaluation, so a call whose fate is not known fails with `OutcomeUnknown` and is not sent again. Fails with
     * `LimitExceeded` for more than 500 segments or a text of more than 10,000 characters, and `InvalidInput` for no segments
     * or a text that cannot be encoded, both with the place and before anything is sent; with `AccessDenied` when the account
     * is not let in.
     */
    submit,
    /**
     * Asks once how an evaluation stands. The service keeps it for 24 hours.
     *
     * **Details**
     *
     * `GET /v1/quality-evaluation/{job_id}` (reference B19; described publicly, not by the specification; closed alpha). Fails
     * with `NotFound` for an unknown id and `InvalidInput` for one that cannot be a path segment.
     */
    get: ({ jobId }: EvaluationRef) =>
      call("QualityEvaluation.get", Effect.andThen(checkId("jobId", jobId), Effect.flatMap(ask(jobId), withHint))),
    /**
     * Waits until an evaluation is done.
     *
     * **Details**
     *
     * Asks at once, and then again when the service says so by `Retry-After`, or with the policy's waits for polls where it does
     * not, until the policy's `documentDeadline`, 30 minutes by default. A state that is not known is waited out too.
     *
     * Fails with `JobFailed` when the service could not evaluate; with `JobNotDone` when the deadline passes first: it goes on
     * at the service; with `NotFound` for an unknown id.
     */
    wait: (ref: EvaluationRef) => wait(ref),
    /**
     * Evaluates translations: starts the evaluation, waits as long as the service says, and gives the errors of each segment
     * and the score.
     *
     * **Details**
     *
     * Fails like `submit` and `wait`. Who wants to go on with it after a failure starts it with `submit` and keeps the id.
     */
    evaluate: (options: EvaluateOptions) => composed("QualityEvaluation.evaluate", evaluated(options))
  }
})

/**
 * The service of quality evaluation.
 *
 * @category services
 * @since 0.2.0
 */
export class QualityEvaluation extends Context.Service<QualityEvaluation, Effect.Success<typeof make>>()(
  "@effect-lingua/core/quality-evaluation/QualityEvaluation"
) {}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = Layer.effect(QualityEvaluation, make)
