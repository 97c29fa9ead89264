/**
 * Rephrases and corrects texts.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Characters from "../account/internal/characters.ts"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import { canonical, type ImprovementLanguage } from "../contract/Language.ts"
import type { BudgetExceeded, LimitExceeded } from "../errors/CallError.ts"
import { invalid, malformedLanguage } from "../errors/internal/checks.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import type * as Bulk from "./Bulk.ts"
import * as Splitting from "./internal/splitting.ts"
import * as TextMethod from "./internal/textMethod.ts"
import {
  CorrectBody,
  type Improvement,
  RephraseBody,
  type Tone,
  WritingApi,
  type WritingStyle
} from "./internal/writingApi.ts"

export { Improvement, Tone, WritingStyle } from "./internal/writingApi.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface CorrectTextOptions {
  /** The language of the texts. Texts in another variant are converted. Default: detected for each text. */
  readonly targetLanguage?: ImprovementLanguage | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface CorrectOptions extends CorrectTextOptions {
  readonly text: ReadonlyArray<string>
}

/**
 * `default` is the only tone allowed with a writing style, and the only style allowed with a tone. The second member is a message for compiler
 * errors.
 *
 * @category options
 * @since 0.3.0
 */
export type EitherToneOrStyle =
  | "default"
  | (string & { readonly "a tone and a writing style exclude each other": never })

/**
 * A tone or a writing style, but not both.
 *
 * @category options
 * @since 0.1.0
 */
export type Manner =
  | {
    readonly tone?: Tone | undefined
    readonly writingStyle?: EitherToneOrStyle | undefined
  }
  | {
    readonly tone?: EitherToneOrStyle | undefined
    readonly writingStyle?: WritingStyle | undefined
  }

/**
 * @category options
 * @since 0.1.0
 */
export type RephraseTextOptions = CorrectTextOptions & Manner

/**
 * @category options
 * @since 0.1.0
 */
export type RephraseOptions = CorrectOptions & Manner

/**
 * @category options
 * @since 0.1.0
 */
export interface CorrectAllOptions extends Bulk.Options, Bulk.SplitOptions, CorrectTextOptions {}

/**
 * @category options
 * @since 0.1.0
 */
export type RephraseAllOptions = CorrectAllOptions & Manner

type RephraseError = Operations.Errors<typeof WritingApi, "rephrase", BudgetExceeded | LimitExceeded>["call"]

type CorrectError = Operations.Errors<typeof WritingApi, "correct", BudgetExceeded | LimitExceeded>["call"]

/**
 * @category models
 * @since 0.1.0
 */
export interface Rephrase extends Bulk.Method<RephraseTextOptions, Improvement, RephraseError> {}

/**
 * @category models
 * @since 0.1.0
 */
export interface Correct extends Bulk.Method<CorrectTextOptions, Improvement, CorrectError> {}

const splitting = Splitting.make<Improvement>()

const nonDefault = <A extends string>(value: A | undefined): A | undefined => value === "default" ? undefined : value

const make = Effect.gen(function*() {
  const api = yield* Operations.make(WritingApi)
  const checkLanguages = yield* LanguageChecks.make
  const { limits, resilience: { concurrency } } = yield* LanguageServiceConfig

  const method = (
    name: "rephrase" | "correct",
    Body: typeof RephraseBody | typeof CorrectBody,
    options: ReadonlyArray<string>
  ) =>
    TextMethod.make({
      operation: api[name].operation,
      options,
      texts: Number.POSITIVE_INFINITY,
      bytes: limits.improvementBytes,
      size: TextMethod.sizeOf(Body),
      concurrency,
      splitting,
      prepare: ({ targetLanguage: target, ...options }: RephraseAllOptions) => {
        const [tone, writingStyle] = [nonDefault(options.tone), nonDefault(options.writingStyle)]
        if (tone !== undefined && writingStyle !== undefined) {
          return invalid("tone and writingStyle", "both", "one of them")
        }
        // An untyped caller may pass any value, which the schema refuses.
        const targetLanguage = typeof target === "string" ? canonical(target) : target
        const fields = {
          ...(targetLanguage === undefined ? undefined : { targetLanguage }),
          ...(writingStyle === undefined ? undefined : { writingStyle }),
          ...(tone === undefined ? undefined : { tone })
        }
        return malformedLanguage("targetLanguage", target) ?? Effect.as(Characters.refuseTag, {
          language: targetLanguage,
          body: (text: ReadonlyArray<string>): RephraseBody => ({ text, ...fields }),
          send: (record: CallRecord, payload: RephraseBody) =>
            Effect.map(
              checkLanguages(
                () => LanguageChecks.ofImprovement(payload),
                Characters.metered(
                  record,
                  () => Characters.ofTexts(payload.text, undefined),
                  api[name].request(record, { payload })
                )
              ),
              ({ improvements }) => improvements
            )
        })
      }
    })

  const rephrase = yield* method("rephrase", RephraseBody, ["targetLanguage", "writingStyle", "tone"])
  const correct = yield* method("correct", CorrectBody, ["targetLanguage"])
  const rephraseEach: Rephrase = rephrase.each
  const correctEach: Correct = correct.each
  const rephraseAll: Bulk.All<RephraseAllOptions, Improvement, RephraseError> = rephrase.all
  const correctAll: Bulk.All<CorrectAllOptions, Improvement, CorrectError> = correct.all

  return {
    /**
     * Rephrases one text, or each text of a list in one request. Returns one improvement per text, in order.
     *
     * **Details**
     *
     * `POST /v2/write/rephrase`. Characters count toward the quota, twice if a response is lost and the policy's `repeatMetered` allows a retry.
     * Fails before the request with `LimitExceeded` for a body over 10 KiB, `InvalidInput` for a tone with a style, and `BudgetExceeded`. Fails
     * with `WrongTier` on the free tier; with `QuotaExceeded`; with `BadRequest` for an unsupported language, tone or style.
     */
    rephrase: rephraseEach,
    /** Corrects one text, or each text of a list (`POST /v2/write/correct`). Fails like `rephrase`. */
    correct: correctEach,
    /** Rephrases any number of texts: see `Bulk`. */
    rephraseAll,
    /** Corrects any number of texts: see `Bulk`. */
    correctAll
  }
})

/**
 * Rephrases and corrects texts.
 *
 * @category services
 * @since 0.1.0
 */
export class Writing extends Operations.service<Writing>()("@effect-lingua/core/texts/Writing", make) {}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Writing {
  export type { CorrectAllOptions, CorrectOptions, CorrectTextOptions, RephraseAllOptions, RephraseOptions }
  export type { RephraseTextOptions }
  export type { CorrectError, RephraseError }
  export type { Correct, EitherToneOrStyle, Improvement, Manner, Rephrase, Tone, WritingStyle }
}
