import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { client, send } from "../../support/client.ts"

const list = Effect.fnUntraced(function*(resource: string, ...include: ReadonlyArray<string>) {
  const languages = yield* (yield* client).Languages.list({
    query: { resource, ...(include.length === 0 ? undefined : { include }) }
  })
  return new Map(languages.map((language) => [language.code, language]))
})

const post = (path: string, body?: string, contentType?: string) =>
  Effect.map(
    send("POST", path, { ...(body === undefined ? undefined : { body }), ...(contentType && { contentType }) }),
    ({ json, status }) => [status, json]
  )

describe("Languages", () => {
  it.effect("are listed for each resource", () =>
    Effect.gen(function*() {
      const resources = [
        "translate_text",
        "translate_document",
        "glossary",
        "voice",
        "write",
        "style_rules",
        "translation_memory"
      ]
      const sizes = yield* Effect.forEach(resources, (resource) => Effect.map(list(resource), ({ size }) => size))
      assert.deepStrictEqual(sizes, [121, 120, 32, 44, 14, 8, 12])
      assert.strictEqual((yield* Effect.flip(list("unknown")))._tag, "BadRequest")
      assert.strictEqual((yield* send("GET", "/v3/languages")).status, 400)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("have roots as sources and variants as targets", () =>
    Effect.gen(function*() {
      const text = yield* list("translate_text")
      const sides = (code: string) => [text.get(code)?.usableAsSource, text.get(code)?.usableAsTarget]
      assert.deepStrictEqual(["en", "pt", "en-US", "pt-BR", "zh-Hant", "de", "zh"].map(sides), [
        [true, false],
        [true, false],
        [false, true],
        [false, true],
        [false, true],
        [true, true],
        [true, true]
      ])
      assert.deepStrictEqual(text.get("pt-BR"), {
        code: "pt-BR",
        name: "Portuguese (Brazilian)",
        usableAsSource: false,
        usableAsTarget: true,
        status: "stable",
        features: {
          tag_handling: { status: "stable" },
          formality: { status: "stable" },
          glossary: { status: "stable" }
        }
      })
      const write = yield* list("write")
      assert.deepStrictEqual(
        Array.from(write.values()).filter(({ usableAsTarget }) => usableAsTarget).map(({ code }) => code),
        ["de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "pt-BR", "pt-PT", "zh", "zh-Hans"]
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("are stable unless more is asked for", () =>
    Effect.gen(function*() {
      const stable = yield* list("translate_text")
      assert.isTrue(Array.from(stable.values()).every(({ status }) => status === "stable"))
      const beta = yield* list("translate_text", "beta")
      assert.strictEqual(beta.size, stable.size + 3)
      assert.strictEqual(beta.get("fo")?.status, "beta")
      assert.strictEqual(beta.get("nl")?.features?.["style_rules"]?.status, "beta")
      assert.isUndefined(stable.get("nl")?.features?.["style_rules"])
      assert.isUndefined((yield* list("voice")).get("da")?.features?.["translated_speech"])
      const external = yield* list("voice", "external", "beta")
      assert.deepStrictEqual(external.get("da")?.features?.["translated_speech"], { status: "stable", external: true })
      assert.strictEqual(external.get("de")?.features?.["spoken_terms"]?.status, "beta")
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("tell which side has to support a feature", () =>
    Effect.gen(function*() {
      const resources = new Map(
        (yield* (yield* client).Languages.resources()).map(({ features, name }) => [name, features])
      )
      assert.strictEqual(resources.size, 7)
      assert.deepStrictEqual(resources.get("translate_text")?.find(({ name }) => name === "glossary"), {
        name: "glossary",
        needsSourceSupport: true,
        needsTargetSupport: true
      })
      assert.includeMembers(resources.get("translate_document")?.map(({ name }) => name) ?? [], ["tag_handling"])
      assert.property((yield* list("translate_document")).get("de")?.features, "tag_handling")
      assert.deepStrictEqual(resources.get("write")?.map(({ name }) => name), [
        "auto_detection",
        "tone",
        "writing_style"
      ])
      assert.deepStrictEqual(resources.get("glossary"), [])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("take POST for the deprecated list, with the type in a form, in JSON or in the query", () =>
    Effect.gen(function*() {
      const form = "application/x-www-form-urlencoded"
      const targets = (yield* send("GET", "/v2/languages?type=target")).json
      const sources = (yield* send("GET", "/v2/languages")).json
      assert.deepStrictEqual(yield* post("/v2/languages", "type=target", form), [200, targets])
      assert.deepStrictEqual(yield* post("/v2/languages", `{"type":"target"}`), [200, targets])
      assert.deepStrictEqual(yield* post("/v2/languages?type=target"), [200, targets])
      assert.deepStrictEqual(yield* post("/v2/languages?type=target", "type=source", form), [200, sources])
      for (const body of ["", "{}", "other=1"]) {
        assert.deepStrictEqual(yield* post("/v2/languages", body, form), [200, sources])
      }
      const ofGet = yield* send("GET", "/v2/languages", { body: "type=target", contentType: form })
      assert.deepStrictEqual([ofGet.status, ofGet.json], [200, targets])
      assert.strictEqual((yield* post("/v2/languages", `{"type":["both"]}`))[0], 400)
      assert.strictEqual((yield* post("/v2/languages", `{"type":"\\ud800"}`))[0], 400)
      assert.strictEqual((yield* post("/v2/languages", "type=both", form))[0], 400)
      const [first] = (yield* (yield* FakeLanguageService).requests).slice(2)
      assert.deepInclude(first, { method: "POST", url: "/v2/languages", operation: "Languages.listV2", status: 200 })
      const keyless = yield* send("POST", "/v2/languages", { headers: { authorization: "" } })
      assert.strictEqual(keyless.status, 403)
      assert.strictEqual((yield* send("PUT", "/v2/languages")).status, 404)
      assert.strictEqual((yield* send("POST", "/v3/languages?resource=write")).status, 404)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("do not name a side that a feature does not need", () =>
    Effect.gen(function*() {
      const [text] = (yield* send("GET", "/v3/languages/resources")).json
      assert.deepStrictEqual(text.features.slice(0, 3), [
        { name: "auto_detection", needs_source_support: true },
        { name: "formality", needs_target_support: true },
        { name: "glossary", needs_source_support: true, needs_target_support: true }
      ])
      const [read] = yield* (yield* client).Languages.resources()
      assert.deepStrictEqual(read?.features?.[1], {
        name: "formality",
        needsSourceSupport: false,
        needsTargetSupport: true
      })
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
