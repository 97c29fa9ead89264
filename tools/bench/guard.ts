/**
 * Compares numbers that do not depend on the machine with those of the last release, and fails if one is more than a fifth worse.
 *
 *     node tools/bench/guard.ts              compares
 *     node tools/bench/guard.ts --release    writes the numbers of a release
 */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Data, Effect, type Fiber, Layer, Redacted, Scheduler } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundles } from "./bundle.ts"
import { commandLine, project, transpile } from "./project.ts"
import { table, writeResult } from "./report.ts"

/** Smaller is better. */
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

const answer = JSON.stringify({ translations: [{ detected_source_language: "EN", text: "Gut." }] })

/** A service in memory. */
const service = HttpClient.make((request) =>
  Effect.sync(() =>
    HttpClientResponse.fromWeb(request, new Response(answer, { headers: { "content-type": "application/json" } }))
  )
)

/** Counts the steps of the fibers that it schedules. */
class Counting extends Scheduler.MixedScheduler {
  steps = 0
  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    this.steps++
    return super.shouldYield(fiber)
  }
}

/** The effects that a call in memory runs, without those of the first call. */
const steps = Effect.fnUntraced(
  function*(title: string, text: string | ReadonlyArray<string>, calls: number) {
    const { translate } = yield* Translation
    const all = Effect.forEach(Array.from({ length: calls }), () => translate({ text, targetLanguage: "de" }), {
      concurrency: "unbounded",
      discard: true
    })
    const counting = new Counting()
    yield* all
    yield* Effect.provideService(all, Scheduler.Scheduler, counting)
    return { [`effects of ${title}`]: counting.steps / calls }
  },
  Effect.provide(
    LanguageServiceClient.layerOf(Translation.layer).pipe(
      Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: "http://localhost" })),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, service))
    )
  )
)

const file = "release.json"

const ofRelease = (): Numbers => JSON.parse(readFileSync(new URL(`results/${file}`, import.meta.url), "utf8"))

const program = Effect.gen(function*() {
  const folder = yield* project
  yield* transpile(folder, ["nodeTranslation", "nodeTranslationAlone"])
  const numbers: Numbers = {
    ...(yield* steps("a call", ["Good."], 1)),
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
