/**
 * Options shared by the translation of texts and of documents.
 *
 * @since 0.1.0
 */
import type { Open } from "./internal/schema.ts"

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
