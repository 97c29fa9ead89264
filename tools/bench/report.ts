/** The report's sections, formatted as Markdown. */
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, release } from "node:os"

export const mebibyte = 1024 * 1024

export interface Table {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** A measured number with a bound. */
export interface Aim {
  readonly name: string
  readonly value: number
  readonly atLeast?: number
  readonly atMost?: number
}

/** A section of the report. `method` describes the numbers and how they are measured. */
export interface Section {
  readonly title: string
  readonly method: string
  readonly tables: ReadonlyArray<Table>
  readonly aims: ReadonlyArray<Aim>
  /** The measured samples. */
  readonly data: unknown
}

/** `quick`: a short run, which only shows that the benchmark works; its numbers are rough. */
export interface Options {
  readonly quick: boolean
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** Formats a table as Markdown. */
export const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(columns), row(columns.map(() => "---")), ...rows.map(row)].join("\n")

/** Formats tables as text, to show the progress of a run. */
export const preview = (...tables: ReadonlyArray<Table>): string =>
  tables.flatMap(({ rows }) => rows.map((cells) => cells.join(" | "))).join("\n")

/** Writes a file in the folder `results`. */
export const writeResult = (name: string, text: string): void => {
  const folder = new URL("results/", import.meta.url)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(name, folder), text)
}

export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

const boundOf = ({ atLeast, atMost }: Aim): string =>
  atLeast === undefined ? `at most ${atMost ?? "?"}` : `at least ${atLeast}`

const isMet = ({ atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, value }: Aim): boolean =>
  value >= atLeast && value <= atMost

/** Describes the machine. */
export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} CPUs (${cpus()[0]?.model.trim() ?? "unknown"}), Linux ${release()}`

const markdownOf = ({ method, tables, title }: Section): string =>
  [
    `## ${title}`,
    method,
    ...tables.flatMap(({ columns, rows, title }) => [`### ${title}`, table(columns, rows)])
  ].join("\n\n")

/** Formats the report: the aims, then each section. */
export const markdown = (sections: ReadonlyArray<Section>): string => {
  const aims = sections.flatMap((section) => section.aims)
  return [
    `Measured on ${machine()}.`,
    table(
      ["", "measured", "aim", ""],
      aims.map((aim) => [aim.name, aim.value.toFixed(2), boundOf(aim), isMet(aim) ? "met" : "**missed**"])
    ),
    ...sections.map(markdownOf)
  ].join("\n\n")
}
