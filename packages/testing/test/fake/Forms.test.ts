import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { scaled } from "../../../../test/support/scale.ts"
import { send } from "../support/client.ts"

const fake = FakeLanguageService.FakeLanguageService

const contentType = "application/x-www-form-urlencoded"

type Fields = ReadonlyArray<readonly [name: string, value: string]>

const form = (path: string, fields: Fields) =>
  send("POST", path, {
    contentType,
    body: new URLSearchParams(fields.map(([name, value]) => [name, value])).toString()
  })

const json = (path: string, body: object) => send("POST", path, { body: JSON.stringify(body) })

const texts = (all: ReadonlyArray<string>): Fields => all.map((text) => ["text", text])

const target: Fields = [["target_lang", "de"]]

const WellFormed = Schema.String.check(Schema.makeFilter((text: string) => text.isWellFormed()))

const show = (value: string) =>
  form("/v2/translate", [...texts(["Hello"]), ...target, ["show_billed_characters", value]])

describe("Forms", () => {
  it.effect("give the same translations as JSON, with one text and with several", () =>
    Effect.gen(function*() {
      for (const text of [["Größe 👋 & more=less"], ["日本語", "a+b %20 c", ""]]) {
        const asForm = yield* form("/v2/translate", [...texts(text), ...target])
        const asJson = yield* json("/v2/translate", { text, target_lang: "de" })
        assert.deepStrictEqual([asForm.status, asForm.json], [200, asJson.json])
        assert.deepStrictEqual(
          asForm.json.translations.map((translated: { readonly text: string }) => translated.text),
          text.map((given) => given === "" ? "" : `[de] ${given}`)
        )
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("take every field of a translation", () =>
    Effect.gen(function*() {
      const { addGlossary } = yield* fake
      const [one, two] = [
        yield* addGlossary({ sourceLanguage: "en", targetLanguage: "de" }),
        yield* addGlossary({ sourceLanguage: "en", targetLanguage: "de" })
      ]
      const fields: Fields = [
        ...texts(["<b>Hi</b>"]),
        ...target,
        ["source_lang", "EN"],
        ["context", "A letter."],
        ["show_billed_characters", "1"],
        ["split_sentences", "nonewlines"],
        ["preserve_formatting", "0"],
        ["formality", "more"],
        ["model_type", "quality_optimized"],
        ["translation_memory_threshold", "80"],
        ["custom_instructions", "Be short, and clear."],
        ["custom_instructions", "Use du."],
        ["tag_handling", "xml"],
        ["tag_handling_version", "v1"],
        ["outline_detection", "0"],
        ["splitting_tags", "par,note"],
        ["non_splitting_tags", "b"],
        ["ignore_tags", "x,y,z"],
        ["enable_beta_languages", "1"]
      ]
      const glossaries: ReadonlyArray<Fields> = [
        [["glossary_ids", `${one},${two}`]],
        [["glossary_ids", one], ["glossary_ids", two]],
        [["glossary_id", one]]
      ]
      for (const ids of glossaries) {
        const { json, status } = yield* form("/v2/translate", [...fields, ...ids])
        assert.deepStrictEqual([status, json], [200, {
          translations: [{
            text: "[de] <b>Hi</b>",
            detected_source_language: "EN",
            billed_characters: 2,
            model_type_used: "quality_optimized",
            tag_handling_version: "v1"
          }]
        }])
      }
      const unknown = yield* form("/v2/translate", [...fields, ["glossary_ids", `${one},${GlossaryId.make("none")}`]])
      assert.deepStrictEqual([unknown.status, unknown.json.message], [404, "Glossary not found"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("write booleans as 1 and 0, and nothing else", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* show("1")).json.translations[0].billed_characters, 5)
      assert.notProperty((yield* show("0")).json.translations[0], "billed_characters")
      for (const value of ["true", "", "2"]) {
        const { json, status } = yield* show(value)
        assert.strictEqual(status, 400)
        assert.match(json.message, /'show_billed_characters' not supported/)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("meet the same refusals as JSON", () =>
    Effect.gen(function*() {
      const refused = (fields: Fields) =>
        Effect.map(form("/v2/translate", fields), ({ json, status }) => [status, json.message])
      assert.deepStrictEqual(yield* refused(target), [400, "Missing parameter text."])
      assert.deepStrictEqual(yield* refused(texts(["a"])), [400, "Missing parameter target_lang."])
      assert.deepStrictEqual(
        yield* refused([...texts(["a"]), ...target, ["translation_memory_threshold", "101"]]),
        [400, "Value for 'translation_memory_threshold' not supported."]
      )
      assert.strictEqual((yield* refused([...texts(["a"]), ...target, ["translation_memory_threshold", "x"]]))[0], 400)
      assert.deepStrictEqual(
        yield* refused([...texts(["x".repeat(131_073)]), ...target]),
        [413, "The body is larger than 131072 bytes"]
      )
      assert.strictEqual(
        (yield* form("/v2/write/rephrase", [
          ...texts(["a"]),
          ["target_lang", "en-GB"],
          ["tone", "friendly"],
          ["writing_style", "business"]
        ])).status,
        400
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("are taken by improvement, detection and download, with one text and in any script", () =>
    Effect.gen(function*() {
      const paths: ReadonlyArray<readonly [path: string, target: string]> = [
        ["/v2/write/rephrase", "ja"],
        ["/v2/write/correct", "ja"],
        ["/v3/detect/language", ""]
      ]
      for (const [path, language] of paths) {
        for (
          const text of [["これは日本語です 👋"], [
            "これは日本語です",
            "昨日は天気が良かったので、長い散歩をしました。"
          ]]
        ) {
          const asForm = yield* form(path, [
            ...texts(text),
            ...(language === "" ? [] : [["target_lang", language] as const])
          ])
          const asJson = yield* json(path, { text, ...(language === "" ? undefined : { target_lang: language }) })
          assert.deepStrictEqual([asForm.status, asForm.json], [200, asJson.json])
        }
      }
      const { documentId, documentKey } = yield* (yield* fake).addDocument({ content: `"Grüße 👋"`, readyAfter: 0 })
      const path = `/v2/document/${documentId}/result`
      const wrong = yield* form(path, [["document_key", "schlüssel 👋"]])
      assert.deepStrictEqual([wrong.status, wrong.json.message], [404, "Document not found"])
      assert.strictEqual((yield* form(path, [])).json.message, "Missing parameter document_key.")
      assert.strictEqual((yield* form(path, [["document_key", Redacted.value(documentKey)]])).text, `"Grüße 👋"`)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect.prop(
    "carry any text as JSON does",
    [Schema.NonEmptyArray(WellFormed)],
    ([text]) =>
      Effect.gen(function*() {
        const asForm = yield* form("/v2/translate", [...texts(text), ...target, ["show_billed_characters", "1"]])
        const asJson = yield* json("/v2/translate", { text, target_lang: "de", show_billed_characters: true })
        assert.deepStrictEqual([asForm.status, asForm.json], [asJson.status, asJson.json])
      }).pipe(Effect.provide(FakeLanguageService.layer())),
    { arbitrary: { runs: scaled(20, 100) } }
  )

  it.live("come over a socket too", () =>
    Effect.gen(function*() {
      const { requests } = yield* fake
      const translated = yield* form("/v2/translate", [...texts(["Größe 👋 & mehr", "日本語"]), ["target_lang", "fr"]])
      assert.deepStrictEqual(translated.json, {
        translations: [
          { text: "[fr] Größe 👋 & mehr", detected_source_language: "DE" },
          { text: "[fr] 日本語", detected_source_language: "JA" }
        ]
      })
      const targets = yield* form("/v2/languages", [["type", "target"]])
      assert.deepStrictEqual(targets.json, (yield* json("/v2/languages", { type: "target" })).json)
      assert.property(targets.json[0], "supports_formality")
      assert.deepStrictEqual((yield* requests()).map(({ operation }) => operation), [
        "Translation.translate",
        "Languages.listV2",
        "Languages.listV2"
      ])
    }).pipe(Effect.provide([NodeFakeLanguageService.layer(), FetchHttpClient.layer])))
})
