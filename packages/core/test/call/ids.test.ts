import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sample, Wire } from "../support/index.ts"

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Each operation with an id in its path, for each of its ids. */
const methods = Sample.contract.flatMap(({ operation, path }) =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => [operation, camelCase(name)] as const)
)

const unfit = "an id with control characters or unpaired surrogates"

const ids: ReadonlyArray<readonly [id: string, given: string]> = [
  ["", "empty"],
  [" \t", "empty"],
  [".", "\".\""],
  ["..", "\"..\""],
  ["a\nb", unfit],
  ["\u0000", unfit],
  ["a\u007fb", unfit],
  ["a\ud83d", unfit],
  ["\ude00a", unfit],
  ["../x", "an id with a slash"],
  ["a/b", "an id with a slash"],
  ["..\\x", "an id with a backslash"]
]

describe("ids", () => {
  it("stand in the paths of most operations", () => assert.isAbove(methods.length, 25))

  it.effect.each(methods)(
    "%s refuses a %s that cannot be a segment of the path",
    ([operation, parameter]) =>
      Effect.forEach(ids, ([id, given]) =>
        Effect.gen(function*() {
          const input = Object.assign({}, Sample.operation(operation).input, { [parameter]: id })
          const error = yield* Effect.flip(Sample.call(operation, input))
          assert.deepInclude<object>(error, {
            _tag: "InvalidInput",
            operation,
            parameter,
            given,
            allowed: "an id as the service issued it",
            outcome: "refused",
            isTransient: false,
            attempts: []
          })
          assert.include(error.message, `${parameter}: given ${given}, allowed an id as the service issued it.`)
          assert.strictEqual(yield* Wire.count, 0)
        })).pipe(Effect.provide(Wire.layer([])))
  )
})
