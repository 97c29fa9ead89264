import { Detection, Documents, StyleRules, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import { Sample, Wire } from "../support/index.ts"

const { document, styleId } = Sample

/** The same body with an unknown field in each object, except for maps from names to values. */
const withNews = (value: unknown, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((item) => withNews(item))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, withNews(field, key)])
  const isMap = ["features", "configured_rules", "punctuation"].includes(key)
  return Object.fromEntries(isMap ? fields : [...fields, ["a_new_field", { deep: ["news"] }]])
}

const read = (operation: string, body: unknown, status = 200) =>
  Sample.operation(operation).call.pipe(Effect.provide(Wire.layer([Wire.answer(status, body)])))

describe("answers", () => {
  it.effect.each(Sample.bodies)(
    "%s ignores fields that are new",
    ([operation, body]) =>
      Effect.gen(function*() {
        const news = withNews(body)
        assert.notDeepEqual(news, body)
        assert.deepStrictEqual(yield* read(operation, news), yield* read(operation, body))
      })
  )

  it.effect("a list without rules and instructions has empty ones", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const { configuredRules, customInstructions } = yield* rules.get({ styleId })
      assert.deepStrictEqual([configuredRules, customInstructions], [{}, []])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, Sample.summary)]))))

  it.effect.each([
    ["2026-03-01T08:00:00Z", "2026-03-01T08:00:00.000Z"],
    ["2026-03-01T08:00:00", "2026-03-01T08:00:00.000Z"],
    ["2026-03-01T08:00:00.5", "2026-03-01T08:00:00.500Z"],
    ["2026-03-01T08:00:00.123456Z", "2026-03-01T08:00:00.123Z"],
    ["2026-03-01T09:00:00+01:00", "2026-03-01T08:00:00.000Z"]
  ])("the timestamp %s is %s", ([wire, expected]) =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const list = yield* rules.get({ styleId })
      assert.strictEqual(list.creationTime && DateTime.formatIso(list.creationTime), expected)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { ...Sample.list, creation_time: wire })]))))

  it.effect("new values of an open set are accepted", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const [improvement] = yield* writing.correct({ text: ["a"] })
      assert.strictEqual(improvement?.targetLanguage, "tlh")
      const detection = yield* Detection
      const [result] = yield* detection.detect({ text: ["a"] })
      assert.deepStrictEqual(result, { _tag: "Undetected", reason: "too_many_cooks" })
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { improvements: [{ text: "a", detected_source_language: "xx", target_language: "tlh" }] }),
      Wire.answer(200, { results: [{ detection_status: "too_many_cooks" }] })
    ]))))

  it.effect.each<readonly [operation: string, body: object, value: object]>([
    [
      "Detection.detect",
      {
        results: [{ detection_status: "SUCCESS", detected_language: "fr" }, {
          detection_status: "Unsupported_Language"
        }]
      },
      [{ _tag: "Detected", language: "fr" }, { _tag: "Undetected", reason: "unsupported_language" }]
    ],
    ["Documents.status", { status: "DONE" }, { status: "done" }],
    ["QualityEvaluation.status", { job_id: Sample.evaluationId, status: "Error" }, { state: "error" }],
    ["TranslationMemories.status", { results: [{ status: "COMPLETED" }] }, { state: "completed" }]
  ])("%s reads a state in any case", ([operation, body, value]) =>
    Effect.gen(function*() {
      assert.deepInclude<object>({ ...(yield* read(operation, body)) }, { ...value })
    }))

  it.effect("a list without instructions is an unexpected answer to an addition", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const error = yield* Effect.flip(rules.addInstruction({ styleId, label: "a", prompt: "b" }))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.deepInclude(error, { cause: "UnexpectedResponse", lookup: { styleId, label: "a" } })
    }).pipe(Effect.provide(Wire.layer([Wire.answer(201, Sample.summary)]))))

  it.effect.each([
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "text/html; charset=utf-8",
    undefined
  ])("a document comes with the content type %s", (contentType) =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const download = yield* documents.download(document)
      assert.strictEqual(download.contentType, contentType)
      assert.strictEqual(download.traceId, "0AF1")
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(download.stream)), "a document")
    }).pipe(Effect.provide(Wire.layer([
      Wire.streamed(200, Stream.make(new TextEncoder().encode("a document")), {
        "x-trace-id": "0AF1",
        "content-length": "10",
        ...(contentType === undefined ? undefined : { "content-type": contentType })
      })
    ]))))
})
