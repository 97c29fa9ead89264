/** Checks calls against language lists. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { StyleId } from "../../contract/Ids.ts"
import type { translationFields } from "../../contract/internal/textOptions.ts"
import type { Optional } from "../../contract/internal/values.ts"
import type { LanguageListed } from "../../contract/Language.ts"
import type { Limits } from "../../contract/Limits.ts"
import type { InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import { checkLimit, invalid, malformedLanguage, numberOf, typeOf } from "../../errors/internal/checks.ts"
import { BadRequest } from "../../errors/ServiceError.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import type { LanguageFeature, LanguageResource } from "./languagesApi.ts"

export const Checks = Context.Reference<boolean | undefined>(
  "@effect-lingua/core/languages/internal/languageChecks/Checks",
  { defaultValue: () => undefined }
)

interface Pair {
  readonly sourceLanguage: string
  readonly targetLanguage: string
}

/** The languages of a call, and the features that they must support. */
export interface Needs {
  readonly resource: LanguageResource
  readonly sourceLanguage?: string | undefined
  readonly targetLanguage?: string | undefined
  /** More pairs, without required features. */
  readonly pairs?: ReadonlyArray<Pair>
  readonly features: ReadonlyArray<readonly [parameter: string, feature: LanguageFeature]>
  readonly styleId?: StyleId | undefined
}

interface Translating extends Optional<Schema.Struct.Type<typeof translationFields>> {
  readonly customInstructions?: ReadonlyArray<string> | undefined
  readonly tagHandling?: string | undefined
}

/** False for values that fall back to the default in languages without the feature. */
const isRequired = (value: string | undefined): boolean =>
  value !== undefined && value !== "default" && !value.startsWith("prefer_")

const required = (
  features: ReadonlyArray<readonly [parameter: string, feature: LanguageFeature, wanted: boolean]>
): Needs["features"] => features.filter(([, , wanted]) => wanted).map(([parameter, feature]) => [parameter, feature])

export const ofTranslation = (resource: LanguageResource, options: Translating): Needs => ({
  resource,
  sourceLanguage: options.sourceLanguage,
  targetLanguage: options.targetLanguage,
  styleId: options.styleId,
  features: required([
    ["formality", "formality", isRequired(options.formality)],
    // Without a source language, `checkReferences` allows or refuses glossaries.
    ["glossaryId", "glossary", options.sourceLanguage !== undefined && options.glossaryId !== undefined],
    ["glossaryIds", "glossary", options.sourceLanguage !== undefined && (options.glossaryIds ?? []).length > 0],
    ["styleId", "style_rules", options.styleId !== undefined],
    ["customInstructions", "style_rules", (options.customInstructions ?? []).length > 0],
    ["translationMemoryId", "translation_memory", options.translationMemoryId !== undefined],
    ["tagHandling", "tag_handling", options.tagHandling !== undefined]
  ])
})

export const ofGlossary = (pairs: ReadonlyArray<Pair>): Needs => ({ resource: "glossary", features: [], pairs })

export const ofImprovement = (options: {
  readonly targetLanguage?: string
  readonly tone?: string
  readonly writingStyle?: string
}): Needs => ({
  resource: "write",
  targetLanguage: options.targetLanguage,
  features: required([
    ["tone", "tone", isRequired(options.tone)],
    ["writingStyle", "writing_style", isRequired(options.writingStyle)]
  ])
})

export interface Checker {
  /** Fails if the service would refuse the call, according to the lists. */
  readonly check: (needs: Needs) => Effect.Effect<void, InvalidInput>
  /** Tells which languages of a refused call are listed; `undefined` if the call names no language or no list is current. */
  readonly explain: (needs: Needs) => Effect.Effect<ReadonlyArray<LanguageListed> | undefined>
}

const checkers = new WeakMap<ClientState["Service"], Checker>()

/** Registers a client's checker until the scope closes; only the first checker counts. */
export const addChecker = (state: ClientState["Service"], checker: Checker) =>
  Effect.acquireRelease(
    Effect.sync(() => checkers.has(state) ? undefined : checkers.set(state, checker)),
    (added) => Effect.sync(() => added?.delete(state))
  )

const withoutChecker: Checker = {
  check: () => invalid("Languages.Checks", "true", "checks in a client with Languages.layer"),
  explain: () => Effect.undefined
}

const mayBeOfLanguage = ({ code = "", description, detail = "" }: BadRequest): boolean =>
  /lang/i.test(`${code} ${description} ${detail}`) || `${code}${description}${detail}`.trim() === ""

/** Wraps calls: checks the languages, if configured, and adds `languages` to a `BadRequest`. */
export const make = Effect.gen(function*() {
  const state = yield* ClientState
  const { languages } = yield* LanguageServiceConfig
  return <A, E, R>(
    needsOf: () => Needs,
    effect: Effect.Effect<A, E | BadRequest, R>
  ): Effect.Effect<A, E | BadRequest | InvalidInput, R> =>
    Effect.contextWith((context: Context.Context<R>) => {
      const { check, explain } = checkers.get(state) ?? withoutChecker
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

const isPercentage = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 100

/** Checks language codes, glossary options and the translation memory threshold. */
export const checkReferences = (
  { glossaryId, glossaryIds = [], sourceLanguage, targetLanguage, translationMemoryThreshold }: Translating,
  limits: Limits,
  glossaryDetection: boolean
): Effect.Effect<void, InvalidInput | LimitExceeded> => {
  if (!Array.isArray(glossaryIds)) return invalid("glossaryIds", typeOf(glossaryIds), "an array of ids")
  if (glossaryId !== undefined && glossaryIds.length > 0) {
    return invalid("glossaryId and glossaryIds", "both", "one of them")
  }
  if (!glossaryDetection && (glossaryId !== undefined || glossaryIds.length > 0) && sourceLanguage === undefined) {
    return invalid("sourceLanguage", "absent", "a language, because a glossary cannot be used with detection")
  }
  if (translationMemoryThreshold !== undefined && !isPercentage(translationMemoryThreshold)) {
    return invalid("translationMemoryThreshold", numberOf(translationMemoryThreshold), "an integer from 0 to 100")
  }
  return malformedLanguage("targetLanguage", targetLanguage) ?? malformedLanguage("sourceLanguage", sourceLanguage) ??
    checkLimit("glossaryIds", "items", glossaryIds.length, limits.glossaryIds)
}
