import { Attempt, Documents, Ids, Languages, LanguageService, ResiliencePolicy, StyleRules } from "@effect-lingua/core"
import { Detection, Translation, Writing } from "@effect-lingua/core/texts"
import { Dialect, FakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sampled } from "../../../../test/support/scale.ts"
import { send } from "../support/client.ts"

const fake = FakeLanguageService

/** The services of the library, whose key may be wrong, against a fake that speaks a dialect. */
const services = (dialect: Dialect.Dialect, key = "fake-key") =>
  LanguageService.layer({
    key: Redacted.make(key),
    baseUrl: "https://fake.test",
    limits: { styleRuleLanguages: ["de", "en", "nl"] }
  }).pipe(Layer.provideMerge(FakeLanguageService.layer({ dialect })))

const one = { label: "a", prompt: "b" }

/** A use of each service, with what it gives. */
const useAll = Effect.gen(function*() {
  const rules = yield* StyleRules
  const { styleId } = yield* rules.create({ name: "House", language: "en" })
  const added = yield* rules.addInstruction({ styleId, ...one })
  yield* rules.replaceInstruction({ styleId, instructionId: added.instructionId, ...one, sourceLanguage: "en" })
  const { customInstructions, version } = yield* rules.get({ styleId })
  const [listed] = yield* rules.listPage({ detailed: true })
  const document = yield* (yield* fake).addDocument({ content: "{}", fileName: "a.json", readyAfter: 0 })
  const { stream } = yield* (yield* Documents).download(document)
  const [detected] = yield* (yield* Detection).detect({ text: ["Das ist ein Haus."] })
  const [improved] = yield* (yield* Writing).correct({ text: ["teh one"], targetLanguage: "en-GB" })
  const [translated] = yield* (yield* Translation).translate({ text: ["Hello"], targetLanguage: "de" })
  return [
    added.prompt,
    customInstructions?.length,
    version,
    listed?.name,
    yield* Stream.mkString(Stream.decodeText(stream)),
    detected?._tag,
    improved?.text,
    translated?.text,
    (yield* Stream.runCollect((yield* Languages).list({ resource: "write" }))).length,
    (yield* (yield* Languages).resources).length
  ]
})

/** The errors that a program can meet, in the words that the client has for them. */
const failAll = Effect.gen(function*() {
  const { documentId, documentKey } = yield* (yield* fake).addDocument({ content: "a", readyAfter: 0 })
  const documents = yield* Documents
  yield* Stream.runDrain((yield* documents.download({ documentId, documentKey })).stream)
  const writing = yield* Writing
  const errors = yield* Effect.all([
    Effect.flip(documents.download({ documentId, documentKey: Redacted.make("other") })),
    Effect.flip(writing.correct({ text: ["a"], targetLanguage: "xx" })),
    Effect.flip(Stream.runCollect((yield* Languages).list({ resource: "nothing" }))),
    VirtualTime.run(Effect.flip(
      Effect.andThen(
        Effect.flatMap(fake, ({ script }) => script({ fault: { status: 529 }, count: 99 })),
        writing.correct({ text: ["a"], targetLanguage: "en-GB" })
      )
    ))
  ])
  return errors.map(({ _tag }) => _tag)
})

/** What is said of a document whose translation failed to whoever asks for its bytes only. */
const said = (dialect: Dialect.Dialect) =>
  Effect.gen(function*() {
    const document = yield* (yield* fake).addDocument({ content: "a", fails: "File is damaged", readyAfter: 0 })
    const error = yield* (yield* Documents).download(document).pipe(
      ResiliencePolicy.within({ polling: false }),
      Effect.flip
    )
    assert.deepInclude(error, { _tag: "DocumentNotReady", status: 503 })
    assert.deepInclude(yield* VirtualTime.run(Effect.flip((yield* Documents).download(document))), {
      _tag: "DocumentFailed",
      description: "File is damaged"
    })
    return error.description
  }).pipe(Effect.provide(services(dialect)))

const resources = (headers = {}) => send("GET", "/v3/languages/resources", { headers })

/** The answer to an instruction that replaces another. */
const replace = (body: object) =>
  Effect.gen(function*() {
    const { customInstructions: [instruction] = [], styleId } = yield* (yield* StyleRules).create({
      name: "House",
      language: "de",
      customInstructions: [one]
    })
    return yield* send("PUT", `/v3/style_rules/${styleId}/custom_instructions/${instruction?.instructionId}`, {
      body: JSON.stringify(body)
    })
  })

