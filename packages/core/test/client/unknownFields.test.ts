import { Usage } from "@effect-lingua/core/account/Usage"
import { CurrentUsage } from "@effect-lingua/core/account/UsageApi"
import * as UnknownFields from "@effect-lingua/core/client/UnknownFields"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Translations } from "@effect-lingua/core/texts/TranslationApi"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Metrics from "../support/metrics.ts"
import * as Wire from "../support/Wire.ts"

const counted = Effect.map(
  Metrics.snapshot,
  (all) =>
    all.filter(({ name }) => name === "unknown_fields").map(({ attributes, state }) => [
      attributes["operation"],
      attributes["field"],
      "count" in state ? Number(state.count) : undefined
    ])
)

const client = (script: Wire.Script) => Wire.layer(script).pipe(Layer.provide(UnknownFields.layer))

describe("unknown fields", () => {
  it("are found by their paths, in lists and below fields that are known", () => {
    assert.deepStrictEqual(
      UnknownFields.find(Translations, {
        translations: [{ text: "a", confidence: 1 }, { text: "b", confidence: 2, more: { deep: 1 } }],
        region: "eu"
      }),
      ["translations[].confidence", "translations[].more", "region"]
    )
    assert.deepStrictEqual(
      UnknownFields.find(CurrentUsage, { character_count: 1, products: [{ product_type: "a", tier: 2 }] }),
      ["products[].tier"]
    )
    assert.deepStrictEqual(UnknownFields.find(CurrentUsage, null), [])
    assert.deepStrictEqual(UnknownFields.find(CurrentUsage, [{ a: 1 }]), [])
  })

  it.effect("are counted by operation and path, never with their values", () =>
    Effect.gen(function*() {
      yield* Usage.use(({ get }) => get())
      yield* Translation.use(({ translate }) => translate(["a"], { targetLanguage: "de" }))
      assert.deepStrictEqual(yield* counted, [
        ["Usage.get", "secret_plan", 1],
        ["Translation.translate", "translations[].confidence", 1]
      ])
    }).pipe(
      Effect.provide(client([
        Wire.answer(200, { character_count: 1, character_limit: 2, secret_plan: "hidden" }),
        Wire.answer(200, { translations: [{ text: "a", confidence: 0.5 }] })
      ])),
      Metrics.isolated
    ))

  it.effect("are bounded, whatever a service sends", () =>
    Effect.gen(function*() {
      for (let call = 0; call < 3; call++) yield* Usage.use(({ get }) => get())
      const fields = (yield* counted).map(([, field]) => String(field))
      assert.isAtMost(fields.length, 101)
      assert.include(fields, "other")
      for (const field of fields) assert.isAtMost(field.length, 100)
    }).pipe(
      Effect.provide(client([0, 1, 2].map((call) =>
        Wire.answer(
          200,
          Object.fromEntries(
            Array.from({ length: 300 }, (_, index) => [`${"x".repeat(200)}${call}${index}`, 1]).map((
              [name],
              index
            ) => [`f${call}_${index}_${name}`, 1])
          )
        )
      ))),
      Metrics.isolated
    ))
})
