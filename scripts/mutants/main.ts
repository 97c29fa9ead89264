// Measures the strength of the tests: makes one change of the sources at a time, and counts by room those that no test notices.
//   node scripts/mutants/main.ts --room core/durable --room core/caching --count 30 --seed a
//   node scripts/mutants/main.ts --file packages/core/src/jobs/internal/polling.ts
//   node scripts/mutants/main.ts --changed-since origin/main --count 10
// It works in a clone of the last commit, into which all mutants are written at once, each behind a switch. Each test runs once as it is,
// and again, in its process, with each mutant that it has reached and that no test has noticed: first all tests of the mutant's room, then
// `seconds` of the others. What is reached only when a module is loaded, tests that take long and tests that cannot be repeated have a
// process for each mutant.
// Each room has at most `count` mutants, so that thin rooms are measured as thick ones are. With `--changed-since` all rooms together have
// `count`, on changed lines, and only the tests of their rooms run.
// Stryker has no runner for this version of vitest.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Duration, Effect, Random, RegExp, Schema } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { parseSync, Visitor } from "oxc-parser"
import type { Plan } from "./plan.ts"

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

const twins: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  some: "every",
  every: "some",
  millis: "seconds",
  seconds: "minutes",
  minutes: "hours",
  hours: "days"
}

/** The next unit of a duration in words. */
const units: ReadonlyArray<readonly [unit: RegExp, other: string]> = [
  [/^([\d.]+) millis$/, "$1 seconds"],
  [/^([\d.]+) seconds?$/, "$1 minutes"],
  [/^([\d.]+) minutes?$/, "$1 hours"],
  [/^([\d.]+) (?:hours?|days?)$/, "$1 minutes"]
]

/** Functions whose last argument releases or cleans up. */
const releasing = /^Effect\.(acquireRelease|acquireUseRelease|addFinalizer|ensuring|onExit|onInterrupt|onError)$/

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
      // One more would mean the same to most users of 10,000.
      if (typeof node.value === "number") replace(node, String(node.value < 10 ? node.value + 1 : node.value * 2))
      if (typeof node.value === "boolean") replace(node, String(!node.value))
      const { value } = node
      const unit = typeof value === "string" ? units.find(([unit]) => unit.test(value)) : undefined
      if (unit !== undefined) replace(node, JSON.stringify(String(value).replace(...unit)))
    },
    CallExpression: (node) => {
      const last = node.arguments.at(-1)
      const [, name] = releasing.exec(text(node.callee)) ?? []
      if (last === undefined || name === undefined || last.type === "ObjectExpression") return
      const isEffect = last.type !== "ArrowFunctionExpression" && (name === "ensuring" || name === "onInterrupt")
      replace(last, isEffect ? "Effect.void" : "() => Effect.void")
    },
    BlockStatement: ({ body }) => {
      for (const [index, first] of body.entries()) {
        const second = body[index + 1]
        // Two effects in the other order.
        const isStep = (one: typeof second) =>
          one?.type === "ExpressionStatement" && one.expression.type === "YieldExpression"
        if (second === undefined || !isStep(first) || !isStep(second)) continue
        const [one, two] = [text(first), text(second)]
        add(
          { start: first.start, end: second.end },
          `${two}; ${one}`,
          (isActive) => `if (${isActive}) { ${two}\n${one} } else { ${one}\n${two} }`
        )
      }
    },
    ExpressionStatement: (node) => {
      const { type } = node.expression
      if (type === "CallExpression" || type === "YieldExpression" || type === "AwaitExpression") {
        add(node, ";", (isActive) => `{ if (!${isActive}) { ${text(node)} } }`)
      } else skipped.add(node.start)
    }
  }).visit(parseSync(file, code).program)
  return found.filter(({ start }) => !skipped.has(start))
}

const { values } = parseArgs({
  options: {
    "room": { type: "string", multiple: true },
    "file": { type: "string", multiple: true },
    "changed-since": { type: "string" },
    "count": { type: "string", default: "30" },
    "seconds": { type: "string", default: "10" },
    "seed": { type: "string", default: "mutants" }
  }
})

