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
})
