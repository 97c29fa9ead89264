import { Detection } from "@effect-lingua/core/texts/Detection"
import * as TextBatching from "@effect-lingua/core/texts/TextBatching"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as FakeAssert from "@effect-lingua/testing/assertions/FakeAssert"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Weather from "@effect-lingua/testing/faults/Weather"
import * as VirtualTime from "@effect-lingua/testing/time/VirtualTime"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"

const fake = FakeLanguageService.FakeLanguageService

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => `This is sentence number ${index} of teh long letter.`)

describe("work in bulk against the fake", () => {
  it.effect("is the same as text by text", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const detection = yield* Detection
      const translation = yield* Translation
      const given = ["teh letter has  arrived", "Das ist ein Haus.", "Bonjour tout le monde", "12345"]
      const one = yield* Effect.forEach(given, (text) =>
        Effect.all([
          detection.detect(text),
          Effect.map(translation.translate({ text: [text], targetLanguage: "fr" }), ([first]) => first),
          Effect.map(writing.correct({ text: [text] }), ([first]) => first)
        ]))
      assert.deepStrictEqual(yield* Stream.runCollect(detection.detectAll(given)), one.map(([detected]) => detected))
      assert.deepStrictEqual(
        yield* Stream.runCollect(translation.translateAll(given, { targetLanguage: "fr" })),
        one.flatMap(([, translated]) => translated ?? [])
      )
      assert.deepStrictEqual(
        yield* Stream.runCollect(writing.correctAll(given)),
        one.flatMap(([, , corrected]) => corrected ?? [])
      )
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  for (
    const [name, weather, concurrency] of [
      ["rough weather", Weather.rough, undefined],
      ["a storm", Weather.storm, undefined],
      ["a storm with as many requests as the client permits", Weather.storm, 100]
    ] as const
  ) {
    it.effect(`gives every text its result, in order, in ${name}`, () =>
      Effect.gen(function*() {
        const writing = yield* Writing
        const given = texts(2000)
        const results = yield* VirtualTime.run(
          Stream.runCollect(writing.correctAll(given, { concurrency, targetLanguage: "en-GB", onError: "result" }))
        )
        assert.strictEqual(results.length, given.length)
        let failed = 0
        for (const [index, result] of results.entries()) {
          if (Result.isSuccess(result)) {
            assert.strictEqual(result.success.text, `This is sentence number ${index} of the long letter.`)
          } else {
            failed++
            const { texts } = result.failure
            assert.isTrue(texts !== undefined && texts.first <= index && index <= texts.last)
          }
        }
        assert.isBelow(failed, given.length / 2)
      }).pipe(Effect.provide(FakeLanguageService.layerServices({
        seed: "bulk",
        weather,
        client: { resilience: {} }
      }))))
  }

  it.effect("pays for no text twice when nothing may be repeated, whatever is lost", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const given = texts(500)
      const results = yield* VirtualTime.run(
        Stream.runCollect(translation.translateAll(given, { targetLanguage: "de", onError: "result" }))
      )
      assert.strictEqual(results.length, 500)
      assert.isTrue(results.some(Result.isFailure) && results.some(Result.isSuccess))
      const { used } = yield* (yield* fake).quota()
      assert.isAtMost(used, given.join("").length)
    }).pipe(Effect.provide(FakeLanguageService.layerServices({
      seed: 7,
      weather: { rateReset: 0.2, rate500: 0.2, afterEffect: 1, operations: ["Translation.translate"] },
      client: { resilience: { repeatMetered: "never" } }
    }))))

  it.effect("sends nothing after the quota is used up", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const given = texts(2000)
      const results: Array<unknown> = []
      const error = yield* Effect.flip(
        Stream.runForEach(
          translation.translateAll(given, { targetLanguage: "de", onError: "result", concurrency: 1 }),
          (result) => Effect.sync(() => results.push(result))
        )
      )
      assert.strictEqual(error._tag, "QuotaExceeded")
      assert.deepStrictEqual(error.texts, { first: results.length, last: results.length + 49 })
      yield* FakeAssert.noneAfter(({ status }) => status === 456)
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ quota: { characters: 20_000 } }))))

  it.effect("finds the text that is not in the language of the target", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const foreign = "Das ist ein ziemlich langer deutscher Satz, der hier ganz bestimmt nicht erwartet wird, oder?"
      const given = [...texts(20), foreign, ...texts(20)]
      const results = yield* Stream.runCollect(
        writing.correctAll(given, { targetLanguage: "en-GB", onError: "result" })
      )
      const failed = results.flatMap((result, index) => Result.isFailure(result) ? [[index, result.failure._tag]] : [])
      assert.deepStrictEqual(failed, [[20, "BadRequest"]])
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("repeats a request that is lost, and gives each text its result once", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      yield* (yield* fake).script([
        { operation: "Detection.detect", fault: Fault.reset({ afterEffect: true }) },
        { operation: "Detection.detect", fault: Fault.rateLimited({ retryAfter: "2 seconds" }) },
        { operation: "Detection.detect", fault: Fault.truncated() }
      ])
      const results = yield* VirtualTime.run(Stream.runCollect(detection.detectAll(texts(300))))
      assert.strictEqual(results.length, 300)
      assert.isTrue(results.every((result) => result._tag === "Detected" && result.language === "en"))
      yield* FakeAssert.called("Detection.detect", 9)
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("TextBatching batches corrections of single texts, and equal ones are billed once", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      yield* (yield* fake).script({ operation: "Writing.correct", fault: Fault.overloaded() })
      const results = yield* VirtualTime.run(
        Effect.forEach(["teh one", "teh other", "teh one"], (text) => writing.correct(text), {
          concurrency: "unbounded"
        })
      )
      assert.deepStrictEqual(results.map(({ text }) => text), ["The one.", "The other.", "The one."])
      yield* FakeAssert.called("Writing.correct", 2)
      assert.strictEqual((yield* (yield* fake).quota()).used, "teh one".length + "teh other".length)
    }).pipe(Effect.provide(Layer.provideMerge(TextBatching.layer, FakeLanguageService.layerServices()))))

  it.effect("TextBatching batches detections of single texts, and repeats them together", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      yield* (yield* fake).script({ operation: "Detection.detect", fault: Fault.overloaded() })
      const results = yield* VirtualTime.run(
        Effect.forEach(texts(100), (text) => detection.detect(text), { concurrency: "unbounded" })
      )
      assert.isTrue(results.every((result) => result._tag === "Detected" && result.language === "en"))
      yield* FakeAssert.called("Detection.detect", 3)
    }).pipe(Effect.provide(Layer.provideMerge(TextBatching.layer, FakeLanguageService.layerServices()))))
})