/** The room of a file, such as `core/durable`; that of a file outside of them is its package. */
const roomOf = (file: string): string => {
  const [, name = "", room] = /^packages\/(\w+)\/src\/(?:([\w-]+)\/)?/.exec(file) ?? []
  return room === undefined ? name : `${name}/${room}`
}
const lineNumber = ({ file, start }: Mutant): number => readFileSync(file, "utf8").slice(0, start).split("\n").length

/** The lines that were changed since a commit, by their files. */
const changedSince = (commit: string): ReadonlyMap<string, ReadonlySet<number>> => {
  const diff = execFileSync("git", ["diff", "--unified=0", `${commit}...`, "--", "packages/*/src/*"], {
    encoding: "utf8"
  })
  const changed = new Map<string, Set<number>>()
  let lines = new Set<number>()
  for (const line of diff.split("\n")) {
    const [, file] = /^\+\+\+ b\/(.+)$/.exec(line) ?? []
    if (file !== undefined) changed.set(file, lines = new Set())
    const [, from, length = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    for (let at = Number(from); at < Number(from) + Number(length); at++) lines.add(at)
  }
  return changed
}
const changed = values["changed-since"] === undefined ? undefined : changedSince(values["changed-since"])
const isQuick = changed !== undefined
const seconds = isQuick ? 0 : Number(values.seconds)

const files = (values.file ?? globSync("packages/*/src/**/*.ts"))
  .filter((file) => (values.room?.includes(roomOf(file)) ?? true) && changed?.has(file) !== false)
  .toSorted()

/** So many of each room, or of all. */
const chosen = Object.values(Object.groupBy(files, (file) => isQuick ? "all" : roomOf(file))).flatMap((files = []) => {
  const all = files.flatMap(mutantsOf).filter((mutant) => changed?.get(mutant.file)?.has(lineNumber(mutant)) !== false)
  const chosen: Array<Mutant> = []
  for (const mutant of Effect.runSync(Random.withSeed(Random.shuffle(all), values.seed))) {
    const overlaps = chosen.some(({ end, file, start }) =>
      file === mutant.file && start < mutant.end && mutant.start < end
    )
    if (!overlaps && chosen.length < Number(values.count)) chosen.push(mutant)
  }
  return chosen
})
const rooms = [...new Set(chosen.map(({ file }) => roomOf(file)))]

const clone = mkdtempSync(join(tmpdir(), "mutants-"))
const inClone = {
  outside: join(clone, "outside.txt"),
  notes: join(clone, "notes.txt"),
  plan: join(clone, "plan.json"),
  preload: join(clone, "scripts/mutants/preload.ts"),
  runner: join(clone, "scripts/mutants/runner.ts")
}

/** The report of vitest, as far as it is read. */
const decodeResults = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  numPassedTests: Schema.Number,
  testResults: Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))
})))

interface Test {
  readonly file: string
  readonly name: string
  readonly seconds: number
}

const print = (line: string) => void process.stdout.write(`${line}\n`)

let runs = 0

/** The file that fails when vitest runs tests in the clone within so many seconds, or what else goes wrong. */
const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, seconds: number, workers = 1) =>
  Effect.callback<string | undefined>((resume) => {
    const report = join(clone, `report-${runs++}.json`)
    const config = [
      "--config=mutants.config.ts",
      `--maxWorkers=${workers}`,
      "--reporter=json",
      `--outputFile=${report}`
    ]
    const killAll = () => {
      try {
        process.kill(-pid, "SIGKILL")
      } catch {
        // None is left.
      }
    }
    const { pid = 0 } = spawn(join(clone, "node_modules/.bin/vitest"), ["run", ...args, ...config], {
      cwd: clone,
      // A process group, which is killed with the workers that a mutant keeps busy forever.
      detached: true,
      stdio: "ignore",
      timeout: Math.ceil(seconds * 1000),
      killSignal: "SIGKILL",
      env: {
        ...process.env,
        ...env,
        TESTS: "",
        MUTANT_OUTSIDE: inClone.outside,
        NODE_OPTIONS: `--import=${inClone.preload}`
      }
    }).on("exit", (code) => {
      killAll()
      if (!existsSync(report)) return resume(Effect.succeed("a run without end"))
      const { numPassedTests, testResults } = decodeResults(readFileSync(report, "utf8"))
      const failed = testResults.find(({ status }) => status === "failed")?.name
      resume(Effect.succeed(failed ?? (code === 0 && numPassedTests > 0 ? undefined : "a run that failed")))
    })
    return Effect.sync(killAll)
  })

