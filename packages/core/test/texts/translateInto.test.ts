import { Documents, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Stream } from "effect"
import { errorOverTime, Sample, Wire } from "../support/index.ts"

/** Translates by putting the target before the text; some targets get another reply. */
const service = (others: Readonly<Record<string, Wire.Reply>> = {}): Wire.Reply => (request, sent) => {
  const { target_lang, text }: { readonly target_lang: string; readonly text: ReadonlyArray<string> } = JSON.parse(
    sent.body
  )
  const translations = text.map((item) => ({ text: `${target_lang}:${item}`, detected_source_language: "EN" }))
  return (others[target_lang] ?? Wire.answer(200, { translations }))(request, sent)
}

const into = <const Language extends string>(options: Translation.TranslateIntoOptions<Language>) =>
  Translation.use(({ translateInto }) => translateInto({ ...options, onError: "fail" }))

const tagsSent = Effect.map(Wire.sent, (sent) => sent.map(({ headers }) => headers["x-service-reporting-tag"]))

const translate = Translation.use(({ translate }) => translate({ text: ["a"], targetLanguage: "de" }))

describe("translateInto", () => {
  it.effect("gives the translations by target, each from a request of its own", () =>
    Effect.gen(function*() {
      const { de, fr } = yield* into({ text: ["a", "b"], targetLanguages: ["de", "fr"], formality: "more" })
      assert.deepStrictEqual([de, fr].map((translations) => translations.map(({ text }) => text)), [
        ["de:a", "de:b"],
        ["fr:a", "fr:b"]
      ])
      assert.deepStrictEqual((yield* Wire.sent).map(({ body }) => body), [
        `{"text":["a","b"],"target_lang":"de","formality":"more"}`,
        `{"text":["a","b"],"target_lang":"fr","formality":"more"}`
      ])
    }).pipe(Effect.provide(Wire.layer(service()))))

  it.effect("no targets and no texts make no request", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* into({ text: ["a"], targetLanguages: [] }), {})
      assert.deepStrictEqual(yield* into({ text: [], targetLanguages: ["de", "fr"] }), { de: [], fr: [] })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("fails with the first failure, which says what its target was", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(into({ text: ["a"], targetLanguages: ["de", "xx", "fr"] }))
      assert.deepInclude<object>(error, {
        _tag: "BadRequest",
        operation: "Translation.translate",
        targetLanguage: "xx",
        // Those of the target before it, whose result is lost.
        possiblyCountedCharacters: 1
      })
      assert.include(error.message, "The target was xx.")
    }).pipe(Effect.provide(Wire.layer(service({ xx: Wire.answer(400) })))))

  it.effect("counts every request of the other targets that was counted or is in flight", () => {
    const lost = [Wire.broken("ECONNRESET")]
    const repeated: Wire.Reply = (request, sent) =>
      (lost.shift() ?? Wire.answer(200, { translations: [{ text: "A" }] }))(request, sent)
    const others = { de: repeated, fr: Wire.silent, xx: Wire.late("5 seconds", Wire.answer(400)) }
    return Effect.gen(function*() {
      const error = yield* errorOverTime(into({ text: ["a"], targetLanguages: ["de", "fr", "xx", "it"] }))
      assert.deepInclude<object>(error, { _tag: "BadRequest", targetLanguage: "xx", possiblyCountedCharacters: 4 })
      assert.strictEqual(yield* Wire.count, 5)
    }).pipe(Effect.provide(Wire.layer(service(others))))
  })

  it.effect("one target that fails does not lose the others where results are asked for", () =>
    Effect.gen(function*() {
      const results = yield* Translation.use(({ translateInto }) =>
        translateInto({ text: ["a"], targetLanguages: ["de", "xx", "fr"], onError: "result" })
      )
      assert.deepStrictEqual(
        Object.entries(results).map(([target, result]) => [
          target,
          Result.match(result, { onFailure: ({ _tag }) => _tag, onSuccess: ([first]) => first?.text })
        ]),
        [["de", "de:a"], ["xx", "BadRequest"], ["fr", "fr:a"]]
      )
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer(service({ xx: Wire.answer(400) })))))

  it.effect("all that can be checked is checked before the first request", () =>
    Effect.gen(function*() {
      const long = "x".repeat(60_000)
      const errors = yield* Effect.forEach(
        [
          { text: ["a"], targetLanguages: ["fr", "de", "DE"] },
          { text: ["a"], targetLanguages: ["de", "\ud800"] },
          { text: ["a"], targetLanguages: JSON.parse("\"de\"") },
          { text: ["a\udfff"], targetLanguages: ["de"] },
          { text: [long, long, long], targetLanguages: ["de"] },
          { text: ["a"], targetLanguages: ["de"], reportingTag: "two words" }
        ],
        (options) => Effect.flip(into<string>(options))
      )
      assert.deepStrictEqual(
        errors.map((error) => [error._tag, "parameter" in error && error.parameter]),
        [
          ["InvalidInput", "targetLanguages[2]"],
          ["InvalidInput", "targetLanguages[1]"],
          ["InvalidInput", "targetLanguages"],
          ["InvalidInput", "text[0]"],
          ["LimitExceeded", "request body"],
          ["InvalidInput", "reportingTag"]
        ]
      )
      assert.deepStrictEqual(new Set(errors.map(({ operation }) => operation)), new Set(["Translation.translateInto"]))
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("no more than eight requests go at a time", () =>
    Effect.gen(function*() {
      const targets = Array.from({ length: 12 }, (_, index) => `a${String.fromCharCode(97 + index)}`)
      const fiber = yield* Effect.forkChild(into<string>({ text: ["a"], targetLanguages: targets }))
      yield* Effect.yieldNow
      assert.strictEqual(yield* Wire.count, 8)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, { resilience: { concurrency: Number.POSITIVE_INFINITY } }))))

  it.effect("nor more than the policy of the client has", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(into({ text: ["a"], targetLanguages: ["de", "fr", "it"] }))
      yield* Effect.yieldNow
      assert.strictEqual(yield* Wire.count, 2)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, { resilience: { concurrency: 2 } }))))
})

