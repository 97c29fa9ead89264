/**
 * Text translation.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Billing from "../account/internal/billing.ts"
import * as CharacterBudget from "../account/internal/characterBudget.ts"
import { InvalidInput } from "../client/CallError.ts"
import { checked, composed, concerning, expectCount } from "../client/internal/call.ts"
import {
  bodySize,
  checkBody,
  checkLength,
  checkLimit,
  checkText,
  checkTexts,
  countCharacters,
  typeOf
} from "../client/internal/checks.ts"
import { CurrentCall } from "../client/internal/currentCall.ts"
import * as Operations from "../client/internal/operations.ts"
import { defined, type Optional } from "../client/internal/optional.ts"
import { checkReferences } from "../client/internal/references.ts"
import * as Telemetry from "../client/internal/telemetry.ts"
import type { LanguageCode } from "../client/Language.ts"
import { LanguageServiceConfig } from "../client/LanguageServiceConfig.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import { Checks } from "../languages/Languages.ts"
import type * as Bulk from "./Bulk.ts"
import { type Refusal, sender } from "./internal/batchMethod.ts"
import * as Bulking from "./internal/bulk.ts"
import * as Joining from "./internal/joining.ts"
import { checkTag, headerFor } from "./internal/reportingTag.ts"
import * as Splitting from "./internal/splitting.ts"
import { TranslateBody, type Translated, TranslationApi } from "./TranslationApi.ts"

export { GlossaryId, StyleId, TranslationMemoryId } from "../client/Ids.ts"
export {
  type Formality,
  type ModelType,
  type SplitSentences,
  type TagHandling,
  type TagHandlingVersion,
  Translated
} from "./TranslationApi.ts"

/**
 * What to translate, and how: the fields of {@link TranslateBody}. Required are `text` (at most 50 texts; an empty list
 * gives an empty result without a call) and `targetLanguage`.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateOptions extends Optional<TranslateBody> {
  /**
   * What the translation is told apart by in the reports of the service: 1 to 100 visible ASCII characters, which the service
   * puts in lower case. By default that of the region, {@link ReportingTag}.
   */
  readonly reportingTag?: string | undefined
}

/**
 * How to translate texts to several languages: the fields of {@link TranslateOptions} with targets in the place of the
 * target.
 *
 * @category options
 * @since 0.2.0
 */
export interface TranslateIntoOptions<Language extends LanguageCode> extends Omit<TranslateOptions, "targetLanguage"> {
  /** The targets, each once. None gives an empty result without a call. */
  readonly targetLanguages: ReadonlyArray<Language>
  /** Whether the failure of a target ends all (`"fail"`, the default), or is the `"result"` of that target. */
  readonly onError?: "fail" | "result" | undefined
}

/**
 * How to translate any number of texts: the fields of {@link TranslateOptions} but for the texts, and how the run goes.
 *
 * @category options
 * @since 0.2.0
 */
export interface TranslateAllOptions extends Omit<TranslateOptions, "text">, Bulk.Options, Bulk.SplitOptions {}

/**
 * The reporting tag of the translations of a region of a program, where a call does not have its own.
 *
 * **Example** (One tag for all that a feature translates)
 *
 * ```ts import.meta.vitest
 * import { ReportingTag, Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { translate } = yield* Translation
 *   yield* Effect.provideService(translate("Good day", { targetLanguage: "de" }), ReportingTag, "help-pages")
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   const [request] = yield* fake.requests
 *   return request?.headers["x-service-reporting-tag"]
 * })
 * const tag = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * tag // => "help-pages"
 * ```
 *
 * @category services
 * @since 0.2.0
 */
export const ReportingTag = Context.Reference<string | undefined>("@effect-lingua/core/Translation/ReportingTag", {
  defaultValue: () => undefined
})

const checkTranslate = checkBody(TranslateBody)
const sizeOfTranslate = bodySize(TranslateBody)

/** What is billed for a text is the sum of its parts. */
const joinTranslations = Splitting.join<Translated>((parts) =>
  parts.some(({ billedCharacters }) => billedCharacters !== undefined)
    ? { billedCharacters: parts.reduce((sum, { billedCharacters = 0 }) => sum + billedCharacters, 0) }
    : {}
)

