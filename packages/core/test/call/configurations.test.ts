import { Languages, LanguageService, LanguageServiceClient, LanguageServiceConfig } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Wire from "../support/Wire.ts"

const wire = Wire.make(Wire.answer(200, []))

const withKey = (key: string) => LanguageService.layer({ key: Redacted.make(key), baseUrl: Wire.baseUrl })

const configured = (key: string) =>
  LanguageService.layerConfig({ key: Redacted.make(key), baseUrl: Wire.baseUrl, tier: "paid" })

const alone = (key: string) =>
  Layer.provide(
    LanguageServiceClient.layerOf(Languages.layer),
    LanguageServiceConfig.layer({ key: Redacted.make(key), baseUrl: Wire.baseUrl })
  )

const call = Languages.use((languages) => languages.resources)

const keys = Effect.map(Wire.sent, (sent) => sent.map(({ headers }) => headers["authorization"]))

describe("several configurations in one program", () => {
  it.effect.each([["options", withKey], ["the environment", configured], ["a choice of services", alone]] as const)(
    "each has a client of its own, one inside of the other: %s",
    ([, layer]) =>
      Effect.gen(function*() {
        yield* Effect.provide(Effect.andThen(call, Effect.provide(call, layer("inner"))), layer("outer"))
        assert.deepStrictEqual(yield* keys, ["outer", "inner"].map((key) => `Service-Auth-Key ${key}`))
      }).pipe(Effect.provide(wire))
  )

  it.effect("each has a client of its own, side by side", () =>
    Effect.gen(function*() {
      assert.sameMembers(yield* keys, ["a", "b"].map((key) => `Service-Auth-Key ${key}`))
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          Layer.provide(Layer.effectDiscard(call), withKey("a")),
          Layer.provide(Layer.effectDiscard(call), withKey("b"))
        ).pipe(Layer.provideMerge(wire))
      )
    ))
})
