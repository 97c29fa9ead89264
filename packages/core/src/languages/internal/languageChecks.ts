/** Checks of a call against the lists of languages: before it is sent, where that is configured, and after a refusal. */
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { InvalidInput } from "../../client/CallError.ts"
import type { StyleId } from "../../client/Ids.ts"
import { invalid } from "../../client/internal/checks.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import * as Operations from "../../client/internal/operations.ts"
import type { LanguageListed } from "../../client/Language.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import { BadRequest } from "../../client/ServiceError.ts"
import { StyleRulesApi } from "../../style-rules/StyleRulesApi.ts"
import { Checks } from "../Languages.ts"
import type { Language, LanguageFeature, LanguageResource } from "../LanguagesApi.ts"
import * as LanguageLists from "./languageLists.ts"
import * as Rules from "./languageRules.ts"
import * as Remembered from "./staleWhileRevalidate.ts"

/** The languages of a call, and the features that it needs of them. */
export interface Needs {
  readonly resource: LanguageResource
  readonly sourceLanguage?: string | undefined
  readonly targetLanguage?: string | undefined
  /** The parameters that need a feature of the languages. */
  readonly features: ReadonlyArray<readonly [parameter: string, feature: LanguageFeature]>
  readonly styleId?: StyleId | undefined
}

/** The options of a translation that ask something of its languages. */
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

/** A value with `prefer_` falls back by itself, and `default` asks for nothing. */
const isAsked = (value: string | undefined): boolean =>
  value !== undefined && value !== "default" && !value.startsWith("prefer_")

const chosen = (
  features: ReadonlyArray<readonly [parameter: string, feature: LanguageFeature, wanted: boolean]>
): Needs["features"] => features.filter(([, , wanted]) => wanted).map(([parameter, feature]) => [parameter, feature])

/** The needs of a translation of texts or documents. */
export const ofTranslation = (resource: LanguageResource, options: Translating): Needs => ({
  resource,
  sourceLanguage: options.sourceLanguage,
  targetLanguage: options.targetLanguage,
  styleId: options.styleId,
  features: chosen([
    ["formality", "formality", isAsked(options.formality)],
    ["glossaryId", "glossary", options.glossaryId !== undefined],
    ["glossaryIds", "glossary", (options.glossaryIds ?? []).length > 0],
    ["styleId", "style_rules", options.styleId !== undefined],
    ["customInstructions", "style_rules", (options.customInstructions ?? []).length > 0],
    ["translationMemoryId", "translation_memory", options.translationMemoryId !== undefined],
    ["tagHandling", "tag_handling", options.tagHandling !== undefined]
  ])
})

/** The needs of an improvement. */
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

const sides = ["source", "target"] as const

const codesOf = (needs: Needs) =>
  sides.flatMap((side) => {
    const parameter = `${side}Language` as const
    const code = needs[parameter]
    return code === undefined ? [] : [{ side, parameter, code }]
  })

/** The entries of a list for the codes of a call. */
const listed = (languages: ReadonlyArray<Language>, needs: Needs): ReadonlyArray<LanguageListed> =>
  codesOf(needs).map(({ code, parameter, side }) => {
    const there = Rules.ofSide(languages, side)
    if (Rules.find(there, code) !== undefined) return { parameter, code, isListed: true }
    const nearest = Rules.nearestCode(there, code)
    return nearest === undefined
      ? { parameter, code, isListed: false }
      : { parameter, code, isListed: false, nearest }
  })

/** A style rule list has a root language, which covers its variants. */
const covers = (language: string, target: string): boolean => {
  const [list, wanted] = [language.toLowerCase(), target.toLowerCase()]
  return list === wanted || list === wanted.split("-")[0]
}

/** A 400 may be about anything. One that says nothing, or speaks of a language, may be about one. */
const mayBeOfLanguage = ({ code = "", description, detail = "" }: BadRequest): boolean =>
  /lang/i.test(`${code} ${description} ${detail}`) || `${code}${description}${detail}`.trim() === ""

/** Nothing for what cannot be had now; then it is left alone for a while, as calls must not be slowed down by it. */
const optionally = () => {
  let pausedUntil = 0
  return Effect.fnUntraced(function*<A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) {
    if ((yield* Monotonic.now) < pausedUntil) return Option.none<A>()
    const found = yield* Effect.result(Effect.timeout(effect, Remembered.patience))
    // What one call names wrongly says nothing of the next.
    if (Result.isFailure(found) && found.failure._tag !== "NotFound" && found.failure._tag !== "InvalidInput") {
      pausedUntil = (yield* Monotonic.now) + Duration.toMillis(Remembered.pause)
    }
    return Result.getSuccess(found)
  })
}

