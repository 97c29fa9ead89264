import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { contract } from "../../../core/test/support/operations.ts"
import { client, clientWith, send, tagOf } from "../support/client.ts"

const keys: ReadonlyArray<FakeLanguageService.Key> = [
  { key: "paid", tier: "paid" },
  { key: "free", tier: "free", detectionEnabled: true },
  { key: "scoped", tier: "paid", scopes: ["style_rules:read", "languages:read"], detectionEnabled: true }
]

/** What a query needs to be understood. */
const queries: Readonly<Record<string, string>> = {
  "Languages.list": "?resource=write",
  "Glossaries.entries": "?source_lang=en&target_lang=de",
  "Glossaries.removeDictionary": "?source_lang=en&target_lang=de",
  "Admin.analytics": "?start_date=2026-01-01&end_date=2026-01-02",
  "Admin.listCustomTagUsagePage": "?start_date=2026-01-01&end_date=2026-01-02"
}

/** A request of each operation, which need not succeed. */
const requests = contract.map(({ method, operation, path }) =>
  [operation, method, `${path.replaceAll(/:\w+/g, "none")}${queries[operation] ?? ""}`] as const
)
const administration = requests.filter(([operation]) => operation.startsWith("Admin."))
const operations = requests.filter((request) => !administration.includes(request))

const list = { query: {} }
const detect = { payload: { text: ["Das ist ein Haus."] } }

