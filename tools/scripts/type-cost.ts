/**
 * Measures the cost of this library's types for a project that uses one service, compared with a client derived by hand from one endpoint: `tsc`
 * without `skipLibCheck`, and the time from the start of TypeScript 5.9's language server to the first completion. Uses the declarations in `dist`.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const runs = 5
const projects = ["service", "derived"] as const
const compiled = [
  { name: "Check time", unit: "s" },
  { name: "Memory used", unit: "K" },
  { name: "Types", unit: "" },
  { name: "Instantiations", unit: "" }
]
const measures = [...compiled, { name: "First completion", unit: "s" }]

// The language server also reads an app's dependencies, to offer auto-imports.
const app = { private: true, type: "module", dependencies: { "@effect-lingua/core": "*", effect: "*" } }

const install = (folder: string): void => {
  const core = join(folder, "node_modules/@effect-lingua/core")
  fs.cpSync("packages/core/dist", join(core, "dist"), { recursive: true })
  const { publishConfig, ...manifest } = JSON.parse(fs.readFileSync("packages/core/package.json", "utf8"))
  fs.writeFileSync(join(core, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }))
  fs.symlinkSync(fs.realpathSync("node_modules/effect"), join(folder, "node_modules/effect"))
  fs.writeFileSync(join(folder, "package.json"), JSON.stringify(app))
  const compilerOptions = { target: "ES2024", module: "NodeNext", strict: true, types: [], noEmit: true }
  for (const project of projects) {
    fs.cpSync(`tools/scripts/type-cost/${project}.ts`, join(folder, project, "main.ts"))
    fs.writeFileSync(join(folder, project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["main.ts"] }))
  }
}

const compile = (project: string): ReadonlyArray<number> => {
  const printed = execFileSync("tsc", ["-p", project, "--extendedDiagnostics"], { encoding: "utf8" })
  return compiled.map(({ name }) => Number(new RegExp(`^${name}: +([\\d.]+)`, "m").exec(printed)?.[1]))
}

/** Measures the seconds until completions of the method that both projects call. */
const complete = (project: string): number => {
  const file = join(project, "main.ts")
  const [before = ""] = fs.readFileSync(file, "utf8").split("rephrase({")
  const lines = before.split("\n")
  const place = { file, line: lines.length, offset: (lines.at(-1)?.length ?? 0) + 1 }
  const requests = [["open", { file }], ["completionInfo", { ...place, includeExternalModuleExports: true }]]
  const input = requests.map(([command, args]) => `${JSON.stringify({ type: "request", command, arguments: args })}\n`)
  const start = performance.now()
  const printed = execFileSync("node", ["node_modules/typescript-5/lib/tsserver.js"], { input: input.join("") })
  const seconds = (performance.now() - start) / 1000
  if (!printed.includes("\"name\":\"rephrase\"")) throw new Error(`no completion in ${file}`)
  return Math.round(seconds * 100) / 100
}

const print = (name: string, ...cells: ReadonlyArray<string>): void => {
  process.stdout.write(`${name.padEnd(18)}${cells.map((cell) => cell.padStart(16)).join("")}\n`)
}

const folder = fs.mkdtempSync(join(tmpdir(), "type-cost-"))
try {
  install(folder)
  // The projects alternate, and the minimum counts, because other processes may slow down the machine.
  const turns = Array.from(
    { length: runs },
    () => projects.map((project) => compile(join(folder, project)).concat(complete(join(folder, project))))
  )
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
