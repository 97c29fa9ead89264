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
 * Markup that the service keeps.
 *
 * @category models
 * @since 0.1.0
 */
export type TagHandling = Open<"xml" | "html">

/**
 * The default reporting tag of translations in a region. `Writing` and `Documents.upload` cannot have a tag and fail with `InvalidInput`:
 * provide `undefined` around their calls.
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
