import {
  Documents,
  Ids,
  Languages,
  ResiliencePolicy,
  StyleRules,
  Tenant,
  Translation,
  Writing
} from "@effect-lingua/core"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"

const { layerServices } = FakeLanguageService

const asked = Effect.map(
  FakeLanguageService.use((fake) => fake.requestsOf("Languages.list")),
  (requests) => requests.length
)

/** The next list that the service gives. */
const listOf = (...codes: ReadonlyArray<string>): Fault.Fault => ({
  status: 200,
  body: JSON.stringify(codes.map((lang) => ({
    lang,
    name: lang,
    usable_as_source: true,
    usable_as_target: true,
    status: "stable",
    features: {}
  }))),
  headers: { "content-type": "application/json" }
})

const next = (...faults: ReadonlyArray<Fault.Fault>) =>
  FakeLanguageService.use((fake) =>
    fake.script(faults.map((fault) => ({ operation: "Languages.list" as const, fault })))
  )

const targets = Languages.use((languages) => languages.targets({ resource: "translate_text" }))
const codes = Effect.map(targets, (languages) => languages.map(({ code }) => code))

const translate = (options: Partial<Translation.TranslateOptions> = {}) =>
  Translation.use((translation) => translation.translate({ text: ["Hello"], targetLanguage: "de", ...options }))

/** A refusal of the next translation. */
const refuse = (description: string, count = 1) =>
  FakeLanguageService.use((fake) =>
    fake.script({ operation: "Translation.translate", count, fault: { status: 400, description } })
  )

const ofLanguage = "Value for 'target_lang' not supported."

