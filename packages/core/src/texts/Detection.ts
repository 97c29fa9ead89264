/**
 * Language detection (beta, opt-in for the account).
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { LimitExceeded } from "../errors/CallError.ts"
import type * as Bulk from "./Bulk.ts"
import {
  type DetectBody,
  type Detected,
  DetectionApi,
  type DetectionResult,
  type Undetected,
  type UndetectedReason
} from "./internal/detectionApi.ts"
import * as TextMethod from "./internal/textMethod.ts"

export { Detected, DetectionResult, Undetected } from "./internal/detectionApi.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface DetectOptions {
  /** At most 50 texts. */
  readonly text: ReadonlyArray<string>
}

type DetectError = Operations.Errors<typeof DetectionApi, "detect", LimitExceeded>["call"]

/**
 * @category models
 * @since 0.1.0
 */
export interface Detect extends Bulk.Method<{}, DetectionResult, DetectError> {}

const make = Effect.gen(function*() {
  const api = yield* Operations.make(DetectionApi)
  const { limits, resilience: { concurrency } } = yield* LanguageServiceConfig

  const requests = Effect.succeed({
    body: (text: ReadonlyArray<string>): DetectBody => ({ text }),
    send: (record: CallRecord, payload: DetectBody) =>
      Effect.map(api.detect.request(record, { payload }), ({ results }) => results)
  })

  const { all, each } = yield* TextMethod.make({
    operation: api.detect.operation,
    texts: limits.detectionTexts,
    bytes: Number.POSITIVE_INFINITY,
    concurrency,
    options: [],
    prepare: (_options: Bulk.Options) => requests
  })

  const detect: Detect = each
  const detectAll: Bulk.All<Bulk.Options, DetectionResult, DetectError> = all

  return {
    /**
     * Detects the language of one text, or of each text of a list in one request (`POST /v3/detect/language`): `Detected`, or `Undetected` with the
     * reason. The specification does not state whether detection bills characters. Fails with `LimitExceeded` for more than 50 texts and with
     * `AccessDenied` if the account has not opted in.
     */
    detect,
    /** Detects the languages of any number of texts: see `Bulk`. */
    detectAll
  }
})

/**
 * @category services
 * @since 0.1.0
 */
export class Detection extends Operations.service<Detection>()("@effect-lingua/core/texts/Detection", make) {}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Detection {
  export type { DetectOptions }
  export type { DetectError }
  export type { Detect, Detected, DetectionResult, Undetected, UndetectedReason }
}
