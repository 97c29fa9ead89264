import { LanguageService, StyleRules, Writing } from "@effect-lingua/core"
import { NodeLanguageService } from "@effect-lingua/node"
import { FakeLanguageService } from "@effect-lingua/testing"
import { Effect, Layer, Redacted } from "effect"

const options = { key: Redacted.make(FakeLanguageService.defaultKey), baseUrl: "https://service.test" }

const program = Effect.gen(function*() {
  const writing = yield* Writing
  const styleRules = yield* StyleRules
  const [improved] = yield* writing.correct({ text: ["teh letter has  arrived"], targetLanguage: "en-GB" })
  const list = yield* styleRules.create({ name: "House style", language: "en" })
  return `${improved?.text} ${list.version}`
})

const text = await program.pipe(
  Effect.provide(Layer.provide(LanguageService.layer(options), FakeLanguageService.layer())),
  Effect.runPromise
)
if (text !== "The letter has arrived. 1") throw new Error(text)

// Builds and closes the layer for Node.js, without a call.
await Effect.runPromise(Effect.scoped(Layer.build(NodeLanguageService.layer(options))))
process.stdout.write("ok\n")
