import type { Options } from "@effect-lingua/core/config/LanguageServiceConfig"
import { InstructionId, StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { DocumentId } from "@effect-lingua/core/documents/DocumentsApi"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as VirtualTime from "@effect-lingua/testing/time/VirtualTime"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"

const { FakeLanguageService: Fake, layerServices } = FakeLanguageService

const unknown = "00000000-0000-4000-8000-000000000000"
const styleId = StyleId.make(unknown)
const instructionId = InstructionId.make(unknown)

const failure = (key: string, options: Partial<Options> = {}) =>
  Effect.flip(Writing.use((writing) => writing.correct({ text: ["a"], targetLanguage: "en-GB" }))).pipe(
    Effect.provide(layerServices({
      keys: [
        { key: "scoped", tier: "paid", scopes: ["languages:read"] },
        { key: "free:fx", tier: "free" }
      ],
      client: { key: Redacted.make(key), ...options }
    }))
  )

describe("the services against the fake in process", () => {
  it.effect("Writing rephrases and corrects", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const [rephrased] = yield* writing.rephrase({ text: ["teh colour"], targetLanguage: "en-US", tone: "default" })
      assert.deepStrictEqual(rephrased, {
        text: "The color.",
        detectedSourceLanguage: "en",
        targetLanguage: "en-US"
      })
      const corrected = yield* writing.correct({ text: ["teh one", "teh two"], targetLanguage: "en-GB" })
      assert.deepStrictEqual(corrected.map(({ text }) => text), ["The one.", "The two."])
    }).pipe(Effect.provide(layerServices())))

  it.effect("Writing fails with BadRequest for a tone that the language does not have", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const error = yield* Effect.flip(writing.rephrase({ text: ["猫"], targetLanguage: "ja", tone: "friendly" }))
      assert.strictEqual(error._tag, "BadRequest")
      assert.include(error.message, "Writing.rephrase")
      assert.include(error.message, "Language ja does not support setting a tone.")
    }).pipe(Effect.provide(layerServices())))

  it.effect("Detection tells the four outcomes apart", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      const results = yield* detection.detect({
        text: ["It was the best of times, it was the worst of times.", "1234 5678"]
      })
      assert.deepStrictEqual(results, [
        { _tag: "Detected", language: "en" },
        { _tag: "Undetected", reason: "no_language_detected" }
      ])
    }).pipe(Effect.provide(layerServices())))

  it.effect("Detection fails with AccessDenied for an account that has not opted in", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      assert.strictEqual((yield* Effect.flip(detection.detect({ text: ["hello"] })))._tag, "AccessDenied")
    }).pipe(Effect.provide(layerServices({ keys: [{ key: "fake-key", tier: "paid", detectionEnabled: false }] }))))

  it.effect("StyleRules goes through the life of a list", () =>
    Effect.gen(function*() {
      const styleRules = yield* StyleRules
      const list = yield* styleRules.create({
        name: "House",
        language: "en",
        configuredRules: { punctuation: { periods_in_academic_degrees: "do_not_use" } },
        customInstructions: [{ label: "a", prompt: "first" }]
      })
      assert.strictEqual(list.version, 1)
      const ref = { styleId: list.styleId }
      const added = yield* styleRules.addInstruction({ ...ref, label: "b", prompt: "second", sourceLanguage: "de" })
      const instruction = { ...ref, instructionId: added.instructionId }
      assert.deepStrictEqual(yield* styleRules.getInstruction(instruction), added)
      const replaced = yield* styleRules.replaceInstruction({
        ...instruction,
        label: "c",
        prompt: "third",
        sourceLanguage: "en"
      })
      assert.strictEqual(replaced.prompt, "third")
      yield* styleRules.replaceConfiguredRules({ ...ref, configuredRules: {} })
      yield* styleRules.rename({ ...ref, name: "New" })
      yield* styleRules.removeInstruction(instruction)
      const after = yield* styleRules.get(ref)
      assert.deepStrictEqual(
        [after.name, after.version, after.configuredRules, after.customInstructions?.map(({ prompt }) => prompt)],
        ["New", 6, {}, ["first"]]
      )
      assert.deepStrictEqual((yield* styleRules.listPage({ detailed: true }))[0]?.customInstructions?.length, 1)
      assert.strictEqual((yield* styleRules.listPage())[0]?.customInstructions, undefined)
      yield* styleRules.remove(ref)
      assert.deepStrictEqual(yield* styleRules.listPage(), [])
    }).pipe(Effect.provide(layerServices())))

  it.effect("StyleRules streams all lists, each once", () =>
    Effect.gen(function*() {
      const styleRules = yield* StyleRules
      const names = Array.from({ length: 60 }, (_, index) => `list ${index}`)
      for (const name of names) yield* styleRules.create({ name, language: "de" })
      const streamed = yield* Stream.runCollect(styleRules.list())
      assert.sameMembers(streamed.map(({ name }) => name), names)
      const requests = (yield* (yield* Fake).requests()).filter(({ operation }) => operation === "StyleRules.listPage")
      assert.strictEqual(requests.length, 3)
    }).pipe(Effect.provide(layerServices())))

  it.effect("StyleRules fails with NotFound for ids that are unknown", () =>
    Effect.gen(function*() {
      const styleRules = yield* StyleRules
      const errors = yield* Effect.all([
        Effect.flip(styleRules.get({ styleId })),
        Effect.flip(styleRules.rename({ styleId, name: "x" })),
        Effect.flip(styleRules.remove({ styleId })),
        Effect.flip(styleRules.replaceConfiguredRules({ styleId, configuredRules: {} })),
        Effect.flip(styleRules.addInstruction({ styleId, label: "a", prompt: "b" })),
        Effect.flip(styleRules.getInstruction({ styleId, instructionId })),
        Effect.flip(
          styleRules.replaceInstruction({ styleId, instructionId, label: "a", prompt: "b", sourceLanguage: "en" })
        ),
        Effect.flip(styleRules.removeInstruction({ styleId, instructionId }))
      ])
      for (const error of errors) assert.strictEqual(error._tag, "NotFound", error.operation)
    }).pipe(Effect.provide(layerServices())))

  it.effect("StyleRules.create is not repeated after an unknown outcome, and says what to look for", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const styleRules = yield* StyleRules
      yield* fake.script({ operation: "StyleRules.create", fault: { status: 504, afterEffect: true } })
      const error = yield* Effect.flip(styleRules.create({ name: "House", language: "en" }))
      assert(error._tag === "OutcomeUnknown")
      assert.deepStrictEqual(error.lookup, { name: "House", language: "en" })
      assert.strictEqual((yield* fake.effects())["StyleRules.create"].count, 1)
      assert.strictEqual((yield* styleRules.listPage())[0]?.name, "House")
    }).pipe(Effect.provide(layerServices())))

  it.effect("StyleRules.remove succeeds when a repeat finds nothing", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const styleRules = yield* StyleRules
      const list = yield* styleRules.create({ name: "House", language: "en" })
      yield* fake.script({ operation: "StyleRules.remove", fault: { status: 500, afterEffect: true } })
      yield* VirtualTime.run(styleRules.remove({ styleId: list.styleId }))
      assert.strictEqual((yield* fake.effects())["StyleRules.remove"].count, 1)
    }).pipe(Effect.provide(layerServices())))

  it.effect("Documents waits for a document and gives its bytes once", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const documents = yield* Documents
      const document = yield* fake.addDocument({ content: "Hallo", fileName: "a.txt", readyAfter: "10 seconds" })
      const download = documents.download(document).pipe(
        Effect.flatMap((download) =>
          Effect.zip(Effect.succeed(download), Stream.mkString(Stream.decodeText(download.stream)))
        ),
        Attempt.record
      )
      const [[about, text], attempts] = yield* VirtualTime.run(download)
      assert.strictEqual(text, "Hallo")
      assert.strictEqual(about.contentLength, 5)
      assert.strictEqual(about.fileName, "a.txt")
      assert.deepStrictEqual(attempts.at(-1)?.status, 200)
      assert.strictEqual(attempts[0]?.failure, "DocumentNotReady")
      assert.isTrue(attempts.slice(1, -1).every(({ operation }) => operation === "Documents.status"))
      const again = yield* Effect.flip(documents.download(document))
      assert.strictEqual(again._tag, "DocumentAlreadyDownloaded")
    }).pipe(Effect.provide(layerServices())))

  it.effect("Documents gives up at its deadline and leaves the document where it is", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const documents = yield* Documents
      const document = yield* fake.addDocument({ content: "Hallo", readyAfter: "31 minutes" })
      const error = yield* VirtualTime.run(Effect.flip(documents.download(document)))
      assert.strictEqual(error._tag, "DocumentNotReady")
      assert.isAtMost(error.attempts.reduce((sum, { waited }) => sum + Duration.toMillis(waited), 0), 30 * 60_000)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* documents.download(document)).contentLength, 5)
    }).pipe(Effect.provide(layerServices())))

  it.effect("Documents fails with DocumentNotFound for an unknown id and for another's key", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const documents = yield* Documents
      const { documentId, documentKey } = yield* fake.addDocument({ content: "Hallo", readyAfter: 0 })
      const wrong = { documentId, documentKey: Redacted.make("other") }
      const none = { documentId: DocumentId.make("none"), documentKey }
      assert.strictEqual((yield* Effect.flip(documents.download(wrong)))._tag, "DocumentNotFound")
      assert.strictEqual((yield* Effect.flip(documents.download(none)))._tag, "DocumentNotFound")
    }).pipe(Effect.provide(layerServices())))

  it.effect("Languages lists, by resource and include, and the deprecated lists too", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const translate = yield* Stream.runCollect(languages.list({ resource: "translate_text" }))
      const english = translate.find(({ code }) => code === "en")
      assert.deepStrictEqual([english?.usableAsSource, english?.usableAsTarget], [true, false])
      const withBeta = yield* Stream.runCollect(languages.list({ resource: "translate_text", include: ["beta"] }))
      assert.isAbove(withBeta.length, translate.length)
      const resources = yield* languages.resources()
      const formality = resources.find(({ name }) => name === "translate_text")?.features.find(({ name }) =>
        name === "formality"
      )
      assert.deepStrictEqual(formality, {
        name: "formality",
        needsSourceSupport: false,
        needsTargetSupport: true
      })
      const targets = yield* Stream.runCollect(languages.listV2({ type: "target" }))
      assert.isTrue(targets.some(({ code, supportsFormality }) => code === "DE" && supportsFormality === true))
      assert.isTrue((yield* Stream.runCollect(languages.listV2())).some(({ code }) => code === "EN"))
      assert.isTrue(
        (yield* languages.glossaryPairs()).some(({ sourceLanguage, targetLanguage }) =>
          sourceLanguage === "en" && targetLanguage === "de"
        )
      )
      assert.strictEqual(
        (yield* Effect.flip(Stream.runCollect(languages.list({ resource: "nothing" }))))._tag,
        "BadRequest"
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("Translation translates with references, and fails with NotFound for a memory that is not there", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const translation = yield* Translation
      const styleRules = yield* StyleRules
      const { styleId } = yield* styleRules.create({ name: "Haus", language: "de" })
      const memory = TranslationMemoryId.make(
        yield* fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
      )
      const [translated] = yield* translation.translate({
        text: ["Good day"],
        targetLanguage: "DE",
        sourceLanguage: "en",
        styleId,
        translationMemoryId: memory,
        translationMemoryThreshold: 80,
        showBilledCharacters: true,
        modelType: "quality_optimized"
      })
      assert.strictEqual(translated?.detectedSourceLanguage, "EN")
      assert.strictEqual(translated?.billedCharacters, 8)
      assert.strictEqual(translated?.modelTypeUsed, "quality_optimized")
      const error = yield* Effect.flip(translation.translate({
        text: ["Good day"],
        targetLanguage: "de",
        translationMemoryId: TranslationMemoryId.make(unknown)
      }))
      assert.strictEqual(error._tag, "NotFound")
    }).pipe(Effect.provide(layerServices())))

  it.effect("a quota that is used up fails at once, and reads still work", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const languages = yield* Languages
      const error = yield* Effect.flip(writing.correct({ text: ["hello"], targetLanguage: "en-GB" }))
      assert.strictEqual(error._tag, "QuotaExceeded")
      assert.strictEqual(error.attempts.length, 1)
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
      assert.isAbove((yield* Stream.runCollect(languages.list({ resource: "write" }))).length, 0)
    }).pipe(Effect.provide(layerServices({ quota: { characters: 3 } }))))

  it.effect("a key of another, a scoped key and a free key get the error that says so", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* failure("other"))._tag, "InvalidKey")
      const scoped = yield* failure("scoped")
      assert(scoped._tag === "MissingScope")
      assert.deepStrictEqual(scoped.scopes, ["write:improve"])
      const local = yield* failure("free:fx")
      assert.strictEqual(local._tag, "WrongTier")
      assert.strictEqual(local.attempts.length, 0)
      const remote = yield* failure("free:fx", { tier: "paid" })
      assert.strictEqual(remote._tag, "WrongTier")
      assert.strictEqual(remote.attempts.length, 1)
    }))

  it.effect("another scheme word and extra headers reach the service", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      yield* (yield* Languages).resources()
      const [request] = yield* fake.requests()
      assert.strictEqual(request?.headers["x-team"], "docs")
      assert.strictEqual(request?.headers["user-agent"], "app/1")
    }).pipe(
      Effect.provide(
        layerServices({
          authSchemes: ["DeepL-Auth-Key"],
          client: { headers: { "X-Team": "docs" }, userAgent: "app/1" }
        })
      )
    ))
})

describe("the services against the fake on a socket, over fetch", () => {
  const layer = Layer.unwrap(
    Effect.map(Fake, (fake) => LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: fake.url }))
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(NodeFakeLanguageService.layer())
  )

  it.live("calls come through, and a redirect is not followed", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const writing = yield* Writing
      const [improved] = yield* writing.correct({ text: ["teh one"], targetLanguage: "en-GB" })
      assert.strictEqual(improved?.text, "The one.")
      yield* fake.script({
        operation: "Writing.correct",
        fault: { status: 307, headers: { location: `${fake.url}/v2/write/correct` } }
      })
      const error = yield* Effect.flip(writing.correct({ text: ["teh one"], targetLanguage: "en-GB" }))
      assert(error._tag === "UnexpectedResponse")
      assert.strictEqual(error.status, 307)
      assert.strictEqual((yield* fake.requests()).length, 2)
    }).pipe(Effect.provide(layer)))
})
