// The compatibility mode as the users of deepl-node would drive it: each header of a session, on the real clock and real sockets.
import * as NodeCompat from "@effect-lingua/testing/compat/NodeCompat"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, layer } from "@effect/vitest"
import {
  AuthorizationError,
  ConnectionError,
  DeepLClient,
  type DeepLClientOptions,
  DeepLError,
  DocumentNotReadyError,
  DocumentTranslationError,
  GlossaryEntries,
  GlossaryNotFoundError,
  QuotaExceededError,
  TooManyRequestsError,
  WritingStyle,
  WritingTone
} from "deepl-node"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { call, refused, temporary } from "../foreign/client.ts"

const phrases = {
  de: "Guten Tag",
  en: "good day",
  es: "buen día",
  fr: "bonne journée",
  "pt-BR": "bom dia",
  sl: "dober dan"
}

const compat = NodeCompat.layer({ port: 0, proxyPort: 0, taught: { phrases } })

/** A client with a key of its own, in a session with these settings. */
const make = Effect.fnUntraced(function*(
  settings: Readonly<Record<string, number>> = {},
  options: DeepLClientOptions & { readonly key?: string } = {}
) {
  const { url } = yield* NodeCompat.Compat
  const { key = randomUUID(), ...others } = options
  const headers = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`mock-server-session-${name}`, String(value)])
  )
  return new DeepLClient(key, {
    serverUrl: url,
    maxRetries: 0,
    headers: { "mock-server-session": randomUUID(), ...headers },
    ...others
  })
})

const file = Effect.fnUntraced(function*(content: string, name = "brief.txt") {
  const path = join(yield* temporary, name)
  yield* Effect.promise(() => writeFile(path, content))
  return path
})

const dictionary = (
  sourceLangCode: "en" | "de",
  targetLangCode: "en" | "de",
  entries: Record<string, string>
) => ({
  sourceLangCode,
  targetLangCode,
  entries: new GlossaryEntries({ entries })
})

const text = Buffer.from("Guten Tag")
const upload = (client: DeepLClient) => () => client.uploadDocument(text, "de", "en-US", { filename: "a.txt" })

