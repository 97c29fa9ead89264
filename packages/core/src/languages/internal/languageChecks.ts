/** Checks of a call against the lists of languages, for the services of texts and documents. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { StyleId } from "../../contract/Ids.ts"
import type { LanguageListed } from "../../contract/Language.ts"
import type { Limits } from "../../contract/Limits.ts"
import type { InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import { checkLimit, invalid, malformedLanguage, numberOf, typeOf } from "../../errors/internal/checks.ts"
import { BadRequest } from "../../errors/ServiceError.ts"
import type { LanguageFeature, LanguageResource } from "./languagesApi.ts"

/**
 * Turns the checks of calls against the lists of languages on or off for a region of a program. Default: `languages.checks` of the
 * configuration.
 *
 * **Example** (A feature that the target does not have)
 *
 * ```ts import.meta.vitest
 * import { Checks } from "@effect-lingua/core/languages/Languages"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const refused = await Translation.use((translation) =>
 *   translation.translate({ text: ["Hello"], targetLanguage: "cs", formality: "more" })
 * ).pipe(
 *   Effect.provideService(Checks, true),
 *   Effect.catchTag("InvalidInput", ({ allowed }) => Effect.succeed(allowed)),
 *   Effect.provide(FakeLanguageService.layerServices()),
 *   Effect.runPromise
 * )
 * refused // => "languages that have formality in translate_text"
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export const Checks = Context.Reference<boolean | undefined>(
  "@effect-lingua/core/languages/internal/languageChecks/Checks",
  {
    defaultValue: () => undefined
  }
)

interface Pair {
  readonly sourceLanguage: string
  readonly targetLanguage: string
}

/** The languages of a call, and the features that it requires. */
export interface Needs {
  readonly resource: LanguageResource
  readonly sourceLanguage?: string | undefined
  readonly targetLanguage?: string | undefined
  /** More pairs, of which no feature is required. */
  readonly pairs?: ReadonlyArray<Pair>
  /** The parameters that require a feature of the languages. */
  readonly features: ReadonlyArray<readonly [parameter: string, feature: LanguageFeature]>
  readonly styleId?: StyleId | undefined
}

/** The options of a translation that depend on its languages. */
interface Translating {
  readonly sourceLanguage?: string | undefined
  readonly targetLanguage: string
  readonly formality?: string | undefined
  readonly glossaryId?: string | undefined
  readonly glossaryIds?: ReadonlyArray<string> | undefined
  readonly styleId?: StyleId | undefined
  readonly translationMemoryId?: string | undefined
  readonly customInstructions?: ReadonlyArray<string> | undefined
  readonly tagHandling?: string | undefined
}

/** A value with `prefer_` falls back to the default, and `default` requires nothing. */
const isAsked = (value: string | undefined): boolean =>
  value !== undefined && value !== "default" && !value.startsWith("prefer_")

const chosen = (
  features: ReadonlyArray<readonly [parameter: string, feature: LanguageFeature, wanted: boolean]>
): Needs["features"] => features.filter(([, , wanted]) => wanted).map(([parameter, feature]) => [parameter, feature])

/** The requirements of a translation of texts or documents. */
export const ofTranslation = (resource: LanguageResource, options: Translating): Needs => ({
  resource,
  sourceLanguage: options.sourceLanguage,
  targetLanguage: options.targetLanguage,
  styleId: options.styleId,
  features: chosen([
    ["formality", "formality", isAsked(options.formality)],
    // Whether a glossary may be used with detection is a setting of the client.
    ["glossaryId", "glossary", options.sourceLanguage !== undefined && options.glossaryId !== undefined],
    ["glossaryIds", "glossary", options.sourceLanguage !== undefined && (options.glossaryIds ?? []).length > 0],
    ["styleId", "style_rules", options.styleId !== undefined],
    ["customInstructions", "style_rules", (options.customInstructions ?? []).length > 0],
    ["translationMemoryId", "translation_memory", options.translationMemoryId !== undefined],
    ["tagHandling", "tag_handling", options.tagHandling !== undefined]
  ])
})

/** The requirements of the dictionaries of a glossary. */
export const ofGlossary = (pairs: ReadonlyArray<Pair>): Needs => ({ resource: "glossary", features: [], pairs })