const make = Effect.gen(function*() {
  const api = yield* Operations.make(TranslationApi)
  const { operation } = api.translate
  const checks = yield* LanguageChecks.LanguageChecks
  const budget = yield* CharacterBudget.CharacterBudget
  const { authScheme, limits, resilience: { concurrency } } = yield* LanguageServiceConfig
  const tagHeader = headerFor(authScheme)
  const context = yield* Effect.context()

  const countTexts = (text: ReadonlyArray<string>) =>
    Telemetry.update("characters", text.reduce((sum, item) => sum + countCharacters(item), 0), {}, context)

  /** The tag of a call: its own, or that of the region. */
  const tagOf = Effect.fnUntraced(function*({ reportingTag }: Pick<TranslateOptions, "reportingTag">) {
    const tag = reportingTag ?? (yield* ReportingTag)
    yield* checkTag(tag)
    return tag
  })

  const checkOptions = Effect.fnUntraced(function*(options: Omit<TranslateOptions, "text">) {
    const { customInstructions = [] } = options
    yield* checkReferences(options, limits)
    yield* checkLimit(
      "customInstructions",
      "instructions",
      customInstructions.length,
      limits.translationInstructions
    )
    for (const [index, instruction] of customInstructions.entries()) {
      yield* checkText(`customInstructions[${index}]`, instruction)
      yield* checkLength(`customInstructions[${index}]`, instruction, limits.promptCharacters)
    }
  })

  const send = Effect.fnUntraced(function*(payload: TranslateBody, tag: string | undefined) {
    const current = yield* CurrentCall
    if (tag !== undefined && current !== undefined) current.headers = { [tagHeader]: tag }
    const { translations } = yield* checks.around(
      () => LanguageChecks.ofTranslation("translate_text", payload),
      budget.around(
        () => Billing.ofTexts(payload.text, payload.tagHandling),
        api.translate.request({ payload })
      )
    )
    countTexts(payload.text)
    yield* expectCount(payload.text.length, translations.length)
    return translations
  })

  /** What is sent for a list of texts, after all checks that need no answer. */
  const prepareList = Effect.fnUntraced(function*({ reportingTag, ...options }: TranslateOptions) {
    const { text } = options
    yield* checkReferences(options, limits)
    yield* checkTexts(text)
    const tag = yield* tagOf({ reportingTag })
    const payload: TranslateBody = defined(options)
    if (text.length === 0) return { payload, tag }
    yield* checkLimit("text", "texts", text.length, limits.translationTexts)
    yield* checkOptions(options)
    yield* checkTranslate(payload, limits.translationBytes)
    return { payload, tag }
  })

  const sendList = ({ payload, tag }: Effect.Success<ReturnType<typeof prepareList>>) =>
    payload.text.length === 0 ? Effect.succeed([]) : send(payload, tag)

  const translating = {
    operation,
    texts: limits.translationTexts,
    bytes: limits.translationBytes,
    prepare: Effect.fnUntraced(function*(all: TranslateAllOptions) {
      const { concurrency: _, onError: __, reportingTag, split, ...options } = all
      if (split !== undefined && options.tagHandling !== undefined) {
        return yield* new InvalidInput({ parameter: "split and tagHandling", given: "both", allowed: "one of them" })
      }
      yield* checkOptions(options)
      const fields: Omit<TranslateBody, "text"> = defined(options)
      const tag = yield* tagOf({ reportingTag })
      return {
        common: { fields, tag, checks: yield* Checks },
        envelope: yield* sizeOfTranslate({ text: [], ...fields }),
        send: sender(operation, (text) => send({ text, ...fields }, tag)),
        splitting: Splitting.forOptions(split, options.sourceLanguage, joinTranslations)
      }
    })
  }

  const translateOne = Joining.make(translating)
  const translateMany = (options: TranslateOptions) => api.translate.run(Effect.flatMap(prepareList(options), sendList))

  function translate(text: string, options: Omit<TranslateOptions, "text">): ReturnType<typeof translateOne>
  function translate(options: TranslateOptions): ReturnType<typeof translateMany>
  function translate(input: string | TranslateOptions, options?: Omit<TranslateOptions, "text">) {
    return Joining.isOne(input) ? translateOne(input, options) : translateMany(input)
  }

  const prepareInto = Effect.fnUntraced(function*(options: TranslateIntoOptions<LanguageCode>) {
    const { onError: _, targetLanguages, ...common } = options
    if (!Array.isArray(targetLanguages)) {
      return yield* new InvalidInput({
        parameter: "targetLanguages",
        given: typeOf(targetLanguages),
        allowed: "an array of languages"
      })
    }
    const seen = new Map<string, number>()
    for (const [index, language] of targetLanguages.entries()) {
      yield* checkText(`targetLanguages[${index}]`, language)
      const before = seen.get(language.toLowerCase())
      if (before !== undefined) {
        return yield* new InvalidInput({
          parameter: `targetLanguages[${index}]`,
          given: `the language of targetLanguages[${before}]`,
          allowed: "each language once"
        })
      }
      seen.set(language.toLowerCase(), index)
    }
    return yield* Effect.forEach(
      targetLanguages,
      (targetLanguage) =>
        Effect.map(prepareList({ ...common, targetLanguage }), (list) => [targetLanguage, list] as const)
    )
  })

  const sendTarget = (list: Effect.Success<ReturnType<typeof prepareList>>) =>
    Effect.mapError(
      api.translate.run(sendList(list)),
      (error) => concerning(error, { targetLanguage: list.payload.targetLanguage })
    )
  type OfTarget = ReturnType<typeof sendTarget>

  /** Sends the request of each target, a few at a time. */
  const intoEach = <A, E>(
    options: TranslateIntoOptions<LanguageCode>,
    sendOne: (list: Effect.Success<ReturnType<typeof prepareList>>) => Effect.Effect<A, E>
  ) => {
    const name = "Translation.translateInto"
    return composed(
      name,
      Effect.flatMap(checked(name, prepareInto(options)), (lists) =>
        Effect.map(
          Effect.forEach(
            lists,
            ([target, list]) => Effect.map(sendOne(list), (result) => [target, result] as const),
            { concurrency: Math.min(Bulking.defaultConcurrency, concurrency) }
          ),
          (results) => Object.fromEntries(results)
        ))
    )
  }

  function translateInto<const Language extends LanguageCode>(
    options: TranslateIntoOptions<Language> & { readonly onError: "result" }
  ): Effect.Effect<
    { readonly [Target in Language]: Result.Result<Effect.Success<OfTarget>, Effect.Error<OfTarget>> },
    Refusal
  >
  function translateInto<const Language extends LanguageCode>(
    options: TranslateIntoOptions<Language> & { readonly onError?: "fail" | undefined }
  ): Effect.Effect<{ readonly [Target in Language]: Effect.Success<OfTarget> }, Refusal | Effect.Error<OfTarget>>
  function translateInto(
    options: TranslateIntoOptions<LanguageCode>
  ): Effect.Effect<object, Refusal | Effect.Error<OfTarget>> {
    return options.onError === "result"
      ? intoEach(options, (list) => Effect.result(sendTarget(list)))
      : intoEach(options, sendTarget)
  }

  return {
    /**
     * Translates one text, or each of a list on its own. A list gives one translation for each text, in order. One text
     * goes with others of the same time: see `Bulk`.
     *
     * **Details**
     *
     * `POST /v2/translate` (spec, Translation requests; reference B10; the parameters beyond the specification's are
     * described publicly). Characters count toward the quota. Sent again once after a response that was lost, so a text
     * may be counted twice, unless the policy says otherwise (`repeatMetered`). The language of a style rule list must be that of
     * the target; a glossary needs `sourceLanguage`.
     *
     * Fails with `LimitExceeded` for more than 50 texts, a body over 128 KiB, more than 10 instructions of 300
     * characters or more than 5 glossaries, and `InvalidInput` for a glossary without source language, a threshold
     * outside 0 to 100 or a text that cannot be encoded, all before anything is sent; with `NotFound` when a style
     * list, glossary or translation memory does not exist or the memory does not cover the pair; with `QuotaExceeded`
     * when the characters are used up, and `BudgetExceeded` when they would pass the client's own budget; with
     * `UnexpectedResponse` when another number of results comes than was asked for.
     */
    translate,
    /**
     * Translates texts to several languages, one request for each. Gives a record of their translations by target.
     *
     * **Details**
     *
     * Each request is a `translate`, with its errors, and has the texts of a list: at most 50, each translated on its own. At
     * most 8 go at a time, and no more than the policy of the client has. Everything that can be checked is checked for all
     * targets before the first is sent.
     *
     * The first failure ends all, and what is in flight with it, which may have been counted; `targetLanguage` of the error
     * says which it was. With `onError: "result"` each target has a `Result` of its own. Fails with `InvalidInput` for a
     * target that is there twice.
     */
    translateInto,
    /**
     * Translates any number of texts, in requests of at most 50 texts that are as full as can be. Gives a stream of one
     * translation for each text, in order.
     *
     * **Details**
     *
     * Each request is a `translate`, with its errors. A text that is too large by itself is refused by its index, before
     * anything is sent where the texts are a list, or split with `split: "sentences"`, which does not go with
     * `tagHandling`. See `Bulk` for how a run goes.
     */
    translateAll: Bulking.all(translating, concurrency)
  }
})

/**
 * The service of text translation.
 *
 * @category services
 * @since 0.1.0
 */
export class Translation
  extends Context.Service<Translation, Effect.Success<typeof make>>()("@effect-lingua/core/texts/Translation")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Translation, make), [LanguageChecks.layer, CharacterBudget.layer])
