/**
 * The configured rules of style rule lists, by category.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { catalogue } from "./Catalogue.ts"

/**
 * The published categories and rules, as types: see the module `Catalogue`.
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
 * Editors complete the names of the `Catalogue`. Other names are allowed: the service may have newer rules.
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
 * Decodes and encodes configured rules of any name.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ConfiguredRules: Schema.Codec<ConfiguredRules, Encoded> = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.String)
).pipe(Schema.refine((_rules): _rules is ConfiguredRules => true))
