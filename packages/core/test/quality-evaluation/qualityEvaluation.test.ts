import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { errorOverTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const pair = { sourceLanguage: "en", targetLanguage: "de" }
const text = { source: "One", target: "Eins" }
const jobId = Sample.evaluationId

const started = Wire.answer(202, { job_id: jobId }, { "retry-after": "7" })
const standing = (state: string, headers?: Wire.Headers) => Wire.answer(202, { job_id: jobId, status: state }, headers)
const done = Wire.answer(200, Sample.evaluation)

const evaluate = (segments = [text]) => QualityEvaluation.use((quality) => quality.evaluate({ ...pair, segments }))

const refusals: ReadonlyArray<readonly [what: string, segments: ReadonlyArray<typeof text>, said: RegExp]> = [
  ["no segments", [], /segments: given none, allowed 1 to 500/],
  ["501 segments", Array.from({ length: 501 }, () => text), /segments: given 501 items, allowed 500/],
  [
    "a source that is too long",
    [text, { source: "👋".repeat(10_001), target: "" }],
    /segments\[1\]\.source: given 10001 characters, allowed 10000/
  ],
  [
    "a target that UTF-8 cannot carry",
    [{ source: "a", target: "\ud800" }],
    /segments\[0\]\.target: given a text with an/
  ]
]

describe("quality evaluation", () => {
  it.effect("asks when the service says, and else with the waits of the policy", () =>
    Effect.gen(function*() {
      const { state } = yield* valueOverTime(evaluate())
      assert.strictEqual(state, "done")
      const [first, second, third = 0, last, ...rest] = yield* Wire.gaps
      assert.deepStrictEqual([first, second, last, ...rest], [7000, 20_000, 1000])
      // The first wait of its own, a fifth more or less.
      assert.isAtLeast(third, 800)
      assert.isAtMost(third, 1200)
    }).pipe(Effect.provide(Wire.layer([
      started,
      standing("processing", { "retry-after": "20" }),
      standing("a state that nobody knows"),
      standing("processing", { "retry-after": "0" }),
      done
    ]))))

  it.effect("ends when the next question would come after the deadline", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(evaluate())
      assert.deepInclude<object>(error, { _tag: "JobNotDone", jobId, state: "processing" })
      assert.deepStrictEqual(yield* Wire.gaps, [7000])
    }).pipe(Effect.provide(Wire.layer(
      [started, standing("processing", { "retry-after": "60" })],
      { resilience: { jobDeadline: Duration.minutes(1) } }
    ))))

  it.effect("says that a wait which the service asks for is too long, and no state that was never seen", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(evaluate())
      assert.include(
        error.message,
        `job ${jobId} is not done. The next request is due in 60 min, after the deadline of 60 s.`
      )
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(
      [Wire.answer(202, { job_id: jobId }, { "retry-after": "3600" })],
      { resilience: { jobDeadline: Duration.minutes(1) } }
    ))))

  it.effect("is named in each error after the start", () =>
    Effect.forEach([Wire.answer(403), Wire.answer(200, { status: "error" })], (reply) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* errorOverTime(evaluate())).job, jobId)
      }).pipe(Effect.provide(Wire.layer([started, reply])))))

  it.effect("is not begun with an id that no request can have", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(evaluate())
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", operation: "QualityEvaluation.start" })
      assert.include(error.message, "the id of the evaluation is invalid")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(202, { job_id: ".." })]))))

  it.effect("fails with what the service says of an evaluation that failed", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(evaluate())
      assert.deepInclude<object>(error, {
        _tag: "JobFailed",
        jobId,
        code: "evaluation_failed",
        description: "The texts cannot be read"
      })
    }).pipe(Effect.provide(Wire.layer([
      started,
      Wire.answer(200, { status: "error", error: { code: "evaluation_failed", message: "The texts cannot be read" } })
    ]))))

  it.effect("takes answers that say less than is described", () =>
    Effect.gen(function*() {
      const quality = yield* QualityEvaluation
      assert.deepStrictEqual<object>(yield* quality.status({ jobId }), { state: "", segments: [] })
      const { segments, summary } = yield* quality.status({ jobId })
      assert.deepStrictEqual<object>(segments, [{
        segmentIndex: 3,
        errors: [{ type: "", severity: "", explanation: "", sourceSpans: [], targetSpans: [] }]
      }])
      assert.deepStrictEqual<object | undefined>(summary, {
        granularCounts: { Accuracy: { Omission: { Critical: 1 } } }
      })
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, {}),
      Wire.answer(200, {
        status: "done",
        segments: [{ segment_index: 3, errors: [{ type: null, source_spans: null }] }],
        summary: { overall_score: null, granular_counts: { Accuracy: { Omission: { Critical: 1 } } } }
      })
    ]))))

  it.effect.each(refusals)(
    "refuses %s with the place, before anything is sent",
    ([, segments, said]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(evaluate([...segments]))
        assert.match(error.message, said)
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer(done)))
  )

  it("cuts texts by code points", () => {
    const emoji = "👩‍🚀 over there"
    assert.strictEqual(QualityEvaluation.cut(emoji, { start: 0, end: 1 }), "👩")
    assert.strictEqual(QualityEvaluation.cut(emoji, { start: 4, end: 8 }), "over")
    assert.strictEqual(QualityEvaluation.cut(emoji, { start: 4, end: 400 }), "over there")
    assert.strictEqual(QualityEvaluation.cut(emoji, { start: 4, end: 4 }), "")
  })
})
