import { MissingScope } from "@effect-lingua/core/errors/ServiceError"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { operationNames } from "../../src/faults/internal/operations.ts"
import { client, clientWith, send, tagOf } from "../support/client.ts"

const keys: ReadonlyArray<FakeLanguageService.Key> = [
  { key: "paid", tier: "paid" },
  { key: "free", tier: "free", detectionEnabled: true },
  { key: "scoped", tier: "paid", scopes: ["style_rules:read", "languages:read"], detectionEnabled: true }
]

/** A request of each operation, which need not succeed. */
const operations = [
  ["Documents.upload", "POST", "/v2/document"],
  ["Documents.status", "POST", "/v2/document/none"],
  ["Documents.download", "POST", "/v2/document/none/result"],
  ["Writing.rephrase", "POST", "/v2/write/rephrase"],
  ["Writing.correct", "POST", "/v2/write/correct"],
  ["StyleRules.create", "POST", "/v3/style_rules"],
  ["StyleRules.listPage", "GET", "/v3/style_rules"],
  ["StyleRules.get", "GET", "/v3/style_rules/none"],
  ["StyleRules.rename", "PATCH", "/v3/style_rules/none"],
  ["StyleRules.remove", "DELETE", "/v3/style_rules/none"],
  ["StyleRules.replaceConfiguredRules", "PUT", "/v3/style_rules/none/configured_rules"],
  ["StyleRules.addInstruction", "POST", "/v3/style_rules/none/custom_instructions"],
  ["StyleRules.getInstruction", "GET", "/v3/style_rules/none/custom_instructions/none"],
  ["StyleRules.replaceInstruction", "PUT", "/v3/style_rules/none/custom_instructions/none"],
  ["StyleRules.removeInstruction", "DELETE", "/v3/style_rules/none/custom_instructions/none"],
  ["Detection.detect", "POST", "/v3/detect/language"],
  ["Languages.list", "GET", "/v3/languages?resource=write"],
  ["Languages.resources", "GET", "/v3/languages/resources"],
  ["Languages.listV2", "GET", "/v2/languages"],
  ["Languages.glossaryPairs", "GET", "/v2/glossary-language-pairs"],
  ["Translation.translate", "POST", "/v2/translate"],
  ["Usage.get", "GET", "/v2/usage"],
  ["TranslationMemories.listPage", "GET", "/v3/translation_memories"],
  ["TranslationMemories.get", "GET", "/v3/translation_memories/none"],
  ["TranslationMemories.listSegmentsPage", "GET", "/v3/translation_memories/none/segments"],
  ["TranslationMemories.startImport", "POST", "/v3/translation_memories/import"],
  ["TranslationMemories.startExport", "POST", "/v3/translation_memories/none/export"],
  ["TranslationMemories.status", "GET", "/v3/translation_memories/jobs/none"],
  ["TranslationMemories.remove", "DELETE", "/v3/translation_memories/none"],
  ["Glossaries.create", "POST", "/v3/glossaries"],
  ["Glossaries.list", "GET", "/v3/glossaries"],
  ["Glossaries.get", "GET", "/v3/glossaries/none"],
  ["Glossaries.merge", "PATCH", "/v3/glossaries/none"],
  ["Glossaries.remove", "DELETE", "/v3/glossaries/none"],
  ["Glossaries.entries", "GET", "/v3/glossaries/none/entries?source_lang=en&target_lang=de"],
  ["Glossaries.replaceDictionary", "PUT", "/v3/glossaries/none/dictionaries"],
  ["Glossaries.removeDictionary", "DELETE", "/v3/glossaries/none/dictionaries?source_lang=en&target_lang=de"],
  ["GlossariesV2.create", "POST", "/v2/glossaries"],
  ["GlossariesV2.list", "GET", "/v2/glossaries"],
  ["GlossariesV2.get", "GET", "/v2/glossaries/none"],
  ["GlossariesV2.entries", "GET", "/v2/glossaries/none/entries"],
  ["GlossariesV2.remove", "DELETE", "/v2/glossaries/none"],
  ["QualityEvaluation.start", "POST", "/v1/quality-evaluation"],
  ["QualityEvaluation.status", "GET", "/v1/quality-evaluation/none"]
] as const

