import * as LanguageService from "@effect-lingua/core/LanguageService"
import { Translation } from "@effect-lingua/core/Translation"
import {
  assert,
  describe,
  DocumentsModel,
  FakeLanguageService,
  Generators,
  it,
  layer,
  modelBased,
  StyleRulesModel
} from "@effect-lingua/testing/Vitest"
import { Effect, Layer, Redacted } from "effect"

const service = LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" })
const fake = Layer.provideMerge(service, FakeLanguageService.layer({ quota: { characters: 100_000_000 } }))

describe("Vitest", () => {
  modelBased("style rules do what the model says", {
    layer: fake,
    setup: Effect.succeed(StyleRulesModel.empty),
    commands: StyleRulesModel.commands,
    runs: 20
  })

  modelBased("documents do what the model says", {
    layer: fake,
    setup: DocumentsModel.setup,
    commands: DocumentsModel.commands,
    runs: 20
  }, { timeout: 10_000 })

  layer(fake)((it) => {
    it.effect.prop(
      "gives a translation for each text",
      [Generators.request("Translation.translate")],
      ([request]) =>
        Translation.use((translation) => translation.translate(request)).pipe(
          Effect.map((results) => assert.strictEqual(results.length, request.text.length)),
          Effect.catchTag("NotFound", () => Effect.void)
        ),
      { arbitrary: { runs: 20 } }
    )
  })

  it.effect.prop(
    "knows errors by their operation",
    [Generators.error("Writing.correct")],
    ([error]) => Effect.sync(() => assert.strictEqual(error.operation, "Writing.correct"))
  )
})
