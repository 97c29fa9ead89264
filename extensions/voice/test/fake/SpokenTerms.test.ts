import * as LanguageService from "@effect-lingua/core/LanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { SpokenTerms, Voice } from "@effect-lingua/voice"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { SpokenTermsId } from "@effect-lingua/voice/SpokenTermsApi"
import { generators } from "@effect-lingua/voice/VoiceGenerators"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { send, tagOf } from "../../../../packages/testing/test/support/client.ts"
import { holds } from "../../../../packages/testing/test/support/properties.ts"
import { scaled } from "../../../../test/support/scale.ts"
import { effectWith } from "../../../../test/support/tests.ts"

const { layerServices } = FakeVoice

const english = { language: "en", terms: ["Plimsoll line", "fairlead", "Knut Hansen"] }
const path = "/v3/spoken-terms"
const unknown = SpokenTermsId.make("00000000-0000-4000-8000-000000000000")

/** What the fake holds. */
const held = Effect.map(FakeLanguageService.use((fake) => fake.state), (state) => FakeVoice.stateOf(state).spokenTerms)

const create = SpokenTerms.use((service) => service.create({ name: "Harbour words", termLists: [english] }))

/** Ten letters, then one that differs for each of them. */
const words = (count: number, first: string) =>
  Array.from({ length: count }, (_, index) => `${first.repeat(9)}${String.fromCharCode(97 + index)}`)

/** The services for a key, over the fake of the context. */
const servicesOf = (key: string) =>
  Layer.merge(SpokenTerms.layer, Voice.layer).pipe(
    Layer.provide(LanguageService.layer({ key: Redacted.make(key), baseUrl: "https://fake.test" })),
    Layer.build,
    Effect.map((services) => ({ spokenTerms: Context.get(services, SpokenTerms), voice: Context.get(services, Voice) }))
  )

const put = (id: string, body: object) => send("PUT", `${path}/${id}/term-lists`, { body: JSON.stringify(body) })

const notSupported = (name: string) => [400, `Value for '${name}' not supported.`]

const form = (fields: Readonly<Record<string, string>>) => ({
  body: new URLSearchParams(fields).toString(),
  contentType: "application/x-www-form-urlencoded"
})

const test = effectWith(layerServices())

