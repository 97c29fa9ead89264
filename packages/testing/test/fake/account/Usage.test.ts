import { Tenant, Translation, Usage } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../../test/support/scale.ts"
import { client, clientWith, send } from "../../support/client.ts"

const fake = FakeLanguageService

const translate = (text: string) =>
  Effect.flatMap(client, (api) => api.Translation.translate({ payload: { text: [text], targetLanguage: "de" } }))
const usage = Effect.flatMap(client, (api) => api.Usage.get())

describe("Usage", () => {
  it.effect("tells keys of the free tier the count and the limit only", () =>
    Effect.gen(function*() {
      const { json } = yield* send("GET", "/v2/usage", { headers: { authorization: "Service-Auth-Key free:fx" } })
      assert.deepStrictEqual(json, { character_count: 0, character_limit: 500_000 })
    }).pipe(
      Effect.provide(
        FakeLanguageService.layer({ keys: [{ key: "free:fx", tier: "free" }], quota: { characters: 500_000 } })
      )
    ))

  it.effect("counts for each key what it used, and for the account what all did", () =>
    Effect.gen(function*() {
      const other = yield* clientWith("Service-Auth-Key other")
      yield* translate("12345")
      yield* other.Writing.correct({ payload: { text: ["123"], targetLanguage: "de" } })
      const { characterCount, keyCharacterCount, products } = yield* other.Usage.get()
      assert.deepStrictEqual([characterCount, keyCharacterCount], [8, 3])
      assert.deepStrictEqual(
        products.map(({ accountUnits, keyUnits, product }) => [product, accountUnits, keyUnits]),
        [["translate", 5, 0], ["write", 3, 3]]
      )
    }).pipe(
      Effect.provide(
        FakeLanguageService.layer({ keys: [{ key: "fake-key", tier: "paid" }, { key: "other", tier: "paid" }] })
      )
    ))

  it.effect("counts documents when they are downloaded, and images not at all", () =>
    Effect.gen(function*() {
      const api = yield* client
      const service = yield* fake
      const letter = yield* service.addDocument({ content: "PDF", fileName: "letter.pdf", readyAfter: 0 })
      assert.strictEqual((yield* usage).characterCount, 0)
      yield* api.Documents.download({ params: letter, payload: letter })
      assert.strictEqual((yield* usage).characterCount, 50_000)
      const photo = yield* service.addDocument({ content: "JPEG", fileName: "photo.jpg", readyAfter: 0 })
      yield* api.Documents.download({ params: photo, payload: photo })
      const { products } = yield* usage
      assert.strictEqual(products[0]?.accountUnits, 50_000)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("agrees with the quota: in use, set by a test, and in the next period", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* translate("12345")
      yield* service.setQuota({ used: 7, characters: 10 })
      const { characterCount, characterLimit, keyCharacterCount, products } = yield* usage
      assert.deepStrictEqual([characterCount, characterLimit, keyCharacterCount], [7, 10, 0])
      assert.strictEqual(products[0]?.accountUnits, 7)
      assert.strictEqual((yield* Effect.flip(translate("1234")))._tag, "QuotaExceeded")
      assert.strictEqual((yield* usage).characterCount, 7)
      yield* translate("123")
      yield* TestClock.adjust("30 days")
      const next = yield* usage
      assert.deepStrictEqual([next.characterCount, next.keyCharacterCount], [0, 0])
      assert.strictEqual(next.startTime?.epochMilliseconds, Duration.toMillis("30 days"))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("says 0 for a quota of nothing, which is no known limit to a client", () =>
    Effect.gen(function*() {
      assert.deepInclude((yield* send("GET", "/v2/usage")).json, { character_limit: 0 })
      assert.strictEqual(Usage.remaining(yield* usage), "unknown")
    }).pipe(Effect.provide(FakeLanguageService.layer({ quota: { characters: 0 } }))))

  const Piece = Schema.Literals(["<b>", "</b>", "<", ">", "👋", "e\u0301", "a", " "])
  const Texts = Schema.Array(Schema.Array(Piece).check(Schema.isMaxLength(8))).check(Schema.isMaxLength(4))

  it.effect.prop(
    "is the budget's measure: what a tenant counts is what the service counts",
    [Texts, Schema.Boolean],
    ([pieces, handled]) =>
      Effect.gen(function*() {
        const { translate } = yield* Translation
        const { setQuota } = yield* fake
        const tenant = yield* Tenant.make({ name: "one", characterBudget: 1000 })
        const text = pieces.map((parts) => parts.join(""))
        yield* translate({ text, targetLanguage: "de", ...(handled ? { tagHandling: "xml" } : undefined) }).pipe(
          Tenant.within(tenant)
        )
        const { used } = yield* (yield* fake).quota()
        assert.strictEqual((yield* Tenant.state(tenant)).budget?.used, used)
        assert.strictEqual(Usage.estimateText(text, handled ? { tagHandling: "xml" } : {}), used)
        yield* setQuota({ characters: used })
        assert.strictEqual((yield* Effect.flip(translate({ text: ["a"], targetLanguage: "de" })))._tag, "QuotaExceeded")
      }).pipe(Effect.provide(FakeLanguageService.layerServices())),
    { arbitrary: { runs: scaled(10, 40) } }
  )
})