const administration = [
  ["Admin.createKey", "POST", "/v2/admin/developer-keys"],
  ["Admin.listKeys", "GET", "/v2/admin/developer-keys"],
  ["Admin.deactivateKey", "PUT", "/v2/admin/developer-keys/deactivate"],
  ["Admin.setKeyLabel", "PUT", "/v2/admin/developer-keys/label"],
  ["Admin.setKeyLimits", "PUT", "/v2/admin/developer-keys/limits"],
  ["Admin.analytics", "GET", "/v2/admin/analytics?start_date=2026-01-01&end_date=2026-01-02"],
  ["Admin.listCustomTagUsagePage", "GET", "/v2/admin/analytics/custom-tags?start_date=2026-01-01&end_date=2026-01-02"]
] as const

const list = { query: {} }
const detect = { payload: { text: ["Das ist ein Haus."] } }

const scopesOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), (error) => error instanceof MissingScope ? error.scopes : error)

describe("Access", () => {
  it("has a request of each operation in these tables", () => {
    assert.sameMembers([...operations, ...administration].map(([operation]) => operation), [...operationNames])
  })

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

  it.effect("keeps improvement and style rules to the paid tier", () =>
    Effect.gen(function*() {
      const free = yield* clientWith("Service-Auth-Key free")
      assert.strictEqual(yield* tagOf(free.Writing.correct({ payload: { text: ["a"] } })), "WrongTier")
      assert.strictEqual(yield* tagOf(free.Writing.rephrase({ payload: { text: ["a"] } })), "WrongTier")
      assert.strictEqual(yield* tagOf(free.StyleRules.listPage(list)), "WrongTier")
      yield* free.Languages.resources()
      yield* free.Translation.translate({ payload: { text: ["a"], targetLanguage: "de" } })
      yield* free.Detection.detect(detect)
    }).pipe(Effect.provide(FakeLanguageService.layer({ keys }))))

  it.effect("names the scope that a key lacks", () =>
    Effect.gen(function*() {
      const scoped = yield* clientWith("Service-Auth-Key scoped")
      yield* scoped.StyleRules.listPage(list)
      yield* scoped.Languages.resources()
      assert.deepStrictEqual(
        yield* Effect.all([
          scopesOf(scoped.StyleRules.create({ payload: { name: "House", language: "en" } })),
          scopesOf(scoped.Writing.correct({ payload: { text: ["a"] } })),
          scopesOf(scoped.Translation.translate({ payload: { text: ["a"], targetLanguage: "de" } })),
          scopesOf(scoped.Languages.glossaryPairs())
        ]),
        [["style_rules:write"], ["write:improve"], ["translate:text"], ["glossaries:read"]]
      )
    }).pipe(Effect.provide(FakeLanguageService.layer({ keys }))))

  it.effect("gives no scoped key access to detection, which has no scope", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip((yield* clientWith("Service-Auth-Key scoped")).Detection.detect(detect))
      assert.strictEqual(error._tag, "AccessDenied")
    }).pipe(Effect.provide(FakeLanguageService.layer({ keys }))))

  it.effect("has detection only for accounts that opted in", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip((yield* clientWith("Service-Auth-Key paid")).Detection.detect(detect))
      assert.deepInclude(error, { _tag: "AccessDenied", description: "Forbidden", status: 403 })
    }).pipe(Effect.provide(FakeLanguageService.layer({ keys }))))

  it.effect("does not spend a scripted fault on a request without a key", () =>
    Effect.gen(function*() {
      yield* (yield* FakeLanguageService.FakeLanguageService).script({ fault: { status: 529 } })
      assert.strictEqual(
        (yield* send("GET", "/v3/languages/resources", { headers: { authorization: "" } })).status,
        403
      )
      assert.strictEqual((yield* send("GET", "/v3/languages/resources")).status, 529)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("keeps what accounts have apart", () =>
    Effect.gen(function*() {
      const service = yield* FakeLanguageService.FakeLanguageService
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
        {
          translationMemoryId: yield* service.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
        }
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
      const { requests } = yield* FakeLanguageService.FakeLanguageService
      assert.deepStrictEqual((yield* requests()).map(({ operation }) => operation), operations.map(([name]) => name))
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
      const { effects } = yield* FakeLanguageService.FakeLanguageService
      assert.sameMembers(all.map(([name]) => name), Object.keys(yield* effects()))
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