/** How the client sees ids of no and of some form. */
const tags = (dialect: Dialect.Dialect) =>
  Effect.gen(function*() {
    const lists = yield* StyleRules
    const documents = yield* Documents
    const documentKey = Ids.DocumentKey.make(Redacted.make("0".repeat(64)))
    const ofList = (id: string) => Effect.flip(lists.get({ styleId: Ids.StyleId.make(id) }))
    const ofDocument = (id: string) =>
      Effect.flip(documents.status({ documentId: Ids.DocumentId.make(id), documentKey }))
    const errors = yield* Effect.all([
      ofList("nothing"),
      ofList("00000000-0000-4000-8000-000000000000"),
      ofDocument("nothing"),
      ofDocument("0".repeat(32))
    ])
    return errors.map(({ _tag }) => _tag)
  }).pipe(Effect.provide(services(dialect)))

describe("Dialect", () => {
  it("differs from the specification in one point each", () => {
    const points = Object.values(Dialect.choices).reduce((sum, { length }) => sum + length - 1, 0)
    assert.strictEqual(Dialect.all.length, points)
    assert.strictEqual(new Set(Dialect.all.map((dialect) => JSON.stringify(dialect))).size, points)
    assert.isTrue(Dialect.all.every((dialect) => Object.keys(dialect).length === 1))
  })

  it.effect("is understood by the client, whichever it is", () =>
    Effect.gen(function*() {
      const expected = yield* Effect.provide(useAll, services({}))
      assert.deepStrictEqual(expected, ["b", 1, 3, "House", "{}", "Detected", "The one.", "[de] Hello", 14, 7])
      for (const dialect of sampled(Dialect.all, 4)) {
        assert.deepStrictEqual(yield* Effect.provide(useAll, services(dialect)), expected, JSON.stringify(dialect))
      }
    }))

  it.effect("gives the client the same errors, whichever it is", () =>
    Effect.gen(function*() {
      for (const dialect of sampled(Dialect.all, 4)) {
        assert.deepStrictEqual(
          yield* Effect.provide(failAll, services(dialect)),
          ["DocumentNotFound", "BadRequest", "BadRequest", "Overloaded"],
          JSON.stringify(dialect)
        )
      }
    }))

  it.effect("can refuse a wrong key with 401, which the client takes as one of 403", () =>
    Effect.gen(function*() {
      for (const status of [403, 401] as const) {
        const dialect = { invalidKey: status }
        yield* Effect.gen(function*() {
          assert.deepInclude(yield* Effect.flip((yield* Languages).resources), { _tag: "InvalidKey", status })
          const missing = yield* send("GET", "/v3/languages/resources", { headers: { authorization: "" } })
          assert.deepStrictEqual([missing.status, missing.json], [status, { message: "Missing or invalid key" }])
        }).pipe(Effect.provide(services(dialect, "wrong-key")))
      }
    }))

  it.effect("can answer a second download with 503, which the client does not wait for", () =>
    Effect.gen(function*() {
      for (const status of [404, 503] as const) {
        yield* Effect.gen(function*() {
          const document = yield* (yield* fake).addDocument({ content: "a", readyAfter: 0 })
          const documents = yield* Documents
          yield* Stream.runDrain((yield* documents.download(document)).stream)
          const [error, attempts] = yield* Attempt.record(Effect.flip(documents.download(document)))
          assert.deepInclude(error, {
            _tag: "DocumentAlreadyDownloaded",
            status,
            description: "Document already downloaded"
          })
          assert.strictEqual(attempts.length, 1)
        }).pipe(Effect.provide(services({ secondDownload: status })))
      }
    }))

  it.effect("can refuse an id that is none with 400", () =>
    Effect.gen(function*() {
      for (const dialect of [{}, { malformedId: 404 }] as const) {
        assert.deepStrictEqual(yield* tags(dialect), ["NotFound", "NotFound", "DocumentNotFound", "DocumentNotFound"])
      }
      assert.deepStrictEqual(yield* tags({ malformedId: 400 }), [
        "BadRequest",
        "NotFound",
        "BadRequest",
        "DocumentNotFound"
      ])
    }))

  it.effect("can keep the reason of a failed document to itself, and the client asks until its deadline", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* said({}), "Document is not ready, its translation failed: File is damaged")
      assert.strictEqual(yield* said({ failedDocument: "notReady" }), "Document is not ready")
    }))

  it.effect("can have roots as targets", () =>
    Effect.gen(function*() {
      const targets = Effect.gen(function*() {
        const languages = yield* Languages
        const usable = yield* Effect.forEach(["translate_text", "write"], (resource) =>
          Effect.map(Stream.runCollect(languages.list({ resource })), (all) =>
            all.filter(({ code, usableAsTarget }) =>
              usableAsTarget && ["en", "pt"].includes(code)
            ).map(({ code }) =>
              code
            )))
        const translated = yield* Effect.result((yield* Translation).translate({ text: ["a"], targetLanguage: "en" }))
        const improved = yield* Effect.result((yield* Writing).correct({ text: ["teh colour"], targetLanguage: "EN" }))
        const deprecated = (yield* Stream.runCollect(languages.listV2({ type: "target" }))).some(({ code }) =>
          code === "EN"
        )
        return [usable, translated, improved, deprecated] as const
      })
      const [none, refused, refusedToo, hidden] = yield* Effect.provide(targets, services({}))
      assert.deepStrictEqual([none, hidden], [[[], []], false])
      assert.deepStrictEqual([refused._tag, refusedToo._tag], ["Failure", "Failure"])
      const [both, translated, improved, stillHidden] = yield* Effect.provide(targets, services({ rootTargets: true }))
      assert.deepStrictEqual([both, stillHidden], [[["en", "pt"], ["en", "pt"]], false])
      assert.strictEqual(translated._tag, "Success")
      if (improved._tag === "Failure") return assert.fail(improved.failure.message)
      assert.deepInclude(improved.success[0], { text: "The color.", targetLanguage: "en-US" })
    }))

  it.effect("can take an instruction in place of another without its source language", () =>
    Effect.gen(function*() {
      const replaced = { label: "c", prompt: "d" }
      const strict = yield* Effect.provide(replace(replaced), services({}))
      assert.deepStrictEqual([strict.status, strict.json.message], [400, "Missing parameter source_language."])
      const lenient = Effect.provide(services({ replacementNeedsSource: false }))
      const { json, status } = yield* lenient(replace(replaced))
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { ...replaced, source_language: "de" })
      const named = yield* lenient(replace({ ...replaced, source_language: "EN-us" }))
      assert.strictEqual(named.json.source_language, "en-US")
      assert.strictEqual((yield* lenient(replace({ label: "c" }))).json.message, "Missing parameter prompt.")
    }))

  it.effect("can answer an added instruction with the whole list", () =>
    Effect.gen(function*() {
      const add = Effect.gen(function*() {
        const { styleId } = yield* (yield* StyleRules).create({
          name: "House",
          language: "de",
          customInstructions: [one]
        })
        const path = `/v3/style_rules/${styleId}/custom_instructions`
        return yield* send("POST", path, { body: `{"label":"x","prompt":"y"}` })
      })
      const single = yield* Effect.provide(add, services({}))
      assert.deepInclude(single.json, { label: "x", prompt: "y" })
      const { json, status } = yield* Effect.provide(add, services({ addedInstruction: "list" }))
      assert.deepStrictEqual([status, json.name, json.version], [201, "House", 2])
      assert.deepInclude(json.custom_instructions.at(-1), { label: "x", prompt: "y" })
    }))

  it.effect("can detect the languages of texts that are translated with a glossary", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const service = yield* fake
      const glossaryId = yield* service.addGlossary({
        sourceLanguage: "de",
        targetLanguage: "en",
        entries: new Map([["Haus", "building"]])
      })
      const body = JSON.stringify({
        text: ["Das ist ein Haus.", "Haus of cards is a series"],
        target_lang: "en-US",
        glossary_id: glossaryId
      })
      const { json } = yield* send("POST", "/v2/translate", { body })
      assert.deepStrictEqual(json.translations.map(({ text }: { readonly text: string }) => text), [
        "[en-US] Das ist ein building.",
        "[en-US] Haus of cards is a series"
      ])
      const other = yield* service.addGlossary({ sourceLanguage: "de", targetLanguage: "fr" })
      const wrong = { target_lang: "en-US", text: ["Haus"], glossary_id: other }
      assert.strictEqual((yield* send("POST", "/v2/translate", { body: JSON.stringify(wrong) })).status, 400)
      const several = { sourceLanguage: "de", targetLanguage: "en-US", glossaryIds: [other, glossaryId] }
      assert.strictEqual((yield* translation.translate("Haus", several)).text, "[en-US] building")
    }).pipe(Effect.provide(services({ glossaryDetection: "detected", glossaryIdsMissingPair: "skipped" }))))

  it.effect("can convert text to HTML, and report 0 seconds of a document that is done", () =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const { documentId, documentKey } = yield* documents.upload({
        fileName: "a.txt",
        content: new TextEncoder().encode("Haus"),
        sourceLanguage: "de",
        targetLanguage: "en-US",
        outputFormat: "html"
      })
      const [{ fileName } = { fileName: "" }] = yield* (yield* fake).documents
      assert.strictEqual(fileName, "a.html")
      const body = JSON.stringify({ document_key: Redacted.value(documentKey) })
      const status = Effect.map(send("POST", `/v2/document/${documentId}`, { body }), ({ json }) => json)
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* status, { status: "translating", seconds_remaining: 1 })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* status, { status: "done", seconds_remaining: 0 })
    }).pipe(Effect.provide(services({ outputFormats: "texts", secondsRemaining: "untilDone" }))))

  it.effect("can have lists in any language", () =>
    Effect.gen(function*() {
      const create = Effect.flatMap(
        StyleRules,
        (rules) => Effect.result(rules.create({ name: "Huis", language: "nl" }))
      )
      assert.strictEqual((yield* Effect.provide(create, services({})))._tag, "Failure")
      const any = Effect.provide(services({ styleRuleLanguages: "any" }))
      assert.strictEqual((yield* any(create))._tag, "Success")
      const variant = yield* any(send("POST", "/v3/style_rules", { body: `{"name":"House","language":"en-gb"}` }))
      assert.strictEqual(variant.json.language, "en-GB")
    }))

  it.effect("can refuse a request without a user agent", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.provide(resources(), services({}))).status, 200)
      const strict = Effect.provide(services({ userAgent: "required" }))
      const { json, status } = yield* strict(resources())
      assert.deepStrictEqual([status, json], [400, { message: "Missing header User-Agent." }])
      assert.strictEqual((yield* strict(resources({ "user-agent": "app/1" }))).status, 200)
    }))

  it.effect("writes error bodies in the form it is told", () =>
    Effect.gen(function*() {
      const bodies: ReadonlyArray<readonly [NonNullable<Dialect.Dialect["errorBody"]>, string | undefined, string]> = [
        ["message", "application/json", `{"message":"Value for 'resource' not supported."}`],
        ["code", "application/json", `{"message":"Value for 'resource' not supported.","code":"bad_request"}`],
        ["capital", "application/json", `{"Message":"Value for 'resource' not supported."}`],
        ["nested", "application/json", `{"error":{"message":"Value for 'resource' not supported."}}`],
        ["text", "text/plain", `Value for 'resource' not supported.`],
        [
          "html",
          "text/html",
          "<html><head><title>400</title></head><body><h1>Value for 'resource' not supported.</h1></body></html>"
        ],
        ["empty", undefined, ""]
      ]
      assert.sameMembers(bodies.map(([form]) => form), [...Dialect.choices.errorBody])
      for (const [errorBody, contentType, body] of bodies) {
        yield* Effect.gen(function*() {
          const error = yield* Effect.flip(Stream.runCollect((yield* Languages).list({ resource: "nothing" })))
          assert.strictEqual(error._tag, "BadRequest", errorBody)
          if (errorBody !== "empty") assert.include(error.description, "Value for 'resource' not supported.")
          const { headers, text } = yield* send("GET", "/v3/languages?resource=nothing")
          assert.deepStrictEqual([text, headers["content-type"]?.split(";")[0]], [body, contentType])
        }).pipe(Effect.provide(services({ errorBody })))
      }
    }))

  it.effect("leaves the body of a fault and a translated file as they are", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const body = `{"message":"own"}`
      yield* service.script({ fault: { status: 400, body, headers: { "content-type": "application/json" } } })
      assert.strictEqual((yield* send("GET", "/v3/languages/resources")).text, body)
      const document = yield* service.addDocument({ content: `{"a":1}`, fileName: "a.json", readyAfter: 0 })
      const { stream } = yield* (yield* Documents).download(document)
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(stream)), `{"a":1}`)
    }).pipe(Effect.provide(services({ errorBody: "nested", unknownFields: true }))))

  it.effect("can have fields that no description names, but never in maps", () =>
    Effect.gen(function*() {
      const created = yield* send("POST", "/v3/style_rules", {
        body: JSON.stringify({ name: "House", language: "en", configured_rules: { a: { b: "c" } } })
      })
      assert.property(created.json, "a_field_of_tomorrow")
      assert.deepStrictEqual(created.json.configured_rules, { a: { b: "c" } })
      const [language] = (yield* send("GET", "/v3/languages?resource=write")).json
      assert.property(language, "a_field_of_tomorrow")
      assert.notProperty(language.features, "a_field_of_tomorrow")
      assert.strictEqual((yield* send("DELETE", `/v3/style_rules/${created.json.style_id}`)).status, 204)
    }).pipe(Effect.provide(services({ unknownFields: true }))))
})
