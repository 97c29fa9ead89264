/**
 * The languages of each resource and the features they support.
 *
 * **Example** (A menu of targets, and a slip of the finger)
 *
 * ```ts import.meta.vitest
 * import { Languages } from "@effect-lingua/core/languages/Languages"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const languages = yield* Languages
 *   const targets = yield* languages.targets({ resource: "write" })
 *   const wrong = yield* Effect.flip(languages.find({ resource: "write", code: "en-UK" }))
 *   return [targets.slice(0, 3).map(({ code }) => code), wrong._tag === "UnknownLanguage" && wrong.nearest]
 * })
 * const found = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * found // => [["de", "en-GB", "en-US"], "en-GB"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { UnknownLanguage } from "../client/CallError.ts"
import { composed } from "../client/internal/call.ts"
import { checkText } from "../client/internal/checks.ts"
import * as Operations from "../client/internal/operations.ts"
import type { LanguageCode } from "../client/Language.ts"
import * as LanguageLists from "./internal/languageLists.ts"
import * as Rules from "./internal/languageRules.ts"
import {
  type GlossaryLanguagePair,
  type Language,
  type LanguageFeature,
  type LanguageInclude,
  type LanguageResource,
  LanguagesApi,
  type LanguageV2,
  type ResourceFeatures
} from "./LanguagesApi.ts"

export {
  FeatureRequirement,
  FeatureStatus,
  GlossaryLanguagePair,
  Language,
  LanguageFeature,
  LanguageInclude,
  LanguageResource,
  LanguageV2,
  Maturity,
  ResourceFeatures
} from "./LanguagesApi.ts"

/**
 * The resource whose languages are listed.
 *
 * @category options
 * @since 0.1.0
 */
export interface ListOptions {
  /** The resource that uses the languages. */
  readonly resource: LanguageResource
  /** Entries to list besides stable ones. */
  readonly include?: ReadonlyArray<LanguageInclude> | undefined
}

/**
 * The language to find.
 *
 * @category options
 * @since 0.1.0
 */
export interface FindOptions extends ListOptions {
  /** The code, in any case of letters. */
  readonly code: LanguageCode
  /** The side of a pair that it has to be usable on. Any by default. */
  readonly side?: "source" | "target" | undefined
}

/**
 * A pair of languages, and a feature.
 *
 * @category options
 * @since 0.1.0
 */
export interface SupportsOptions extends ListOptions {
  /** The language of the text. When absent it is left to detection. */
  readonly sourceLanguage?: LanguageCode | undefined
  readonly targetLanguage: LanguageCode
  /** The feature that the pair is to have. When absent only the pair is asked about. */
  readonly feature?: LanguageFeature | undefined
}

/**
 * Turns the checks of calls against the lists of languages on or off for a region of a program, where that differs from the
 * configuration (`languages.checks`).
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
export const Checks = Context.Reference<boolean | undefined>("@effect-lingua/core/languages/Languages/Checks", {
  defaultValue: () => undefined
})

/**
 * The errors of `list`, `resources`, `sources`, `targets` and `supports`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ListError = Operations.Errors<typeof LanguagesApi, "list">["call"]

/**
 * The errors of `find`.
 *
 * @category errors
 * @since 0.1.0
 */
export type FindError = Operations.Union<ListError | UnknownLanguage>["members"]

/**
 * The errors of `listV2`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ListV2Error = Operations.Errors<typeof LanguagesApi, "listV2">["call"]

/**
 * The errors of `glossaryPairs`.
 *
 * @category errors
 * @since 0.1.0
 */