const lineOf = (mutant: Mutant): string => `${mutant.file}:${lineNumber(mutant)}`

/** Where the tests of a room are. Without a folder of that name, the tests of the package that are in none. */
const testsOfRoom = (room: string): ReadonlyArray<string> => {
  const [name = "", folder = "*"] = room.split("/")
  const folders = globSync(`packages/{${name},testing}/test/{,*/}${folder}/`)
  const examples = globSync(`packages/${name}/test/doctest/${folder}.*.test.ts`)
  const others = folder === "*" || folders.length === 0 ? globSync(`packages/${name}/test/*.test.ts`) : folders
  return [...examples, ...others]
}

const keyOf = ({ file, name }: Test): string => `${file} > ${name}`

/** These tests, and no others of their files but those of the same name. */
const only = (tests: ReadonlyArray<Test>): ReadonlyArray<string> => [
  ...new Set(tests.map(({ file }) => file)),
  `--testNamePattern=^(?:${tests.map(({ name }) => RegExp.escape(name)).join("|")})$`
]

/** What fails with the mutant, if any of the tests does: first those that take 2 seconds together, then those that take 8, and so on. */
const killerOf = Effect.fnUntraced(function*(id: number, tests: ReadonlyArray<Test>) {
  for (let at = 0, limit = 2; at < tests.length; limit *= 4) {
    const from = at
    for (let sum = 0; at < tests.length && (at === from || sum < limit); at++) sum += tests[at]?.seconds ?? 0
    const some = tests.slice(from, Math.min(at, from + 1000))
    at = from + some.length
    const seconds = some.reduce((sum, test) => sum + test.seconds, 0)
    const failed = yield* run([...only(some), "--bail=1"], { MUTANT: String(id) }, 30 + seconds * 10)
    if (failed !== undefined) return failed
  }
  return undefined
})

const isOf = (folders: ReadonlyArray<string>) => ({ file }: Test): boolean =>
  folders.some((folder) => file.startsWith(folder))

/**
 * Whether a test notices a mutant. One of another room may fail for another reason, on a busy machine: it counts if its file, alone, fails
 * again with the mutant and passes without.
 */
const isKilled = Effect.fnUntraced(function*(id: number, tests: ReadonlyArray<Test>, own: ReadonlyArray<string>) {
  const sorted = tests.toSorted((a, b) => a.seconds - b.seconds)
  const killer = yield* killerOf(id, sorted.filter(isOf(own)))
  if (killer !== undefined) return killer
  const files = new Set<string>()
  let left = seconds
  let others = sorted.filter((test) => {
    if (isOf(own)(test)) return false
    // Loading a file takes its time as well.
    left -= test.seconds + (files.has(test.file) ? 0 : 0.5)
    files.add(test.file)
    return left >= 0
  })
  while (others.length > 0) {
    const killer = yield* killerOf(id, others)
    if (killer === undefined || !existsSync(killer)) return killer
    const tests = others.filter(({ file }) => file === killer)
    const again = yield* run(only(tests), { MUTANT: String(id) }, 900)
    if (again !== undefined && (yield* run(only(tests), {}, 900)) === undefined) return killer
    others = others.filter(({ file }) => file !== killer)
  }
  return undefined
})

/** The fields of notes that begin so. */
const readNotes = (what: string): ReadonlyArray<readonly [first: string, second: string, third: string]> =>
  readFileSync(inClone.notes, "utf8").split("\n").flatMap((line) => {
    const [kind, first = "", second = "", third = ""] = line.split("\t")
    return kind === what ? [[first, second, third]] : []
  })

/** Runs tests, each with the mutants that it reaches. A process that a mutant has ended is followed by another one. */
const trials = Effect.fnUntraced(function*(plan: Plan, args: ReadonlyArray<string>) {
  writeFileSync(inClone.plan, JSON.stringify(plan))
  const env = { MUTANT_NOTES: inClone.notes, MUTANT_PLAN: inClone.plan }
  for (let before = -1, after = 0; before < after;) {
    before = after
    const done = new Set(readNotes(plan.done).map(([file]) => `--exclude=${file}`))
    yield* run([...args, ...done], env, 7200, availableParallelism())
    after = [plan.done, "killed", "lasting"].reduce((sum, what) => sum + readNotes(what).length, 0)
  }
})

