// writes packages/core/src/style-rules/ConfiguredRules.ts, and the same catalogue as data for the generators of packages/testing, from
// packages/core/configured-rules.json; --check only compares
import { readFileSync, writeFileSync } from "node:fs"

const source = "packages/core/configured-rules.json"
const target = "packages/core/src/style-rules/ConfiguredRules.ts"
const dataTarget = "packages/testing/src/generators/internal/ruleData.ts"

const catalogue: Record<string, Record<string, Array<string>>> = JSON.parse(readFileSync(source, "utf8"))

const key = (name: string) => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name)

const rule = ([name, options]: [string, Array<string>]) => {
  const literals = options.map((option) => JSON.stringify(option))
  const line = `    readonly ${key(name)}: ${literals.join(" | ")}`
  if (line.length <= 120) return line
  const bar = literals.length > 1 ? "| " : ""
  return [`    readonly ${key(name)}:`, ...literals.map((literal) => `      ${bar}${literal}`)].join("\n")
}

const category = ([name, rules]: [string, Record<string, Array<string>>]) =>
  [`  readonly ${key(name)}: {`, ...Object.entries(rules).map(rule), `  }`].join("\n")

const generated = `/**
 * The rules of a style list that can be switched on by name, by category.
 *
 * Generated from configured-rules.json by scripts/catalogue.ts.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The categories, rules and options the service has published. A type only: it adds nothing to a bundle.
 *
 * @category models
 * @since 0.1.0
 */
export interface Catalogue {
${Object.entries(catalogue).map(category).join("\n")}
}

/**
 * The configured rules as they travel: category, rule, option.
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
 * An editor completes the names of the \`Catalogue\`. Other names are allowed, for the service may know rules that are
 * newer than this package.
 *
 * **Example** (A rule of the catalogue and one that is not in it)
 *
 * \`\`\`ts import.meta.vitest
 * import type { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
 *
 * const rules: ConfiguredRules = {
 *   dates_and_times: { calendar_era: "use_bc_and_ad" },
 *   poetry: { rhyme: "avoid" }
 * }
 * rules.dates_and_times?.calendar_era // => "use_bc_and_ad"
 * \`\`\`
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
 * Reads and writes the configured rules. The names are not checked, so that newer ones pass through.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ConfiguredRules: Schema.Codec<ConfiguredRules, Encoded> = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.String)
).pipe(Schema.refine((_rules): _rules is ConfiguredRules => true))
`

const dataRule = ([name, options]: [string, Array<string>]) => {
  const literals = options.map((option) => JSON.stringify(option))
  const line = `    ${key(name)}: [${literals.join(", ")}]`
  return line.length < 120
    ? line
    : `    ${key(name)}: [\n${literals.map((literal) => `      ${literal}`).join(",\n")}\n    ]`
}

const dataCategory = ([name, rules]: [string, Record<string, Array<string>>]) =>
  [`  ${key(name)}: {`, Object.entries(rules).map(dataRule).join(",\n"), `  }`].join("\n")

const data = `/**
 * The configured rules that the service has published, with their options.
 *
 * Generated from configured-rules.json by scripts/catalogue.ts.
 */
import type { Catalogue } from "@effect-lingua/core/style-rules/ConfiguredRules"

export const rules: {
  readonly [C in keyof Catalogue]: { readonly [R in keyof Catalogue[C]]: ReadonlyArray<Catalogue[C][R]> }
} = {
${Object.entries(catalogue).map(dataCategory).join(",\n")}
}
`

for (const [file, content] of [[target, generated], [dataTarget, data]] as const) {
  if (!process.argv.includes("--check")) {
    writeFileSync(file, content)
  } else if (readFileSync(file, "utf8") !== content) {
    process.stderr.write(`${file} does not match ${source}: run \`npx -y pnpm@12 catalogue\`\n`)
    process.exitCode = 1
  }
}
