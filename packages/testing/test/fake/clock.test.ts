import { Admin, Translation, Usage } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"

const layer = Layer.provideMerge(
  FakeLanguageService.layerAdmin(),
  FakeLanguageService.layerServices({ quota: { characters: 10, period: "30 days" } })
)

describe("a fake that is built by another clock than the one of the test", () => {
  // `it`, because the layer must be built on the clock of the machine.
  it("lives by the clock of its users", () =>
    Effect.gen(function*() {
      const translate = Translation.use(({ translate }) => translate("0123456789", { targetLanguage: "de" }))
      const usage = Usage.use(({ get }) => get)
      yield* TestClock.adjust("1 day")
      const { startTime } = yield* usage
      const [key] = yield* Stream.runCollect(Stream.unwrap(Admin.use(({ listKeys }) => Effect.succeed(listKeys))))
      assert.deepStrictEqual(
        [startTime, key?.creationTime].map((time) => time?.toString()),
        ["DateTime.Utc(1970-01-02T00:00:00.000Z)", "DateTime.Utc(1970-01-02T00:00:00.000Z)"]
      )
      yield* translate
      assert.strictEqual((yield* Effect.flip(translate))._tag, "QuotaExceeded")
      yield* TestClock.adjust("30 days")
      yield* translate
    }).pipe(Effect.provide([layer, TestClock.layer()]), Effect.runPromise))
})
