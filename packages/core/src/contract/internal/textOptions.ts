/** Options that translations of texts and documents share. */
import * as Context from "effect/Context"
import type { Open } from "./schema.ts"

/**
 * A translation's formality. `more` and `less` fail with 400 if the target language has no formality; `prefer_` values do not.
 *
 * @category models
 * @since 0.1.0
 */
export type Formality = Open<"default" | "more" | "less" | "prefer_more" | "prefer_less">

/**
 * The markup of the texts.
 *
 * @category models
 * @since 0.1.0
 */
export type TagHandling = Open<"xml" | "html">

/**
 * The default reporting tag of translations. `Writing` and `Documents.upload` cannot have a tag and fail with `InvalidInput`: provide `undefined`
 * around their calls.
 *
 * **Example** (One tag for all translations of a feature)
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
 *   const [request] = yield* fake.requests()
 *   return request?.headers["x-service-reporting-tag"]
 * })
 * const tag = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * tag // => "help-pages"
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export const ReportingTag = Context.Reference<string | undefined>(
  "@effect-lingua/core/contract/internal/textOptions/ReportingTag",
  {
    defaultValue: () => undefined
  }
)
