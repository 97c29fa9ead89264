/**
 * Measures the cost of this library's types for a project that uses one service: `tsc` without `skipLibCheck`, next to a project
 * with a client derived by hand from one endpoint. Uses the declarations in `dist`.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const runs = 5
const projects = ["service", "derived"] as const
const measures = [{ name: "Check time", unit: "s" }, { name: "Memory used", unit: "K" }, { name: "Types", unit: "" }]

const install = (folder: string): void => {
  const core = join(folder, "node_modules/@effect-lingua/core")
  fs.cpSync("packages/core/dist", join(core, "dist"), { recursive: true })
  const { publishConfig, ...manifest } = JSON.parse(fs.readFileSync("packages/core/package.json", "utf8"))
  fs.writeFileSync(join(core, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }))
  fs.symlinkSync(fs.realpathSync("node_modules/effect"), join(folder, "node_modules/effect"))
  fs.writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const compilerOptions = { target: "ES2024", module: "NodeNext", strict: true, types: [], noEmit: true }
  for (const project of projects) {
    fs.cpSync(`scripts/type-cost/${project}.ts`, join(folder, project, "main.ts"))
    fs.writeFileSync(join(folder, project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["main.ts"] }))
  }
}

const compile = (project: string): ReadonlyArray<number> => {
  const printed = execFileSync("tsc", ["-p", project, "--extendedDiagnostics"], { encoding: "utf8" })
  return measures.map(({ name }) => Number(new RegExp(`^${name}: +([\\d.]+)`, "m").exec(printed)?.[1]))
}

const print = (name: string, ...cells: ReadonlyArray<string>): void => {
  process.stdout.write(`${name.padEnd(14)}${cells.map((cell) => cell.padStart(16)).join("")}\n`)
}

const folder = fs.mkdtempSync(join(tmpdir(), "type-cost-"))
try {
  install(folder)
  // The projects take turns, and the least counts, as the machine has other work.
  const turns = Array.from({ length: runs }, () => projects.map((project) => compile(join(folder, project))))
  const least = (project: number, measure: number) =>
    Math.min(...turns.map((turn) => turn[project]?.[measure] ?? Number.NaN))
  print("", "one service", "derived by hand", "ratio")
  for (const [index, { name, unit }] of measures.entries()) {
    const [service, derived] = [least(0, index), least(1, index)]
    print(name, `${service}${unit}`, `${derived}${unit}`, (service / derived).toFixed(2))
  }
  const sizes = fs.globSync("packages/core/dist/**/*.d.ts").map((file) => fs.statSync(file).size)
  print("Declarations", `${Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024)}K`)
} finally {
  fs.rmSync(folder, { recursive: true })
}
