// Runs in a process of its own: three calls under a limit that is shared through Redis.
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeSharedRate from "@effect-lingua/node/NodeSharedRate"
import { Duration, Effect, Layer } from "effect"

const client = NodeLanguageService.layerConfig({
  resilience: { rate: { requests: 3, window: Duration.seconds(1) } }
}).pipe(Layer.provide(NodeSharedRate.layerRedisConfig({ timeout: "20 seconds" })))

await Writing.use((writing) => {
  const call = writing.rephrase({ text: ["A text."], targetLanguage: "en-GB" })
  return Effect.all([call, call, call], { concurrency: 3 })
}).pipe(Effect.provide(client), Effect.runPromise)

const end = performance.now()
process.on("exit", () => {
  // A connection that is not closed would keep the process for five seconds.
  if (performance.now() - end > 3000) process.exitCode = 1
})
