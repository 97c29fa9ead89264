// The compatibility mode as the users of deepl-node would drive it: each header of a session, on the real clock and real sockets.
import * as NodeCompat from "@effect-lingua/testing/compat/NodeCompat"
import { assert, describe, layer } from "@effect/vitest"
import {
  ConnectionError,
  DeepLClient,
  type DeepLClientOptions,
  DeepLError,
  DocumentTranslationError,
  GlossaryEntries,
  GlossaryNotFoundError,
  QuotaExceededError,
  TooManyRequestsError
} from "deepl-node"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isFull } from "../../../../test/support/scale.ts"
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

    it.effect.skipIf(!isFull)("leaves requests without a response, and the client retries after its timeout", () =>
      Effect.gen(function*() {
        const client = yield* make({ "no-response-count": 1 }, { minTimeout: 50, maxRetries: 2 })
        assert.strictEqual((yield* call(() => client.translateText("a", null, "de"))).text, "Guten Tag")
        const once = yield* make({ "no-response-count": 2 }, { minTimeout: 1100, maxRetries: 0 })
        yield* refused(() => once.getUsage(), ConnectionError, "timeout of")
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
  })
})
