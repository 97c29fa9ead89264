/**
 * The configured rules of style rule lists, by category.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { catalogue } from "./Catalogue.ts"

/**
 * The published categories, rules and options: the type of each rule is the union of its options. The values are in the
 * module `Catalogue`.
 *
 * @category models
 * @since 0.1.0
 */
export type Catalogue = {
  readonly [C in keyof typeof catalogue]: {
    readonly [R in keyof typeof catalogue[C]]: typeof catalogue[C][R] extends ReadonlyArray<infer Option> ? Option
      : never
  }
}

/**
 * The configured rules in the format of the service: category, rule, option.
 *
 * @category models
 * @since 0.1.0
 */
export interface Encoded {
  readonly [category: string]: { readonly [rule: string]: string }
}

/**
 * The configured rules of a style list: for each category the rules that are on, with their options.
 *
 * **Details**
 *
 * An editor completes the names of the `Catalogue`. Other names are allowed, because the service may have rules that are newer
 * than this package.
 *
 * **Example** (A rule of the catalogue and another)
 *
 * ```ts import.meta.vitest
 * import type { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
 *
 * const rules: ConfiguredRules = {
 *   dates_and_times: { calendar_era: "use_bc_and_ad" },
 *   poetry: { rhyme: "avoid" }
 * }
 * rules.dates_and_times?.calendar_era // => "use_bc_and_ad"
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export type ConfiguredRules =
  & {
    readonly [C in keyof Catalogue]?:
      & { readonly [R in keyof Catalogue[C]]?: Catalogue[C][R] | (string & {}) }
      & { readonly [rule: string]: string }
  }
  & Encoded

/**
 * Decodes and encodes the configured rules. The names are not checked, so that newer ones are accepted.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ConfiguredRules: Schema.Codec<ConfiguredRules, Encoded> = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.String)
).pipe(Schema.refine((_rules): _rules is ConfiguredRules => true))