export type GlossaryPairsError = Operations.Errors<typeof LanguagesApi, "glossaryPairs">["call"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(LanguagesApi)
  const lists = yield* LanguageLists.LanguageLists

  const kept = ({ include, resource }: ListOptions) =>
    Effect.map(lists.languages.get(resource), (languages) => Rules.included(languages, include))

  const find = Effect.fnUntraced(function*(options: FindOptions) {
    const { code, resource, side } = options
    yield* checkText("code", code)
    const languages = Rules.ofSide(yield* kept(options), side)
    const language = Rules.find(languages, code)
    if (language !== undefined) return language
    const nearest = Rules.nearestCode(languages, code)
    return yield* new UnknownLanguage({ resource, code, ...(nearest === undefined ? undefined : { nearest }) })
  })

  const supports = Effect.fnUntraced(function*(options: SupportsOptions) {
    const { feature, resource, sourceLanguage, targetLanguage } = options
    yield* checkText("targetLanguage", targetLanguage)
    if (sourceLanguage !== undefined) yield* checkText("sourceLanguage", sourceLanguage)
    const languages = yield* kept(options)
    const pair = { source: sourceLanguage, target: targetLanguage }
    if (!Rules.hasPair(languages, pair)) return false
    if (feature === undefined) return true
    return Rules.hasFeature(languages, yield* lists.requirements, resource, feature, pair) ?? false
  })

  return {
    /**
     * The languages of a resource that can be the language of a text, from the list that is kept.
     *
     * **Details**
     *
     * A list is asked for once for all fibers and kept for an hour. After that it is still given while a new one is asked
     * for in the background, for a day at most (`languages` of the configuration). Fails as `list` does, when there is no
     * list yet.
     */
    sources: (options: ListOptions): Effect.Effect<ReadonlyArray<Language>, ListError> =>
      composed("Languages.sources", Effect.map(kept(options), (languages) => Rules.ofSide(languages, "source"))),
    /** The languages of a resource that a text can be brought into, kept as those of `sources` are. */
    targets: (options: ListOptions): Effect.Effect<ReadonlyArray<Language>, ListError> =>
      composed("Languages.targets", Effect.map(kept(options), (languages) => Rules.ofSide(languages, "target"))),
    /**
     * The language with a code in any case of letters, from the list that is kept. Fails with `UnknownLanguage`, which
     * names the nearest code, and as `list` does.
     */
    find: (options: FindOptions): Effect.Effect<Language, FindError> => composed("Languages.find", find(options)),
    /**
     * Tells if a pair of languages is available for a resource, and has a feature.
     *
     * **Details**
     *
     * A pair is available when each language is usable on its side: for the resource `glossary` that is all. It has a feature when
     * each required side supports it. A source that is left to detection is not judged, but a glossary cannot be used with
     * detection. False for a feature that
     * the service does not name for the resource, and for codes that are not listed.
     */
    supports: (options: SupportsOptions): Effect.Effect<boolean, ListError> =>
      composed("Languages.supports", supports(options)),
    /**
     * Says that the list of a resource is stale: it is still given, but a new one is asked for at the next use. A 400 for a
     * language code that is listed does so by itself.
     */
    invalidate: ({ resource }: Pick<ListOptions, "resource">): Effect.Effect<void> =>
      lists.languages.invalidate(resource),
    /**
     * Lists the languages of a resource.
     *
     * **Details**
     *
     * `GET /v3/languages`. An entry may be usable on one side only: `en` as a
     * source, `en-US` as a target. Fails with `BadRequest` for a resource that the service does not know.
     */
    list: ({ include, resource }: ListOptions): Stream.Stream<Language, ListError> =>
      Stream.fromIterableEffect(
        api.list({ query: { resource, ...(include === undefined ? undefined : { include }) } })
      ),
    /**
     * Lists for each resource which side of a language pair has to support which feature.
     *
     * **Details**
     *
     * `GET /v3/languages/resources`.
     */
    resources: (): Effect.Effect<ReadonlyArray<ResourceFeatures>, ListError> => api.resources(),
    /**
     * Lists the source or the target languages of text translation, sources by default. Codes are in upper case.
     *
     * **Details**
     *
     * `GET /v2/languages`.
     *
     * @deprecated use `list({ resource: "translate_text" })` and the booleans of its entries
     */
    listV2: (
      { type }: { readonly type?: "source" | "target" | undefined } = {}
    ): Stream.Stream<LanguageV2, ListV2Error> =>
      Stream.fromIterableEffect(api.listV2({ query: type === undefined ? {} : { type } })),
    /**
     * Lists the language pairs that a glossary can have.
     *
     * **Details**
     *
     * `GET /v2/glossary-language-pairs`.
     *
     * @deprecated use `list({ resource: "glossary" })`: any source goes with any target
     */
    glossaryPairs: (): Effect.Effect<ReadonlyArray<GlossaryLanguagePair>, GlossaryPairsError> =>
      Effect.map(api.glossaryPairs(), ({ supportedLanguages }) => supportedLanguages)
  }
})

/**
 * The service of language listing.
 *
 * @category services
 * @since 0.1.0
 */
export class Languages
  extends Context.Service<Languages, Effect.Success<typeof make>>()("@effect-lingua/core/languages/Languages")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Languages, make), LanguageLists.layer)
