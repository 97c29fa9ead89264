/**
 * The languages of each resource and the features they support.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { defined } from "../contract/internal/values.ts"
import type { LanguageCode } from "../contract/Language.ts"
import { UnknownLanguage } from "../errors/CallError.ts"
import { checkText } from "../errors/internal/checks.ts"
import { ClientState } from "../telemetry/ClientState.ts"
import * as LanguageChecker from "./internal/languageChecker.ts"
import * as LanguageChecks from "./internal/languageChecks.ts"
import * as Rules from "./internal/languageRules.ts"
import {
  type FeatureRequirement,
  type FeatureStatus,
  type GlossaryLanguagePair,
  type Language,
  type LanguageFeature,
  type LanguageInclude,
  type LanguageResource,
  LanguagesApi,
  type LanguageV2,
  type Maturity,
  type ResourceFeatures
} from "./internal/languagesApi.ts"

export { FeatureRequirement, FeatureStatus, GlossaryLanguagePair, Language } from "./internal/languagesApi.ts"
export { LanguageFeature, LanguageInclude, LanguageResource, LanguageV2, Maturity } from "./internal/languagesApi.ts"
export { ResourceFeatures } from "./internal/languagesApi.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface ListOptions {
  readonly resource: LanguageResource
  /** Entries to include in addition to stable ones. */
  readonly include?: ReadonlyArray<LanguageInclude> | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface FindOptions extends ListOptions {
  /** The code, case-insensitive. */
  readonly code: LanguageCode
  /** Default: either side. */
  readonly side?: "source" | "target" | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface SupportsOptions extends ListOptions {
  /** The language of the text. Default: detected by the service. */
  readonly sourceLanguage?: LanguageCode | undefined
  readonly targetLanguage: LanguageCode
  /** Default: only the pair is checked. */
  readonly feature?: LanguageFeature | undefined
}

type ListError = Operations.Errors<typeof LanguagesApi, "list">["call"]

type FindError = Operations.Union<ListError | UnknownLanguage>["members"]

type ListV2Error = Operations.Errors<typeof LanguagesApi, "listV2">["call"]

type GlossaryPairsError = Operations.Errors<typeof LanguagesApi, "glossaryPairs">["call"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(LanguagesApi)
  const { composed } = yield* Operations.runs
  const { checker, languagesOf, requirements } = yield* LanguageChecker.make
  yield* LanguageChecks.addChecker(yield* ClientState, checker)

  const includedLanguages = ({ include, resource }: ListOptions) =>
    Effect.map(languagesOf.get(resource), (languages) => Rules.included(languages, include))

  const listSide =
    (operation: string, side: Rules.Side) =>
    (options: ListOptions): Effect.Effect<ReadonlyArray<Language>, ListError> =>
      composed(operation, Effect.map(includedLanguages(options), (languages) => Rules.ofSide(languages, side)))

  const find = Effect.fnUntraced(function*(lookUp: typeof Rules.find, options: FindOptions) {
    const { code, resource, side } = options
    yield* checkText("code", code)
    const languages = Rules.ofSide(yield* includedLanguages(options), side)
    const language = lookUp(languages, code)
    if (language !== undefined) return language
    return yield* new UnknownLanguage({ resource, code, ...defined({ nearest: Rules.nearestCode(languages, code) }) })
  })

  const supports = Effect.fnUntraced(function*(options: SupportsOptions) {
    const { feature, resource, sourceLanguage, targetLanguage } = options
    yield* checkText("targetLanguage", targetLanguage)
    if (sourceLanguage !== undefined) yield* checkText("sourceLanguage", sourceLanguage)
    const languages = yield* includedLanguages(options)
    const pair = { source: sourceLanguage, target: targetLanguage }
    if (!Rules.hasPair(languages, pair)) return false
    if (feature === undefined) return true
    return Rules.hasFeature(languages, yield* requirements, resource, feature, pair) ?? false
  })

  const resources: Effect.Effect<ReadonlyArray<ResourceFeatures>, ListError> = api.resources()
  const glossaryPairs: Effect.Effect<ReadonlyArray<GlossaryLanguagePair>, GlossaryPairsError> = Effect.map(
    api.glossaryPairs(),
    ({ supportedLanguages }) => supportedLanguages
  )

  return yield* withKnownOptions(LanguagesApi, {
    /**
     * Gets the source languages of a resource, from the cached list.
     *
     * **Details**
     *
     * A list is fresh for an hour. A stale list is returned for up to a day while a new list loads in the background. Both times are configurable
     * (`languages`). Without a cached list, loads a list and fails like `list`.
     */
    sources: listSide("Languages.sources", "source"),
    /** Gets the target languages of a resource, like `sources`. */
    targets: listSide("Languages.targets", "target"),
    /** Finds a code's language in the cached list. Fails with `UnknownLanguage`, which has the nearest listed code. */
    find: (options: FindOptions): Effect.Effect<Language, FindError> =>
      composed("Languages.find", find(Rules.find, options)),
    /**
     * Like `find`, but also accepts another spelling (`pt_BR`, `zh-CN` for `zh-Hans`), a former code (`iw`), or an unlisted variant of a listed
     * language (`de-AT` for `de`).
     */
    resolve: (options: FindOptions): Effect.Effect<Language, FindError> =>
      composed("Languages.resolve", find(Rules.resolve, options)),
    /**
     * Returns true if a resource has a language pair and, with `feature`, if the required sides support the feature.
     *
     * **Details**
     *
     * Without `sourceLanguage`, the source is not checked, and `glossary` is unsupported. False for unlisted codes and unlisted features.
     */
    supports: (options: SupportsOptions): Effect.Effect<boolean, ListError> =>
      composed("Languages.supports", supports(options)),
    /** Marks a resource's list as stale. A 400 for a listed code does the same. */
    invalidate: ({ resource }: Pick<ListOptions, "resource">): Effect.Effect<void> => languagesOf.invalidate(resource),
    /** Lists the languages of a resource (`GET /v3/languages`). An entry may be usable on one side only: `en` as a source, `en-US` as a target. */
    list: ({ include, resource }: ListOptions): Stream.Stream<Language, ListError> =>
      Stream.fromIterableEffect(api.list({ query: defined({ resource, include }) })),
    /** Lists each resource's features, and whether the source, the target or both must support a feature (`GET /v3/languages/resources`). */
    resources,
    /**
     * Lists the source or the target languages of text translation, sources by default (`GET /v2/languages`). Codes are in upper case.
     *
     * @deprecated use `list({ resource: "translate_text" })` and `usableAsSource` or `usableAsTarget` of its entries
     */
    listV2: (
      { type }: { readonly type?: "source" | "target" | undefined } = {}
    ): Stream.Stream<LanguageV2, ListV2Error> => Stream.fromIterableEffect(api.listV2({ query: defined({ type }) })),
    /**
     * Lists the supported language pairs of glossaries (`GET /v2/glossary-language-pairs`).
     *
     * @deprecated use `list({ resource: "glossary" })`: any source pairs with any target
     */
    glossaryPairs
  }, {
    sources: { resource: true, include: true },
    targets: { resource: true, include: true },
    find: { resource: true, include: true, code: true, side: true },
    resolve: { resource: true, include: true, code: true, side: true },
    supports: { resource: true, include: true, sourceLanguage: true, targetLanguage: true, feature: true },
    invalidate: { resource: true }
  })
})

/**
 * Lists languages, and finds language codes.
 *
 * @category services
 * @since 0.1.0
 */
export class Languages extends Operations.service<Languages>()("@effect-lingua/core/languages/Languages", make) {
  /** Turns checks against language lists on or off for the calls of an effect. Default: the configured `languages.checks`. */
  static readonly Checks = LanguageChecks.Checks
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Languages {
  export type { FindOptions, ListOptions, SupportsOptions }
  export type { FindError, GlossaryPairsError, ListError, ListV2Error }
  export type { FeatureRequirement, FeatureStatus, GlossaryLanguagePair, Language, LanguageFeature, LanguageInclude }
  export type { LanguageResource, LanguageV2, Maturity, ResourceFeatures }
}