describe("languages that are kept", () => {
  it.effect("are loaded for all callers without the limits of a tenant", () =>
    Effect.gen(function*() {
      const tenant = yield* Tenant.make({ name: "one", concurrency: 1 })
      yield* FakeLanguageService.use((fake) => fake.script({ fault: Fault.slow("1 hour") }))
      yield* Effect.forkChild(Tenant.within(translate(), tenant))
      yield* Effect.forkChild(Tenant.within(targets, tenant))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* asked, 1)
    }).pipe(Effect.provide(layerServices())))

  it.effect("are those that the service lists, for all that can be asked for", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      for (const resource of ["translate_text", "voice"]) {
        for (const include of [[], ["beta"], ["beta", "external"]]) {
          const list = yield* Stream.runCollect(languages.list({ resource, include }))
          const lists = [
            yield* languages.sources({ resource, include }),
            yield* languages.targets({ resource, include })
          ]
          assert.deepStrictEqual(
            lists,
            [list.filter(({ usableAsSource }) => usableAsSource), list.filter(({ usableAsTarget }) => usableAsTarget)],
            `${resource} ${include.join()}`
          )
        }
      }
    }).pipe(Effect.provide(layerServices())))

  it.effect("are asked for once for all fibers, and for each resource", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      yield* next({ delay: "5 seconds" })
      const fiber = yield* Effect.forkChild(Effect.all(Array.from({ length: 20 }, () => targets), {
        concurrency: "unbounded"
      }))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual(yield* asked, 1)
      yield* languages.sources({ resource: "translate_text" })
      yield* languages.find({ resource: "translate_text", code: "de" })
      assert.strictEqual(yield* asked, 1)
      yield* languages.sources({ resource: "write" })
      assert.strictEqual(yield* asked, 2)
    }).pipe(Effect.provide(layerServices())))

  it.effect("are asked for once more by who has another policy, and one does not fail with the policy of the other", () =>
    Effect.gen(function*() {
      yield* next({ delay: "5 seconds" }, { delay: "5 seconds" })
      const deadline = Duration.seconds(1)
      const hurried = ResiliencePolicy.within(targets, { deadline })
      const fibers = yield* Effect.forEach(
        [hurried, targets, hurried, targets],
        (targets) => Effect.forkChild(Effect.exit(targets))
      )
      yield* TestClock.adjust("5 seconds")
      const exits = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(exits.map(({ _tag }) => _tag), ["Failure", "Success", "Failure", "Success"])
      assert.strictEqual(yield* asked, 2)
    }).pipe(Effect.provide(layerServices())))

  it.effect("come to the others when the fiber that asked first goes away", () =>
    Effect.gen(function*() {
      yield* next({ delay: "5 seconds" })
      const first = yield* Effect.forkChild(targets)
      const second = yield* Effect.forkChild(targets)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("4 seconds")
      assert.isAbove((yield* Fiber.join(second)).length, 100)
      assert.strictEqual(yield* asked, 1)
    }).pipe(Effect.provide(layerServices())))

  it.effect("are given while newer ones are asked for", () =>
    Effect.gen(function*() {
      yield* next(listOf("de"), { ...listOf("de", "fr"), delay: "5 seconds" })
      assert.deepStrictEqual(yield* codes, ["de"])
      yield* TestClock.adjust("59 minutes")
      yield* codes
      assert.strictEqual(yield* asked, 1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* codes, ["de"])
      assert.deepStrictEqual(yield* codes, ["de"])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* codes, ["de", "fr"])
      assert.strictEqual(yield* asked, 2)
    }).pipe(Effect.provide(layerServices())))

  it.effect("are renewed with the policy of the client, whoever found them old", () =>
    Effect.gen(function*() {
      yield* next(listOf("de"), { ...listOf("fr"), delay: "5 seconds" })
      yield* codes
      yield* TestClock.adjust("1 hour")
      yield* ResiliencePolicy.within(codes, { deadline: Duration.seconds(1) })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* codes, ["fr"])
    }).pipe(Effect.provide(layerServices())))

  it.effect("stay for a day when newer ones cannot be had, and are asked for again after a pause", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* next(listOf("de"))
      yield* codes
      yield* fake.script({ operation: "Languages.list", count: 1000, fault: { status: 400 } })
      yield* TestClock.adjust("1 hour")
      for (const requests of [2, 2, 2]) {
        assert.deepStrictEqual(yield* codes, ["de"])
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* asked, requests)
      }
      yield* codes
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* asked, 3)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* codes, ["de"])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(codes))._tag, "BadRequest")
    }).pipe(Effect.provide(layerServices())))

  it.effect("are kept as long as the configuration says", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("1 hour")
      yield* next(listOf("de"), listOf("fr"), { status: 400 })
      assert.deepStrictEqual(yield* codes, ["de"])
      yield* TestClock.adjust("1 minute")
      yield* codes
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* codes, ["fr"])
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual((yield* Effect.flip(codes))._tag, "BadRequest")
    }).pipe(
      Effect.provide(layerServices({ client: { languages: { timeToLive: "1 minute", keepStale: "2 minutes" } } }))
    ))

  it.effect("are asked for again after they were said to be stale", () =>
    Effect.gen(function*() {
      yield* next(listOf("de"), listOf("fr"))
      yield* codes
      yield* Languages.use((languages) => languages.invalidate({ resource: "translate_text" }))
      assert.deepStrictEqual(yield* codes, ["de"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* codes, ["fr"])
    }).pipe(Effect.provide(layerServices())))

  it.effect("are found in any case, and a wrong code gets the nearest", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const resource = "translate_text"
      assert.strictEqual((yield* languages.find({ resource, code: "ZH-hant" })).code, "zh-Hant")
      const nearest = (code: string) =>
        Effect.map(Effect.flip(languages.find({ resource, code, side: "target" })), (error) =>
          error._tag === "UnknownLanguage" ? error.nearest : error._tag)
      const wrong = {
        "en-UK": "en-GB",
        "en_us": "en-US",
        en: "en-US",
        pt: "pt-BR",
        "zh-CN": "zh-Hans",
        "zh-TW": "zh-Hant",
        "de-DE": "de",
        deu: "de",
        iw: "he",
        German: "de",
        "en-BG": "en-GB",
        "en-AS": "en-US",
        "zh-hanz": "zh-Hans",
        dee: "de",
        "": undefined,
        xx: undefined,
        "a wrong code": undefined,
        ["x".repeat(1000)]: undefined
      }
      for (const [code, meant] of Object.entries(wrong)) {
        assert.strictEqual(yield* nearest(code), meant, code)
      }
      const error = yield* Effect.flip(languages.find({ resource, code: "en-UK" }))
      assert.include(error.message, `Languages.find: "en-UK" is not a language of translate_text. The nearest is en-GB`)
      assert.strictEqual((yield* Effect.flip(languages.find({ resource, code: "fo" })))._tag, "UnknownLanguage")
      assert.strictEqual((yield* languages.find({ resource, code: "fo", include: ["beta"] })).status, "beta")
      const notText = JSON.parse("1")
      assert.strictEqual((yield* Effect.flip(languages.find({ resource, code: notText })))._tag, "InvalidInput")
    }).pipe(Effect.provide(layerServices())))

  it.effect("support a feature when each side that is required does", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const supports = (
        resource: string,
        sourceLanguage: string | undefined,
        targetLanguage: string,
        feature?: string
      ) => languages.supports({ resource, sourceLanguage, targetLanguage, feature })
      const text = "translate_text"
      const table: ReadonlyArray<readonly [boolean, boolean]> = [
        [yield* supports(text, "en", "de"), true],
        [yield* supports(text, "EN", "EN-us"), true],
        [yield* supports(text, "en-US", "de"), false],
        [yield* supports(text, "de", "en"), false],
        [yield* supports(text, "xx", "de"), false],
        // Of the target only.
        [yield* supports(text, "cs", "de", "formality"), true],
        [yield* supports(text, "de", "cs", "formality"), false],
        [yield* supports(text, undefined, "de", "formality"), true],
        // Of the source only.
        [yield* supports(text, "de", "af", "auto_detection"), true],
        [yield* supports(text, "af", "de", "auto_detection"), false],
        // Of both.
        [yield* supports(text, "de", "cs", "glossary"), true],
        [yield* supports(text, "af", "de", "glossary"), false],
        [yield* supports(text, "de", "af", "glossary"), false],
        [yield* supports(text, undefined, "de", "glossary"), false],
        // Not named for the resource.
        [yield* supports(text, "en", "de", "tone"), false],
        // Any source goes with any target.
        [yield* supports("glossary", "cs", "ar"), true],
        [yield* supports("glossary", "cs", "af"), false]
      ]
      for (const [index, [found, expected]] of table.entries()) assert.strictEqual(found, expected, String(index))
    }).pipe(Effect.provide(layerServices())))
})

