/**
 * Prints machine-independent costs of an in-memory call as JSON: the number of effects, the number of functions in all modules, and the bytes
 * allocated without JIT optimization.
 *
 *     node --no-opt --no-maglev --expose-gc --max-semi-space-size=64 tools/bench/callCost.ts
 */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Effect, type Fiber, Layer, ManagedRuntime, Redacted, Scheduler } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Session } from "node:inspector/promises"

const answer = JSON.stringify({ translations: [{ detected_source_language: "EN", text: "Gut." }] })

/** An in-memory service. */
const service = HttpClient.make((request) =>
  Effect.sync(() =>
    HttpClientResponse.fromWeb(request, new Response(answer, { headers: { "content-type": "application/json" } }))
  )
)

/** Counts the steps of all scheduled fibers. */
class Counting extends Scheduler.MixedScheduler {
  steps = 0
  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    this.steps++
    return super.shouldYield(fiber)
  }
}

const runtime = ManagedRuntime.make(
  LanguageServiceClient.layerOf(Translation.layer).pipe(
    Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: "http://localhost" })),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, service))
  )
)
const translate = Translation.use(({ translate }) => translate({ text: ["Good."], targetLanguage: "de" }))
const call = () => runtime.runPromise(translate)

const calls = 200
const several = async () => {
  // oxlint-disable-next-line no-await-in-loop -- consecutive calls are measured
  for (let made = 0; made < calls; made++) await call()
}
await several()

const counting = new Counting()
await runtime.runPromise(Effect.provideService(translate, Scheduler.Scheduler, counting))

globalThis.gc?.()
const before = process.memoryUsage().heapUsed
await several()
const allocated = (process.memoryUsage().heapUsed - before) / calls

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
await session.post("Profiler.takePreciseCoverage")
await call()
const { result } = await session.post("Profiler.takePreciseCoverage")
const functions = result.filter(({ url }) => url.startsWith("file:")).flatMap(({ functions }) => functions)
  .filter(({ ranges: [range] }) => range !== undefined && range.count > 0).length

process.stdout.write(JSON.stringify({
  "effects of a call": counting.steps,
  "functions that a call runs, Effect's included": functions,
  "kB that a call allocates": allocated / 1000
}))
process.exit()