describe("SpokenTerms", () => {
  it.effect("are unknown to another account, also to its sessions", () =>
    Effect.gen(function*() {
      const ours = yield* servicesOf("ours")
      const theirs = yield* servicesOf("theirs")
      const { spokenTermsId } = yield* ours.spokenTerms.create({ name: "Ours", termLists: [] })
      const list = { spokenTermsId, language: "en" }
      assert.deepStrictEqual(yield* Stream.runCollect(theirs.spokenTerms.list), [])
      const { get, merge, remove, removeList, replaceList, terms } = theirs.spokenTerms
      assert.deepStrictEqual(
        yield* Effect.all([
          tagOf(get(list)),
          tagOf(merge({ spokenTermsId, name: "Theirs" })),
          tagOf(remove({ spokenTermsId })),
          tagOf(terms(list)),
          tagOf(replaceList({ ...list, terms: ["a"] })),
          tagOf(removeList(list))
        ]),
        Array.from({ length: 6 }, () => "NotFound")
      )
      const session = { sourceMediaContentType: "audio/webm", spokenTermsId }
      const refused = yield* Effect.flip(theirs.voice.requestSession(session))
      assert.deepInclude<object>(refused, { _tag: "BadRequest", description: "Spoken terms not found" })
      yield* ours.voice.requestSession(session)
      assert.strictEqual((yield* ours.spokenTerms.get({ spokenTermsId })).name, "Ours")
    }).pipe(Effect.provide(FakeLanguageService.layer({
      resources: FakeVoice.resources,
      keys: [{ key: "ours", tier: "paid", account: "us" }, { key: "theirs", tier: "paid", account: "them" }]
    }))))

  test("have at most 300 characters in a language, also after a merge", function*() {
    const service = yield* SpokenTerms
    const { spokenTermsId } = yield* service.create({
      name: "a",
      termLists: [{ language: "en", terms: words(14, "a") }]
    })
    const merge = (terms: ReadonlyArray<string>) =>
      service.merge({ spokenTermsId, termLists: [{ language: "en", terms }] })
    const error = yield* Effect.flip(merge(words(14, "b")))
    assert.deepInclude<object>(error, { _tag: "BadRequest", status: 400 })
    assert.include(error.message, "a list has at most 300 characters")
    assert.deepStrictEqual(yield* service.terms({ spokenTermsId, language: "en" }), words(14, "a"))
    yield* merge(words(13, "b"))
    // Those that are there already take no more room.
    yield* merge([...words(13, "b"), ...words(13, "a")])
    assert.strictEqual((yield* put(spokenTermsId, { lang: "en", entries: "👋".repeat(300) })).status, 200)
    assert.strictEqual((yield* put(spokenTermsId, { lang: "en", entries: "👋".repeat(301) })).status, 400)
  })

  test("are refused with what is wrong of them, and stay as they are", function*() {
    const { spokenTermsId } = yield* create
    const before = yield* held
    const reasons: Array<unknown> = []
    for (const entries of ["", "a\n", "a\n a", "a\u0007", "a\r\nb", "b\na\nb"]) {
      const { json, status } = yield* put(spokenTermsId, { lang: "en", entries })
      reasons.push([status, json.message.replace(/^Bad request. Reason: a term /, "")])
    }
    assert.deepStrictEqual(reasons, [
      [400, "is empty."],
      [400, "is empty."],
      [400, "has leading or trailing white space."],
      [400, "contains a control character."],
      [400, "contains a control character."],
      [400, "is a duplicate."]
    ])
    for (const lang of ["", "xx", "en-US", "pt-BR"]) {
      const { json, status } = yield* put(spokenTermsId, { lang, entries: "a" })
      assert.deepStrictEqual([status, json.message], notSupported("lang"))
    }
    for (const name of ["", "é".repeat(513)]) {
      const { json, status } = yield* send("POST", path, { body: JSON.stringify({ name, term_lists: [] }) })
      assert.deepStrictEqual([status, json.message], notSupported("name"))
    }
    assert.deepStrictEqual(yield* held, before)
    assert.strictEqual((yield* put(unknown, { lang: "en", entries: "a" })).status, 404)
  })

  test("come as forms too, and with no lists", function*() {
    const made = yield* send(
      "POST",
      path,
      form({
        name: "Harbour words",
        "term_lists[0].lang": "EN",
        "term_lists[0].entries": "fairlead\nbollard",
        "term_lists[1].lang": "de",
        "term_lists[1].entries": "Klampe"
      })
    )
    assert.deepStrictEqual([made.status, made.json.term_lists], [201, [
      { lang: "en", entry_count: 2 },
      { lang: "de", entry_count: 1 }
    ]])
    const spokenTermsId = SpokenTermsId.make(made.json.spoken_terms_id)
    const patched = yield* send(
      "PATCH",
      `${path}/${spokenTermsId}`,
      form({ "term_lists[0].lang": "en", "term_lists[0].entries": "cleat" })
    )
    assert.deepStrictEqual([patched.status, patched.json.name], [200, "Harbour words"])
    const replaced = yield* send(
      "PUT",
      `${path}/${spokenTermsId}/term-lists`,
      form({ lang: "de", entries: "Poller" })
    )
    assert.deepStrictEqual([replaced.status, replaced.json], [200, { lang: "de", entry_count: 1 }])
    const service = yield* SpokenTerms
    const { terms } = service
    assert.deepStrictEqual(yield* terms({ spokenTermsId, language: "en" }), ["fairlead", "bollard", "cleat"])
    assert.deepStrictEqual(yield* terms({ spokenTermsId, language: "de" }), ["Poller"])
    const { json, status } = yield* send("POST", path, form({ name: "Empty" }))
    assert.deepStrictEqual([status, json.term_lists], [201, []])
    assert.strictEqual((yield* send("POST", path, form({ "term_lists[0].lang": "en" }))).status, 400)
    const xml = yield* send("POST", path, { body: "<a/>", contentType: "text/xml" })
    assert.strictEqual(xml.status, 415)
  })

  test("are refused with 456 when an account has as many as its plan allows", function*() {
    const service = yield* SpokenTerms
    const { spokenTermsId } = yield* create
    yield* Effect.repeat(create, { times: 98 })
    const error = yield* Effect.flip(create)
    assert.deepInclude<object>(error, { _tag: "QuotaExceeded", description: "Spoken Terms quota exhausted" })
    yield* service.remove({ spokenTermsId })
    yield* create
  })

  it.effect("are read as they were created", () =>
    holds(
      generators.request("SpokenTerms.create"),
      Effect.fnUntraced(function*(request) {
        const service = yield* SpokenTerms
        const { name, spokenTermsId, termLists = [] } = yield* service.create(request)
        const read = yield* Effect.forEach(termLists, ({ language }) =>
          Effect.map(service.terms({ spokenTermsId, language }), (terms) => ({ language, terms })))
        assert.deepStrictEqual(
          { name, termLists: read },
          {
            ...request,
            termLists: request.termLists.map(({ language, terms }) => ({
              language: language.toLowerCase(),
              terms: [...terms]
            }))
          }
        )
        yield* service.remove({ spokenTermsId })
      }),
      { runs: scaled(20, 200) }
    ).pipe(Effect.provide(layerServices())))
})