const make = Effect.gen(function*() {
  const lists = yield* LanguageLists.LanguageLists
  const styleRules = yield* Operations.make(StyleRulesApi)
  const { languages: { checks } } = yield* LanguageServiceConfig
  // The language of a list never changes.
  const listLanguages = yield* Cache.makeWith(
    (styleId: StyleId) => Effect.map(styleRules.get({ params: { styleId } }), ({ language }) => language),
    { capacity: 1000, timeToLive: (exit) => exit._tag === "Success" ? Duration.infinity : Duration.zero }
  )

  const ifListed = optionally()
  const ifListKnown = optionally()

  const checkLanguages = Effect.fnUntraced(function*(needs: Needs) {
    const { features, resource, sourceLanguage, targetLanguage } = needs
    const found = yield* ifListed(
      Effect.all([lists.languages.get(resource), lists.requirements], { concurrency: "unbounded" })
    )
    if (Option.isNone(found)) return
    const [languages, requirements] = found.value
    for (const { code, isListed, nearest, parameter } of listed(languages, needs)) {
      if (isListed) continue
      const hint = nearest === undefined ? "" : `; the nearest is ${JSON.stringify(nearest)}`
      const side = parameter === "sourceLanguage" ? "source" : "target"
      return yield* invalid(parameter, JSON.stringify(code), `a ${side} language of ${resource}${hint}`)
    }
    if (targetLanguage === undefined) return
    for (const [parameter, feature] of features) {
      const pair = { source: sourceLanguage, target: targetLanguage }
      if (Rules.hasFeature(languages, requirements, resource, feature, pair) === false) {
        const words = sourceLanguage === undefined ? targetLanguage : `${sourceLanguage} to ${targetLanguage}`
        return yield* invalid(parameter, `one for ${words}`, `languages that have ${feature} in ${resource}`)
      }
    }
  })

  const checkList = Effect.fnUntraced(function*(styleId: StyleId, targetLanguage: string) {
    const language = yield* ifListKnown(Cache.get(listLanguages, styleId))
    if (Option.isSome(language) && language.value !== undefined && !covers(language.value, targetLanguage)) {
      return yield* invalid(
        "styleId",
        `a style rule list for ${language.value}`,
        `one for the language of the target, ${targetLanguage}`
      )
    }
  })

  const check = Effect.fnUntraced(function*(needs: Needs) {
    yield* checkLanguages(needs)
    const { styleId, targetLanguage } = needs
    if (styleId !== undefined && targetLanguage !== undefined) yield* checkList(styleId, targetLanguage)
  })

  /** The listing of the codes of a refused call, from lists that are kept. None is fetched for it. */
  const judged = Effect.fnUntraced(function*(needs: Needs) {
    const held = yield* lists.languages.peek(needs.resource)
    if (Option.isNone(held)) return Option.none()
    const before = listed(held.value, needs)
    // A code that the list does not have was refused as the list says, so the list is right.
    if (before.some(({ isListed }) => !isListed)) return Option.some(before)
    const renewed = yield* lists.languages.renewed(needs.resource)
    return Option.map(renewed, (languages) => listed(languages, needs))
  })

  return {
    /** Checks a call where that is wanted, sends it, and says of a 400 what the lists know of its languages. */
    around: <A, E, R>(
      needsOf: () => Needs,
      effect: Effect.Effect<A, E | BadRequest, R>
    ): Effect.Effect<A, E | BadRequest | InvalidInput, R> =>
      Effect.andThen(
        Effect.flatMap(Checks, (wanted) => wanted ?? checks ? check(needsOf()) : Effect.void),
        Effect.catch(effect, (error): Effect.Effect<never, E | BadRequest> => {
          if (!(error instanceof BadRequest) || !mayBeOfLanguage(error)) return Effect.fail(error)
          const needs = needsOf()
          if (codesOf(needs).length === 0) return Effect.fail(error)
          return Effect.flatMap(judged(needs), (languages) =>
            Effect.fail(
              // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
              Option.isNone(languages) ? error : new BadRequest({ ...error, languages: languages.value })
            ))
        })
      )
  }
})

/** The checks of calls by the lists of languages. */
export class LanguageChecks extends Context.Service<LanguageChecks, Effect.Success<typeof make>>()(
  "@effect-lingua/core/languages/internal/languageChecks"
) {}

/** One for all services that are made together. */
export const layer = Layer.provide(Layer.effect(LanguageChecks, make), LanguageLists.layer)
