import { TextBatching } from "@effect-lingua/cache"
import { Detection, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { overTime, refusing, sizes, textsSent, Wire } from "../../../packages/core/test/support/index.ts"

const batching = (script: Wire.Script) => Layer.provideMerge(TextBatching.layer, Wire.layer(script))

const detect = (text: string) => Detection.use((detection) => detection.detect(text))

const all = (texts: ReadonlyArray<string>) => Effect.forEach(texts, detect, { concurrency: "unbounded" })

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`)

describe("Detection.detect of one text with TextBatching", () => {
  it.effect("goes with the others of the same time, in requests of 50", () =>
    Effect.gen(function*() {
      const results = yield* all(numbered(120))
      assert.strictEqual(results.length, 120)
      assert.deepStrictEqual(yield* sizes, [50, 50, 20])
      assert.deepStrictEqual((yield* textsSent).flat(), numbered(120))
    }).pipe(Effect.provide(batching(refusing([])))))

  it.effect("gives each caller the result of its own text", () =>
    Effect.gen(function*() {
      const results = yield* all(["a", "bb", "a", "ccc"])
      assert.deepStrictEqual(
        results.map((result) => result._tag === "Detected" ? result.language : undefined),
        ["x-1", "x-2", "x-1", "x-3"]
      )
      assert.deepStrictEqual(yield* textsSent, [["a", "bb", "ccc"]])
    }).pipe(Effect.provide(batching(refusing([])))))

  it.effect("does not harm the others when a caller is interrupted, before or after the request went out", () =>
    Effect.gen(function*() {
      const early = yield* Effect.forkChild(detect("a"), { startImmediately: true })
      const late = yield* Effect.forkChild(detect("b"), { startImmediately: true })
      const stays = yield* Effect.forkChild(detect("c"), { startImmediately: true })
      yield* Fiber.interrupt(early)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* textsSent, [["b", "c"]])
      yield* Fiber.interrupt(late)
      yield* TestClock.adjust("10 seconds")
      const result = yield* Fiber.join(stays)
      assert.strictEqual(result._tag, "Detected")
    }).pipe(Effect.provide(batching(Wire.late("5 seconds", refusing([]))))))

  it.effect("gives the request up when all its callers are interrupted", () =>
    Effect.gen(function*() {
      const callers = yield* Effect.forkChild(all(["a", "b"]), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const { sent } = yield* Wire.Wire
      assert.deepStrictEqual(sent.map(({ signal }) => signal.aborted), [false])
      yield* Fiber.interrupt(callers)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(sent.map(({ signal }) => signal.aborted), [true])
    }).pipe(Effect.provide(batching(Wire.silent))))

  it.effect("batches calls with equal overrides, and no others", () =>
    Effect.gen(function*() {
      const of = (text: string, attemptTimeout: Duration.Duration) =>
        ResiliencePolicy.within(detect(text), { attemptTimeout })
      yield* Effect.all([
        of("a", Duration.seconds(5)),
        of("b", Duration.seconds(6)),
        of("c", Duration.seconds(5)),
        detect("d")
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual((yield* textsSent).map((texts) => texts.join("")).toSorted(), ["ac", "b", "d"])
    }).pipe(Effect.provide(batching(refusing([])))))

  it.effect("keeps the override of its callers", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(
        ResiliencePolicy.within(all(["a", "b"]), { deadline: Duration.seconds(3) })
      )
      assert.strictEqual(took, 3000)
      assert.strictEqual(exit._tag, "Failure")
    }).pipe(Effect.provide(batching(Wire.silent))))

  it.effect("a wrong number of results fails all, and is not asked again", () =>
    Effect.gen(function*() {
      const errors = yield* Effect.forEach(["a", "b"], (text) => Effect.flip(detect(text)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag), ["UnexpectedResponse", "UnexpectedResponse"])
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(batching([Wire.answer(200, { results: [] })]))))
})