/** The requirements of an improvement. */
export const ofImprovement = (options: {
  readonly targetLanguage?: string
  readonly tone?: string
  readonly writingStyle?: string
}): Needs => ({
  resource: "write",
  targetLanguage: options.targetLanguage,
  features: chosen([
    ["tone", "tone", isAsked(options.tone)],
    ["writingStyle", "writing_style", isAsked(options.writingStyle)]
  ])
})

/** The checks themselves. */
export interface Checker {
  /** Fails if the lists show that the service would refuse the call. */
  readonly check: (needs: Needs) => Effect.Effect<void, InvalidInput>
  /** The entries of the languages of a refused call, if their list is in use. */
  readonly explain: (needs: Needs) => Effect.Effect<ReadonlyArray<LanguageListed> | undefined>
}

/** The checker of a client, which the service `Languages` adds: a client without that service does not contain it. */
export class LanguageChecks extends Context.Service<LanguageChecks, { checker: Checker | undefined }>()(
  "@effect-lingua/core/languages/internal/languageChecks"
) {}

/** One for all services that are made together. */
export const layer = Layer.sync(LanguageChecks, () => ({ checker: undefined }))

const withoutChecker: Checker = {
  check: () => invalid("Languages.Checks", "true", "checks in a client with Languages.layer"),
  explain: () => Effect.undefined
}

/** A 400 without a message, or with one that mentions a language, may be about a language. */
const mayBeOfLanguage = ({ code = "", description, detail = "" }: BadRequest): boolean =>
  /lang/i.test(`${code} ${description} ${detail}`) || `${code}${description}${detail}`.trim() === ""

/** Checks calls if configured, sends them, and adds the list entries of their languages to a 400. */
export const make = Effect.gen(function*() {
  const checks = yield* LanguageChecks
  const { languages } = yield* LanguageServiceConfig
  return <A, E, R>(
    needsOf: () => Needs,
    effect: Effect.Effect<A, E | BadRequest, R>
  ): Effect.Effect<A, E | BadRequest | InvalidInput, R> =>
    Effect.contextWith((context: Context.Context<R>) => {
      const { check, explain } = checks.checker ?? withoutChecker
      const sent = Effect.catch(effect, (error): Effect.Effect<never, E | BadRequest> =>
        error instanceof BadRequest && mayBeOfLanguage(error)
          ? Effect.flatMap(explain(needsOf()), (languages) =>
            Effect.fail(
              // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
              languages === undefined ? error : new BadRequest({ ...error, languages })
            ))
          : Effect.fail(error))
      return Context.get(context, Checks) ?? languages.checks ? Effect.andThen(check(needsOf()), sent) : sent
    })
})

interface References {
  readonly sourceLanguage?: string | undefined
  readonly targetLanguage: string
  readonly glossaryId?: string | undefined
  readonly glossaryIds?: ReadonlyArray<string> | undefined
  readonly translationMemoryThreshold?: number | undefined
}

const isPercentage = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 100

/** Fails for codes that are none, and for references that exclude each other or are incomplete. */
export const checkReferences = (
  { glossaryId, glossaryIds = [], sourceLanguage, targetLanguage, translationMemoryThreshold }: References,
  limits: Limits,
  glossaryDetection: boolean
): Effect.Effect<void, InvalidInput | LimitExceeded> => {
  if (!Array.isArray(glossaryIds)) return invalid("glossaryIds", typeOf(glossaryIds), "an array of ids")
  if (glossaryId !== undefined && glossaryIds.length > 0) {
    return invalid("glossaryId and glossaryIds", "both", "one of them")
  }
  if (!glossaryDetection && (glossaryId !== undefined || glossaryIds.length > 0) && sourceLanguage === undefined) {
    return invalid("sourceLanguage", "absent", "a language, as a glossary cannot be used with detection")
  }
  if (translationMemoryThreshold !== undefined && !isPercentage(translationMemoryThreshold)) {
    return invalid("translationMemoryThreshold", numberOf(translationMemoryThreshold), "an integer from 0 to 100")
  }
  return malformedLanguage("targetLanguage", targetLanguage) ?? malformedLanguage("sourceLanguage", sourceLanguage) ??
    checkLimit("glossaryIds", "items", glossaryIds.length, limits.glossaryIds)
}
