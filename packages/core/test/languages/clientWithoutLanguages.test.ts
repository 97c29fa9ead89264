/** Checks of languages in clients that are made of some of the services. */
import { Languages, LanguageServiceClient, LanguageServiceConfig, Translation } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Wire from "../support/Wire.ts"

const config = (checks: boolean) =>
  LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: Wire.baseUrl, languages: { checks } })

const alone = LanguageServiceClient.layerOf(Translation.layer)

const together = LanguageServiceClient.layerOf(Layer.merge(Translation.layer, Languages.layer))

const translate = Translation.use(({ translate }) => translate("a", { targetLanguage: "xx" }))

const paths = Effect.map(Wire.sent, (sent) => sent.map(({ url }) => new URL(url).pathname))

const translation = Wire.make(Wire.answer(200, { translations: [{ text: "b", detected_source_language: "EN" }] }))

describe("a client without Languages", () => {
  it.effect("checks nothing by default", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* translate).text, "b")
      assert.deepStrictEqual(yield* paths, ["/v2/translate"])
    }).pipe(Effect.provide(Layer.provideMerge(alone, Layer.mergeAll(config(false), translation)))))

  it.effect("refuses calls that are to be checked, also after the release of Languages", () =>
    Effect.gen(function*() {
      yield* Effect.scoped(Languages.make)
      const error = yield* Effect.flip(translate)
      assert.strictEqual(error._tag, "InvalidInput")
      assert.include(error.message, "Languages.layer")
      assert.deepStrictEqual(yield* paths, [])
    }).pipe(Effect.provide(Layer.provideMerge(alone, Layer.mergeAll(config(true), translation)))))

  it.effect("checks calls with it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(translate)
      assert.strictEqual(error._tag, "InvalidInput")
      assert.include(error.message, "a target language of translate_text")
      // The release of another one changes nothing.
      yield* Effect.scoped(Languages.make)
      yield* Effect.flip(translate)
      assert.sameMembers(yield* paths, ["/v3/languages", "/v3/languages/resources"])
    }).pipe(
      Effect.provide(Layer.provideMerge(together, Layer.mergeAll(config(true), Wire.make(Wire.answer(200, [])))))
    ))
})
