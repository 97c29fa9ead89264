/**
 * Translates texts into one or several languages.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Characters from "../account/internal/characters.ts"
import { type CallRecord, countedCharacters } from "../call/internal/callRecord.ts"
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
import {
  type Formality,
  type ModelType,
  type SplitSentences,
  type TagHandling,
  type TagHandlingVersion,
  TranslateBody,
  type Translated,
  TranslationApi
} from "./internal/translationApi.ts"

export { Translated } from "./internal/translationApi.ts"

/**
 * Languages, terms and style of a translation.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateTextOptions extends Optional<Omit<TranslateBody, "text">> {
  /** The language to translate to, such as `de` or `en-GB`. */
  readonly targetLanguage: LanguageCode
  /** Needs `sourceLanguage`. */
  readonly glossaryId?: GlossaryId | undefined
  /** Tag in usage reports: 1 to 100 visible ASCII characters. Default: `Translation.ReportingTag`. */
  readonly reportingTag?: string | undefined
}

/**
 * At most 50 texts to translate, with the options.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateOptions extends TranslateTextOptions {
  readonly text: ReadonlyArray<string>
}

/**
 * Texts to translate to several languages, with the options.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateIntoOptions<Language extends LanguageCode> extends Omit<TranslateOptions, "targetLanguage"> {
  /** The targets, without repetition. */
  readonly targetLanguages: ReadonlyArray<Language>
  /** `fail`, the default: the first failure ends all requests. `result`: each target has a `Result`. */
  readonly onError?: "fail" | "result" | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface TranslateAllOptions extends TranslateTextOptions, Bulk.Options, Bulk.SplitOptions {}

type TranslateError = Operations.Errors<typeof TranslationApi, "translate", BudgetExceeded | LimitExceeded>["call"]

type TranslateTargetError = Exclude<TranslateError, LimitExceeded>

/**
 * @category models
 * @since 0.1.0
 */
export interface Translate extends Bulk.Method<TranslateTextOptions, Translated, TranslateError> {}

type ByTarget<Language extends LanguageCode, OnError extends "fail" | "result"> = {
  readonly [Target in Language]: Bulk.ByChoice<
    OnError,
    Result.Result<ReadonlyArray<Translated>, TranslateTargetError>,
    ReadonlyArray<Translated>
  >
}

/**
 * @category models
 * @since 0.1.0
 */
export interface TranslateInto {
  /** Returns a record with a `Result` for each target. */
  <const Language extends LanguageCode, OnError extends "result" = "result">(
    options: TranslateIntoOptions<Language> & { readonly onError: OnError }
  ): Effect.Effect<ByTarget<Language, OnError>, InvalidInput | LimitExceeded>
  /** Returns a record of the translations by target, or the first failure with its `targetLanguage`. */
  <const Language extends LanguageCode, OnError extends "fail" = "fail">(
    options: TranslateIntoOptions<Language> & { readonly onError?: OnError | undefined }
  ): Effect.Effect<ByTarget<Language, OnError>, TranslateError>
}

const splitting = Splitting.make<Translated>((parts) =>
  parts.some(({ billedCharacters }) => billedCharacters !== undefined)
    ? { billedCharacters: parts.reduce((sum, { billedCharacters = 0 }) => sum + billedCharacters, 0) }
    : {}
)

const intoOperation = "Translation.translateInto"

const make = Effect.gen(function*() {
  const api = yield* Operations.make(TranslationApi)
  const { composed } = yield* Operations.runs
  const checkLanguages = yield* LanguageChecks.make
  const { authScheme, languages, limits, resilience: { concurrency } } = yield* LanguageServiceConfig
  // The tag's header contains the auth scheme's vendor: `<Vendor>-Auth-Key` gives `X-<Vendor>-Reporting-Tag`.
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
      yield* checkLength(`customInstructions[${index}]`, instruction, limits.promptCharacters)
    }
    // The error omits the value, because a caller may have passed a secret by mistake.
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

  const runInto = Effect.fnUntraced(function*(options: TranslateIntoOptions<LanguageCode>) {
    const targets = yield* Operations.checked(intoOperation, prepareInto(options))
    const records: Array<CallRecord> = []
    const sent = Effect.forEach(targets, ({ request, targetLanguage }) => {
      const list = api.translate.run((record) => {
        records.push(record)
        return request(record)
      })
      const named = Effect.mapError(
        list,
        (error): TranslateTargetError => Operations.concerning(error, { targetLanguage })
      )
      const found: Effect.Effect<unknown, TranslateTargetError> = options.onError === "result"
        ? Effect.result(named)
        : named
      return Effect.map(found, (result) => [targetLanguage, result] as const)
    }, { concurrency: Math.min(Bulking.defaultConcurrency, concurrency) })
    // The error's `possiblyCountedCharacters` covers all targets.
    const translations = yield* Effect.mapError(sent, (error) => {
      const characters = records.reduce((sum, record) => sum + countedCharacters(record), 0)
      return characters === 0 ? error : Operations.concerning(error, { possiblyCountedCharacters: characters })
    })
    return Object.fromEntries(translations)
  })

  const translateInto = (options: TranslateIntoOptions<LanguageCode>): Effect.Effect<object, TranslateError> =>
    composed(intoOperation, runInto(options))

  const translate: Translate = texts.each
  const translateAll: Bulk.All<TranslateAllOptions, Translated, TranslateError> = texts.all

  return {
    /**
     * Translates one text, or each text of a list independently in one request.
     *
     * **Details**
     *
     * `POST /v2/translate`. Characters count toward the quota, twice if a response is lost and the policy's `repeatMetered` allows a retry. A
     * style rule list must have the target language; a glossary needs `sourceLanguage`.
     *
     * Fails before the request with `LimitExceeded` for more than 50 texts, 128 KiB, 10 instructions or 5 glossaries, or an instruction over 300
     * characters; with `InvalidInput` for an invalid option; with `BudgetExceeded`. Fails with `NotFound` if a style rule list, glossary or translation
     * memory does not exist or does not cover the language pair; with `QuotaExceeded`.
     */
    translate,
    /**
     * Translates texts to several languages, with one request per target and at most 8 in flight. Returns a record of the translations by
     * target.
     *
     * **Details**
     *
     * All options are checked before the first request. The first failure interrupts the other requests, but they may have been billed; the error's
     * `targetLanguage` names the failed target. With `onError: "result"`, each target has a `Result`. Fails like `translate`, and with `InvalidInput`
     * for a repeated target.
     */
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the languages and `onError` determine the type
    translateInto: translateInto as TranslateInto,
    /** Translates any number of texts: see `Bulk`. `split` excludes `tagHandling`. */
    translateAll
  }
})

/**
 * Translates one text, a list, or any number.
 *
 * @category services
 * @since 0.1.0
 */
export class Translation extends Operations.service<Translation>()("@effect-lingua/core/texts/Translation", make) {
  /**
   * The default reporting tag of an effect's translations. `Writing` and `Documents.upload` fail with `InvalidInput` if a tag is set: provide
   * `undefined` around their calls.
   */
  static readonly ReportingTag = ReportingTag
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Translation {
  export type { TranslateAllOptions, TranslateIntoOptions, TranslateOptions, TranslateTextOptions }
  export type { TranslateError, TranslateTargetError }
  export type { Formality, ModelType, SplitSentences, TagHandling, TagHandlingVersion, Translate, TranslateInto }
  export type { Translated }
}
