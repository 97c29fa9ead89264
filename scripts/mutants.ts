// Measures the strength of the tests: changes one expression of the sources at a time, and counts the changes that no test notices.
//   node scripts/mutants.ts --package core --count 50 --seed a
//   node scripts/mutants.ts --file packages/core/src/jobs/internal/polling.ts
//   node scripts/mutants.ts --package core --tests packages/core
// It works in a clone of the last commit, into which all mutants are written at once, each behind a switch. One run of all tests
// notes which of them reach which mutant; then each mutant runs the tests that reach it only, in the order of their distance.
// Stryker has no runner for this version of vitest.
import { Effect, Random, Schema } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { parseSync, Visitor } from "oxc-parser"

interface Range {
  readonly start: number
  readonly end: number
}

interface Mutant extends Range {
  readonly file: string
  /** The changed expression, for people. */
  readonly change: string
  /** The code with the switch, given the condition under which the mutant is active. */
  readonly code: (isActive: string) => string
}

const operators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&"
}

const twins: Readonly<Record<string, string>> = { min: "max", max: "min", some: "every", every: "some" }

const mutantsOf = (file: string): ReadonlyArray<Mutant> => {
  const code = readFileSync(file, "utf8")
  const found: Array<Mutant> = []
  const skipped = new Set<number>()
  const text = ({ end, start }: Range) => code.slice(start, end)
  const add = (range: Range, replacement: string, code: Mutant["code"]) => {
    const change = `${JSON.stringify(text(range))} -> ${JSON.stringify(replacement)}`
    found.push({ file, start: range.start, end: range.end, change, code })
  }
  const replace = (range: Range, replacement: string) =>
    add(range, replacement, (isActive) => `(${isActive} ? (${replacement}) : (${text(range)}))`)
  const swap = (node: Range & { readonly left: Range; readonly operator: string; readonly right: Range }) => {
    const other = operators[node.operator]
    if (other !== undefined) replace(node, `(${text(node.left)}) ${other} (${text(node.right)})`)
  }
  new Visitor({
    BinaryExpression: swap,
    LogicalExpression: swap,
    ConditionalExpression: (node) =>
      replace(node, `${text(node.test)} ? ${text(node.alternate)} : ${text(node.consequent)}`),
    IfStatement: ({ test }) => replace(test, `!(${text(test)})`),
    MemberExpression: ({ computed, end, object, optional, property }) => {
      const twin = computed || property.type !== "Identifier" ? undefined : twins[property.name]
      if (twin === undefined) return
      const name = text(property)
      add(
        { start: object.end, end },
        `.${twin}`,
        (isActive) => `${optional ? "?." : ""}[${isActive} ? "${twin}" : "${name}"]`
      )
    },
    // Types and keys are no expressions.
    TSLiteralType: ({ literal }) => void skipped.add(literal.start),
    Property: ({ key }) => void skipped.add(key.start),
    Literal: (node) => {
      if (typeof node.value === "number") replace(node, String(node.value + 1))
      if (typeof node.value === "boolean") replace(node, String(!node.value))
    },
    ExpressionStatement: (node) => {
      const { type } = node.expression
      if (type === "CallExpression" || type === "YieldExpression") {
        add(node, ";", (isActive) => `{ if (!${isActive}) { ${text(node)} } }`)
      } else skipped.add(node.start)
    }
  }).visit(parseSync(file, code).program)
  return found.filter(({ start }) => !skipped.has(start))
}

const { values } = parseArgs({
  options: {
    package: { type: "string", default: "*" },
    file: { type: "string", multiple: true },
    tests: { type: "string", multiple: true, default: [] },
    count: { type: "string", default: "20" },
    seed: { type: "string", default: "mutants" }
  }
})

const files = values.file ?? globSync(`packages/${values.package}/src/**/*.ts`)
const shuffled = Random.withSeed(Random.shuffle(files.toSorted().flatMap(mutantsOf)), values.seed)
const chosen: Array<Mutant> = []
for (const mutant of Effect.runSync(shuffled)) {
  const overlaps = chosen.some(({ end, file, start }) =>
    file === mutant.file && start < mutant.end && mutant.start < end
  )
  if (!overlaps && chosen.length < Number(values.count)) chosen.push(mutant)
}

const clone = mkdtempSync(join(tmpdir(), "mutants-"))
const hitsFile = join(clone, "hits.txt")
const results = join(clone, "results.json")

/** The report of vitest, as far as it is read. */
const decodeResults = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  testResults: Schema.Array(
    Schema.Struct({ name: Schema.String, status: Schema.String, startTime: Schema.Number, endTime: Schema.Number })
  )
})))

/** Loaded by all processes: switches one mutant on, or notes which test file reaches which mutant. */
const preload = `
import { appendFileSync } from "node:fs"
const { MUTANT, MUTANT_HITS } = process.env
const noted = new Set()
globalThis.mutant = (id) => {
  if (MUTANT_HITS !== undefined) {
    const line = (process.env.MUTANT_TEST ?? "*") + " " + id + "\\n"
    if (!noted.has(line)) appendFileSync(MUTANT_HITS, line)
    noted.add(line)
  }
  return MUTANT === id
}
`

