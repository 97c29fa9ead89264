import { Detection, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"

describe("mocks", () => {
  it.effect("of the services of texts need only the methods that a test uses", () =>
    Effect.gen(function*() {
      const { translate } = yield* Translation
      assert.strictEqual((yield* translate("Good day", { targetLanguage: "de" })).text, "Guten Tag")
      const exit = yield* Effect.exit(Writing.use(({ correct }) => correct("teh")))
      assert.strictEqual(exit._tag, "Failure")
    }).pipe(Effect.provide([
      Layer.mock(Translation, { translate: () => Effect.succeed({ text: "Guten Tag" }) }),
      Layer.mock(Writing, {})
    ])))

  it.effect("can have streams, records and lists", () =>
    Effect.gen(function*() {
      const { translateAll, translateInto } = yield* Translation
      const all = yield* Stream.runCollect(translateAll(["a", "b"], { targetLanguage: "de" }))
      assert.deepStrictEqual(all.map(({ text }) => text), ["A", "B"])
      const { de } = yield* translateInto({ text: ["a"], targetLanguages: ["de"] })
      assert.deepStrictEqual(de.map(({ text }) => text), ["A"])
      const detected = yield* Detection.use(({ detect }) => detect("a"))
      assert.strictEqual(detected._tag, "Undetected")
    }).pipe(Effect.provide([
      Layer.mock(Translation, {
        translateAll: () => Stream.make({ text: "A" }, { text: "B" }),
        translateInto: () => Effect.succeed({ de: [{ text: "A" }] })
      }),
      Layer.mock(Detection, { detect: () => Effect.succeed({ _tag: "Undetected", reason: "no_language_detected" }) })
    ])))
})
