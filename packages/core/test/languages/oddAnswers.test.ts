import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Wire from "../support/Wire.ts"

describe("languages in an unusual answer", () => {
  it.effect.each<readonly [how: string, features: object]>([
    ["absent", {}],
    ["null", { features: null }]
  ])("a language whose features are %s has none", ([, features]) =>
    Effect.gen(function*() {
      const [language] = yield* Languages.use((languages) =>
        Stream.runCollect(languages.list({ resource: "translate_text" }))
      )
      assert.deepStrictEqual<unknown>(language?.features, {})
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, [{
        lang: "de",
        name: "German",
        usable_as_source: true,
        usable_as_target: true,
        status: "stable",
        ...features
      }])
    ]))))

  it.effect("a feature that is null or false is none, and one of any other value is", () =>
    Effect.gen(function*() {
      const [language] = yield* Languages.use((languages) =>
        Stream.runCollect(languages.list({ resource: "translate_text" }))
      )
      assert.deepStrictEqual<unknown>(language?.features, { formality: { status: "beta" }, tone: {} })
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, [{
        lang: "de",
        features: { glossary: null, style_rules: false, formality: { status: "beta" }, tone: true }
      }])
    ]))))

  it.effect.each<readonly [sent: unknown, isUsable: boolean | undefined]>([
    [true, true],
    [false, false],
    ["true", true],
    ["false", false],
    [1, true],
    [0, false],
    ["maybe", undefined],
    [null, undefined]
  ])("a flag that is %j is read as %j", ([sent, isUsable]) =>
    Effect.gen(function*() {
      const { list } = yield* Languages
      const [language] = yield* Stream.runCollect(list({ resource: "translate_text" }))
      assert.strictEqual(language?.usableAsTarget, isUsable)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, [{ lang: "de", usable_as_target: sent }])]))))
})
