// Measures the strength of the tests: changes one expression of the sources at a time, and counts the changes that no test notices.
//   node scripts/mutants.ts --package core --count 50 --seed a
//   node scripts/mutants.ts --file packages/core/src/jobs/internal/polling.ts
// It works in a clone of the last commit. Stryker has no runner for this version of vitest.
import { Effect, Random } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { parseSync, Visitor } from "oxc-parser"

interface Mutant {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly replacement: string
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
  const add = ({ end, start }: { readonly start: number; readonly end: number }, replacement: string) => {
    found.push({ file, start, end, replacement })
  }
  const text = ({ end, start }: { readonly start: number; readonly end: number }) => code.slice(start, end)
  const swap = (node: {
    readonly left: { readonly start: number; readonly end: number }
    readonly operator: string
    readonly right: { readonly start: number; readonly end: number }
  }) => {
    const other = operators[node.operator]
    const between = { start: node.left.end, end: node.right.start }
    if (other !== undefined) add(between, text(between).replace(node.operator, other))
  }
  new Visitor({
    BinaryExpression: swap,
    LogicalExpression: swap,
    ConditionalExpression: ({ alternate, consequent, end, start, test }) =>
      add({ start, end }, `${text(test)} ? ${text(alternate)} : ${text(consequent)}`),
    IfStatement: ({ test }) => add(test, `!(${text(test)})`),
    MemberExpression: ({ computed, property }) => {
      const twin = computed || property.type !== "Identifier" ? undefined : twins[property.name]
      if (twin !== undefined) add(property, twin)
    },
    Literal: (node) => {
      if (typeof node.value === "number") add(node, String(node.value + 1))
      if (typeof node.value === "boolean") add(node, String(!node.value))
    },
    ExpressionStatement: ({ end, expression, start }) => {
      if (expression.type === "CallExpression" || expression.type === "YieldExpression") add({ start, end }, ";")
    }
  }).visit(parseSync(file, code).program)
  return found
}

const { values } = parseArgs({
  options: {
    package: { type: "string", default: "*" },
    file: { type: "string", multiple: true },
    count: { type: "string", default: "20" },
    seed: { type: "string", default: "mutants" }
  }
})

const files = values.file ?? globSync(`packages/${values.package}/src/**/*.ts`)
const shuffled = Random.withSeed(Random.shuffle(files.toSorted().flatMap(mutantsOf)), values.seed)
const chosen = Effect.runSync(shuffled).slice(0, Number(values.count))

const clone = mkdtempSync(join(tmpdir(), "mutants-"))

/** True if a test fails. A run that takes too long counts as a failure. */
const fails = (...args: ReadonlyArray<string>): boolean => {
  const limits = ["--bail=1", "--reporter=dot", "--passWithNoTests"]
  const run = spawnSync(join(clone, "node_modules/.bin/vitest"), [...args, ...limits], {
    cwd: clone,
    stdio: "ignore",
    timeout: 600_000
  })
  return run.status !== 0
}

const place = ({ file, start }: Mutant): string =>
  `${file}:${readFileSync(file, "utf8").slice(0, start).split("\n").length}`

/** The tests of a file's room. */
const roomOf = (file: string): string => {
  const [, name = "", room = ""] = /^packages\/(\w+)\/src\/(?:([\w-]+)\/)?/.exec(file) ?? []
  return join("packages", name, "test", room)
}

const survivors: Array<string> = []
try {
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${resolve(".")}`, clone])
  execFileSync("pnpm", ["install", "--frozen-lockfile", "--silent"], { cwd: clone, stdio: "ignore" })
  execFileSync("node", ["scripts/doctest.ts"], { cwd: clone })
  for (const room of new Set(chosen.map(({ file }) => roomOf(file)))) {
    if (fails("run", room)) throw new Error(`the tests in ${room} fail without a change`)
  }
  for (const [index, mutant] of chosen.entries()) {
    const { end, file, replacement, start } = mutant
    const source = readFileSync(join(clone, file), "utf8")
    const mutated = source.slice(0, start) + replacement + source.slice(end)
    const line = `${place(mutant)}: ${JSON.stringify(source.slice(start, end))} -> ${JSON.stringify(replacement)}`
    writeFileSync(join(clone, file), mutated)
    // The tests of its room first: most mutants are noticed there, in seconds.
    const isKilled = fails("run", roomOf(file)) || fails("related", "--run", file)
    writeFileSync(join(clone, file), source)
    if (!isKilled) survivors.push(line)
    process.stdout.write(`${index + 1}/${chosen.length} ${isKilled ? "killed  " : "SURVIVED"} ${line}\n`)
  }
} finally {
  rmSync(clone, { recursive: true })
}
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} killed\n`)
