/**
 * Text translation.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Bulk from "./Bulk.ts"
import { InvalidInput } from "./CallError.ts"
import * as Billing from "./internal/billing.ts"
import * as Bulking from "./internal/bulk.ts"
import { call, expectCount } from "./internal/call.ts"
import * as CharacterBudget from "./internal/characterBudget.ts"
import {
  bodySize,
  checkBody,
  checkLength,
  checkLimit,
  checkText,
  checkTexts,
  countCharacters
} from "./internal/checks.ts"
import * as ContractClient from "./internal/contractClient.ts"
import * as Joining from "./internal/joining.ts"
import * as LanguageChecks from "./internal/languageChecks.ts"
import { sender } from "./internal/method.ts"
import { defined, type Optional } from "./internal/optional.ts"
import { checkReferences } from "./internal/references.ts"
import * as Splitting from "./internal/splitting.ts"
import * as Telemetry from "./internal/telemetry.ts"
import { Checks } from "./Languages.ts"
import { LanguageServiceConfig } from "./LanguageServiceConfig.ts"
import { TranslateBody, type Translated, TranslationApi } from "./TranslationApi.ts"

/**
 * What to translate, and how: the fields of {@link TranslateBody}. Required are `text` (at most 50 texts; an empty list
 * gives an empty result without a call) and `targetLanguage`.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateOptions extends Optional<TranslateBody> {}

/**
 * How to translate any number of texts: the fields of {@link TranslateOptions} but for the texts, and how the run goes.
 *
 * @category options
 * @since 0.2.0
 */
export interface TranslateAllOptions extends Omit<TranslateOptions, "text">, Bulk.Options, Bulk.SplitOptions {}

const checkTranslate = checkBody(TranslateBody)
const sizeOfTranslate = bodySize(TranslateBody)

/** What is billed for a text is the sum of its parts. */
const joinTranslations = Splitting.join<Translated>((parts) =>
  parts.some(({ billedCharacters }) => billedCharacters !== undefined)
    ? { billedCharacters: parts.reduce((sum, { billedCharacters = 0 }) => sum + billedCharacters, 0) }
    : {}
)

const make = Effect.gen(function*() {
  const client = yield* ContractClient.make(TranslationApi)
  const checks = yield* LanguageChecks.LanguageChecks
  const budget = yield* CharacterBudget.CharacterBudget
  const { limits, resilience: { concurrency } } = yield* LanguageServiceConfig
  const context = yield* Effect.context()

  const countTexts = (text: ReadonlyArray<string>) =>
    Telemetry.update("characters", text.reduce((sum, item) => sum + countCharacters(item), 0), {}, context)

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

  const send = Effect.fnUntraced(function*(payload: TranslateBody) {
    const { translations } = yield* checks.around(
      () => LanguageChecks.ofTranslation("translate_text", payload),
      budget.around(
        () => Billing.ofTexts(payload.text, payload.tagHandling),
        client().Translation.translate({ payload })
      )
    )
    countTexts(payload.text)
    yield* expectCount(payload.text.length, translations.length)
    return translations
  })

  const translateList = Effect.fnUntraced(function*(options: TranslateOptions) {
    const { text } = options
    yield* checkReferences(options, limits)
    yield* checkTexts(text)
    if (text.length === 0) return []
    yield* checkLimit("text", "texts", text.length, limits.translationTexts)
    yield* checkOptions(options)
    const payload: TranslateBody = defined(options)
    yield* checkTranslate(payload, limits.translationBytes)
    return yield* send(payload)
  })

  const translating = {
    operation: "Translation.translate",
    texts: limits.translationTexts,
    bytes: limits.translationBytes,
    prepare: Effect.fnUntraced(function*(all: TranslateAllOptions) {
      const { concurrency: _, onError: __, split, ...options } = all
      if (split !== undefined && options.tagHandling !== undefined) {
        return yield* new InvalidInput({ parameter: "split and tagHandling", given: "both", allowed: "one of them" })
      }
      yield* checkOptions(options)
      const fields: Omit<TranslateBody, "text"> = defined(options)
      return {
        common: { fields, checks: yield* Checks },
        envelope: yield* sizeOfTranslate({ text: [], ...fields }),
        send: sender("Translation.translate", (text) => send({ text, ...fields })),
        splitting: Splitting.forOptions(split, options.sourceLanguage, joinTranslations)
      }
    })
  }

  const translateOne = Joining.make(translating)
  const translateMany = (options: TranslateOptions) => call("Translation.translate", translateList(options))

  function translate(text: string, options: Omit<TranslateOptions, "text">): ReturnType<typeof translateOne>
  function translate(options: TranslateOptions): ReturnType<typeof translateMany>
  function translate(input: string | TranslateOptions, options?: Omit<TranslateOptions, "text">) {
    return Joining.isOne(input) ? translateOne(input, options) : translateMany(input)
  }

  return {
    /**
     * Translates one text, or each of a list on its own. A list gives one translation for each text, in order. One text
     * goes with others of the same time: see `Bulk`.
     *
     * **Details**
     *
     * `POST /v2/translate` (spec, Translation requests; reference B10; the parameters beyond the specification's are
     * described publicly). Characters count toward the quota. Repeated after an unknown outcome too, unless the policy
     * says `repeatMetered: false`. The language of a style rule list must be that of the target; a glossary needs
     * `sourceLanguage`.
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
  extends Context.Service<Translation, Effect.Success<typeof make>>()("@effect-lingua/core/Translation")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Translation, make), [LanguageChecks.layer, CharacterBudget.layer])
