import { Detection, Languages, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { sampled } from "../../../../test/support/scale.ts"
import { Sample, Wire } from "../support/index.ts"

const resilience = { attempts: 1, jobDeadline: Duration.millis(100) }
const trace = { "x-trace-id": "0AF1" }

/** A creation with an unexpected answer ends as `OutcomeUnknown`, any other call as `UnexpectedResponse`. */
const assertUnexpected = (
  error: Sample.AnyFailure,
  operation: string,
  status: number,
  outcome: string,
  where = String(status),
  isTransient = status === 520
) => {
  const unknown = Sample.creates.has(operation) && outcome === "unknown"
  assert.deepInclude<object>(
    error,
    unknown
      ? { _tag: "OutcomeUnknown", operation, traceId: "0AF1", cause: "UnexpectedResponse", outcome }
      : { _tag: "UnexpectedResponse", operation, traceId: "0AF1", status, outcome, isTransient },
    where
  )
  assert.include(error.message, "Trace id 0AF1.")
}

/** Statuses that no operation declares, and their outcome. With 206, an operation that needs no body has a success. */
const undeclared: ReadonlyArray<readonly [status: number, outcome: string]> = [
  [206, "unknown"],
  [302, "refused"],
  [409, "refused"],
  [418, "refused"],
  [501, "unknown"],
  [520, "unknown"]
]

/** Damaged bodies, which another attempt may receive intact. */
const garbled = new Set(["a page of HTML", "nothing", "a body that is cut"])

/** Texts that are not a valid body. */
const invalid = (body: object): ReadonlyArray<readonly [what: string, text: string]> => [
  ["a page of HTML", "<html>Please log in</html>"],
  ["nothing", ""],
  ["null", "null"],
  ["a body that is cut", JSON.stringify(body).slice(0, -1)]
]

const several: ReadonlyArray<readonly [operation: string, body: object]> = [
  ["Writing.rephrase", { improvements: [] }],
  ["Writing.correct", { improvements: [...Sample.improvements.improvements, ...Sample.improvements.improvements] }],
  ["Detection.detect", { results: [{ detection_status: "success", detected_language: "en" }] }],
  ["Translation.translate", { translations: [] }]
]

describe("unexpected", () => {
  it.effect.each(sampled(Object.keys(Sample.operations), 20))(
    "%s with a status that it does not declare",
    (operation) => {
      const statuses = undeclared.filter(([status]) =>
        status === 409
          ? operation !== "TranslationMemories.startExport"
          : status !== 206 || Sample.operation(operation).value !== undefined
      )
      return Effect.forEach(statuses, ([status, outcome]) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(Sample.operation(operation).call)
          assertUnexpected(error, operation, status, outcome)
          if (error._tag !== "UnexpectedResponse") return
          assert.include(error.description, `status ${status} is undocumented for this operation`)
          assert.isTrue(Redacted.isRedacted(error.body))
          assert.strictEqual(error.body && Redacted.value(error.body), "What is this?")
        })).pipe(Effect.provide(Wire.layer(
          statuses.map(([status]) => Wire.answer(status, "What is this?", trace)),
          { resilience }
        )))
    }
  )

  it.effect.each(sampled(Sample.bodies, 20))("%s with a body that is not JSON", ([operation, body]) => {
    const wrong = invalid(body)
    return Effect.forEach(wrong, ([where]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Sample.operation(operation).call)
        assertUnexpected(error, operation, 200, "unknown", where, garbled.has(where))
      })).pipe(Effect.provide(Wire.layer(wrong.map(([, text]) => Wire.answer(200, text, trace)), { resilience })))
  })

  it.effect.each(several)(
    "%s with another number of results than texts",
    ([operation, body]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Sample.operation(operation).call)
        assertUnexpected(error, operation, 200, "unknown")
        assert.match(
          error.description,
          /^the response has \d results for \d texts \(content type application\/json, \d+ characters\)$/
        )
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, body, trace)])))
  )

  it.effect("a detected language without its code is an unexpected response", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      const error = yield* Effect.flip(detection.detect({ text: ["a"] }))
      assertUnexpected(error, "Detection.detect", 200, "unknown")
      assert.include(error.description, "success has a detected_language")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { results: [{ detection_status: "success" }] }, trace)]))))

  it.effect("the start of a long body is kept as evidence", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const error = yield* Effect.flip(languages.resources)
      if (error._tag !== "UnexpectedResponse") return assert.fail(error._tag)
      assert.strictEqual(error.body && Redacted.value(error.body), "x".repeat(500))
      assert.isAtMost(error.message.length, 1000)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, "x".repeat(1024 * 1024), trace)], { resilience }))))

  it.effect("a printed error does not show the body", () =>
    Effect.gen(function*() {
      const text = "a confidential text"
      const writing = yield* Writing
      const translation = yield* Translation
      const errors = [
        yield* Effect.flip(writing.correct({ text: [text] })),
        yield* Effect.flip(writing.correct({ text: [text] })),
        yield* Effect.flip(writing.correct({ text: [text] })),
        yield* Effect.flip(translation.translate({ text: [text], targetLanguage: "de" }))
      ]
      for (const error of errors) {
        assert.strictEqual(error._tag, "UnexpectedResponse")
        const printed = [String(error), error.stack, JSON.stringify(error), inspect(error, { depth: null })].join()
        assert.notInclude(printed, text)
      }
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(418, "a confidential text"),
      Wire.answer(200, { improvements: "a confidential text" }),
      Wire.answer(200, { "a confidential text": ["a confidential text"] }),
      Wire.answer(200, { translations: [{ text: ["a confidential text"] }] })
    ]))))
})
