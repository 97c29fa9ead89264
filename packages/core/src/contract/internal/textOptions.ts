/** Options shared by the translation of texts and of documents. */
import * as Context from "effect/Context"
import type { Open } from "./schema.ts"

/**
 * The formality of a translation. `more` and `less` need a target language with formality, or the service responds with 400; the
 * `prefer_` values do not.
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
 * The reporting tag of the translations in a region of a program, unless the call has its own. Calls that count characters and
 * cannot have a tag, of `Writing` and `Documents.upload`, fail with `InvalidInput` in such a region: provide `undefined` around them.
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
