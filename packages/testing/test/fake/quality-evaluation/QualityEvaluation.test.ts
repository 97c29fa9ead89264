import { Progress, QualityEvaluation, ResiliencePolicy } from "@effect-lingua/core"
import { FakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"

const pair = { sourceLanguage: "en", targetLanguage: "de" }
const sources = ["👋 We pay 42 euros.", "Good morning", "Thank you"]
const targets = ["👋 Wir zahlen 24 Euro.", "Good morning", "Danke"]
const segments = sources.map((source, index) => ({ source, target: targets[index] ?? "" }))

const evaluate = QualityEvaluation.use((quality) => quality.evaluate({ ...pair, segments }))

const requests = Effect.map(
  FakeLanguageService.use((fake) => fake.requests),
  (all) => all.map(({ operation, time }) => [operation, time] as const)
)

describe("QualityEvaluation", () => {
  it.effect("finds the errors of translations, and scores them", () =>
    Effect.gen(function*() {
      const { segments: found, state, summary } = yield* VirtualTime.run(evaluate)
      assert.strictEqual(state, "done")
      assert.deepStrictEqual(
        found.map(({ errors, segmentIndex }) =>
          errors?.map(({ sourceSpans, subType, targetSpans }) => [
            subType,
            sourceSpans.map((span) => QualityEvaluation.cut(sources[segmentIndex] ?? "", span)),
            targetSpans.map((span) => QualityEvaluation.cut(targets[segmentIndex] ?? "", span))
          ])
        ),
        [[["Mistranslation", ["42"], []]], [["Untranslated", ["Good morning"], ["Good morning"]]], []]
      )
      assert.strictEqual(summary?.overallScore, Math.round((85 + 60 + 100) / 3))
      assert.deepStrictEqual(summary?.granularCounts, {
        Accuracy: { Mistranslation: { Minor: 1 }, Untranslated: { Major: 1 } }
      })
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("is asked for when the service says so, and tells how far it is", () =>
    Effect.gen(function*() {
      const seen = yield* VirtualTime.run(Stream.runCollect(Progress.stream(evaluate)))
      assert.deepStrictEqual(seen.map(({ _tag }) => _tag), ["Started", "Completed", "Finished"])
      assert.deepStrictEqual(yield* requests, [["QualityEvaluation.start", 0], ["QualityEvaluation.status", 40_000]])
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ readyAfter: "40 seconds" }))))

  it.effect("goes on at the service when the deadline is over, and can be waited for again", () =>
    Effect.gen(function*() {
      const quality = yield* QualityEvaluation
      const { jobId } = yield* quality.start({ ...pair, segments })
      const error = yield* Effect.flip(VirtualTime.run(quality.wait({ jobId }))).pipe(
        ResiliencePolicy.within({ jobDeadline: Duration.minutes(1) })
      )
      assert.strictEqual(error._tag, "JobNotDone")
      assert.include(error.message, "\"processing\"")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* VirtualTime.run(quality.wait({ jobId }))).state, "done")
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ readyAfter: "70 minutes" }))))

  it.effect("is not found after a day", () =>
    Effect.gen(function*() {
      const quality = yield* QualityEvaluation
      const { jobId } = yield* quality.start({ ...pair, segments })
      yield* TestClock.adjust("23 hours")
      assert.strictEqual((yield* quality.status({ jobId })).state, "done")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(quality.status({ jobId })))._tag, "NotFound")
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))
})
