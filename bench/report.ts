/** What the sections of the benchmark report, and how it is written down. */
import { cpus, release } from "node:os"

/** A table; the cells are text. */
export interface Table {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** A number that a change must not spoil. */
export interface Aim {
  readonly name: string
  readonly value: number
  readonly atLeast?: number
  readonly atMost?: number
}

/** One part of the benchmark. `method` says in words what the numbers are and how they were taken. */
export interface Section {
  readonly title: string
  readonly method: string
  readonly tables: ReadonlyArray<Table>
  readonly aims: ReadonlyArray<Aim>
  /** All that was measured, for programs. */
  readonly data: unknown
}

/** A short run shows whether something broke; its numbers are rough. */
export interface Options {
  readonly quick: boolean
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** A table of Markdown without its title. */
export const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(columns), row(columns.map(() => "---")), ...rows.map(row)].join("\n")

/** The middle one, or the mean of the two in the middle. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

const wanted = ({ atLeast, atMost }: Aim): string =>
  atLeast === undefined ? `at most ${atMost ?? "?"}` : `at least ${atLeast}`

/** Whether the number is as wanted. */
const isMet = ({ atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, value }: Aim): boolean =>
  value >= atLeast && value <= atMost

/** The machine that the numbers are of. */
export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} CPUs (${cpus()[0]?.model.trim() ?? "unknown"}), Linux ${release()}`

const markdownOf = ({ method, tables, title }: Section): string =>
  [
    `## ${title}`,
    method,
    ...tables.flatMap(({ columns, rows, title }) => [`### ${title}`, table(columns, rows)])
  ].join("\n\n")

/** The whole report: the aims first, then each section. */
export const markdown = (sections: ReadonlyArray<Section>): string => {
  const aims = sections.flatMap((section) => section.aims)
  return [
    `Measured on ${machine()}.`,
    table(
      ["", "measured", "aim", ""],
      aims.map((aim) => [aim.name, aim.value.toFixed(2), wanted(aim), isMet(aim) ? "met" : "**missed**"])
    ),
    ...sections.map(markdownOf)
  ].join("\n\n")
}
