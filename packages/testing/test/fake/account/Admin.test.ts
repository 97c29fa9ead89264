import { Admin, Detection, Ids, LanguageService, Translation, Usage, Writing } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { send } from "../../support/client.ts"

const { layerAdmin, layerServices } = FakeLanguageService

/** All services and administration, over one fake. */
const layer = (options: FakeLanguageService.ServicesOptions = {}) =>
  Layer.provideMerge(layerAdmin(), layerServices(options))

const translate = (text: string, reportingTag?: string) =>
  Translation.use(({ translate }) => translate({ text: [text], targetLanguage: "de", reportingTag }))

const correct = (text: string) => Writing.use(({ correct }) => correct({ text: [text], targetLanguage: "de" }))

/** Runs calls with another key at the same fake. */
const withKey = <A, E, R>(key: Redacted.Redacted, effect: Effect.Effect<A, E, R>) =>
  FakeLanguageService.use(({ url }) =>
    Effect.provide(effect, Layer.fresh(LanguageService.layer({ key, baseUrl: url })))
  )

/** The secret that is there. */
const secretOf = ({ secret }: { readonly secret?: Redacted.Redacted }) => secret ?? assert.fail("there is no secret")

const day = { startDate: "1970-01-01", endDate: "1970-01-01" }

describe("Admin", () => {
  it.effect("gives a key its secret once, or not at all, and shows it nowhere else", () =>
    Effect.gen(function*() {
      const admin = yield* Admin
      const fake = yield* FakeLanguageService
      const secret = Redacted.value(secretOf(yield* admin.createKey()))
      assert.include((yield* fake.secrets).map(Redacted.value), secret)
      yield* send("GET", `/v2/usage?key=${secret}`, { headers: { "x-key": secret } })
      const shown = inspect([
        yield* Stream.runCollect(admin.listKeys),
        yield* fake.requests,
        yield* admin.analytics(day)
      ], { depth: null })
      assert.notInclude(shown, secret)
    }).pipe(Effect.provide(layer())))

  it.effect("can keep the secret of a key to itself", () =>
    Effect.gen(function*() {
      const { keyId, secret } = yield* Admin.use((admin) => admin.createKey())
      assert.strictEqual(secret, undefined)
      assert.include((yield* Admin.use((admin) => Stream.runCollect(admin.listKeys))).map((key) => key.keyId), keyId)
    }).pipe(Effect.provide(layer({ dialect: { createdKey: "without secret" } }))))

  it.effect("limits what a key may use up, down to nothing", () =>
    Effect.gen(function*() {
      const admin = yield* Admin
      const [key] = yield* Stream.runCollect(admin.listKeys)
      const { keyId } = key ?? assert.fail("there is a key")
      const unlimited = {
        characters: "unlimited",
        speechToTextMilliseconds: "unlimited",
        speechToSpeechMilliseconds: "unlimited"
      } as const
      assert.deepStrictEqual(key?.usageLimits, unlimited)
      yield* translate("12345")
      yield* admin.setKeyLimits({ keyId, characters: 8 })
      yield* correct("123")
      assert.strictEqual((yield* Effect.flip(translate("1")))._tag, "QuotaExceeded")
      const { keyCharacterCount, keyCharacterLimit } = yield* Usage.use((usage) => usage.get)
      assert.deepStrictEqual([keyCharacterCount, keyCharacterLimit], [8, 8])

      const { usageLimits } = yield* admin.setKeyLimits({ keyId, speechToTextMilliseconds: 60_000 })
      assert.deepStrictEqual(usageLimits, { ...unlimited, characters: 8, speechToTextMilliseconds: 60_000 })
      // The service switches off the limits that a request leaves out; the client sends them all.
      const { json } = yield* send("PUT", "/v2/admin/developer-keys/limits", {
        headers: {
          authorization: `Service-Auth-Key ${FakeLanguageService.defaultAdminKey}`,
          "content-type": "application/json"
        },
        body: JSON.stringify({ key_id: keyId, characters: 8 })
      })
      assert.deepStrictEqual(Reflect.get(Object(json), "usage_limits"), {
        characters: 8,
        speech_to_text_milliseconds: null,
        speech_to_speech_milliseconds: null
      })
      yield* admin.setKeyLimits({ keyId, characters: 0 })
      assert.strictEqual((yield* Effect.flip(translate("1")))._tag, "QuotaExceeded")
      const detect = Detection.use(({ detect }) => detect({ text: ["a"] }))
      yield* withKey(secretOf(yield* admin.createKey()), Effect.andThen(detect, translate("1")))
      yield* admin.setKeyLimits({ keyId, characters: "unlimited" })
      yield* translate("1")
    }).pipe(Effect.provide(layer())))

  it.effect("does not know the keys of other accounts", () =>
    Effect.gen(function*() {
      const admin = yield* Admin
      assert.deepStrictEqual((yield* Stream.runCollect(admin.listKeys)).map(({ label }) => label), ["Key 2"])
      const keyId = Ids.KeyId.make("none:none")
      for (
        const call of [
          admin.deactivateKey({ keyId }),
          admin.setKeyLabel({ keyId, label: "a" }),
          admin.setKeyLimits({ keyId, characters: 1 })
        ]
      ) {
        assert.strictEqual((yield* Effect.flip(call))._tag, "NotFound")
      }
      yield* translate("12345")
      assert.strictEqual((yield* admin.analytics(day)).totalUsage.totalCharacters, 0)
    }).pipe(Effect.provide(layer({
      keys: [
        { key: "mine", tier: "paid", account: "us" },
        { key: "theirs", tier: "paid", account: "them" },
        { key: FakeLanguageService.defaultAdminKey, tier: "paid", account: "them" }
      ]
    }))))

  it.effect("reports a whole day from any time in it, and its tags once it is over", () =>
    Effect.gen(function*() {
      const admin = yield* Admin
      yield* translate("12345", "ui")
      const range = { startDate: "1970-01-01T12:00:00Z", endDate: "1970-01-02" }
      const tags = Effect.map(Stream.runCollect(admin.listCustomTagUsage(range)), ({ length }) => length)
      assert.strictEqual((yield* admin.analytics(range)).totalUsage.totalCharacters, 5)
      assert.strictEqual(yield* tags, 0)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* tags, 1)
    }).pipe(Effect.provide(layer())))

  it.effect("refuses ranges and values that the service does not take", () =>
    Effect.gen(function*() {
      const headers = { authorization: `Service-Auth-Key ${FakeLanguageService.defaultAdminKey}` }
      const refused = yield* Effect.forEach([
        "?end_date=2026-01-01",
        "?start_date=yesterday&end_date=2026-01-01",
        "?start_date=2026-01-02&end_date=2026-01-01",
        "?start_date=2025-01-01&end_date=2026-01-03",
        "?start_date=2026-01-01&end_date=2026-01-01&group_by=colour",
        "/custom-tags?start_date=2026-01-01&end_date=2026-01-01&aggregate_by=week"
      ], (rest) => send("GET", `/v2/admin/analytics${rest}`, { headers }))
      assert.deepStrictEqual(refused.map(({ json, status }) => [status, json]), [
        [400, { message: "Missing parameter start_date." }],
        [400, { message: "Value for 'start_date' not supported." }],
        [400, { message: "Bad request. Reason: the end date is before the start date." }],
        [400, { message: "Bad request. Reason: Date range cannot exceed 366 days" }],
        [400, { message: "Value for 'group_by' not supported." }],
        [400, { message: "Value for 'aggregate_by' not supported." }]
      ])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("is back to its first keys after a reset", () =>
    Effect.gen(function*() {
      const admin = yield* Admin
      const before = yield* Stream.runCollect(admin.listKeys)
      const created = yield* admin.createKey()
      yield* translate("12345")
      yield* (yield* FakeLanguageService).reset
      assert.deepStrictEqual(yield* Stream.runCollect(admin.listKeys), before)
      assert.strictEqual((yield* admin.analytics(day)).totalUsage.totalCharacters, 0)
      assert.strictEqual((yield* Effect.flip(withKey(secretOf(created), translate("a"))))._tag, "InvalidKey")
      assert.strictEqual((yield* admin.createKey()).keyId, created.keyId)
    }).pipe(Effect.provide(layer())))
})
