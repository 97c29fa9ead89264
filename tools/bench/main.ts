/**
 * Compares this library with its alternatives, and writes `results/performance.md` and `.json`.
 *
 *     node tools/bench/main.ts                        everything
 *     node tools/bench/main.ts --quick                a short run of everything with rough numbers
 *     node tools/bench/main.ts --only calls,bundle    some sections, which replace the same sections of the last results
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { compactJson } from "../scripts/compactJson.ts"
import { bundle } from "./bundle.ts"
import { calls } from "./calls.ts"
import { detection } from "./detection.ts"
import { documents } from "./documents.ts"
import { growth } from "./growth.ts"
import { network } from "./network.ts"
import { markdown, type Section, writeResult } from "./report.ts"
import { startup } from "./startup.ts"

const sections = { calls, documents, detection, growth, bundle, startup, network }

const { values: given } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } }
})

const isChosen = (name: string): boolean => given.only === undefined || given.only.split(",").includes(name)

const lastResults = (): ReadonlyArray<Section> =>
  JSON.parse(readFileSync(new URL("results/performance.json", import.meta.url), "utf8"))

const program = Effect.gen(function*() {
  const done: Array<Section> = []
  for (const [name, section] of Object.entries(sections)) {
    if (!isChosen(name)) continue
    yield* Console.error(`${name} ...`)
    done.push(yield* Effect.scoped(section({ quick: given.quick })))
  }
  yield* Console.log(markdown(done))
  yield* Effect.sync(() => {
    const name = given.quick ? "performance-quick" : "performance"
    const before = given.quick || given.only === undefined ? [] : lastResults()
    const others = before.filter(({ title }) => done.every((section) => section.title !== title))
    const all = [...others, ...done]
    writeResult(`${name}.md`, `# Performance\n\n${markdown(all)}\n`)
    writeResult(`${name}.json`, `${compactJson(all, 480)}\n`)
  })
})

NodeRuntime.runMain(program)
