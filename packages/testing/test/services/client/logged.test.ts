import * as Core from "@effect-lingua/core"
import * as Node from "@effect-lingua/node"
import * as Testing from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Logger, Schema } from "effect"
import { inspect } from "node:util"

type Named = readonly [name: string, error: Error]

/** Errors of the classes without a schema. */
const plain: ReadonlyArray<Named> = [
  [
    "ControlUnavailable",
    new Testing.RemoteFakeLanguageService.ControlUnavailable({ url: "http://a.test", cause: "down" })
  ],
  ["InvalidOptions", new Testing.FakeLanguageService.InvalidOptions({ reason: "no such tier" })],
  ["RecordingExists", new Testing.Recording.RecordingExists({ path: "calls.json" })],
  ["Inconclusive", new Testing.ModelBased.Inconclusive({ reason: "nothing was played" })]
]

const isErrorClass = (value: unknown): value is Schema.Codec<Error, unknown> & { readonly prototype: unknown } =>
  typeof value === "function" && value.prototype instanceof Error && Schema.isSchema(value)

const classes = Object.values({ ...Core, ...Node, ...Testing })
  .flatMap((module) => Object.entries<unknown>(module))
  .flatMap(([name, value]) => isErrorClass(value) ? [[name, value] as const] : [])

/** An error of each class with a schema, with random fields. */
const generated = Effect.forEach(
  new Map(classes),
  ([name, Class]) =>
    Effect.map(
      Arbitrary.sampleEffect(Arbitrary.schema(Class), { count: 1, size: 3, seed: name }),
      (errors): ReadonlyArray<Named> => errors.map((error) => [name, error])
    )
)

describe("an error in a log", () => {
  it.effect("has its message first, of every class, as JSON and for people", () =>
    Effect.gen(function*() {
      const errors = [...plain, ...(yield* generated).flat()]
      assert.isAbove(errors.length, 50)
      for (const [name, error] of errors) {
        const json = JSON.stringify(error)
        assert.isTrue(json.startsWith(`{"message":${JSON.stringify(error.message)}`), `${name}: ${json.slice(0, 80)}`)
        assert.match(inspect(error), /^\{\s+message:/, name)
        assert.isAbove(error.message.length, 0)
      }
    }))

  it.effect("has it in each logger of Effect", () =>
    Effect.gen(function*() {
      const [, error] = (yield* generated).flat().find(([name]) => name === "RateLimited") ?? []
      const lines: Array<string> = []
      const into = (logger: Logger.Logger<unknown, unknown>) =>
        Logger.layer([
          Logger.map(logger, (line) => lines.push(typeof line === "string" ? line : inspect(line, { depth: 5 })))
        ])
      for (const logger of [Logger.formatJson, Logger.formatLogFmt, Logger.formatStructured, Logger.formatSimple]) {
        yield* Effect.logWarning(error).pipe(Effect.provide(into(logger)))
        yield* Effect.logWarning("the call failed", error).pipe(Effect.provide(into(logger)))
      }
      assert.strictEqual(lines.length, 8)
      for (const line of lines) assert.include(line, "too many requests")
    }))
})
