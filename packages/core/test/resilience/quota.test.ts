import { Languages } from "@effect-lingua/core/languages/Languages"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Sample from "../support/operations.ts"
import { overTime, within } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const rephrase = Writing.use((writing) => writing.rephrase({ text: ["This are fine."] }))
const correct = Writing.use((writing) => writing.correct({ text: ["This are fine."] }))
const translate = Translation.use((translation) => translation.translate({ text: ["Good day"], targetLanguage: "de" }))
const detect = Detection.use((detection) => detection.detect({ text: ["Bonjour", "42"] }))
const read = Languages.use((languages) => languages.resources())

const metered: ReadonlyArray<readonly [operation: string, call: Sample.Operation["call"]]> = [
  ["Writing.rephrase", rephrase],
  ["Writing.correct", correct],
  ["Translation.translate", translate]
]

const exceeded = Wire.answer(456, { message: "Quota Exceeded" })

/** The quota is used up until `until`. Calls that are not metered work. */
const usedUp = (until = Number.POSITIVE_INFINITY): Wire.Reply => (request, sent) => {
  const isMetered = /rephrase|correct|v2\/translate/.test(sent.url)
  if (isMetered && sent.at < until) return exceeded(request, sent)
  const reply = /rephrase|correct/.test(sent.url)
    ? Wire.answer(200, Sample.improvements)
    : isMetered
    ? Wire.answer(200, Sample.translations)
    : sent.url.includes("detect")
    ? Wire.answer(200, Sample.detections)
    : Wire.answer(200, [])
  return reply(request, sent)
}

const gate = { resilience: { quotaGate: Duration.minutes(10) } }

describe("quota", () => {
  it.effect.each(metered)("456 is never repeated: %s", ([, call]) =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(call))
      const error = yield* exit
      assert.strictEqual(error._tag, "QuotaExceeded")
      assert.isFalse(error.isTransient)
      assert.strictEqual(took, 0)
      assert.deepStrictEqual(error.attempts.map(({ status, stopCause }) => [status, stopCause]), [[456, undefined]])
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(456, "", { "retry-after": "1" })))))

  it.effect("without a gate every call is sent", () =>
    Effect.gen(function*() {
      yield* Effect.flip(rephrase)
      yield* Effect.flip(rephrase)
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(usedUp()))))

  it.effect("a gate fails all metered calls at once after a 456, with the remaining time", () =>
    Effect.gen(function*() {
      yield* Effect.flip(rephrase)
      yield* TestClock.adjust("4 minutes")
      for (const [, call] of metered) {
        const error = yield* Effect.flip(call)
        if (error._tag !== "QuotaExceeded") return assert.fail(error._tag)
        assert.deepStrictEqual(error.retryAfter, Duration.minutes(6))
        assert.include(error.message, "Nothing was sent, as the service said so a short while ago.")
        assert.deepStrictEqual(error.attempts, [])
      }
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(usedUp(), gate))))

  it.effect("calls that are not metered pass the gate", () =>
    Effect.gen(function*() {
      yield* Effect.flip(rephrase)
      yield* read
      yield* detect
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer(usedUp(), gate))))

  it.effect("the gate opens after its time, and closes again with the next 456", () =>
    Effect.gen(function*() {
      yield* Effect.flip(rephrase)
      yield* TestClock.adjust(Duration.toMillis("10 minutes") - 1)
      yield* Effect.flip(rephrase)
      assert.strictEqual(yield* Wire.count, 1)
      yield* TestClock.adjust(1)
      yield* Effect.flip(rephrase)
      assert.strictEqual(yield* Wire.count, 2)
      yield* Effect.flip(rephrase)
      assert.strictEqual(yield* Wire.count, 2)
      yield* TestClock.adjust("10 minutes")
      yield* rephrase
      yield* translate
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(Effect.provide(Wire.layer(usedUp(Duration.toMillis("11 minutes")), gate))))

  it.effect("a call in flight that succeeds opens the gate", () =>
    Effect.gen(function*() {
      const slow = yield* Effect.forkChild(rephrase, { startImmediately: true })
      yield* Effect.flip(translate)
      yield* Effect.flip(correct)
      assert.strictEqual(yield* Wire.count, 2)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(slow)
      yield* correct
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer([
      Wire.late("5 seconds", Wire.answer(200, Sample.improvements)),
      exceeded,
      Wire.answer(200, Sample.improvements)
    ], gate))))

  it.effect("a success of a call that is not metered does not open the gate", () =>
    Effect.gen(function*() {
      yield* Effect.flip(rephrase)
      yield* read
      yield* Effect.flip(rephrase)
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(usedUp(), gate))))

  it.effect("a quota of objects does not close the gate", () =>
    Effect.gen(function*() {
      yield* within(Effect.flip(Sample.operation("StyleRules.create").call), 0)
      yield* rephrase
    }).pipe(Effect.provide(Wire.layer([exceeded, Wire.answer(200, Sample.improvements)], gate))))

  it.effect("the gate may be set for one service", () =>
    Effect.gen(function*() {
      yield* Effect.flip(rephrase)
      yield* Effect.flip(rephrase)
      assert.strictEqual(yield* Wire.count, 1)
      yield* Effect.flip(translate)
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(usedUp(), { serviceResilience: { Writing: gate.resilience } }))))
})