const program = Effect.gen(function*() {
  if (chosen.length === 0) return print("there is nothing to change")
  const testsOf = new Map(rooms.map((room) => [room, testsOfRoom(room)]))
  const ownOf = ({ file }: Mutant) => (testsOf.get(roomOf(file)) ?? []).map((path) => join(clone, path))
  const own = Object.fromEntries(chosen.map((mutant, id) => [id, ownOf(mutant)]))
  const [duration] = yield* Effect.timed(Effect.gen(function*() {
    yield* trials({ done: "of rooms", longest: 1, seconds: 0, own }, [...new Set([...testsOf.values()].flat())])
    if (seconds > 0) yield* trials({ done: "all", longest: 1, seconds, own }, [])
  }))
  const tests = new Map(
    readNotes("passed").map(([file, name, seconds]): [string, Test] => {
      const test = { file, name, seconds: Number(seconds) }
      return [keyOf(test), test]
    })
  )
  print(`${tests.size} tests, with the mutants that they reach: ${Duration.format(duration)}`)
  const outside = new Set(readFileSync(inClone.outside, "utf8").split("\n"))
  const killers = new Map(readNotes("killed").map(([id, file]) => [id, file]))
  const [reached, tried] = (["reached", "tried"] as const).map((what) => Object.groupBy(readNotes(what), ([id]) => id))
  const left = yield* Effect.filter([...chosen.entries()], ([id, mutant]) => {
    const key = String(id)
    const done = new Set(tried?.[key]?.map(([, test]) => test))
    // What a module keeps from when it was loaded has not changed in the trials.
    const left = outside.has(key)
      ? [...tests.values()]
      : (reached?.[key] ?? []).flatMap(([, test]) => done.has(test) ? [] : tests.get(test) ?? [])
    const killer = killers.has(key) ? Effect.succeed(killers.get(key)) : isKilled(id, left, own[id] ?? [])
    return Effect.map(killer, (killer) => {
      const by = killer === undefined ? `${reached?.[key]?.length ?? 0} tests reach it` : basename(killer)
      print(`${killer === undefined ? "SURVIVED" : "killed  "} ${lineOf(mutant)}: ${mutant.change} (${by})`)
      return killer === undefined
    })
  }, { concurrency: availableParallelism() })
  print("\n| Room | Mutants | Noticed |\n| --- | --- | --- |")
  for (const room of rooms) {
    const isHere = ({ file }: Mutant) => roomOf(file) === room
    const count = chosen.filter(isHere).length
    const noticed = count - left.filter(([, mutant]) => isHere(mutant)).length
    print(`| ${room} | ${count} | ${noticed} (${Math.round(noticed / count * 100)} %) |`)
  }
  print(`\n${chosen.length - left.length} of ${chosen.length} noticed`)
})

const prepare = () => {
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${resolve(".")}`, clone])
  execFileSync("pnpm", ["install", "--frozen-lockfile", "--silent"], { cwd: clone, stdio: "ignore" })
  execFileSync("node", ["scripts/doctest.ts"], { cwd: clone })
  for (const file of [inClone.notes, inClone.outside]) writeFileSync(file, "")
  writeFileSync(
    join(clone, "mutants.config.ts"),
    `import config from "./vitest.config.ts"
export default {
  ...config,
  test: {
    ...config.test,
    reporters: [],
    fsModuleCache: true,
    // A mutant is one of the process, which runs one test at a time.
    maxConcurrency: 1,
    runner: "${inClone.runner}",
    dangerouslyIgnoreUnhandledErrors: process.env.MUTANT_PLAN !== undefined
  }
}`
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
}

// Processes that a mutant left may still write.
const removed = Effect.sync(() => rmSync(clone, { recursive: true, force: true, maxRetries: 20 }))

NodeRuntime.runMain(Effect.ensuring(Effect.andThen(Effect.sync(prepare), program), removed))