describe("a language in another spelling", () => {
  it.effect.each<[side: "source" | "target", code: string, meant: string]>([
    ["target", "pt", "pt-BR"],
    ["target", "zh_TW", "zh-Hant"],
    ["target", "de-AT", "de"],
    ["source", "pt_BR", "pt"],
    ["source", "zh_CN", "zh"]
  ])("%s %s is %s", ([side, code, meant]) =>
    Effect.gen(function*() {
      const { resolve } = yield* Languages
      assert.strictEqual((yield* resolve({ resource: "translate_text", side, code })).code, meant)
    }).pipe(Effect.provide(layerServices())))
})

describe("a 400 for a language code", () => {
  it.effect("asks for no list that nobody uses", () =>
    Effect.gen(function*() {
      yield* refuse(ofLanguage)
      const error = yield* Effect.flip(translate())
      assert.strictEqual(error._tag, "BadRequest")
      assert.notProperty(error, "languages")
      assert.strictEqual(yield* asked, 0)
    }).pipe(Effect.provide(layerServices())))

  it.effect("asks for the list if the configuration says so", () =>
    Effect.gen(function*() {
      yield* refuse(ofLanguage)
      const error = yield* Effect.flip(translate({ sourceLanguage: "en-US" }))
      assert.include(error.message, `sourceLanguage "en-US" is not listed; the nearest is "en".`)
      assert.strictEqual(yield* asked, 1)
    }).pipe(Effect.provide(layerServices({ client: { languages: { explains: true } } }))))

  it.effect("makes a list that has the code stale, and tells what the new one says", () =>
    Effect.gen(function*() {
      yield* next(listOf("de", "en", "fr"), listOf("de-AT", "en", "fr"))
      yield* codes
      yield* TestClock.adjust("2 minutes")
      yield* refuse(ofLanguage)
      const error = yield* Effect.flip(translate({ sourceLanguage: "EN" }))
      if (error._tag !== "BadRequest") return assert.fail(error._tag)
      assert.deepStrictEqual(error.languages, [
        { parameter: "sourceLanguage", code: "EN", isListed: true },
        { parameter: "targetLanguage", code: "de", isListed: false, nearest: "de-AT" }
      ])
      assert.include(error.message, `targetLanguage "de" is not listed; the nearest is "de-AT".`)
      assert.strictEqual(error.operation, "Translation.translate")
      assert.strictEqual(error.attempts.length, 1)
      assert.deepStrictEqual(yield* codes, ["de-AT", "en", "fr"])
    }).pipe(Effect.provide(layerServices())))

  it.effect.each<readonly [what: string, code: string, isListed: boolean, nearest: string | undefined, lists: number]>([
    ["tells that the code is still listed", "de", true, undefined, 2],
    ["needs no other list when the code was never listed", "en-UK", false, "en-GB", 1]
  ])("%s", ([, code, isListed, nearest, lists]) =>
    Effect.gen(function*() {
      yield* codes
      yield* TestClock.adjust("2 minutes")
      yield* refuse(ofLanguage)
      const error = yield* Effect.flip(translate({ targetLanguage: code }))
      assert.deepStrictEqual("languages" in error ? error.languages : undefined, [
        { parameter: "targetLanguage", code, isListed, ...(nearest === undefined ? undefined : { nearest }) }
      ])
      assert.include(error.message, `targetLanguage "${code}" is ${isListed ? "listed." : "not listed"}`)
      assert.strictEqual(yield* asked, lists)
    }).pipe(Effect.provide(layerServices())))

  it.effect("asks once where many fail, and not again within a minute", () =>
    Effect.gen(function*() {
      yield* codes
      yield* TestClock.adjust("2 minutes")
      yield* refuse(ofLanguage, 11)
      const failures = yield* Effect.all(Array.from({ length: 10 }, () => Effect.flip(translate())), {
        concurrency: "unbounded"
      })
      assert.isTrue(failures.every((error) => "languages" in error))
      yield* TestClock.adjust("59 seconds")
      yield* Effect.flip(translate())
      assert.strictEqual(yield* asked, 2)
      yield* TestClock.adjust("1 second")
      yield* FakeLanguageService.use((fake) => fake.script({ fault: { status: 400, body: "" } }))
      assert.property(
        yield* Effect.flip(translate()),
        "languages",
        "a refusal without a message may be about a language"
      )
      assert.strictEqual(yield* asked, 3)
    }).pipe(Effect.provide(layerServices())))

  it.effect("says nothing of languages when no new list comes, and waits for it ten seconds at most", () =>
    Effect.gen(function*() {
      yield* codes
      yield* TestClock.adjust("2 minutes")
      yield* refuse(ofLanguage, 2)
      yield* next({ delay: "1 hour" })
      const fiber = yield* Effect.forkChild(Effect.flip(translate()))
      yield* TestClock.adjust("10 seconds")
      assert.notProperty(yield* Fiber.join(fiber), "languages")
    }).pipe(Effect.provide(layerServices())))

  it.effect("is not looked into when it speaks of something else", () =>
    Effect.gen(function*() {
      yield* codes
      yield* TestClock.adjust("2 minutes")
      yield* refuse("Value for 'split_sentences' not supported.")
      assert.notProperty(yield* Effect.flip(translate()), "languages")
      assert.strictEqual(yield* asked, 1)
    }).pipe(Effect.provide(layerServices())))

  it.effect("is told of for improvements and documents too, each by its own list", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const writing = yield* Writing
      const documents = yield* Documents
      yield* languages.targets({ resource: "write" })
      yield* languages.targets({ resource: "translate_document" })
      const failures = [
        yield* Effect.flip(writing.correct({ text: ["a"], targetLanguage: "nl" })),
        yield* Effect.flip(writing.rephrase({ text: ["a"], targetLanguage: "en-UK" })),
        yield* Effect.flip(documents.upload({ content: new Uint8Array(3), fileName: "a.txt", targetLanguage: "en-UK" }))
      ]
      const nearest = failures.map((error) => "languages" in error ? error.languages?.[0]?.nearest : error.message)
      assert.deepStrictEqual(failures.map(({ _tag }) => _tag), ["BadRequest", "BadRequest", "BadRequest"])
      assert.deepStrictEqual(nearest, [undefined, "en-GB", "en-GB"])
    }).pipe(Effect.provide(layerServices())))
})