describe("the compatibility mode", () => {
  layer(compat, { excludeTestServices: true })("for deepl-node", (it) => {
    it.effect("translates each line to the phrase of the target and detects the source by it", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const one = yield* call(() => client.translateText("good day", null, "de"))
        assert.deepInclude(one, { text: "Guten Tag", detectedSourceLang: "en" })
        const lines = yield* call(() => client.translateText("dober dan\n\ndober dan", null, "fr"))
        assert.deepInclude(lines, { text: "bonne journée\n\nbonne journée", detectedSourceLang: "sl" })
        const several = yield* call(() => client.translateText(["a", "b"], "en", "es"))
        assert.deepStrictEqual(several.map(({ text }) => text), ["buen día", "buen día"])
        const variant = yield* call(() => client.translateText("bom dia", null, "en-GB"))
        assert.deepInclude(variant, { text: "good day", detectedSourceLang: "pt" })
      }))

    it.effect("translates at another path, and refuses values in the words that suites look for", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const other = { __path: "/v2/translate_secondary" }
        assert.strictEqual((yield* call(() => client.translateText("a", null, "de", other))).text, "Guten Tag")
        const formality = { formality: "more" } as const
        yield* refused(() => client.translateText("a", null, "tr", formality), DeepLError, "Target language 'TR'")
        yield* refused(() => client.translateText("a", null, "sl", formality), DeepLError, "formality")
        assert.strictEqual((yield* call(() => client.translateText("a", null, "de", formality))).text, "Guten Tag")
        const unknown = { glossary: randomUUID() }
        yield* refused(() => client.translateText("a", "en", "de", unknown), DeepLError, "Glossary not found")
      }))

    it.effect("retries after 429, and refuses when the retries are used up", () =>
      Effect.gen(function*() {
        const patient = yield* make({ "429-count": 1 }, { maxRetries: 3 })
        assert.strictEqual((yield* call(() => patient.translateText("a", null, "de"))).text, "Guten Tag")
        const impatient = yield* make({ "429-count": 2 })
        yield* refused(() => impatient.translateText("a", null, "de"), TooManyRequestsError, "Too many requests")
        yield* call(() => impatient.getUsage())
        yield* refused(() => impatient.rephraseText("a", "de"), TooManyRequestsError, "Too many requests")
        assert.strictEqual((yield* call(() => impatient.translateText("a", null, "de"))).text, "Guten Tag")
      }))

    it.effect("leaves requests without a response, and the client retries after its timeout", () =>
      Effect.gen(function*() {
        const client = yield* make({ "no-response-count": 1 }, { minTimeout: 50, maxRetries: 2 })
        assert.strictEqual((yield* call(() => client.translateText("a", null, "de"))).text, "Guten Tag")
        const once = yield* make({ "no-response-count": 2 }, { minTimeout: 1100, maxRetries: 0 })
        yield* refused(() => once.getUsage(), ConnectionError, "timeout of")
      }))

    it.effect("fails with each status of 5xx, which the client retries", () =>
      Effect.gen(function*() {
        const client = yield* make({ "5xx-count": 1 }, { maxRetries: 2 })
        assert.isDefined((yield* call(() => client.getUsage())).character)
        const other = yield* make({ "5xx-count": 2, "5xx-status": 507 })
        yield* refused(() => other.getUsage(), DeepLError, "507")
        yield* refused(() => other.translateText("a", null, "de"), DeepLError, "507")
        yield* call(() => other.getUsage())
      }))

    it.effect("limits characters, and says so in usage", () =>
      Effect.gen(function*() {
        const client = yield* make({ "init-character-limit": 20, "init-document-limit": 0 })
        assert.include(String(yield* call(() => client.getUsage())), "Characters: 0 of 20")
        yield* call(() => client.translateText("12345678901234567890", "en", "de"))
        const usage = yield* call(() => client.getUsage())
        assert.deepInclude(usage.character, { count: 20, limit: 20 })
        assert.isTrue(usage.anyLimitReached())
        assert.isUndefined(usage.document)
        yield* refused(() => client.translateText("a", "en", "de"), QuotaExceededError, "Quota for this billing period")
        yield* refused(upload(client), QuotaExceededError, "Quota for this billing period")
      }))

    it.effect("limits documents, which are counted when they are uploaded", () =>
      Effect.gen(function*() {
        const client = yield* make({ "init-character-limit": 20, "init-document-limit": 1 })
        const before = String(yield* call(() => client.getUsage()))
        assert.include(before, "Characters: 0 of 20")
        assert.include(before, "Documents: 0 of 1")
        const path = yield* file("12345678901234567890")
        yield* call(() => client.translateDocument(path, `${path}.out`, null, "de"))
        const usage = yield* call(() => client.getUsage())
        assert.deepStrictEqual([usage.document?.limitReached(), usage.character?.limitReached()], [true, true])
        assert.isUndefined(usage.teamDocument)
        yield* refused(
          () => client.translateDocument(path, `${path}.2`, null, "de"),
          DocumentTranslationError,
          "Quota for this billing period has been exceeded"
        )
      }))

    it.effect("limits the documents of a team, without any other limit", () =>
      Effect.gen(function*() {
        const limits = { "init-character-limit": 0, "init-document-limit": 0, "init-team-document-limit": 1 }
        const client = yield* make(limits)
        assert.strictEqual(
          String(yield* call(() => client.getUsage())),
          "Usage this billing period:\nTeam documents: 0 of 1"
        )
        yield* call(upload(client))
        const usage = yield* call(() => client.getUsage())
        assert.deepStrictEqual([usage.anyLimitReached(), usage.teamDocument?.count], [true, 1])
        yield* refused(upload(client), QuotaExceededError, "Quota for this billing period")
        yield* call(() => client.translateText("as many as you like", "en", "de"))
      }))

    it.effect("has large limits by default, and knows an account in every session", () =>
      Effect.gen(function*() {
        const key = randomUUID()
        const first = yield* make({ "init-character-limit": 30 }, { key })
        yield* call(() => first.translateText("12345", "en", "de"))
        const second = yield* make({ "init-character-limit": 5 }, { key })
        assert.deepInclude((yield* call(() => second.getUsage())).character, { count: 5, limit: 30 })
        const other = yield* make()
        const { character, document } = yield* call(() => other.getUsage())
        assert.deepStrictEqual([character?.limit, document?.limit], [20_000_000, 10_000])
      }))

    it.effect("translates documents at once, and text to HTML", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const path = yield* file("one\n\ntwo")
        const status = yield* call(() => client.translateDocument(path, `${path}.out`, "en", "de"))
        assert.deepInclude(status, { status: "done", billedCharacters: 8, secondsRemaining: 0 })
        assert.strictEqual(yield* Effect.promise(() => readFile(`${path}.out`, "utf8")), "Guten Tag\n\nGuten Tag")
        const html = `${path}.html`
        yield* call(() =>
          client.translateDocument(path, html, "en", "de", { extraRequestParameters: { output_format: "html" } })
        )
        assert.include(yield* Effect.promise(() => readFile(html, "utf8")), "Guten Tag")
        const unknown = yield* file("a", "a.invalid")
        yield* refused(
          () => client.translateDocument(unknown, `${unknown}.out`, null, "de"),
          DocumentTranslationError,
          "nvalid file"
        )
        yield* refused(
          () => client.translateDocument(path, `${path}.2`, "de", "de"),
          DocumentTranslationError,
          "Source and target language"
        )
      }))

    it.effect("keeps documents queued and in translation for the times of the session", () =>
      Effect.gen(function*() {
        const key = randomUUID()
        const queueing = yield* make({ "doc-queue-time": 60_000 }, { key })
        const client = yield* make({ "doc-translate-time": 60_000 }, { key })
        const handle = yield* call(upload(queueing))
        const status = (of: typeof client) => call(() => of.getDocumentStatus(handle))
        assert.strictEqual((yield* status(queueing)).status, "queued")
        const { secondsRemaining = 0, status: translating } = yield* status(client)
        assert.strictEqual(translating, "translating")
        assert.isTrue(secondsRemaining > 0 && secondsRemaining <= 60)
        const path = yield* file("", "out.txt")
        yield* refused(
          () => client.downloadDocument(handle, `${path}.out`),
          DocumentNotReadyError,
          "Document translation is not done"
        )
        const quick = yield* make({ "doc-queue-time": 50, "doc-translate-time": 50 }, { key })
        const done = yield* Effect.repeat(status(quick), { until: (now) => now.done() })
        assert.deepStrictEqual([done.status, done.ok(), done.done()], ["done", true, true])
        yield* call(() => quick.downloadDocument(handle, `${path}.out`))
      }))

    it.effect("reads the times of a document from the session that polls", () =>
      Effect.gen(function*() {
        const key = randomUUID()
        const slow = yield* make({ "doc-queue-time": 60_000 }, { key })
        const quick = yield* make({}, { key })
        const handle = yield* call(upload(slow))
        assert.strictEqual((yield* call(() => slow.getDocumentStatus(handle))).status, "queued")
        assert.strictEqual((yield* call(() => quick.getDocumentStatus(handle))).status, "done")
        const stranger = yield* make()
        yield* refused(() => stranger.getDocumentStatus(handle), DeepLError, "Not found")
      }))

    it.effect("lets the first documents fail", () =>
      Effect.gen(function*() {
        const client = yield* make({ "doc-failure": 1 })
        const path = yield* file("one")
        const error = yield* Effect.flip(call(() => client.translateDocument(path, `${path}.out`, null, "de")))
        assert.instanceOf(error, DocumentTranslationError)
        assert.include(error.message, "Translation error triggered")
        assert.include(
          error instanceof DocumentTranslationError ? String(error.documentHandle?.documentId) : "",
          "",
          "it has the handle"
        )
        yield* call(() => client.translateDocument(path, `${path}.out`, null, "de"))
        const second = yield* make({ "doc-failure": 1 })
        const handle = yield* call(upload(second))
        const status = yield* call(() => second.getDocumentStatus(handle))
        assert.deepStrictEqual([status.ok(), status.done()], [false, false])
        assert.strictEqual(status.errorMessage, "Translation error triggered")
        yield* refused(
          () => second.downloadDocument(handle, `${path}.failed`),
          DocumentNotReadyError,
          "Document translation is not done"
        )
      }))

    it.effect("expects a proxy where the session asks for one, which adds the address of the client", () =>
      Effect.gen(function*() {
        const { proxyUrl } = yield* NodeCompat.Compat
        const { hostname: host, port } = new URL(proxyUrl)
        const direct = yield* make({ "expect-proxy": 1 })
        yield* refused(() => direct.getUsage(), DeepLError, "Expected a request via proxy.")
        const proxied = yield* make({ "expect-proxy": 1 }, { proxy: { host, port: Number(port) } })
        assert.strictEqual((yield* call(() => proxied.translateText("a", null, "de"))).text, "Guten Tag")
        assert.isDefined((yield* call(() => proxied.getUsage())).character)
        const path = yield* file("one")
        yield* call(() => proxied.translateDocument(path, `${path}.out`, "en", "de"))
      }))

    it.effect("refuses wrong keys, and requests without a user agent unless the session allows them", () =>
      Effect.gen(function*() {
        const invalid = yield* make({}, { key: "invalid" })
        yield* refused(() => invalid.getUsage(), AuthorizationError, "Authorization failure")
        const { url } = yield* NodeCompat.Compat
        const without = { "mock-server-session": randomUUID(), "User-Agent": "" }
        const silent = new DeepLClient(randomUUID(), { serverUrl: url, maxRetries: 0, headers: without })
        yield* refused(() => silent.getUsage(), DeepLError, "User-Agent header missing.")
        const allowed = { ...without, "mock-server-session": randomUUID() }
        const settings = { ...allowed, "mock-server-session-allow-missing-user-agent": "1" }
        const anonymous = new DeepLClient(randomUUID(), { serverUrl: url, maxRetries: 0, headers: settings })
        assert.isDefined((yield* call(() => anonymous.getUsage())).character)
      }))

    it.effect("knows the tier by the key", () =>
      Effect.gen(function*() {
        const client = yield* make({}, { key: `${randomUUID()}:fx` })
        const { character, document } = yield* call(() => client.getUsage())
        assert.deepStrictEqual([character?.limit, document?.limit], [20_000_000, 10_000])
      }))

    it.effect("keeps glossaries of version 2, and applies their terms to lines", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const entries = new GlossaryEntries({ entries: { apple: "Apfel", pear: "Birne" } })
        const glossary = yield* call(() => client.createGlossary("Fruit", "en", "de", entries))
        assert.deepInclude(glossary, { name: "Fruit", sourceLang: "en", targetLang: "de", entryCount: 2 })
        const found = yield* call(() => client.getGlossaryEntries(glossary))
        assert.deepStrictEqual(found.entries(), entries.entries())
        assert.deepStrictEqual((yield* call(() => client.listGlossaries())).map(({ name }) => name), ["Fruit"])
        const translated = yield* call(() => client.translateText("apple\nother", "en", "de", { glossary }))
        assert.strictEqual(translated.text, "Apfel\nGuten Tag")
        const path = yield* file("pear")
        yield* call(() => client.translateDocument(path, `${path}.out`, "en", "de", { glossary }))
        assert.strictEqual(yield* Effect.promise(() => readFile(`${path}.out`, "utf8")), "Birne")
        const stranger = yield* make()
        yield* refused(() => stranger.getGlossary(glossary.glossaryId), GlossaryNotFoundError, "not found")
        yield* call(() => client.deleteGlossary(glossary))
        yield* refused(() => client.deleteGlossary(glossary), GlossaryNotFoundError, "not found")
      }))

    it.effect("keeps glossaries of version 3, changes their dictionaries, and chooses one by the source", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const glossary = yield* call(() =>
          client.createMultilingualGlossary("Fruit", [
            dictionary("en", "de", { apple: "Apfel" }),
            dictionary("de", "en", { Apfel: "apple" })
          ])
        )
        const { glossaryId } = glossary
        assert.strictEqual(glossary.dictionaries.length, 2)
        yield* call(() => client.updateMultilingualGlossaryName(glossaryId, "More fruit"))
        yield* call(() =>
          client.updateMultilingualGlossaryDictionary(glossaryId, dictionary("en", "de", { pear: "Birne" }))
        )
        yield* call(() =>
          client.replaceMultilingualGlossaryDictionary(glossaryId, dictionary("de", "en", { Birne: "pear" }))
        )
        const listed = yield* call(() => client.listMultilingualGlossaries())
        assert.deepStrictEqual(listed.map(({ name }) => name), ["More fruit"])
        const { entries } = yield* call(() => client.getMultilingualGlossaryDictionaryEntries(glossaryId, "en", "de"))
        assert.deepStrictEqual(entries.entries(), { apple: "Apfel", pear: "Birne" })
        const translated = yield* call(() => client.translateText("pear", "en", "de", { glossary: glossaryId }))
        assert.strictEqual(translated.text, "Birne")
        yield* call(() => client.deleteMultilingualGlossaryDictionary(glossaryId, "de", "en"))
        yield* call(() => client.deleteMultilingualGlossary(glossaryId))
        yield* refused(() => client.getMultilingualGlossary(glossaryId), GlossaryNotFoundError, "not found")
      }))

    it.effect("improves texts to the phrase of their language", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const one = yield* call(() => client.rephraseText("good day to you", "en-GB"))
        assert.deepStrictEqual(one, { text: "good day", detectedSourceLang: "en", targetLang: "en-GB" })
        const styled = yield* call(() => client.rephraseText("Guten Tag", "de", WritingStyle.BUSINESS))
        assert.strictEqual(styled.text, "Guten Tag")
        const toned = yield* call(() => client.rephraseText(["a", "b"], "en-US", null, WritingTone.CONFIDENT))
        assert.deepStrictEqual(toned.map(({ text }) => text), ["good day", "good day"])
        yield* refused(
          () => client.rephraseText("a", "en-US", WritingStyle.BUSINESS, WritingTone.CONFIDENT),
          DeepLError,
          "Both writing_style and tone defined"
        )
      }))

    it.effect("shows a default style rule list after those of the account, which never changes", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const own = yield* call(() => client.createStyleRule({ name: "Own", language: "tr" }))
        const list = () => client.getAllStyleRules()
        const [first, last] = yield* call(list)
        assert.deepStrictEqual([first?.name, last?.name, last?.version], ["Own", "Default Style Rule", 1])
        const styleId = last?.styleId ?? ""
        yield* call(() => client.updateStyleRuleName(styleId, "Mine"))
        yield* call(() => client.deleteStyleRule(styleId))
        assert.strictEqual((yield* call(() => client.getStyleRule(styleId))).name, "Default Style Rule")
        const instruction = yield* call(() =>
          client.createStyleRuleCustomInstruction(own.styleId, { label: "a", prompt: "b" })
        )
        yield* call(() =>
          client.updateStyleRuleCustomInstruction(own.styleId, instruction.id ?? "", { label: "c", prompt: "d" })
        )
        yield* call(() => client.updateStyleRuleConfiguredRules(own.styleId, {}))
        const translated = yield* call(() => client.translateText("a", "de", "en-US", { styleRule: styleId }))
        assert.strictEqual(translated.text, "good day")
        yield* call(() => client.deleteStyleRule(own.styleId))
        assert.strictEqual((yield* call(list)).length, 1)
      }))

    it.effect("shows a default translation memory with its segments", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const [memory] = yield* call(() => client.listTranslationMemories())
        assert.deepInclude(memory, { name: "Default Translation Memory", sourceLanguage: "de", segmentCount: 12 })
        const id = memory?.translationMemoryId ?? ""
        const { segments } = yield* call(() => client.listTranslationMemorySegments(id, { pageSize: 5 }))
        assert.deepStrictEqual(segments.map(({ sourceText }) => sourceText).slice(0, 2), [
          "Quelltext Nummer 0",
          "Quelltext Nummer 1"
        ])
        const translated = yield* call(() => client.translateText("a", "de", "en-US", { translationMemory: id }))
        assert.strictEqual(translated.text, "good day")
      }))

    it.effect("exports and imports memories, whose jobs are completed after the polls of the session", () =>
      Effect.gen(function*() {
        const client = yield* make({ "tm-job-processing-polls": 2 })
        const [memory] = yield* call(() => client.listTranslationMemories())
        const job = yield* call(() => client.createTranslationMemoryExport(memory?.translationMemoryId ?? ""))
        const statuses: Array<string | undefined> = []
        const poll = (id: string) =>
          Effect.map(call(() => client.getTranslationMemoryJob(id)), (job) => {
            statuses.push(job.results[0]?.status)
            return job
          })
        yield* poll(job.jobId)
        yield* poll(job.jobId)
        const path = join(yield* temporary, "a.tmx")
        const completed = yield* poll(job.jobId)
        yield* call(() => client.downloadTranslationMemoryExport(completed, path))
        const tmx = yield* Effect.promise(() => readFile(path))
        assert.include(String(tmx), "<tmx")
        const started = yield* call(() => client.createTranslationMemoryImport("a.tmx", tmx.length))
        yield* poll(started.jobId)
        yield* call(() => client.uploadTranslationMemoryFile(started, tmx))
        yield* poll(started.jobId)
        yield* poll(started.jobId)
        const imported = yield* poll(started.jobId)
        assert.isString(imported.results[0]?.translationMemoryId)
        // The first poll before the file was there does not count.
        const awaiting = Array.from({ length: 3 }, () => "awaiting_input")
        assert.deepStrictEqual(statuses, ["processing", "processing", "completed", ...awaiting, "completed"])
        assert.strictEqual((yield* call(() => client.listTranslationMemories())).length, 2)
      }))

    it.effect("takes the options of translations, and bills characters", () =>
      Effect.gen(function*() {
        const client = yield* make()
        for (const modelType of ["quality_optimized", "latency_optimized", "prefer_quality_optimized"] as const) {
          const { billedCharacters, modelTypeUsed } = yield* call(() =>
            client.translateText("good day", "en", "de", { modelType })
          )
          assert.deepStrictEqual([billedCharacters, modelTypeUsed], [8, modelType.replace("prefer_", "")])
        }
        for (const splitSentences of ["off", "on", "nonewlines", "default"] as const) {
          yield* call(() => client.translateText("one.\ntwo.", null, "de", { splitSentences }))
        }
        for (const tagHandling of ["xml", "html"] as const) {
          yield* call(() => client.translateText("<p>one</p>", null, "de", { tagHandling, preserveFormatting: true }))
        }
        const unknown = { extraRequestParameters: { split_sentences: "some" } }
        yield* refused(() => client.translateText("a", null, "de", unknown), DeepLError, "split_sentences")
      }))

    it.effect("answers many calls at once, each with the phrase of its target", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const targets = Array.from({ length: 20 }, () => ["de", "en-US", "es", "fr", "pt-BR", "sl"] as const).flat()
        const texts = yield* Effect.forEach(
          targets,
          (target) => call(() => client.translateText("a", "it", target)),
          { concurrency: "unbounded" }
        )
        const expected: Readonly<Record<string, string>> = { ...phrases, "en-US": phrases.en }
        assert.deepStrictEqual(texts.map(({ text }) => text), targets.map((target) => expected[target]))
      }))

    it.effect("takes documents from buffers, streams and handles", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const path = yield* file("one")
        const options = { filename: path }
        const sources = [
          () => client.translateDocument(text, `${path}.1`, "en", "de", options),
          () => client.translateDocument(createReadStream(path), `${path}.2`, "en", "de", options),
          async () => client.translateDocument(await open(path), await open(`${path}.3`, "w"), "en", "de", options)
        ]
        for (const [index, source] of sources.entries()) {
          yield* call(source)
          assert.strictEqual(yield* Effect.promise(() => readFile(`${path}.${index + 1}`, "utf8")), "Guten Tag")
        }
      }))

    it.effect("keeps glossaries from CSV, and of 10,000 entries", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const csv = Buffer.from(`apple,Apfel,en,de\n"a ""big"" pear","Birne, groß",en,de`)
        const first = yield* call(() => client.createGlossaryWithCsv("CSV", "en", "de", csv))
        assert.deepStrictEqual((yield* call(() => client.getGlossaryEntries(first))).entries(), {
          apple: "Apfel",
          "a \"big\" pear": "Birne, groß"
        })
        const second = yield* call(() => client.createMultilingualGlossaryWithCsv("CSV", "en", "de", "apple,Apfel"))
        assert.strictEqual(second.dictionaries[0]?.entryCount, 1)
        const entries = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`Source-${index}`, "Ziel"]))
        const large = yield* call(() =>
          client.createMultilingualGlossary("Large", [dictionary("en", "de", { ...entries, "🪨": "🪵" })])
        )
        const read = yield* call(() => client.getMultilingualGlossaryDictionaryEntries(large.glossaryId, "en", "de"))
        assert.strictEqual(Object.keys(read.entries.entries()).length, 10_001)
        const translated = yield* call(() =>
          client.translateText("Source-77\n🪨", "en", "de", { glossary: large.glossaryId })
        )
        assert.strictEqual(translated.text, "Ziel\n🪵")
      }))

    it.effect("lists languages and pairs", () =>
      Effect.gen(function*() {
        const client = yield* make()
        const targets = yield* call(() => client.getTargetLanguages())
        assert.isTrue(targets.every(({ supportsFormality }) => supportsFormality !== undefined))
        assert.isAbove((yield* call(() => client.getSourceLanguages())).length, 30)
        assert.isAbove((yield* call(() => client.getGlossaryLanguagePairs())).length, 100)
      }))

    it.effect("describes the last request of a session", () =>
      Effect.gen(function*() {
        const { url } = yield* NodeCompat.Compat
        const session = randomUUID()
        const client = yield* make({}, { headers: { "mock-server-session": session, "User-Agent": "mine" } })
        yield* call(() => client.translateText("a b", null, "de"))
        const last = yield* HttpClient.get(`${url}/__session__/last-request`, {
          headers: { "mock-server-session": session }
        }).pipe(Effect.flatMap(({ json }) => json), Effect.provide(FetchHttpClient.layer))
        assert.deepInclude<object>(Object(last), { method: "POST", path: "/v2/translate", query: {} })
        assert.include(JSON.stringify(last), `"text":"a b"`)
      }))

    it.effect("gives the handle of the fake to tests in the same process", () =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const client = yield* make()
        yield* call(() => client.translateText("one of ours", null, "de"))
        const requests = yield* fake.requestsOf("Translation.translate")
        assert.isTrue(requests.some(({ body }) => body.includes("one+of+ours")))
      }))
  })
})
