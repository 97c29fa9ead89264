/**
 * Text translation.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Characters from "../account/internal/characters.ts"
import { type CallRecord, countedCharacters } from "../call/internal/callRecord.ts"
import { checked, concerning, runs } from "../call/internal/operation.ts"
import * as Operations from "../call/internal/operation.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { GlossaryId } from "../contract/Ids.ts"
import { ReportingTag } from "../contract/internal/textOptions.ts"
import { defined, type Optional } from "../contract/internal/values.ts"
import type { LanguageCode } from "../contract/Language.ts"
import type { BudgetExceeded, InvalidInput, LimitExceeded } from "../errors/CallError.ts"
import { checkLength, checkLimit, checkText, invalid, malformedLanguage, typeOf } from "../errors/internal/checks.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import type * as Bulk from "./Bulk.ts"
import * as Bulking from "./internal/bulk.ts"
import * as Splitting from "./internal/splitting.ts"
import * as TextMethod from "./internal/textMethod.ts"
import { TranslateBody, type Translated, TranslationApi } from "./internal/translationApi.ts"

export { ReportingTag } from "../contract/internal/textOptions.ts"
export {
  type Formality,
  type ModelType,
  type SplitSentences,
  type TagHandling,
  type TagHandlingVersion,
  Translated
} from "./internal/translationApi.ts"

/**
 * Options of a translation besides the texts: the fields of {@link TranslateBody}. Required is `targetLanguage`.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateTextOptions extends Optional<Omit<TranslateBody, "text">> {
  /** The language to translate to, such as `de` or `en-GB`. Each code completes in an editor, and any other that is well-formed passes. */
  readonly targetLanguage: LanguageCode
  /** A glossary by its id, as `glossaries` returned it or from a text: `GlossaryId.make("…")`. It needs `sourceLanguage`. */
  readonly glossaryId?: GlossaryId | undefined
  /**
   * Tag of the translation in the service's usage reports: 1 to 100 visible ASCII characters, which the service converts to
   * lower case. Default: the {@link ReportingTag} of the region.
   */
  readonly reportingTag?: string | undefined
}

/**
 * Texts to translate, with the options: the fields of {@link TranslateBody}. Required are `text` (at most 50 texts; an empty
 * list returns an empty result without a call) and `targetLanguage`.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateOptions extends TranslateTextOptions {
  readonly text: ReadonlyArray<string>
}

/**
 * Texts to translate to several languages, with the options: the fields of {@link TranslateOptions} with several targets
 * instead of one.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateIntoOptions<Language extends LanguageCode> extends Omit<TranslateOptions, "targetLanguage"> {
  /** The targets, each once. An empty list returns an empty result without a call. */
  readonly targetLanguages: ReadonlyArray<Language>
  /** `"fail"`, the default: the first failure ends all. `"result"`: each target has a `Result`. */
  readonly onError?: "fail" | "result" | undefined
}

/**
 * Options of a run of translations.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateAllOptions extends TranslateTextOptions, Bulk.Options, Bulk.SplitOptions {}

type TranslateError = Operations.Errors<
  typeof TranslationApi,
  "translate",
  BudgetExceeded | LimitExceeded
>["call"]

/** The errors of one target of `translateInto`, whose options are checked once for all targets. */
type TranslateTargetError = Exclude<TranslateError, LimitExceeded>

/**
 * Translates one text, or each text of a list.
 *
 * @category models
 * @since 0.1.0
 */
export interface Translate {
  /**
   * Translates one text, or each text of a list, with `text` and `targetLanguage` among the options.
   *
   * **Details**
   *
   * `text` is a text or at most 50 of them, in a body of 128 KiB. Fails with `LimitExceeded` or `InvalidInput` before anything is sent, with
   * `NotFound` if a resource of the options does not exist, with `QuotaExceeded` and `BudgetExceeded`.
   */
  <Text extends string | ReadonlyArray<string>>(
    options: TranslateTextOptions & { readonly text: Text }
  ): Effect.Effect<Bulk.Each<Text, Translated>, TranslateError>
  /**
   * Translates one text, or each text of a list, with the options after the texts: at least `targetLanguage`.
   *
   * **Details**
   *
   * `POST /v2/translate`. At most 50 texts in a body of 128 KiB; an empty list has an empty result without a call. The characters count toward the quota, twice if a response is lost and the policy
   * allows the repeat (`repeatMetered`). Fails with `LimitExceeded` or `InvalidInput` before anything is sent, with `NotFound` if a resource of the options does not exist, with `QuotaExceeded` and `BudgetExceeded`.
   */
  <Text extends string | ReadonlyArray<string>>(
    text: Text,
    options: TranslateTextOptions
  ): Effect.Effect<Bulk.Each<Text, Translated>, TranslateError>
}

