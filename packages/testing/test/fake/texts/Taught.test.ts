import { Detection, Documents, Translation, Writing } from "@effect-lingua/core"
import { VirtualTime } from "@effect-lingua/testing"
import { FakeLanguageService, NodeFakeLanguageService, RemoteFakeLanguageService } from "@effect-lingua/testing/fake"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { send } from "../../support/client.ts"

const { layerServices } = FakeLanguageService

const translate = (text: string, targetLanguage: string, sourceLanguage?: string) =>
  Translation.use((translation) =>
    Effect.map(
      translation.translate(text, { targetLanguage, ...(sourceLanguage === undefined ? {} : { sourceLanguage }) }),
      ({ text }) => text
    )
  )

const improve = (text: string, targetLanguage: string) =>
  Writing.use((writing) =>
    Effect.all([
      Effect.map(writing.correct({ text: [text], targetLanguage }), ([improved]) => improved?.text),
      Effect.map(writing.rephrase({ text: [text], targetLanguage }), ([improved]) => improved?.text)
    ])
  )

const phrases = { de: "Guten Tag", "en-GB": "good day", en: "hello", sl: "Dober dan" }

const tables: FakeLanguageService.Taught = {
  translations: [
    { text: "bank", targetLanguage: "de", translation: "Bank" },
    { text: "bank", targetLanguage: "de", sourceLanguage: "fr", translation: "Sitzbank" },
    { text: "a\nb", targetLanguage: "pt-BR", translation: "c" }
  ],
  improvements: [
    { text: "teh", targetLanguage: "en-GB", improvement: "the (GB)" },
    { text: "teh", improvement: "the" }
  ],
  detections: [{ text: "Protonenstrahl", language: "de" }]
}

describe("Taught answers", () => {
  it.effect("replace translations of a text, by target and source", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* translate("bank", "de", "fr"), "Bank", "the first that fits")
      assert.strictEqual(yield* translate("a\nb", "pt-BR"), "c")
      assert.strictEqual(yield* translate("a\nb", "pt-PT"), "[pt-PT] a\nb", "a variant is not the root")
      assert.strictEqual(yield* translate("banks", "de"), "[de] banks")
      const fake = yield* FakeLanguageService
      yield* fake.teach({
        translations: [{ text: "bank", targetLanguage: "en", sourceLanguage: "fr", translation: "bench" }]
      })
      assert.strictEqual(yield* translate("bank", "en-GB", "fr"), "bench")
      assert.strictEqual(yield* translate("bank", "en-GB", "de"), "[en-GB] bank")
      assert.strictEqual(yield* translate("bank", "de"), "[de] bank", "they are replaced as a whole")
      yield* fake.reset
      assert.strictEqual(yield* translate("bank", "de"), "Bank", "a reset restores those of the options")
    }).pipe(Effect.provide(layerServices({ taught: tables }))))

  it.effect("replace improvements and detected languages", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* improve("teh", "en-GB"), ["the (GB)", "the (GB)"])
      assert.deepStrictEqual(yield* improve("teh", "en-US"), ["the", "the"])
      const detected = yield* Detection.use(({ detect }) => detect({ text: ["Protonenstrahl"] }))
      assert.deepStrictEqual(detected, [{ _tag: "Detected", language: "de" }])
    }).pipe(Effect.provide(layerServices({ taught: tables }))))

  it.effect("answer each line with the phrase of its language", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* translate("one\n\nbank\n", "de"), "Guten Tag\n\nBank\n")
      assert.strictEqual(yield* translate("one", "en-GB"), "good day")
      assert.strictEqual(yield* translate("one", "en-US"), "hello")
      assert.strictEqual(yield* translate("one", "fr"), "[fr] one", "without a phrase nothing changes")
      assert.deepStrictEqual(yield* improve("teh\n\nword", "en-US"), ["the\n\nhello", "the\n\nhello"])
      const detected = yield* Detection.use(({ detect }) => detect({ text: ["Dober dan, gospod", "good day"] }))
      assert.deepStrictEqual(detected, [{ _tag: "Detected", language: "sl" }, { _tag: "Detected", language: "en" }])
      const fake = yield* FakeLanguageService
      const glossaryId = yield* fake.addGlossary({
        sourceLanguage: "en",
        targetLanguage: "de",
        entries: new Map([["term", "Begriff"]])
      })
      const inGlossary = yield* Translation.use((translation) =>
        translation.translate("term\na term", { sourceLanguage: "en", targetLanguage: "de", glossaryId })
      )
      assert.strictEqual(inGlossary.text, "Begriff\nGuten Tag")
    }).pipe(Effect.provide(layerServices({ taught: { ...tables, phrases } }))))

  it.effect("are those of documents too", () =>
    Effect.gen(function*() {
      const { stream } = yield* VirtualTime.run(Documents.use((documents) =>
        documents.translate({
          fileName: "a.txt",
          content: new TextEncoder().encode("bank\n\nriver"),
          sourceLanguage: "en",
          targetLanguage: "de"
        })
      ))
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(stream)), "Bank\n\nGuten Tag")
    }).pipe(Effect.provide(layerServices({ taught: { ...tables, phrases } }))))

  it.effect("come from a function, before the tables", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* translate("one", "de", "en"), "one, en to de")
      assert.strictEqual(yield* translate("bank", "de"), "Bank")
      yield* (yield* FakeLanguageService).teach({})
      assert.strictEqual(yield* translate("one", "EN-gb", "de"), "one, de to en-GB")
      assert.strictEqual(yield* translate("bank", "de"), "[de] bank")
    }).pipe(Effect.provide(layerServices({
      taught: {
        ...tables,
        translate: (text, source, target) => text === "one" ? `${text}, ${source} to ${target}` : undefined
      }
    }))))

  it.effect("are taught and read over the control endpoint", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.teach({ ...tables, phrases })
      const body = JSON.stringify({ text: ["bank", "one"], target_lang: "de" })
      const { json } = yield* send("POST", "/v2/translate", { body })
      assert.deepStrictEqual(json.translations.map(({ text }: { readonly text: string }) => text), [
        "Bank",
        "Guten Tag"
      ])
      assert.deepStrictEqual((yield* send("GET", "/_fake/taught")).json, { ...tables, phrases })
      const wrong = yield* send("PUT", "/_fake/taught", { body: JSON.stringify({ phrase: { de: "a" } }) })
      assert.strictEqual(wrong.status, 400)
    }).pipe(
      Effect.provide(
        Layer.unwrap(Effect.map(FakeLanguageService, ({ url }) => RemoteFakeLanguageService.layer({ url })))
      ),
      Effect.provide([NodeFakeLanguageService.layer(), FetchHttpClient.layer])
    ))

  it.effect("are checked", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const detections = [{ text: "a", language: "de", source: "en" }]
      assert.isTrue(Exit.isFailure(yield* Effect.exit(fake.teach({ detections }))))
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
