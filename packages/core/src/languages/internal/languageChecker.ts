/** Caches a client's language lists, and checks calls against the lists. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Operations from "../../call/internal/operation.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { StyleId } from "../../contract/Ids.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { defined } from "../../contract/internal/values.ts"
import type { LanguageListed } from "../../contract/Language.ts"
import { invalid } from "../../errors/internal/checks.ts"
import { StyleRulesApi } from "../../style-rules/internal/styleRulesApi.ts"
import type { Checker, Needs } from "./languageChecks.ts"
import * as Rules from "./languageRules.ts"
import { type Language, type LanguageResource, LanguagesApi } from "./languagesApi.ts"
import * as StaleWhileRevalidate from "./staleWhileRevalidate.ts"

const sides = ["source", "target"] as const

const codesOf = (needs: Needs) =>
  [needs, ...needs.pairs ?? []].flatMap((pair) =>
    sides.flatMap((side) => {
      const parameter = `${side}Language` as const
      const code = pair[parameter]
      return code === undefined ? [] : [{ side, parameter, code }]
    })
  )

const entriesOf = (languages: ReadonlyArray<Language>, needs: Needs): ReadonlyArray<LanguageListed> =>
  codesOf(needs).map(({ code, parameter, side }) => {
    const languagesOfSide = Rules.ofSide(languages, side)
    if (Rules.find(languagesOfSide, code) !== undefined) return { parameter, code, isListed: true }
    return defined({ parameter, code, isListed: false, nearest: Rules.nearestCode(languagesOfSide, code) })
  })

/** True if a style rule list for `language` applies to `target`: a list for `en` also applies to `en-GB`. */
const covers = (language: string, target: string): boolean => {
  const [list, wanted] = [language.toLowerCase(), target.toLowerCase()]
  return list === wanted || list === wanted.split("-")[0]
}

/**
 * Makes a runner for optional lookups. A failed or slow lookup returns `None`, and pauses further lookups, so that checks do not slow down calls.
 */
const makeOptional = () => {
  let pausedUntil = 0
  return Effect.fnUntraced(function*<A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) {
    if ((yield* Monotonic.now) < pausedUntil) return Option.none<A>()
    const found = yield* Effect.result(Effect.timeoutOption(effect, StaleWhileRevalidate.maxWait))
    // `NotFound` and `InvalidInput` concern one request; other errors mean an outage.
    const isUnavailable = Result.isFailure(found)
      ? found.failure._tag !== "NotFound" && found.failure._tag !== "InvalidInput"
      : Option.isNone(found.success)
    if (isUnavailable) pausedUntil = (yield* Monotonic.now) + Duration.toMillis(StaleWhileRevalidate.pause)
    return Option.flatten(Result.getSuccess(found))
  })
}

export const make = Effect.gen(function*() {
  const { languages: terms } = yield* LanguageServiceConfig
  const api = yield* Operations.make(LanguagesApi)
  const styleRules = yield* Operations.make(StyleRulesApi)
  const languagesOf = yield* StaleWhileRevalidate.make(
    (resource: LanguageResource) => api.list({ query: { resource, include: ["beta", "external"] } }),
    terms
  )
  const requirementsOf = yield* StaleWhileRevalidate.make((resources: "resources") => api[resources](), terms)
  const requirements = requirementsOf.get("resources")
  // The language of a style rule list never changes.
  const listLanguages = yield* Cache.makeWith(
    (styleId: StyleId) => Effect.map(styleRules.get({ params: { styleId } }), ({ language }) => language),
    { capacity: 1000, timeToLive: (exit) => exit._tag === "Success" ? Duration.infinity : Duration.zero }
  )

  const tryLists = makeOptional()
  const tryStyleRules = makeOptional()

  const checkLanguages = Effect.fnUntraced(function*(needs: Needs) {
    const { features, resource, sourceLanguage, targetLanguage } = needs
    const found = yield* tryLists(Effect.all([languagesOf.get(resource), requirements], { concurrency: "unbounded" }))
    if (Option.isNone(found)) return
    const [languages, required] = found.value
    for (const { code, isListed, nearest, parameter } of entriesOf(languages, needs)) {
      if (isListed) continue
      const hint = nearest === undefined ? "" : `; the nearest is ${JSON.stringify(nearest)}`
      const side = parameter === "sourceLanguage" ? "source" : "target"
      return yield* invalid(parameter, JSON.stringify(code), `a ${side} language of ${resource}${hint}`)
    }
    if (targetLanguage === undefined) return
    for (const [parameter, feature] of features) {
      const pair = { source: sourceLanguage, target: targetLanguage }
      if (Rules.hasFeature(languages, required, resource, feature, pair) === false) {
        const names = sourceLanguage === undefined
          ? `the language ${targetLanguage}`
          : `the languages ${sourceLanguage} to ${targetLanguage}`
        return yield* invalid(parameter, names, `languages that have ${feature} in ${resource}`)
      }
    }
  })

  const check = Effect.fnUntraced(function*(needs: Needs) {
    yield* checkLanguages(needs)
    const { styleId, targetLanguage } = needs
    if (styleId === undefined || targetLanguage === undefined) return
    const language = Option.getOrUndefined(yield* tryStyleRules(Cache.get(listLanguages, styleId)))
    if (language !== undefined && !covers(language, targetLanguage)) {
      const allowed = `a list for the target language ${targetLanguage}`
      return yield* invalid("styleId", `a style rule list for ${language}`, allowed)
    }
  })

  const explain = Effect.fnUntraced(function*(needs: Needs) {
    if (codesOf(needs).length === 0) return undefined
    const cached = yield* terms.explains ? tryLists(languagesOf.get(needs.resource)) : languagesOf.peek(needs.resource)
    if (Option.isNone(cached)) return undefined
    const before = entriesOf(cached.value, needs)
    // An unlisted code explains the refusal, so the cached list is not renewed.
    if (before.some(({ isListed }) => !isListed)) return before
    const renewed = Option.getOrUndefined(yield* languagesOf.renewed(needs.resource))
    return renewed && entriesOf(renewed, needs)
  })

  return { checker: { check, explain } satisfies Checker, languagesOf, requirements }
})
