/**
 * Text improvement: rewriting and correcting texts within their language. Needs the paid tier.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Billing from "../account/internal/billing.ts"
import * as CharacterBudget from "../account/internal/characterBudget.ts"
import { InvalidInput } from "../client/CallError.ts"
import { expectCount } from "../client/internal/call.ts"
import { bodySize, checkBody, checkTexts, countCharacters } from "../client/internal/checks.ts"
import * as Operations from "../client/internal/operations.ts"
import { defined } from "../client/internal/optional.ts"
import * as Telemetry from "../client/internal/telemetry.ts"
import type { ImprovementLanguage } from "../client/Language.ts"
import { LanguageServiceConfig } from "../client/LanguageServiceConfig.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import { Checks } from "../languages/Languages.ts"
import type * as Bulk from "./Bulk.ts"
import { sender } from "./internal/batchMethod.ts"
import * as Bulking from "./internal/bulk.ts"
import * as Joining from "./internal/joining.ts"
import * as Splitting from "./internal/splitting.ts"
import { CorrectBody, type Improvement, RephraseBody, type Tone, WritingApi, type WritingStyle } from "./WritingApi.ts"

export { Improvement, Tone, WritingStyle } from "./WritingApi.ts"

/**
 * What to correct.
 *
 * @category options
 * @since 0.1.0
 */
export interface CorrectOptions {
  /** The texts. An empty list gives an empty result without a call. */
  readonly text: ReadonlyArray<string>
  /**
   * The language of the texts; another variant of it converts them. When absent the service detects the language of
   * each text.
   */
  readonly targetLanguage?: ImprovementLanguage | undefined
}

/**
 * What to rephrase, and how. Tone and writing style exclude each other; `default` is the same as none.
 *
 * @category options
 * @since 0.1.0
 */
export type RephraseOptions = CorrectOptions & Manner

/**
 * How to rephrase: with a tone, or in a writing style.
 *
 * @category options
 * @since 0.2.0
 */
export type Manner =
  | { readonly tone?: Tone | undefined; readonly writingStyle?: "default" | undefined }
  | { readonly tone?: "default" | undefined; readonly writingStyle?: WritingStyle | undefined }

/**
 * How to correct any number of texts.
 *
 * @category options
 * @since 0.2.0
 */
export interface CorrectAllOptions extends Bulk.Options, Bulk.SplitOptions, Omit<CorrectOptions, "text"> {}

/**
 * How to rephrase any number of texts.
 *
 * @category options
 * @since 0.2.0
 */
export type RephraseAllOptions = CorrectAllOptions & Manner

const checkRephrase = checkBody(RephraseBody)
const checkCorrect = checkBody(CorrectBody)
const sizeOfRephrase = bodySize(RephraseBody)
const sizeOfCorrect = bodySize(CorrectBody)

const joinImprovements = Splitting.join<Improvement>()

const chosen = <A extends string>(value: A | undefined): A | undefined => value === "default" ? undefined : value

const rephraseFields = (
  { targetLanguage, ...options }: Omit<CorrectOptions, "text"> & Manner
): Effect.Effect<Omit<RephraseBody, "text">, InvalidInput> => {
  const tone = chosen(options.tone)
  const writingStyle = chosen(options.writingStyle)
  return tone !== undefined && writingStyle !== undefined
    ? Effect.fail(new InvalidInput({ parameter: "tone and writingStyle", given: "both", allowed: "one of them" }))
    : Effect.succeed(defined<Omit<RephraseBody, "text">>({ targetLanguage, writingStyle, tone }))
}

