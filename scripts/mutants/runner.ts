// oxlint-disable no-await-in-loop -- one mutant after the other
// The runner of tests with mutants. Each test runs once as it is, and then, in the same process, once with each mutant that it has reached.
import { appendFileSync, closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs"
import { env } from "node:process"
import { Worker } from "node:worker_threads"
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest"
import type { Plan } from "./plan.ts"

const { MUTANT_NOTES = "", MUTANT_PLAN } = env

/** Without one, tests run once. */
const plan: Plan | undefined = MUTANT_PLAN === undefined ? undefined : JSON.parse(readFileSync(MUTANT_PLAN, "utf8"))

const note = (...fields: ReadonlyArray<string>): void => appendFileSync(MUTANT_NOTES, `${fields.join("\t")}\n`)

/** What all processes of the run have noted: mutants that are judged, and pairs of a test and a mutant that were tried. */
const judged = new Set<string>()
const tried = new Set<string>()
let offset = 0
const readNotes = (): void => {
  const fd = openSync(MUTANT_NOTES, "r")
  const chunk = Buffer.alloc(1 << 20)
  let text = ""
  for (let size; (size = readSync(fd, chunk, 0, chunk.length, offset)) > 0; offset += size) {
    text += chunk.toString("utf8", 0, size)
  }
  closeSync(fd)
  for (const line of text.split("\n")) {
    const [what, id = "", test = ""] = line.split("\t")
    if (what === "killed" || what === "lasting") judged.add(id)
    if (what === "tried") tried.add(`${id}\t${test}`)
  }
}

/** Ends this process when a test has run too long with a mutant, which may keep it busy forever. */
const trial = new BigInt64Array(new SharedArrayBuffer(16))
if (plan !== undefined) {
  new Worker(
    `const { appendFileSync } = require("node:fs")
const { workerData: { notes, pid, trial } } = require("node:worker_threads")
setInterval(() => {
  const [id, until] = trial // the mutant, and when it ends
  if (until === 0n || Date.now() < Number(until)) return
  appendFileSync(notes, "killed\\t" + id + "\\ta run without end\\n")
  process.kill(pid, "SIGKILL")
}, 200)`,
    { eval: true, workerData: { notes: MUTANT_NOTES, pid: process.pid, trial }, execArgv: [] }
  ).unref()
}

const reachedByProcesses = `${MUTANT_NOTES}.${process.pid}`
/** Seconds that a mutant was tried with tests of other rooms. */
const spent = new Map<string, number>()

const passes = async (run: () => unknown): Promise<boolean> => {
  try {
    await run()
    return true
  } catch {
    return false
  }
}

export default class extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test)
    if (plan === undefined) return run()
    const { filepath } = test.file
    const name = `${filepath} > ${test.fullTestName}`
    const inProcess = globalThis.reachedMutants = new Set<string>()
    env["MUTANT_REACHED"] = reachedByProcesses
    writeFileSync(reachedByProcesses, "")
    const start = performance.now()
    try {
      await run()
    } finally {
      globalThis.reachedMutants = undefined
      delete env["MUTANT_REACHED"]
    }
    const seconds = (performance.now() - start) / 1000
    const reached = new Set([
      ...inProcess,
      ...readFileSync(reachedByProcesses, "utf8").split("\n").filter((id) => id !== "")
    ])
    note("passed", filepath, test.fullTestName, String(seconds))
    for (const id of reached) note("reached", id, name)
    if (seconds > plan.longest) return
    readNotes()
    let isRepeatable = false
    for (const id of reached) {
      const isOwn = plan.own[id]?.some((path) => filepath.startsWith(path)) ?? false
      if (judged.has(id) || tried.has(`${id}\t${name}`) || (!isOwn && (spent.get(id) ?? 0) > plan.seconds)) continue
      isRepeatable ||= await passes(run)
      if (!isRepeatable) return
      const isNoticed = !(await this.#withMutant(id, seconds, () => passes(run)))
      if (!isNoticed) {
        note("tried", id, name)
        if (!isOwn) spent.set(id, (spent.get(id) ?? 0) + seconds)
      } else if (await passes(run)) {
        judged.add(id)
        note("killed", id, filepath)
      } else {
        // What the mutant left behind outlasts it: a process of its own has to judge it, and the other tests need another one.
        note("lasting", id)
        process.kill(process.pid, "SIGKILL")
      }
    }
  }

  async #withMutant(id: string, seconds: number, run: () => Promise<boolean>): Promise<boolean> {
    trial[0] = BigInt(id)
    trial[1] = BigInt(Math.ceil(performance.timeOrigin + performance.now() + 10_000 + seconds * 20_000))
    globalThis.activeMutant = id
    env["MUTANT"] = id
    try {
      return await run()
    } finally {
      globalThis.activeMutant = undefined
      delete env["MUTANT"]
      trial[1] = 0n
    }
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite)
    if (plan === undefined || !("filepath" in suite)) return
    note(plan.done, suite.file.filepath)
    rmSync(reachedByProcesses, { force: true })
  }
}
