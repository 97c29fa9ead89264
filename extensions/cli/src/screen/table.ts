/** Tables, and lists of fields, for people. */
import * as CliOutput from "effect/cli/CliOutput"
import * as DateTime from "effect/DateTime"
import { oneLine, type Style } from "./screen.ts"
import { wrap } from "./wrap.ts"

type Cell = string | number | boolean | DateTime.Utc | undefined

const cellText = (cell: unknown): string =>
  typeof cell === "boolean"
    ? cell ? "yes" : "no"
    : DateTime.isDateTime(cell)
    ? DateTime.formatIso(cell).slice(0, 16).replace("T", " ")
    : typeof cell === "string" || typeof cell === "number"
    ? oneLine(String(cell))
    : ""

/** Columns by their titles: a field of a row, or a function. */
export type Columns<A> = Readonly<
  Record<string, ((row: A) => Cell) | { [Name in keyof A]-?: A[Name] extends Cell ? Name : never }[keyof A]>
>

/** Minimum width of the last column, which is wrapped. */
const minColumnWidth = 16

/** A table, or lists of fields on a narrow screen. */
export const table = <A>(style: Style, columns: Columns<A>, rows: ReadonlyArray<A>): string => {
  const header = Object.keys(columns).map((title) => title.toUpperCase())
  const cells = rows.map((row) =>
    Object.values(columns).map((column) => cellText(typeof column === "function" ? column(row) : row[column]))
  )
  const widths = header.map((title, column) =>
    Math.max(...[title, ...cells.map((row) => row[column] ?? "")].map(CliOutput.displayWidth))
  )
  const width = widths.reduce((sum, width) => sum + width + 2, -2)
  const last = Math.min(widths.at(-1) ?? 0, minColumnWidth)
  if (style.columns !== undefined && width - (widths.at(-1) ?? 0) + last > style.columns) {
    return cells.map((row) => fields(style, Object.fromEntries(header.map((title, column) => [title, row[column]]))))
      .join("\n\n")
  }
  const line = (row: ReadonlyArray<string>) =>
    row.map((cell, column) =>
      column === header.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - CliOutput.displayWidth(cell))
    ).join("  ").trimEnd()
  return wrap([style.bold(line(header)), ...cells.map(line)].join("\n"), style.columns, minColumnWidth)
}

/** Formats one field per line. */
export const fields = (style: Style, values: Readonly<Record<string, Cell>>): string => {
  const width = Math.max(...Object.keys(values).map(({ length }) => length))
  const lines = Object.entries(values).map(([name, value]) =>
    `${style.dim(name.padEnd(width))}  ${cellText(value)}`.trimEnd()
  )
  return wrap(lines.join("\n"), style.columns)
}
