/**
 * Language detection (beta, opt-in for the account).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call, expectCount } from "./internal/call.ts"
import { checkLimit, checkTexts } from "./internal/checks.ts"
import * as ContractClient from "./internal/contractClient.ts"
import { LanguageServiceConfig } from "./LanguageServiceConfig.ts"

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
  const client = yield* ContractClient.make("Detection")
  const { limits } = yield* LanguageServiceConfig

  const detect = Effect.fnUntraced(function*({ text }: DetectOptions) {
    yield* checkTexts(text)
    if (text.length === 0) return []
    yield* checkLimit("text", "texts", text.length, limits.detectionTexts)
    const { results } = yield* client.detect({ payload: { text } })
    yield* expectCount(text.length, results.length)
    return results
  })

  return {
    /**
     * Detects the language of each text. Gives one result for each text, in order: `Detected` with a language, or
     * `Undetected` with the reason.
     *
     * **Details**
     *
     * `POST /v3/detect/language` (spec, Detect language; reference B5). Safe to repeat. Whether it counts characters is
     * not specified.
     *
     * Fails with `LimitExceeded` for more than 50 texts and `InvalidInput` for a text that cannot be encoded, both
     * before anything is sent; with `AccessDenied` when the account has not opted in; with `UnexpectedResponse` when
     * another number of results comes than was asked for, or a success without a language.
     */
    detect: (options: DetectOptions) => call("Detection.detect", detect(options))
  }
})

/**
 * The service of language detection.
 *
 * @category services
 * @since 0.1.0
 */
export class Detection
  extends Context.Service<Detection, Effect.Success<typeof make>>()("@effect-lingua/core/Detection")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(Detection, make)