/**
 * Translates texts to several languages.
 *
 * @category models
 * @since 0.1.0
 */
export interface TranslateInto {
  /** Returns a `Result` for each target, so that the failure of one does not discard the others. */
  <const Language extends LanguageCode, OnError extends "result" = "result">(
    options: TranslateIntoOptions<Language> & { readonly onError: OnError }
  ): Effect.Effect<
    {
      readonly [Target in Language]: Bulk.ByChoice<
        OnError,
        Result.Result<ReadonlyArray<Translated>, TranslateTargetError>,
        ReadonlyArray<Translated>
      >
    },
    InvalidInput | LimitExceeded
  >
  /** Returns a record of the translations by target. The first failure ends all, and `targetLanguage` of the error names its target. */
  <const Language extends LanguageCode, OnError extends "fail" = "fail">(
    options: TranslateIntoOptions<Language> & { readonly onError?: OnError | undefined }
  ): Effect.Effect<
    {
      readonly [Target in Language]: Bulk.ByChoice<
        OnError,
        Result.Result<ReadonlyArray<Translated>, TranslateTargetError>,
        ReadonlyArray<Translated>
      >
    },
    TranslateError
  >
}

/** A text is billed with the sum of its parts. */
const splitting = Splitting.make<Translated>((parts) =>
  parts.some(({ billedCharacters }) => billedCharacters !== undefined)
    ? { billedCharacters: parts.reduce((sum, { billedCharacters = 0 }) => sum + billedCharacters, 0) }
    : {}
)

const intoOperation = "Translation.translateInto"

