/**
 * Compares machine-independent numbers with the last release, and fails if a number is more than a fifth worse.
 *
 *     node tools/bench/guard.ts              compares
 *     node tools/bench/guard.ts --release    writes the numbers of a release
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Data, Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundles } from "./bundle.ts"
import { commandLine, project, transpile } from "./project.ts"
import { table, writeResult } from "./report.ts"

/** Measurements by name; smaller is better. */
type Numbers = Readonly<Record<string, number>>

class Worse extends Data.TaggedError("Worse")<{ readonly names: ReadonlyArray<string> }> {
  override get message(): string {
    return `more than a fifth worse than the last release: ${this.names.join(", ")}`
  }
}

const modulesOf = (name: string, args: ReadonlyArray<string>): number => {
  const counter = fileURLToPath(new URL("countModules.ts", import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, ["--import", counter, ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${name}: ${stderr}`)
  return Number(stderr.split("\n").at(-1))
}

const modules = (folder: string): Numbers => {
  const app = (name: string) => ["--import", join(folder, `${name}.js`), "--eval", "0"]
  const programs = {
    "NodeLanguageService.layer": app("nodeTranslation"),
    "Translation alone, by layerOf": app("nodeTranslationAlone"),
    "effect-lingua --help": [commandLine, "--help"],
    "effect-lingua correct --fake": [commandLine, "correct", "--fake", "teh house"]
  }
  return Object.fromEntries(
    Object.entries(programs).map(([name, args]) => [`modules loaded by ${name}`, modulesOf(name, args)])
  )
}

const sizes = Effect.fnUntraced(function*(folder: string) {
  const { base, ours } = yield* bundles(folder)
  return Object.fromEntries(
    ours.map(({ gzipped, title }) => [`kB with gzip: ${title}`, (gzipped - base.gzipped) / 1000])
  )
})

const callCost = (): Numbers => {
  const program = fileURLToPath(new URL("callCost.ts", import.meta.url))
  const flags = ["--no-opt", "--no-maglev", "--expose-gc", "--max-semi-space-size=64"]
  return JSON.parse(execFileSync(process.execPath, [...flags, program], { encoding: "utf8" }))
}

const file = "release.json"

const ofRelease = (): Numbers => JSON.parse(readFileSync(new URL(`results/${file}`, import.meta.url), "utf8"))

const program = Effect.gen(function*() {
  const folder = yield* project
  yield* transpile(folder, ["nodeTranslation", "nodeTranslationAlone"])
  const numbers: Numbers = {
    ...callCost(),
    ...(yield* sizes(folder)),
    ...modules(folder)
  }
  const released = process.argv.includes("--release") ? numbers : ofRelease()
  const rows = Object.entries(numbers).map(([name, number]) => {
    const before = released[name] ?? number
    return { name, number, before, isWorse: number > 1.2 * before }
  })
  yield* Console.log(table(
    ["", "now", "last release", ""],
    rows.map(({ before, isWorse, name, number }) => [
      name,
      number.toFixed(1),
      before.toFixed(1),
      isWorse ? "**worse**" : ""
    ])
  ))
  yield* Effect.sync(() => {
    if (released === numbers) writeResult(file, `${JSON.stringify(numbers, null, 2)}\n`)
  })
  const worse = rows.filter(({ isWorse }) => isWorse)
  if (worse.length > 0) return yield* new Worse({ names: worse.map(({ name }) => name) })
})

NodeRuntime.runMain(Effect.scoped(program))