const make = Effect.gen(function*() {
  const api = yield* Operations.make(WritingApi)
  const checks = yield* LanguageChecks.LanguageChecks
  const budget = yield* CharacterBudget.CharacterBudget
  const { limits, resilience: { concurrency } } = yield* LanguageServiceConfig
  const context = yield* Effect.context()

  const countTexts = (text: ReadonlyArray<string>) =>
    Telemetry.update("characters", text.reduce((sum, item) => sum + countCharacters(item), 0), {}, context)

  const sendRephrase = Effect.fnUntraced(function*(payload: RephraseBody) {
    const { improvements } = yield* checks.around(
      () => LanguageChecks.ofImprovement(payload),
      budget.around(() => Billing.ofTexts(payload.text, undefined), api.rephrase.request({ payload }))
    )
    countTexts(payload.text)
    yield* expectCount(payload.text.length, improvements.length)
    return improvements
  })

  const rephraseList = Effect.fnUntraced(function*(options: RephraseOptions) {
    const { text } = options
    const fields = yield* rephraseFields(options)
    yield* checkTexts(text)
    if (text.length === 0) return []
    const payload: RephraseBody = { text, ...fields }
    yield* checkRephrase(payload, limits.improvementBytes)
    return yield* sendRephrase(payload)
  })

  const sendCorrect = Effect.fnUntraced(function*(payload: CorrectBody) {
    const { improvements } = yield* checks.around(
      () => LanguageChecks.ofImprovement(payload),
      budget.around(() => Billing.ofTexts(payload.text, undefined), api.correct.request({ payload }))
    )
    countTexts(payload.text)
    yield* expectCount(payload.text.length, improvements.length)
    return improvements
  })

  const correctList = Effect.fnUntraced(function*({ targetLanguage, text }: CorrectOptions) {
    yield* checkTexts(text)
    if (text.length === 0) return []
    const payload = defined<CorrectBody>({ text, targetLanguage })
    yield* checkCorrect(payload, limits.improvementBytes)
    return yield* sendCorrect(payload)
  })

  const improved = { texts: Number.POSITIVE_INFINITY, bytes: limits.improvementBytes }

  const rephrasing = {
    ...improved,
    operation: api.rephrase.operation,
    prepare: Effect.fnUntraced(function*({ split, ...options }: RephraseAllOptions) {
      const fields = yield* rephraseFields(options)
      return {
        common: { fields, checks: yield* Checks },
        envelope: yield* sizeOfRephrase({ text: [], ...fields }),
        send: sender(api.rephrase.operation, (text) => sendRephrase({ text, ...fields })),
        splitting: Splitting.forOptions(split, fields.targetLanguage, joinImprovements)
      }
    })
  }

  const correcting = {
    ...improved,
    operation: api.correct.operation,
    prepare: Effect.fnUntraced(function*({ split, targetLanguage }: CorrectAllOptions) {
      const fields = defined<Omit<CorrectBody, "text">>({ targetLanguage })
      return {
        common: { fields, checks: yield* Checks },
        envelope: yield* sizeOfCorrect({ text: [], ...fields }),
        send: sender(api.correct.operation, (text) => sendCorrect({ text, ...fields })),
        splitting: Splitting.forOptions(split, targetLanguage, joinImprovements)
      }
    })
  }

  const rephraseOne = Joining.make(rephrasing)
  const rephraseMany = (options: RephraseOptions) => api.rephrase.run(rephraseList(options))

  function rephrase(text: string, options?: Omit<CorrectOptions, "text"> & Manner): ReturnType<typeof rephraseOne>
  function rephrase(options: RephraseOptions): ReturnType<typeof rephraseMany>
  function rephrase(input: string | RephraseOptions, options?: Omit<CorrectOptions, "text"> & Manner) {
    return Joining.isOne(input) ? rephraseOne(input, options) : rephraseMany(input)
  }

  const correctOne = Joining.make(correcting)
  const correctMany = (options: CorrectOptions) => api.correct.run(correctList(options))

  function correct(text: string, options?: Omit<CorrectOptions, "text">): ReturnType<typeof correctOne>
  function correct(options: CorrectOptions): ReturnType<typeof correctMany>
  function correct(input: string | CorrectOptions, options?: Omit<CorrectOptions, "text">) {
    return Joining.isOne(input) ? correctOne(input, options) : correctMany(input)
  }

  return {
    /**
     * Rephrases one text, or each of a list: fixes spelling and grammar, and rewrites for clarity, style or tone. A list
     * gives one improvement for each text, in order. One text goes with others of the same time: see `Bulk`.
     *
     * **Details**
     *
     * `POST /v2/write/rephrase` (spec, Rephrase text; reference B2). Characters count toward the quota. Sent again once
     * after a response that was lost, so a text may be counted twice, unless the policy says otherwise (`repeatMetered`).
     *
     * Fails with `LimitExceeded` when the encoded body would be over 10 KiB and `InvalidInput` when both tone and style are
     * set or a text cannot be encoded, both before anything is sent; with `WrongTier` on the free tier; with
     * `QuotaExceeded` when the characters are used up, and `BudgetExceeded` when they would pass the client's own budget;
     * with `BadRequest` for a language or a plain tone or style that the service does not take there; with `RateLimited`,
     * `Overloaded` and the other transient errors when attempts or time are used up; with `UnexpectedResponse` when another
     * number of results comes than was asked for.
     */
    rephrase,
    /**
     * Corrects one text, or each of a list: fixes spelling and grammar with minimal changes of wording. A list gives one
     * improvement for each text, in order. One text goes with others of the same time: see `Bulk`.
     *
     * **Details**
     *
     * `POST /v2/write/correct` (spec, Correct text; reference B3). Quota, repeats and errors are those of `rephrase`.
     */
    correct,
    /**
     * Rephrases any number of texts, in requests that are as full as can be. Gives a stream of one improvement for each
     * text, in order.
     *
     * **Details**
     *
     * Each request is a `rephrase`, with its errors. A text that is too large by itself is refused by its index, before
     * anything is sent where the texts are a list, or split with `split: "sentences"`. See `Bulk` for how a run goes.
     */
    rephraseAll: Bulking.all(rephrasing, concurrency),
    /**
     * Corrects any number of texts, as `rephraseAll` does.
     */
    correctAll: Bulking.all(correcting, concurrency)
  }
})

/**
 * The service of text improvement.
 *
 * @category services
 * @since 0.1.0
 */
export class Writing
  extends Context.Service<Writing, Effect.Success<typeof make>>()("@effect-lingua/core/texts/Writing")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Writing, make), [LanguageChecks.layer, CharacterBudget.layer])
