// Generates tables of the docs, between markers: policy fields, errors and statuses, metrics, commands, and the last benchmark results. --check only
// compares.
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Duration } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { rowOf } from "../../packages/core/src/errors/internal/categories.ts"
import { metrics } from "../../packages/core/src/telemetry/internal/telemetry.ts"
import { commandRows, globalFlagRows, settingRows } from "./cliReference.ts"
import { errorRows, errors } from "./errorTable.ts"

const shown = (value: unknown): string => {
  if (Duration.isDuration(value)) return Duration.isZero(value) ? "0" : Attempt.formatDuration(value)
  if (value === undefined) return "none"
  return JSON.stringify(value === Number.POSITIVE_INFINITY ? "Infinity" : value).replaceAll("\"", "")
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [
    "<!-- dprint-ignore-start -->",
    "",
    ...[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`),
    "",
    "<!-- dprint-ignore-end -->"
  ].join("\n")

const code = (text: string): string => `\`${text}\``

/** The policy's fields with their docstrings up to the default; the rest is only in editor hovers. */
const policyTable = (source: string): string => {
  const defaults: Readonly<Record<string, unknown>> = { ...ResiliencePolicy.defaults }
  const [, body = ""] = /export interface ResiliencePolicy \{\n([\s\S]*?)\n\}/.exec(source) ?? []
  const rows = Array.from(
    body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*readonly (\w+)/g),
    ([, doc = "", field = ""]) => [
      code(field),
      shown(defaults[field]),
      doc.replace(/\n\s*\* @[\s\S]*/, "").replace(/\n\s*\*\s?/g, " ").replace(/ Default [\s\S]*/, "").trim()
    ]
  )
  return table(["Field", "Default", "Meaning"], rows)
}

const metricsTable = table(
  ["Name", "Instrument", "Unit", "Attributes", "Meaning"],
  Object.values(metrics).map(({ attributes, description, instrument, name, unit }) => [
    code(name),
    instrument,
    code(unit),
    attributes.map(code).join(", "),
    description
  ])
)

/** The errors, grouped by HTTP status and problem detail. */
const problemsTable = table(
  ["Status", "Detail", "Errors"],
  Array.from(
    Map.groupBy(errors, ({ category }) => rowOf(category).slice(0, 2).join(" | ")),
    ([row, group]) => [row, group.map(({ _tag }) => code(_tag)).join(", ")]
  )
)

const errorsTable = table(["Error", "Category", "Status", "Cause", "Retried by the client", "What to do"], errorRows)

interface Measured {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** The results of the last full benchmark. */
const sections: ReadonlyArray<{ readonly tables: ReadonlyArray<Measured> }> = JSON.parse(
  readFileSync("tools/bench/results/performance.json", "utf8")
)

/** Finds a table of the benchmark's results by title. */
const measured = (title: string): Measured => {
  const found = sections.flatMap(({ tables }) => tables).find((table) => table.title.startsWith(title))
  if (found === undefined) throw new Error(`the results of the benchmark have no table "${title}"`)
  return found
}

const measuredTable = (title: string, omitted?: RegExp): string => {
  const { columns, rows } = measured(title)
  const shown = (_: string, index: number): boolean => omitted?.test(columns[index] ?? "") !== true
  return table(columns.filter(shown), rows.map((cells) => cells.filter(shown)))
}

/** A table of the benchmark's results, with only the time in each cell. */
const timesTable = (title: string): string => {
  const { columns, rows } = measured(title)
  return table(columns, rows.map((cells) => cells.map((cell) => cell.replace(/ s, .*/, " s"))))
}

/** Replaces the text between markers of a page; with --check, compares it. */
const write = (target: string, parts: Readonly<Record<string, string>>): void => {
  const written = readFileSync(target, "utf8")
  let generated = written
  for (const [name, text] of Object.entries(parts)) {
    const marked = new RegExp(`(<!-- begin ${name} -->\\n)[\\s\\S]*?(\\n<!-- end ${name} -->)`)
    if (!marked.test(generated)) throw new Error(`${target} has no markers for ${name}`)
    generated = generated.replace(marked, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`)
  }
  if (!process.argv.includes("--check")) writeFileSync(target, generated)
  else if (generated !== written) {
    process.stderr.write(`${target} is out of date: run \`npx -y pnpm@12 exec node tools/scripts/docTables.ts\`\n`)
    process.exitCode = 1
  }
}

write("docs/resilience.md", {
  policy: policyTable(readFileSync("packages/core/src/config/ResiliencePolicy.ts", "utf8"))
})
write("docs/errors.md", { errors: errorsTable, problems: problemsTable })
write("docs/performance.md", {
  calls: measuredTable("One text of 5 bytes"),
  network: timesTable("30 ms each way, 100 Mbit/s: many calls"),
  sizes: measuredTable("Size in kB"),
  parts: measuredTable("The ten largest parts", /Translation/),
  start: measuredTable("Time in ms", /processor time to/)
})
write("docs/observability.md", { metrics: metricsTable })
write("docs/cli-reference.md", {
  "global flags": table(["Flag", "Meaning"], globalFlagRows),
  settings: table(["Setting", "Flag", "Variable"], settingRows),
  commands: table(["Command", "Effect", "Flags"], commandRows)
})
