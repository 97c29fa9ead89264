import { DocumentId, GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { clientWith, send, tagOf } from "../../support/client.ts"

const { layer } = FakeLanguageService

const of = (key: string) => clientWith(`Service-Auth-Key ${key}`)

const payload = { text: ["12345"], targetLanguage: "de" }

const namesOf = (key: string) =>
  Effect.map(
    Effect.flatMap(of(key), ({ StyleRules }) => StyleRules.listPage({ query: {} })),
    ({ styleRules }) => styleRules.map(({ name }) => name)
  )

describe("Accounts that keys make at first sight", () => {
  it.effect("do not share resources or a quota", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* of("one"), yield* of("other")]
      yield* one.StyleRules.create({ payload: { name: "Ours", language: "en" } })
      assert.deepStrictEqual([yield* namesOf("one"), yield* namesOf("other")], [["Ours"], []])
      yield* one.Translation.translate({ payload })
      assert.strictEqual(yield* tagOf(one.Translation.translate({ payload })), "QuotaExceeded")
      yield* other.Translation.translate({ payload })
      const fake = yield* FakeLanguageService
      yield* fake.setQuota({ account: "third", characters: 5, used: 5 })
      assert.strictEqual(yield* tagOf((yield* of("third")).Translation.translate({ payload })), "QuotaExceeded")
      const { quotas } = yield* fake.state
      assert.deepStrictEqual(Object.entries(quotas).map(([account, { used }]) => [account, used]), [
        ["", 0],
        ["one", 5],
        ["other", 5],
        ["third", 5]
      ])
    }).pipe(Effect.provide(layer({ anyKey: true, quota: { characters: 9 } }))))

  it.effect("are of the free tier by the ending of the key, and no admin accounts", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Object.keys(yield* (yield* of("a:fx")).Usage.get()).toSorted(), [
        "characterCount",
        "characterLimit",
        "products"
      ])
      assert.strictEqual(yield* tagOf((yield* of("a:adm")).Admin.listKeys()), "InvalidKey")
      assert.strictEqual((yield* send("GET", "/v2/usage", { headers: { authorization: "Other a" } })).status, 403)
    }).pipe(Effect.provide(layer({ anyKey: true }))))

  it.effect("are forgotten after 10 minutes without a request, the others stay", () =>
    Effect.gen(function*() {
      for (const key of ["fake-key", "one", "other"]) {
        yield* (yield* of(key)).StyleRules.create({ payload: { name: key, language: "en" } })
      }
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(yield* namesOf("other"), ["other"])
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(yield* namesOf("other"), ["other"])
      const { quotas, styleRuleLists } = yield* (yield* FakeLanguageService).state
      assert.deepStrictEqual(styleRuleLists.map(({ name }) => name), ["fake-key", "other"])
      assert.deepStrictEqual(Object.keys(quotas), ["", "other"])
      assert.deepStrictEqual(yield* namesOf("one"), [])
    }).pipe(Effect.provide(layer({ anyKey: true }))))
})

describe("Resources that a test adds", () => {
  const uuid = "dca2e053-8ae5-45e6-a0d2-881156e7f4e4"

  it.effect("have the ids that it gives them", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { styleId } = yield* fake.addStyleRuleList({ name: "A", language: "en", styleId: StyleId.make(uuid) })
      const pair = { sourceLanguage: "en", targetLanguage: "de", glossaryId: GlossaryId.make(uuid) }
      const translationMemoryId = TranslationMemoryId.make(uuid)
      const memory = { sourceLanguage: "en", targetLanguages: ["de"], translationMemoryId }
      const [documentId, documentKey] = [DocumentId.make("A1"), Redacted.make("B2")]
      const document = yield* fake.addDocument({ content: "a", documentId, documentKey })
      assert.deepStrictEqual(
        [styleId, yield* fake.addGlossary(pair), yield* fake.addTranslationMemory(memory), document.documentId],
        [uuid, uuid, uuid, "A1"]
      )
      assert.strictEqual(Redacted.value(document.documentKey), "B2")
    }).pipe(Effect.provide(layer())))

  it.effect("can be shared by all accounts, which see them after their own", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { styleId } = yield* fake.addStyleRuleList({ name: "Shared", language: "en", isShared: true })
      yield* (yield* of("one")).StyleRules.create({ payload: { name: "Own", language: "en" } })
      assert.deepStrictEqual([yield* namesOf("one"), yield* namesOf("other")], [["Own", "Shared"], ["Shared"]])
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual(yield* namesOf("one"), ["Shared"])
      const { StyleRules } = yield* of("one")
      yield* StyleRules.remove({ params: { styleId } })
      assert.strictEqual(yield* tagOf(StyleRules.get({ params: { styleId } })), "NotFound")
      assert.deepStrictEqual([yield* namesOf("one"), yield* namesOf("other")], [[], ["Shared"]])
    }).pipe(Effect.provide(layer({ anyKey: true }))))
})