describe("Access", () => {
  it.effect("refuses a missing, an unknown and a misplaced key", () =>
    Effect.gen(function*() {
      for (const authorization of ["", "fake-key", "Bearer fake-key", "Service-Auth-Key other", "Service-Auth-Key "]) {
        const error = yield* Effect.flip((yield* clientWith(authorization)).Languages.resources())
        assert.strictEqual(error._tag, "InvalidKey")
      }
      const { json, status } = yield* send("GET", "/v3/languages/resources", { headers: { authorization: "" } })
      assert.deepStrictEqual([status, json], [403, { message: "Missing or invalid key" }])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes the scheme words it is told", () =>
    Effect.gen(function*() {
      yield* (yield* clientWith("Other-Key fake-key")).Languages.resources()
      yield* (yield* clientWith("Second-Key fake-key")).Languages.resources()
      assert.strictEqual(yield* tagOf((yield* clientWith("second-key fake-key")).Languages.resources()), "InvalidKey")
      assert.strictEqual(yield* tagOf((yield* clientWith("Other-Key  fake-key")).Languages.resources()), "InvalidKey")
      assert.strictEqual((yield* Effect.flip((yield* client).Languages.resources()))._tag, "InvalidKey")
    }).pipe(Effect.provide(FakeLanguageService.layer({ authSchemes: ["Other-Key", "Second-Key"] }))))

  it.effect("gives no scoped key access to detection, which has no scope", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip((yield* clientWith("Service-Auth-Key scoped")).Detection.detect(detect))
      assert.strictEqual(error._tag, "AccessDenied")
    }).pipe(Effect.provide(FakeLanguageService.layer({ keys }))))

  it.effect("lets a key export what it may read, and not what it may only write", () =>
    Effect.gen(function*() {
      const service = yield* FakeLanguageService
      const id = yield* service.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
      const statuses = yield* Effect.forEach(["reader", "writer"], (key) =>
        Effect.map(
          send("POST", `/v3/translation_memories/${id}/export`, {
            headers: { authorization: `Service-Auth-Key ${key}` }
          }),
          ({ status }) => status
        ))
      assert.deepStrictEqual(statuses, [202, 403])
    }).pipe(Effect.provide(FakeLanguageService.layer({
      keys: [
        { key: "reader", tier: "paid", scopes: ["translation_memories:read"] },
        { key: "writer", tier: "paid", scopes: ["translation_memories:write"] }
      ]
    }))))

  it.effect("lets a key list the language pairs of glossaries that may read glossaries, not languages", () =>
    Effect.gen(function*() {
      const statuses = yield* Effect.forEach(["glossaries", "languages"], (key) =>
        Effect.map(
          send("GET", "/v2/glossary-language-pairs", { headers: { authorization: `Service-Auth-Key ${key}` } }),
          ({ status }) => status
        ))
      assert.deepStrictEqual(statuses, [200, 403])
    }).pipe(Effect.provide(FakeLanguageService.layer({
      keys: ["glossaries", "languages"].map((key) => ({ key, tier: "paid" as const, scopes: [`${key}:read`] }))
    }))))

  it.effect("does not spend a scripted fault on a request without a key", () =>
    Effect.gen(function*() {
      yield* (yield* FakeLanguageService).script({ fault: { status: 529 } })
      assert.strictEqual(
        (yield* send("GET", "/v3/languages/resources", { headers: { authorization: "" } })).status,
        403
      )
      assert.strictEqual((yield* send("GET", "/v3/languages/resources")).status, 529)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("keeps what accounts have apart", () =>
    Effect.gen(function*() {
      const service = yield* FakeLanguageService
      const [mine, same, other] = [
        yield* clientWith("Service-Auth-Key mine"),
        yield* clientWith("Service-Auth-Key same"),
        yield* clientWith("Service-Auth-Key other")
      ]
      const { documentId, documentKey } = yield* service.addDocument({ content: "a", readyAfter: 0 })
      const download = { params: { documentId }, payload: { documentKey } }
      assert.strictEqual(yield* tagOf(other.Documents.download(download)), "DocumentNotFound")
      yield* same.Documents.download(download)

      const { styleId } = yield* mine.StyleRules.create({ payload: { name: "House", language: "de" } })
      const params = { styleId }
      yield* same.StyleRules.get({ params })
      assert.strictEqual((yield* same.StyleRules.listPage(list)).styleRules.length, 1)
      assert.deepStrictEqual((yield* other.StyleRules.listPage(list)).styleRules, [])
      assert.strictEqual(yield* tagOf(other.StyleRules.get({ params })), "NotFound")
      assert.strictEqual(yield* tagOf(other.StyleRules.rename({ params, payload: { name: "x" } })), "NotFound")
      assert.strictEqual(yield* tagOf(other.StyleRules.remove({ params })), "NotFound")
      assert.strictEqual((yield* mine.StyleRules.get({ params })).version, 1)

      const pair = { text: ["Hello"], sourceLanguage: "en", targetLanguage: "de" }
      const references = [
        { styleId },
        { glossaryId: yield* service.addGlossary({ sourceLanguage: "en", targetLanguage: "de" }) },
        { translationMemoryId: yield* service.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] }) }
      ]
      for (const reference of references) {
        yield* same.Translation.translate({ payload: { ...pair, ...reference } })
        assert.strictEqual(
          yield* tagOf(other.Translation.translate({ payload: { ...pair, ...reference } })),
          "NotFound"
        )
      }
      const theirs = yield* service.addDocument({ content: "a", readyAfter: 0, account: "them" })
      yield* other.Documents.download({ params: theirs, payload: theirs })
      yield* service.setQuota({ characters: 0 })
      assert.strictEqual(yield* tagOf(mine.Translation.translate({ payload: pair })), "QuotaExceeded")
      yield* other.Translation.translate({ payload: pair })
    }).pipe(
      Effect.provide(FakeLanguageService.layer({
        keys: [
          { key: "mine", tier: "paid", account: "us" },
          { key: "same", tier: "paid", account: "us" },
          { key: "other", tier: "paid", account: "them" }
        ]
      }))
    ))

  it.effect("lets one key reach all operations", () =>
    Effect.gen(function*() {
      const answers = yield* Effect.forEach(operations, ([, method, path]) => send(method, path, { body: "{}" }))
      assert.isTrue(answers.every(({ status }) => status === 200 || status === 400 || status === 404))
      const { requests } = yield* FakeLanguageService
      assert.deepStrictEqual<ReadonlyArray<string | undefined>>(
        (yield* requests).map(({ operation }) => operation),
        operations.map(([name]) => name)
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("keeps administration to admin keys, and all else to the others", () =>
    Effect.gen(function*() {
      const headers = { authorization: `Service-Auth-Key ${FakeLanguageService.defaultAdminKey}` }
      for (const [name, method, path] of administration) {
        const { status } = yield* send(method, path, { headers, body: "{}" })
        assert.include([200, 400], status, name)
        const refused = yield* send(method, path, { body: "{}" })
        assert.deepStrictEqual([refused.status, refused.json], [403, { message: "Forbidden" }], name)
      }
      for (const [name, method, path] of operations) {
        const refused = yield* send(method, path, { headers, body: "{}" })
        assert.deepStrictEqual([refused.status, refused.json], [403, { message: "Forbidden" }], name)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("refuses every operation to a request without a key", () =>
    Effect.gen(function*() {
      const all = [...operations, ...administration]
      for (const [, method, path] of all) {
        const { json, status } = yield* send(method, path, { headers: { authorization: "" }, body: "{}" })
        assert.deepStrictEqual([status, json], [403, { message: "Missing or invalid key" }])
      }
      const { effects } = yield* FakeLanguageService
      assert.sameMembers(all.map(([name]) => name), Object.keys(yield* effects))
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
