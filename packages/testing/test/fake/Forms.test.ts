import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { scaled } from "../../../../test/support/scale.ts"
import { send } from "../support/client.ts"

const fake = FakeLanguageService

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
})
