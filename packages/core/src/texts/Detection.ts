/**
 * Language detection (beta, opt-in for the account).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expectCount } from "../client/internal/call.ts"
import { checkLimit, checkTexts } from "../client/internal/checks.ts"
import * as Operations from "../client/internal/operations.ts"
import { LanguageServiceConfig } from "../client/LanguageServiceConfig.ts"
import type * as Bulk from "./Bulk.ts"
import { DetectionApi } from "./DetectionApi.ts"
import { sender } from "./internal/batchMethod.ts"
import * as Bulking from "./internal/bulk.ts"
import * as Joining from "./internal/joining.ts"

export { Detected, DetectionResult, Undetected, type UndetectedReason } from "./DetectionApi.ts"

/**
 * What to detect the language of.
 *
 * @category options
 * @since 0.1.0
 */
export interface DetectOptions {
  /** At most 50 texts. An empty list gives an empty result without a call. */
  readonly text: ReadonlyArray<string>
}

const make = Effect.gen(function*() {
  const api = yield* Operations.make(DetectionApi)
  const { limits, resilience: { concurrency } } = yield* LanguageServiceConfig

  const send = Effect.fnUntraced(function*(text: ReadonlyArray<string>) {
    const { results } = yield* api.detect.request({ payload: { text } })
    yield* expectCount(text.length, results.length)
    return results
  })

  const detectList = Effect.fnUntraced(function*({ text }: DetectOptions) {
    yield* checkTexts(text)
    if (text.length === 0) return []
    yield* checkLimit("text", "texts", text.length, limits.detectionTexts)
    return yield* send(text)
  })

  const prepared = Effect.succeed({ common: {}, envelope: 0, send: sender(api.detect.operation, send) })
  const detecting = {
    operation: api.detect.operation,
    texts: limits.detectionTexts,
    bytes: Number.POSITIVE_INFINITY,
    prepare: (_options: Bulk.Options) => prepared
  }

  const detectOne = Joining.make(detecting)
  const detectMany = (options: DetectOptions) => api.detect.run(detectList(options))

  function detect(text: string): ReturnType<typeof detectOne>
  function detect(options: DetectOptions): ReturnType<typeof detectMany>
  function detect(input: string | DetectOptions) {
    return Joining.isOne(input) ? detectOne(input) : detectMany(input)
  }

  return {
    /**
     * Detects the language of one text, or of each of a list. A list gives one result for each text, in order:
     * `Detected` with a language, or `Undetected` with the reason.
     *
     * **Details**
     *
     * `POST /v3/detect/language` (spec, Detect language; reference B5). Safe to repeat. Whether it counts characters is
     * not specified.
     *
     * One text goes with the others that are asked about at the same time, in requests of up to 50: see `Bulk`. It is one
     * method with that for a list, as both ask the same, and the one for many calls should not be the one that is found
     * last.
     *
     * Fails with `LimitExceeded` for a list of more than 50 texts and `InvalidInput` for a text that cannot be encoded,
     * both before anything is sent; with `AccessDenied` when the account has not opted in; with `UnexpectedResponse`
     * when another number of results comes than was asked for, or a success without a language.
     */
    detect,
    /**
     * Detects the languages of any number of texts, in requests of 50. Gives a stream of one result for each text, in
     * order.
     *
     * **Details**
     *
     * Each request is a `detect`, with its errors. See `Bulk` for how a run goes.
     */
    detectAll: Bulking.all(detecting, concurrency)
  }
})

/**
 * The service of language detection.
 *
 * @category services
 * @since 0.1.0
 */
export class Detection
  extends Context.Service<Detection, Effect.Success<typeof make>>()("@effect-lingua/core/texts/Detection")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(Detection, make)
