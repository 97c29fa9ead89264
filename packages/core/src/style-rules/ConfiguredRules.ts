/**
 * The configured rules of style rule lists, by category.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { catalogue } from "./Catalogue.ts"

/**
 * The published categories and rules: the type of a rule is the union of its options. The module `Catalogue` has the values.
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
 * The configured rules on the wire: category, rule, option.
 *
 * @category models
 * @since 0.1.0
 */
export interface Encoded {
  readonly [category: string]: { readonly [rule: string]: string }
}

/**
 * The configured rules of a style rule list: for each category the active rules, with their options.
 *
 * **Details**
 *
 * An editor completes the names of the `Catalogue`. Other names are allowed, because the service may have newer rules.
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
 * Decodes and encodes the configured rules, without a check of the names.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ConfiguredRules: Schema.Codec<ConfiguredRules, Encoded> = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.String)
).pipe(Schema.refine((_rules): _rules is ConfiguredRules => true))
