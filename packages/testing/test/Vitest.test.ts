import { StyleRules, Translation, Usage } from "@effect-lingua/core"
import * as VirtualTime from "@effect-lingua/testing/time/VirtualTime"
import {
  assert,
  describe,
  FakeAssert,
  FakeLanguageService,
  Generators,
  it,
  layer,
  ModelBased,
  modelBased,
  Script,
  Weather
} from "@effect-lingua/testing/Vitest"
import { Effect } from "effect"
import { scaled } from "../../../test/support/scale.ts"

const fake = FakeLanguageService.layerServices({ quota: { characters: 100_000_000 } })

describe("Vitest", () => {
  modelBased("style rules and usage do what the fake does", {
    commands: [...ModelBased.operations(StyleRules), ...ModelBased.operations(Usage)],
    host: fake,
    model: fake,
    reset: FakeLanguageService.use(({ reset }) => reset),
    runs: scaled(6, 20)
  }, { timeout: 120_000 })

  layer(fake)((it) => {
    it.effect.prop(
      "gives a translation for each text",
      [Generators.request("Translation.translate")],
      ([request]) =>
        Translation.use((translation) => translation.translate(request)).pipe(
          Effect.map((results) => assert.strictEqual(results.length, request.text.length))
        ),
      { arbitrary: { runs: 20 } }
    )

    for (const run of [1, 2]) {
      it.effect(`begins each test with a new fake, in virtual time: ${run}`, () =>
        Effect.gen(function*() {
          const { requests, script } = yield* FakeLanguageService
          assert.deepStrictEqual(yield* requests, [])
          yield* script(Script.next(1, { status: 503, retryAfter: "1 minute" }))
          yield* Usage.use(({ get }) => get)
          yield* script(Script.every(1, { status: 400 }))
          yield* Effect.flip(Usage.use(({ get }) => get))
          assert.lengthOf(yield* requests, 3)
        }).pipe(VirtualTime.run))
    }

    it.effect.prop(
      "makes texts that can be sent",
      [Generators.text],
      ([text]) => Effect.sync(() => assert.isTrue(text.isWellFormed()))
    )
  })

  it.effect("brings the fake along, with its faults and assertions", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.weather(Weather.calm)
      yield* fake.script(Script.next(1, { status: 400 }, "Translation.translate"))
      yield* Effect.flip(Translation.use((translation) => translation.translate({ text: ["a"], targetLanguage: "de" })))
      yield* FakeAssert.called("Translation.translate", 1)
      yield* FakeAssert.allFaultsPlayed()
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect.prop(
    "knows errors by their operation",
    [Generators.error("Writing.correct")],
    ([error]) => Effect.sync(() => assert.strictEqual(error.operation, "Writing.correct"))
  )
})