describe("reporting tags", () => {
  it.effect("go with the calls of a region, and a call can have its own", () =>
    Effect.gen(function*() {
      yield* translate
      yield* Effect.provideService(translate, Translation.ReportingTag, "region")
      yield* Effect.provideService(
        Translation.use(({ translate }) => translate({ text: ["a"], targetLanguage: "de", reportingTag: "Call" })),
        Translation.ReportingTag,
        "region"
      )
      assert.deepStrictEqual(yield* tagsSent, [undefined, "region", "Call"])
      assert.deepStrictEqual(new Set((yield* Wire.sent).map(({ body }) => body)).size, 1)
    }).pipe(Effect.provide(Wire.layer(service()))))

  it.effect("go with every request of a run, and of several targets", () =>
    Effect.gen(function*() {
      const { translateAll, translateInto } = yield* Translation
      yield* Stream.runDrain(translateAll(["a", "b", "c"], { targetLanguage: "de", reportingTag: "run" }))
      yield* translateInto({ text: ["a"], targetLanguages: ["de", "fr"], reportingTag: "targets" })
      assert.deepStrictEqual(yield* tagsSent, ["run", "run", "targets", "targets"])
    }).pipe(Effect.provide(Wire.layer(service(), { limits: { translationTexts: 2 } }))))

  it.effect("go before a configured header, in a header with the vendor of the scheme word", () =>
    Effect.gen(function*() {
      yield* Effect.provideService(translate, Translation.ReportingTag, "region")
      const [sent] = yield* Wire.sent
      assert.strictEqual(sent?.headers["x-vendor-reporting-tag"], "region")
    }).pipe(
      Effect.provide(
        Wire.layer(service(), { authScheme: "Vendor-Auth-Key", headers: { "X-Vendor-Reporting-Tag": "configured" } })
      )
    ))

  it.effect.each<readonly [what: string, call: Sample.Operation["call"]]>([
    ["a correction", Writing.use((writing) => writing.correct("a"))],
    ["corrections", Writing.use((writing) => writing.correct({ text: ["a"] }))],
    ["a run of rephrasings", Writing.use((writing) => Stream.runDrain(writing.rephraseAll(["a"])))],
    ["an upload", Documents.use((documents) => documents.upload(Sample.upload))]
  ])("are refused where they would be lost, and can be taken away there: %s", ([, call]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.provideService(call, Translation.ReportingTag, "region"))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "ReportingTag" })
      assert.include(error.message, "provide undefined around this call")
      assert.strictEqual(yield* Wire.count, 0)
      const untagged = Effect.provideService(call, Translation.ReportingTag, undefined)
      assert.notStrictEqual(
        (yield* Effect.flip(Effect.provideService(untagged, Translation.ReportingTag, "region")))._tag,
        "InvalidInput"
      )
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400)))))

  it.effect.each(["", " ", "two words", "a\nb", "é", "x".repeat(101)])(
    "%j is refused before anything is sent",
    (tag) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.provideService(translate, Translation.ReportingTag, tag))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "reportingTag" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )
})
