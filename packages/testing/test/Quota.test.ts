import * as FakeLanguageService from "@effect-lingua/testing/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { client } from "./support/client.ts"

const fake = FakeLanguageService.FakeLanguageService
const translate = (text: string) =>
  Effect.flatMap(client, (api) => api.Translation.translate({ payload: { text: [text], targetLanguage: "de" } }))

describe("Quota", () => {
  it.effect("is shared by all that uses characters, and reads still work without", () =>
    Effect.gen(function*() {
      const api = yield* client
      yield* translate("12345")
      yield* api.Writing.correct({ payload: { text: ["123"], targetLanguage: "de" } })
      yield* api.Writing.rephrase({ payload: { text: ["12"], targetLanguage: "de" } })
      assert.deepInclude(yield* Effect.flip(translate("1")), {
        _tag: "QuotaExceeded",
        status: 456,
        description: "Quota Exceeded"
      })
      yield* api.Languages.resources()
      yield* api.StyleRules.create({ payload: { name: "House", language: "en" } })
      assert.deepStrictEqual(yield* (yield* fake).quota, { characters: 10, used: 10, period: Duration.days(30) })
      assert.strictEqual((yield* (yield* fake).effects)["Translation.translate"].count, 1)
    }).pipe(Effect.provide(FakeLanguageService.layer({ quota: { characters: 10 } }))))

  it.effect("counts nothing of a request that does not fit", () =>
    Effect.gen(function*() {
      yield* Effect.flip(translate("12345678901"))
      assert.strictEqual((yield* (yield* fake).quota).used, 0)
      yield* translate("1234567890")
    }).pipe(Effect.provide(FakeLanguageService.layer({ quota: { characters: 10 } }))))

  it.effect("begins anew with each period", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* translate("1234567890")
      yield* TestClock.adjust("59 seconds")
      yield* Effect.flip(translate("1"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* service.quota).used, 0)
      yield* translate("1")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* service.quota).used, 0)
    }).pipe(Effect.provide(FakeLanguageService.layer({ quota: { characters: 10, period: "1 minute" } }))))

  it.effect("can be set, as a whole or in part", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.setQuota({ characters: 5, used: 4 })
      yield* Effect.flip(translate("12"))
      yield* service.setQuota({ used: 0 })
      yield* translate("12")
      yield* service.setQuota({ period: "1 second" })
      assert.deepStrictEqual(yield* service.quota, { characters: 5, used: 2, period: Duration.seconds(1) })
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