const make = Effect.gen(function*() {
  const api = yield* Operations.make(TranslationApi)
  const { composed } = yield* runs
  const checkLanguages = yield* LanguageChecks.make
  const { authScheme, languages, limits, resilience: { concurrency } } = yield* LanguageServiceConfig
  // The header has the vendor of the scheme word: `X-<Vendor>-Reporting-Tag` for `<Vendor>-Auth-Key`.
  const [, vendor = "service"] = /^(.+)-auth-key$/i.exec(authScheme) ?? []
  const tagHeader = `x-${vendor.toLowerCase()}-reporting-tag`

  const prepare = Effect.fnUntraced(function*(all: TranslateAllOptions & { readonly text?: unknown }) {
    const { concurrency: _, onError: __, reportingTag: tag = yield* ReportingTag, split, text: ___, ...options } = all
    const { customInstructions = [], tagHandling } = options
    if (split !== undefined && tagHandling !== undefined) {
      return yield* invalid("split and tagHandling", "both", "one of them")
    }
    yield* LanguageChecks.checkReferences(options, limits, languages.glossaryDetection)
    if (!Array.isArray(customInstructions)) {
      return yield* invalid("customInstructions", typeOf(customInstructions), "an array of strings")
    }
    yield* checkLimit("customInstructions", "instructions", customInstructions.length, limits.translationInstructions)
    for (const [index, instruction] of customInstructions.entries()) {
      yield* checkText(`customInstructions[${index}]`, instruction)
      yield* checkLength(`customInstructions[${index}]`, instruction, limits.promptCharacters)
    }
    // The tag is not shown, because it may be another value by mistake.
    if (tag !== undefined && !(typeof tag === "string" && /^[\x21-\x7e]{1,100}$/.test(tag))) {
      return yield* invalid("reportingTag", "another value", "1 to 100 visible ASCII characters without spaces")
    }
    const fields: Omit<TranslateBody, "text"> = defined(options)
    const attached = tag === undefined ? undefined : { headers: { [tagHeader]: tag } }
    return {
      language: options.sourceLanguage,
      body: (text: ReadonlyArray<string>): TranslateBody => ({ text, ...fields }),
      send: (record: CallRecord, payload: TranslateBody) =>
        Effect.map(
          checkLanguages(
            () => LanguageChecks.ofTranslation("translate_text", payload),
            Characters.metered(
              record,
              () => Characters.ofTexts(payload.text, tagHandling),
              api.translate.request(record, { payload, ...attached })
            )
          ),
          ({ translations }) => translations
        )
    }
  })

  const texts = yield* TextMethod.make({
    operation: api.translate.operation,
    options: [...Operations.fieldsOf(TranslateBody), "reportingTag"],
    texts: limits.translationTexts,
    bytes: limits.translationBytes,
    size: TextMethod.sizeOf(TranslateBody),
    concurrency,
    splitting,
    prepare
  })

  const prepareInto = Effect.fnUntraced(function*(options: TranslateIntoOptions<LanguageCode>) {
    const { onError: _, targetLanguages, text, ...common } = options
    if (!Array.isArray(targetLanguages)) {
      return yield* invalid("targetLanguages", typeOf(targetLanguages), "an array of languages")
    }
    for (const [index, language] of targetLanguages.entries()) {
      const parameter = `targetLanguages[${index}]`
      yield* checkText(parameter, language)
      yield* malformedLanguage(parameter, language) ?? Effect.void
      const before = targetLanguages.findIndex((other) => other.toLowerCase() === language.toLowerCase())
      if (before < index) {
        return yield* invalid(parameter, `the language of targetLanguages[${before}]`, "each language once")
      }
    }
    return yield* Effect.forEach(
      targetLanguages,
      (targetLanguage) =>
        Effect.map(texts.prepareList(text, { ...common, targetLanguage }), (request) => ({ targetLanguage, request }))
    )
  })

  const into = Effect.fnUntraced(function*(options: TranslateIntoOptions<LanguageCode>) {
    const targets = yield* checked(intoOperation, prepareInto(options))
    const records: Array<CallRecord> = []
    const sent = Effect.forEach(targets, ({ request, targetLanguage }) => {
      const list = api.translate.run((record) => {
        records.push(record)
        return request(record)
      })
      const named = Effect.mapError(list, (error): TranslateTargetError => concerning(error, { targetLanguage }))
      const found: Effect.Effect<unknown, TranslateTargetError> = options.onError === "result"
        ? Effect.result(named)
        : named
      return Effect.map(found, (result) => [targetLanguage, result] as const)
    }, { concurrency: Math.min(Bulking.defaultConcurrency, concurrency) })
    // The results of the other targets are lost with an error, those in flight included.
    const translations = yield* Effect.mapError(sent, (error) => {
      const characters = records.reduce((sum, record) => sum + countedCharacters(record), 0)
      return characters === 0 ? error : concerning(error, { possiblyCountedCharacters: characters })
    })
    return Object.fromEntries(translations)
  })

  const translateInto = (options: TranslateIntoOptions<LanguageCode>): Effect.Effect<object, TranslateError> =>
    composed(intoOperation, into(options))

  const translate: Translate = texts.each
  const translateAll: Bulk.All<TranslateAllOptions, Translated, TranslateError> = texts.all

  return {
    /**
     * Translates one text, or each text of a list independently. A list is one request and returns one translation for each text, in order.
     *
     * **Details**
     *
     * `POST /v2/translate`. Characters count toward the quota. The request is sent once more after a lost response, so a text may be
     * counted twice, unless the policy says otherwise (`repeatMetered`). The language of a style rule list must be that of the target; a
     * glossary needs `sourceLanguage`.
     *
     * Fails with `LimitExceeded` for more than 50 texts, a body over 128 KiB, more than 10 instructions of 300 characters or more than 5
     * glossaries, and `InvalidInput` for a glossary without source language, a threshold outside 0 to 100 or a text that cannot be
     * encoded, all before anything is sent; with `NotFound` if a style list, glossary or translation memory does not exist or the
     * memory does not cover the pair; with `QuotaExceeded` if the characters are used up, and `BudgetExceeded` if they would exceed the
     * budget of the tenant; with `UnexpectedResponse` for a wrong number of results.
     */
    translate,
    /**
     * Translates texts to several languages, one request for each. Returns a record of the translations by target.
     *
     * **Details**
     *
     * Each request is a `translate` of a list of at most 50 texts, with its errors. At most 8 are in flight, and no more than the
     * policy of the client allows. Everything that can be checked is checked for all targets before the first is sent.
     *
     * The first failure ends all, and interrupts the requests in flight, which may have been counted; `targetLanguage` of the
     * error names its target. With `onError: "result"` each target has a `Result`. Fails with `InvalidInput` for a target that
     * stands twice.
     */
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys and `onError` say which record it is
    translateInto: translateInto as TranslateInto,
    /**
     * Translates any number of texts, in requests of at most 50 texts filled up to the limit. Returns a stream
     * of one translation for each text, in order.
     *
     * **Details**
     *
     * Each request is a `translate`, with its errors. A single text over the limit is refused with its index, for a list before
     * anything is sent, or split with `split: "sentences"`, which excludes `tagHandling`. `Bulk` describes runs.
     */
    translateAll
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
export const layer = Layer.provide(Layer.effect(Translation, make), LanguageChecks.layer)
