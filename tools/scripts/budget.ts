/**
 * Measures the size of the repository, and compares it with the limits in `budget.json`.
 *
 *     pnpm budget            prints each number, and fails above a limit
 *     pnpm budget --write    lowers the limits to today's numbers
 *
 * Limits only fall. If one limit must rise, edit `budget.json` by hand, give the reason under `raised`, and lower other limits in the same commit.
 */
import { execFileSync } from "node:child_process"
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "oxc-parser"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const files = (patterns: ReadonlyArray<string>) =>
  globSync(patterns, { cwd: root, exclude: ["**/node_modules", "**/doctest"] }).toSorted()

/** The numbers of each row, keyed by the row's name. `columns` of `budget.json` names the numbers. */
export type Rows = Readonly<Record<string, ReadonlyArray<number>>>

const wordsIn = (text: string) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu)?.length ?? 0

const linesIn = (text: string) => text.split("\n").filter((line) => line.trim() !== "").length

/** The names that a module exports, including names from `export *`. */
const namesOf = (file: string): ReadonlyArray<string> =>
  parseSync(file, read(file)).module.staticExports.flatMap(({ entries }) => entries).flatMap(
    ({ exportName, moduleRequest }) =>
      exportName.name !== null
        ? [exportName.name]
        : moduleRequest?.value.startsWith(".") === true
        ? namesOf(join(dirname(file), moduleRequest.value))
        : []
  )

/** Lines of code, internal modules, public names and words of comments. */
const numbersOf = (file: string): ReadonlyArray<number> => {
  const source = read(file)
  let code = ""
  let end = 0
  let words = 0
  for (const comment of parseSync(file, source).comments) {
    code += source.slice(end, comment.start)
    end = comment.end
    words += wordsIn(comment.value)
  }
  // `CommandLine` is the only public module of the command line.
  const isInternal = file.includes("/internal/") || /^\w+\/cli\/src\/(?!CommandLine)/.test(file)
  const isBarrel = /\/(?:index|bin)\.ts$/.test(file)
  return [
    linesIn(`${code}${source.slice(end)}`),
    isInternal ? 1 : 0,
    isInternal || isBarrel ? 0 : new Set(namesOf(file)).size,
    words
  ]
}

/** A row for each package, and for each folder directly below `src`. */
const rooms = (): Rows => {
  const rows: Record<string, ReadonlyArray<number>> = {}
  const add = (row: string, numbers: ReadonlyArray<number>) => {
    rows[row] = numbers.map((number, column) => number + (rows[row]?.[column] ?? 0))
  }
  for (const file of files(["{packages,extensions}/*/src/**/*.ts"])) {
    const [, name = "", , ...path] = file.split("/")
    const numbers = numbersOf(file)
    add(name, numbers)
    if (path.length > 1) add(`${name}/${path[0]}`, numbers)
  }
  return rows
}

const tracked = () => execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trimEnd().split("\n")

/** All current numbers, except the numbers that {@link measureCall} measures. */
export const measure = (): Rows => {
  const pages = files(["*.md", ".github/[A-Z]*.md", "docs/**/*.md"])
  const tests = files(["test/**/*.ts", "{packages,extensions,examples,tools}/*/test/**/*.ts"])
  return {
    ...rooms(),
    docs: [pages.length, pages.reduce((total, page) => total + wordsIn(read(page)), 0)],
    tests: [tests.reduce((total, file) => total + linesIn(read(file)), 0)],
    root: [
      new Set(tracked().map((file) => file.split("/")[0])).size,
      Object.keys(JSON.parse(read("package.json")).scripts).length,
      readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md")).length
    ]
  }
}

/** Files and functions that run in one call, measured in a separate process. */
export const measureCall = (): Rows => ({
  call: JSON.parse(execFileSync("node", [join(import.meta.dirname, "path.ts"), "--json"], { encoding: "utf8" }))
})

/** The limits, and the reasons for raised limits. */
export const budget = (): { readonly limits: Rows } & Readonly<Record<string, unknown>> =>
  JSON.parse(read("budget.json"))

/** A line for each row with a number above its limit, or without a limit. */
export const exceeded = (numbers: Rows, limits: Rows): ReadonlyArray<string> =>
  Object.entries(numbers).flatMap(([row, values]) =>
    values.some((value, column) => !(value <= (limits[row]?.[column] ?? -1)))
      ? [`${row}: ${values.join(", ")}; at most ${limits[row]?.join(", ") ?? "nothing: it has no row"}`]
      : []
  )

/** Lowers limits to the current numbers, and drops rows that no longer exist. */
const lowered = (numbers: Rows, limits: Rows): Rows =>
  Object.fromEntries(
    Object.entries(numbers).map(([row, values]) => [
      row,
      values.map((value, column) => Math.min(value, limits[row]?.[column] ?? value))
    ])
  )

if (import.meta.main) {
  const numbers = { ...measure(), ...measureCall() }
  const { limits, ...rest } = budget()
  if (process.argv.includes("--write")) {
    const rows = Object.entries(lowered(numbers, limits)).map(([row, values]) => `    "${row}": [${values.join(", ")}]`)
    const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, "")
    writeFileSync(join(root, "budget.json"), `${head},\n  "limits": {\n${rows.join(",\n")}\n  }\n}\n`)
  }
  for (const [row, values] of Object.entries(numbers)) {
    process.stdout.write(`${row.padEnd(32)}${values.map((value) => String(value).padStart(9)).join("")}\n`)
  }
  const over = exceeded(numbers, budget().limits)
  process.stdout.write(over.map((line) => `above its limit: ${line}\n`).join(""))
  if (over.length > 0) process.exitCode = 1
}
