/**
 * Compares numbers that hardly depend on the machine with those of the last release, and fails if one is worse by half.
 *
 *     node bench/guard.ts              compares
 *     node bench/guard.ts --release    writes the numbers of a release
 */
import * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import * as Translation from "@effect-lingua/core/texts/Translation"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Data, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Translated } from "./apps/effect.ts"
import { bundles } from "./bundle.ts"
import { commandLine, project, transpile } from "./project.ts"
import { median, table, writeResult } from "./report.ts"

/** Smaller is better. */
type Numbers = Readonly<Record<string, number>>

class Worse extends Data.TaggedError("Worse")<{ readonly names: ReadonlyArray<string> }> {
  override get message(): string {
    return `worse by half than the last release: ${this.names.join(", ")}`
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

const url = "http://localhost"

/** A service in memory: a translation for each text of a request. */
const service = (count: number) => {
  const translations = Array.from({ length: count }, () => ({ detected_source_language: "EN", text: "Gut." }))
  const body = JSON.stringify({ translations })
  return HttpClient.make((request) =>
    Effect.sync(() =>
      HttpClientResponse.fromWeb(request, new Response(body, { headers: { "content-type": "application/json" } }))
    )
  )
}

const Api = HttpApi.make("Service").add(
  HttpApiGroup.make("Translation").add(
    HttpApiEndpoint.post("translate", "/v2/translate", {
      payload: Schema.Struct({ text: Schema.Array(Schema.String), target_lang: Schema.String }),
      success: Translated
    })
  )
)

/** Microseconds of processor time for a call. */
const timed = <E>(call: Effect.Effect<unknown, E>) =>
  Effect.gen(function*() {
    const calls = 300
    const begun = process.cpuUsage()
    yield* Effect.forEach(Array.from({ length: calls }), () => call, { concurrency: 16, discard: true })
    const { system, user } = process.cpuUsage(begun)
    return (system + user) / calls
  })

/** The processor time of a call in memory, relative to that of a client that Effect derives from a contract. */
const calls = Effect.fnUntraced(function*(count: number) {
  const text = Array.from({ length: count }, () => "Good.")
  const http = Layer.succeed(HttpClient.HttpClient, service(count))
  const client = yield* Effect.provide(HttpApiClient.make(Api, { baseUrl: url }), http)
  const { translate } = yield* Translation.Translation
  const derived = client.Translation.translate({ payload: { text, target_lang: "DE" } })
  const ours = translate({ text, targetLanguage: "de" })
  const ratios: Array<number> = []
  for (let turn = 0; turn < 40; turn++) {
    const bare = yield* timed(derived)
    ratios.push((yield* timed(ours)) / bare)
  }
  return { [`processor time of a call with ${count} texts, relative to HttpApiClient`]: median(ratios.slice(10)) }
}, (effect, count) =>
  Effect.provide(
    effect,
    LanguageServiceClient.layerOf(Translation.layer).pipe(
      Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: url })),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, service(count)))
    )
  ))

const file = "release.json"

const ofRelease = (): Numbers => JSON.parse(readFileSync(new URL(`results/${file}`, import.meta.url), "utf8"))

const program = Effect.gen(function*() {
  const folder = yield* project
  yield* transpile(folder, ["nodeTranslation", "nodeTranslationAlone"])
  const numbers: Numbers = {
    ...(yield* calls(1)),
    ...(yield* calls(50)),
    ...(yield* sizes(folder)),
    ...modules(folder)
  }
  const released = process.argv.includes("--release") ? numbers : ofRelease()
  const rows = Object.entries(numbers).map(([name, number]) => {
    const before = released[name] ?? number
    return { name, number, before, isWorse: number > 1.5 * before }
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
