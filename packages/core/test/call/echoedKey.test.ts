import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { read } from "../support/calls.ts"
import { errorOverTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

describe("a service that repeats the key", () => {
  const echoes: ReadonlyArray<readonly [status: number, tag: string, body: unknown]> = [
    [400, "BadRequest", { message: `The header was Service-Auth-Key ${Wire.key}` }],
    [400, "BadRequest", { message: "No", detail: `key=${Wire.key}, ${Wire.key}` }],
    [400, "BadRequest", `plain ${Wire.key}`],
    [403, "AccessDenied", { message: `Who is ${Wire.key}?` }],
    [403, "InvalidKey", { message: `Invalid api key: ${Wire.key}` }],
    [403, "MissingScope", { message: `Missing required scope(s): ${Wire.key}` }],
    [418, "UnexpectedResponse", { message: `A teapot for ${Wire.key}` }],
    [418, "UnexpectedResponse", `A teapot for ${Wire.key}`],
    [520, "UnexpectedResponse", { message: `Unknown error of ${Wire.key}` }]
  ]

  it.effect.each(echoes)(
    "does not get it into the error of a %d, %s (%#)",
    ([status, tag, body]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(read)
        assert.deepInclude<object>(error, { _tag: tag, status })
        const printed = {
          message: error.message,
          description: error.description,
          text: String(error),
          JSON: JSON.stringify(error),
          inspect: inspect(error, { depth: null, showHidden: true }),
          cause: Cause.pretty(Cause.fail(error))
        }
        for (const [name, said] of Object.entries(printed)) assert.notInclude(said, Wire.key, name)
        if (error._tag === "UnexpectedResponse" && error.body !== undefined) {
          assert.include(Redacted.value(error.body), "[redacted]")
          assert.notInclude(Redacted.value(error.body), Wire.key)
        }
      }).pipe(Effect.provide(Wire.layer(Wire.answer(status, body))))
  )

  // The body of an unknown status that is no JSON is not shown at all.
  it.effect.each(echoes.filter(([status, , body]) => status < 418 || typeof body === "object"))(
    "leaves [redacted] in its place in a %d, %s (%#)",
    ([status, , body]) =>
      Effect.gen(function*() {
        const { message } = yield* errorOverTime(read)
        assert.include(message, "[redacted]")
      }).pipe(Effect.provide(Wire.layer(Wire.answer(status, body))))
  )

  it.effect("has it replaced from 8 characters on, and its text cut to 300", () =>
    Effect.gen(function*() {
      const { description } = yield* errorOverTime(read)
      assert.match(description, /^a 1234567 and a \[redacted\] x+…$/)
      assert.strictEqual(description.length, 301)
    }).pipe(Effect.provide(Wire.layer(
      Wire.answer(400, { message: `a 1234567 and a 12345678 ${"x".repeat(1000)}` }),
      { headers: { "x-short": "1234567", "x-long": "12345678" } }
    ))))
})
