import { NotSaved } from "@effect-lingua/core/documents/Documents"
import * as Testing from "@effect-lingua/testing"
import { InvalidOptions } from "@effect-lingua/testing/fake/FakeLanguageService"
import { InvalidRecording, RecordingExists, UnrecordedRequest } from "@effect-lingua/testing/recording/Recording"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Logger, Schema } from "effect"
import { globSync } from "node:fs"
import { resolve } from "node:path"
import { inspect } from "node:util"

type Named = readonly [name: string, error: Error]

/** Errors of the classes without a schema. */
const plain: ReadonlyArray<Named> = [
  ["NotSaved", new NotSaved({ description: "the disk is full", parts: [], complete: false })],
  [
    "ControlUnavailable",
    new Testing.RemoteFakeLanguageService.ControlUnavailable({ url: "http://a.test", cause: "down" })
  ],
  ["InvalidOptions", new InvalidOptions({ reason: "no such tier" })],
  ["RecordingExists", new RecordingExists({ path: "calls.json" })],
  ["Inconclusive", new Testing.ModelBased.Inconclusive({ reason: "nothing was played" })],
  [
    "Falsified",
    new Testing.ModelBased.Falsified({ commands: [], expected: "nothing", runs: 1, shrinks: 0, replay: "seed" })
  ],
  ["PortInUse", new Testing.NodeFakeLanguageService.PortInUse({ port: 80 })],
  ["InvalidRecording", new InvalidRecording({ path: "calls.json", line: 1, reason: "no JSON" })],
  [
    "UnrecordedRequest",
    new UnrecordedRequest({
      recording: "calls.json",
      method: "GET",
      path: "/v2/usage",
      answered: 0,
      differences: [],
      left: []
    })
  ],
  ["AssertionFailed", new Testing.FakeAssert.AssertionFailed({ problem: "no request", requests: "none" })]
]

const modules: ReadonlyArray<Record<string, unknown>> = await Promise.all(
  globSync("packages/*/src/**/[A-Z]*.ts", { exclude: (file) => file === "internal" || file === "Vitest.ts" })
    .map((file) => import(resolve(file)))
)
const exported = modules.flatMap((module) => Object.entries(module))
  .filter(([, value]) => typeof value === "function" && value.prototype instanceof Error)

const isErrorSchema = (value: unknown): value is Schema.Codec<Error, unknown> => Schema.isSchema(value)

const classes = exported.flatMap(([name, value]) => isErrorSchema(value) ? [[name, value] as const] : [])

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
  it.effect("has its message first, of every class, as JSON, and its stack and fields in Node.js", () =>
    Effect.gen(function*() {
      const errors = [...plain, ...(yield* generated).flat()]
      assert.isAbove(errors.length, 50)
      // A class that is new and without a schema has its row above.
      assert.sameMembers(
        Array.from(new Set(exported.filter(([, value]) => !isErrorSchema(value)).map(([name]) => name))),
        plain.map(([name]) => name)
      )
      for (const [name, error] of errors) {
        const json = JSON.stringify(error)
        assert.isTrue(json.startsWith(`{"message":${JSON.stringify(error.message)}`), `${name}: ${json.slice(0, 80)}`)
        const shown = inspect(error)
        assert.isTrue(shown.startsWith(error.stack ?? "none"), name)
        const fields = Object.keys(error).filter((field) => field !== "name")
        for (const field of fields) assert.include(shown.slice(error.stack?.length), field, name)
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
