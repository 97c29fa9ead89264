// Runs in a process of its own with a low limit of open files: creates a style list when none is left, and prints the error.
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Duration, Effect, Redacted } from "effect"
import { closeSync, openSync } from "node:fs"

const files: Array<number> = []
const create = StyleRules.use((rules) => rules.create({ name: "a", language: "en" }))

await Effect.gen(function*() {
  yield* StyleRules
  yield* Effect.ignore(
    Effect.sync(() => {
      for (;;) files.push(openSync("/dev/null", "r"))
    }).pipe(Effect.sandbox)
  )
  const error = yield* Effect.flip(create)
  // The output may need a descriptor, too.
  for (const file of files) closeSync(file)
  process.stdout.write(JSON.stringify({ error, code: "code" in error ? error.code : undefined, tag: error._tag }))
}).pipe(
  Effect.provide(NodeLanguageService.layer({
    key: Redacted.make("key"),
    baseUrl: process.argv[2] ?? "",
    journal: "memory",
    resilience: { attempts: 2, backoffBase: Duration.millis(1) }
  })),
  Effect.runPromise
)