const glossaryId = Ids.GlossaryId.make("00000000-0000-4000-8000-000000000000")
const translationMemoryId = Ids.TranslationMemoryId.make(glossaryId)

/** Options that need a feature, and the languages that have it not. */
const refusals: ReadonlyArray<
  readonly [Partial<Translation.TranslateOptions>, parameter: string, feature: string, given: string]
> = [
  [{ targetLanguage: "cs", formality: "more" }, "formality", "formality", "the language cs"],
  [{ sourceLanguage: "af", glossaryId }, "glossaryId", "glossary", "the languages af to de"],
  [
    { sourceLanguage: "en", targetLanguage: "af", glossaryIds: [glossaryId] },
    "glossaryIds",
    "glossary",
    "the languages en to af"
  ],
  [{ targetLanguage: "af", customInstructions: ["a"] }, "customInstructions", "style_rules", "the language af"],
  [{ targetLanguage: "af", translationMemoryId }, "translationMemoryId", "translation_memory", "the language af"]
]

const sentTexts = Effect.map(
  FakeLanguageService.use((fake) => fake.requestsOf("Translation.translate")),
  ({ length }) => length
)

describe("checks before sending", () => {
  it.effect("refuse what the lists say the service will refuse, and nothing is sent", () =>
    Effect.gen(function*() {
      for (const [options, parameter, feature, given] of refusals) {
        const error = yield* Effect.flip(translate(options))
        const allowed = `languages that have ${feature} in translate_text`
        const refusal = { _tag: "InvalidInput", operation: "Translation.translate", parameter, allowed, given }
        assert.deepInclude<object>(error, refusal)
      }
      assert.strictEqual(yield* sentTexts, 0)
      const writing = yield* Writing
      const manners = [["tone", { tone: "friendly" }], ["writingStyle", { writingStyle: "business" }]] as const
      for (const [parameter, manner] of manners) {
        const error = yield* Effect.flip(writing.rephrase({ text: ["a"], targetLanguage: "ja", ...manner }))
        assert.deepInclude(error, { _tag: "InvalidInput", parameter })
      }
    }).pipe(Effect.provide(layerServices({ client: { languages: { checks: true } } }))))

  it.effect("let through what may work", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      yield* translate({ targetLanguage: "DE", formality: "more", tagHandling: "xml" })
      yield* translate({ targetLanguage: "cs", formality: "prefer_more" })
      yield* translate({ targetLanguage: "cs", formality: "default" })
      yield* writing.rephrase({ text: ["a"], targetLanguage: "ja", tone: "prefer_friendly" })
      yield* writing.correct({ text: ["a"] })
      assert.strictEqual(yield* sentTexts, 3)
    }).pipe(Effect.provide(layerServices({ client: { languages: { checks: true } } }))))

  it.effect("refuse markup for a language that is listed without it", () =>
    Effect.gen(function*() {
      yield* next(listOf("de"))
      const error = yield* Effect.flip(translate({ tagHandling: "xml" }))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "tagHandling" })
    }).pipe(Effect.provide(layerServices({ client: { languages: { checks: true } } }))))

  it.effect("are off unless they are asked for, and a region can differ", () =>
    Effect.gen(function*() {
      const wrong = Effect.map(Effect.flip(translate({ targetLanguage: "en-UK" })), ({ _tag }) => _tag)
      assert.strictEqual(yield* wrong, "BadRequest")
      assert.strictEqual(yield* asked, 0)
      const checked = Effect.provideService(wrong, Languages.Checks, true)
      assert.strictEqual(yield* checked, "InvalidInput")
      const unchecked = Effect.provideService(wrong, Languages.Checks, false)
      assert.strictEqual(yield* Effect.provideService(unchecked, Languages.Checks, true), "BadRequest")
    }).pipe(Effect.provide(layerServices())))

  it.effect("refuse a style rule list for another language than the target's, which is asked for once", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const { styleId } = yield* rules.create({ name: "House", language: "en" })
      const error = yield* Effect.flip(translate({ styleId }))
      assert.deepInclude(error, { _tag: "InvalidInput", parameter: "styleId", given: "a style rule list for en" })
      assert.strictEqual(yield* sentTexts, 0)
      yield* translate({ styleId, targetLanguage: "EN-gb" })
      const gets = yield* FakeLanguageService.use((fake) => fake.requestsOf("StyleRules.get"))
      assert.strictEqual(gets.length, 1)
    }).pipe(Effect.provide(layerServices({ client: { languages: { checks: true } } }))))

  it.effect("leave a style rule list that does not exist to the service, and go on checking", () =>
    Effect.gen(function*() {
      const styleId = Ids.StyleId.make("00000000-0000-4000-8000-000000000000")
      assert.strictEqual((yield* Effect.flip(translate({ styleId })))._tag, "NotFound")
      const { styleId: english } = yield* StyleRules.use((rules) => rules.create({ name: "House", language: "en" }))
      yield* FakeLanguageService.use((fake) => fake.script({ operation: "StyleRules.get", fault: { status: 404 } }))
      yield* Effect.ignore(translate({ styleId: english }))
      assert.strictEqual((yield* Effect.flip(translate({ styleId: english })))._tag, "InvalidInput")
    }).pipe(Effect.provide(layerServices({ client: { languages: { checks: true } } }))))

  it.effect("do not fail a call when they cannot be made, and do not slow the next one down", () =>
    Effect.gen(function*() {
      yield* next({ delay: "1 hour" })
      const fiber = yield* Effect.forkChild(translate())
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      yield* translate({ targetLanguage: "fr" })
      assert.strictEqual(yield* asked, 1)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Effect.flip(translate({ targetLanguage: "en-UK" })))._tag, "InvalidInput")
    }).pipe(Effect.provide(layerServices({ client: { languages: { checks: true } } }))))
})