/** Modules are loaded once for many test files, so what is reached outside of a test counts for all of a room ("*"). */
const setup = `
import { afterAll, beforeAll, expect } from "vitest"
beforeAll(() => { process.env.MUTANT_TEST = expect.getState().testPath })
afterAll(() => { delete process.env.MUTANT_TEST })
`

/** Whether vitest succeeds in the clone. A run that takes too long does not. */
const succeeds = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, minutes: number): boolean => {
  const config = ["--config", "mutants.config.ts", "--passWithNoTests"]
  const options = {
    cwd: clone,
    // In a process group of its own, which its types do not know.
    detached: true,
    stdio: "ignore",
    timeout: minutes * 60_000,
    env: { ...process.env, ...env, NODE_OPTIONS: `--import=${join(clone, "preload.mjs")}` }
  } as const
  const { pid, status } = spawnSync(join(clone, "node_modules/.bin/vitest"), ["run", ...args, ...config], options)
  try {
    // The workers too, which a mutant may keep busy forever.
    process.kill(-pid, "SIGKILL")
  } catch {
    // None is left.
  }
  return status === 0
}

const lineOf = ({ file, start }: Mutant): string =>
  `${file}:${readFileSync(file, "utf8").slice(0, start).split("\n").length}`

/** The tests of a file's room. */
const roomOf = (file: string): string => {
  const [, name = "", room = ""] = /^packages\/(\w+)\/src\/(?:([\w-]+)\/)?/.exec(file) ?? []
  return join(clone, "packages", name, "test", room)
}

const survivors: Array<string> = []
try {
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${resolve(".")}`, clone])
  execFileSync("pnpm", ["install", "--frozen-lockfile", "--silent"], { cwd: clone, stdio: "ignore" })
  execFileSync("node", ["scripts/doctest.ts"], { cwd: clone })
  writeFileSync(join(clone, "preload.mjs"), preload)
  writeFileSync(join(clone, "mutants.setup.ts"), setup)
  writeFileSync(
    join(clone, "mutants.config.ts"),
    `import config from "./vitest.config.ts"
export default { ...config, test: { ...config.test, reporters: [], fsModuleCache: true, setupFiles: ["./mutants.setup.ts"] } }`
  )
  for (const file of new Set(chosen.map((mutant) => mutant.file))) {
    const ofFile = [...chosen.entries()].filter(([, mutant]) => mutant.file === file)
    const code = ofFile.toSorted(([, a], [, b]) => b.start - a.start).reduce(
      (code, [id, mutant]) =>
        code.slice(0, mutant.start) + mutant.code(`globalThis.mutant?.("${id}")`) + code.slice(mutant.end),
      readFileSync(join(clone, file), "utf8")
    )
    writeFileSync(join(clone, file), code)
  }

  succeeds([...values.tests, "--reporter=json", `--outputFile=${results}`], { MUTANT_HITS: hitsFile }, 60)
  const { testResults } = decodeResults(readFileSync(results, "utf8"))
  const broken = testResults.filter(({ status }) => status !== "passed").map(({ name }) => name)
  if (broken.length > 0) {
    process.stdout.write(`not used, since they fail without a change: ${broken.join(", ")}
`)
  }
  const tests = testResults.filter(({ status }) => status === "passed")
  const hits = new Set(readFileSync(hitsFile, "utf8").split("\n"))

  for (const [id, mutant] of chosen.entries()) {
    const room = roomOf(mutant.file)
    const distance = ({ endTime, name, startTime }: typeof tests[number]) =>
      (endTime - startTime) * (basename(name, ".test.ts") === basename(mutant.file, ".ts") ? 0.1 : 1) *
      (name.startsWith(room) ? 1 : 10)
    const reaching = tests
      .filter(({ name }) => hits.has(`${name} ${id}`) || hits.has(`* ${id}`) && name.startsWith(room))
      .toSorted((a, b) => distance(a) - distance(b))
      .map(({ name }) => name)
    let isKilled = false
    for (const [from, to] of [[0, 4], [4, 16], [16, Infinity]] as const) {
      const some = reaching.slice(from, to)
      if (isKilled || some.length === 0) continue
      isKilled = !succeeds([...some, "--bail=1"], { MUTANT: String(id) }, 5)
    }
    const line = `${lineOf(mutant)}: ${mutant.change}${reaching.length === 0 ? " (reached by no test)" : ""}`
    if (!isKilled) survivors.push(line)
    process.stdout.write(`${id + 1}/${chosen.length} ${isKilled ? "killed  " : "SURVIVED"} ${line}\n`)
  }
} finally {
  rmSync(clone, { recursive: true })
}
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} killed\n`)
