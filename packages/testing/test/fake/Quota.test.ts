import { Documents } from "@effect-lingua/core/documents/Documents"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Duration, Effect, Exit, Record, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { usefulProperty } from "../../../../test/support/useful.ts"
import { client, clientWith, tagOf } from "../support/client.ts"

const fake = FakeLanguageService
const translate = (text: string) =>
  Effect.flatMap(client, (api) => api.Translation.translate({ payload: { text: [text], targetLanguage: "de" } }))

/** Characters in the words of the Unicode standard: a pair of surrogates is one, and so is each that stands alone. */
const codePoints = (text: string): number => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g) ?? []).length

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
      assert.deepStrictEqual(yield* (yield* fake).quota(), { characters: 10, used: 10, period: Duration.days(30) })
      assert.strictEqual((yield* (yield* fake).effects)["Translation.translate"].count, 1)
    }).pipe(Effect.provide(FakeLanguageService.layer({ quota: { characters: 10 } }))))

  it.effect("is one for each account", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const [ours, theirs] = [yield* clientWith("Service-Auth-Key ours"), yield* clientWith("Service-Auth-Key theirs")]
      const payload = { text: ["12345"], targetLanguage: "de" }
      yield* ours.Translation.translate({ payload })
      yield* theirs.Translation.translate({ payload })
      assert.strictEqual((yield* Effect.flip(ours.Translation.translate({ payload })))._tag, "QuotaExceeded")
      yield* service.setQuota({ account: "them", used: 2 })
      assert.deepStrictEqual(Record.map((yield* service.state).quotas, ({ used }) => used), { us: 5, them: 2 })
      assert.strictEqual((yield* service.quota("them")).used, 2)
      yield* theirs.Translation.translate({ payload })
      assert.strictEqual((yield* theirs.Usage.get()).characterCount, 7)
      const unknown = yield* Effect.exit(service.quota("nobody"))
      assert.match(
        String(Exit.isFailure(unknown) && Cause.squash(unknown.cause)),
        /No key belongs to the account "nobody"/
      )
    }).pipe(Effect.provide(
      FakeLanguageService.layer({
        quota: { characters: 9 },
        keys: [{ key: "ours", tier: "paid", account: "us" }, { key: "theirs", tier: "paid", account: "them" }]
      })
    )))

  it.effect("has limits of documents, which count at their upload", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const upload = Documents.use((documents) =>
        documents.upload({ fileName: "a.txt", content: new TextEncoder().encode("a"), targetLanguage: "de" })
      )
      yield* upload
      const usage = yield* (yield* client).Usage.get()
      assert.deepInclude(usage, { documentCount: 1, documentLimit: 2, teamDocumentCount: 1, teamDocumentLimit: 9 })
      yield* upload
      assert.strictEqual(yield* tagOf(upload), "QuotaExceeded")
      yield* service.setQuota({ documents: 9, teamDocuments: 2 })
      assert.strictEqual(yield* tagOf(upload), "QuotaExceeded")
      assert.strictEqual((yield* service.effects)["Documents.upload"].count, 2)
      yield* service.setQuota({ usedDocuments: 0 })
      yield* upload
      assert.deepInclude(yield* service.quota(), { documents: 9, teamDocuments: 2, usedDocuments: 1 })
      yield* TestClock.adjust("30 days")
      assert.strictEqual((yield* service.quota()).usedDocuments, 0)
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ quota: { documents: 2, teamDocuments: 9 } }))))

  it.effect("keeps a document whose download it refuses", () =>
    Effect.gen(function*() {
      const { addDocument, setQuota } = yield* fake
      const document = yield* addDocument({ content: "12345", readyAfter: 0 })
      const download = Documents.use((documents) => documents.download(document))
      assert.strictEqual(yield* tagOf(download), "QuotaExceeded")
      yield* setQuota({ characters: 5 })
      yield* download
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ quota: { characters: 4 } }))))

  it.effect("begins anew with each period", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* translate("1234567890")
      yield* TestClock.adjust("59 seconds")
      yield* Effect.flip(translate("1"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* service.quota()).used, 0)
      yield* translate("1")
      yield* TestClock.adjust("630 seconds")
      assert.strictEqual((yield* service.quota()).used, 0)
      // Periods in which nothing is used pass too, and the next one began half a minute ago.
      yield* translate("123456")
      yield* Effect.flip(translate("123456"))
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* service.quota()).used, 6)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* service.quota()).used, 0)
    }).pipe(Effect.provide(FakeLanguageService.layer({ quota: { characters: 10, period: "1 minute" } }))))

  it.effect("can be set, as a whole or in part", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.setQuota({ characters: 5, used: 4 })
      yield* Effect.flip(translate("12"))
      yield* service.setQuota({ used: 0 })
      yield* translate("12")
      yield* service.setQuota({ period: "1 second" })
      assert.deepStrictEqual(yield* service.quota(), { characters: 5, used: 2, period: Duration.seconds(1) })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("does not count markup where markup is handled", () =>
    Effect.gen(function*() {
      const { Translation } = yield* client
      const payload = { text: ["<b>Hi</b> a < b"], targetLanguage: "de" }
      yield* Translation.translate({ payload: { ...payload, tagHandling: "html", context: "free" } })
      assert.strictEqual((yield* (yield* fake).quota()).used, 8)
      yield* Translation.translate({ payload })
      assert.strictEqual((yield* (yield* fake).quota()).used, 23)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  const Texts = Schema.NonEmptyArray(
    Schema.Union([Schema.String, Schema.Literals(["👋", "👩‍👩‍👧", "e\u0301", "\ud83d", "\udc4b", "𝒳", "日本"])])
  )

  usefulProperty("counts the code points of any text", Arbitrary.schema(Texts), (texts) =>
    Effect.gen(function*() {
      const api = yield* client
      const text = [texts.join("")]
      const count = codePoints(texts.join(""))
      const service = yield* fake
      const { translations: [translated] } = yield* api.Translation.translate({
        payload: { text, targetLanguage: "de", showBilledCharacters: true }
      })
      assert.strictEqual(translated?.billedCharacters, count)
      yield* api.Writing.correct({ payload: { text, targetLanguage: "en-GB" } })
      const document = yield* service.addDocument({ content: text.join("").toWellFormed(), readyAfter: 0 })
      yield* api.Documents.download({ params: document, payload: document })
      assert.strictEqual((yield* service.quota()).used, 3 * count)
      yield* service.setQuota({ used: 0, characters: count })
      yield* api.Translation.translate({ payload: { text, targetLanguage: "de" } })
      if (count === 0) return false
      yield* service.setQuota({ used: 1 })
      assert.strictEqual((yield* Effect.flip(translate(text.join(""))))._tag, "QuotaExceeded")
      assert.strictEqual((yield* service.quota()).used, 1)
      return true
    }).pipe(Effect.provide(FakeLanguageService.layer())), scaled(8, 100))
})
