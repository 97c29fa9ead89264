/**
 * Counts lines of code per package: lines of `src` with more on them than comments and blanks.
 *
 *     pnpm lines            a table of the packages
 *     pnpm lines core       the modules of one package, largest first
 */
import { globSync, readFileSync } from "node:fs"
import { parseSync } from "oxc-parser"

const countCode = (file: string): number => {
  const source = readFileSync(file, "utf8")
  let code = ""
  let end = 0
  for (const comment of parseSync(file, source).comments) {
    code += source.slice(end, comment.start)
    end = comment.end
  }
  return `${code}${source.slice(end)}`.split("\n").filter((line) => line.trim() !== "").length
}

const [chosen] = process.argv.slice(2)
const totals = new Map<string, { files: number; lines: number }>()
for (const file of globSync("packages/*/src/**/*.ts")) {
  const [, name = "", , ...path] = file.split("/")
  if (chosen !== undefined && name !== chosen) continue
  const key = chosen === undefined ? name : path.join("/")
  const { files, lines } = totals.get(key) ?? { files: 0, lines: 0 }
  totals.set(key, { files: files + 1, lines: lines + countCode(file) })
}
const rows = [...totals].toSorted(([, one], [, other]) => other.lines - one.lines)
const sum = (of: "files" | "lines") => rows.reduce((total, [, row]) => total + row[of], 0)
for (const [name, { files, lines }] of [...rows, ["in all", { files: sum("files"), lines: sum("lines") }] as const]) {
  process.stdout.write(`${String(lines).padStart(7)}  ${String(files).padStart(4)}  ${name}\n`)
}
