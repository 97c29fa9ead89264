// Options of unknown names, as callers without types give them, for each method of each service.
import { Glossaries, Ids, StyleRules } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sample, Wire } from "../support/index.ts"

const segments = "translationMemoryId pageSize filterText filterCaseSensitive"
const evaluation = "segments sourceLanguage targetLanguage"
const document = "documentId documentKey"
const range = "startDate endDate"

/** The options of each method. Those of texts and of uploads are in oddInputs.test.ts. */
const methods: Readonly<Record<string, string>> = {
  "Admin.createKey": "label",
  "Admin.listKeys": "",
  "Admin.deactivateKey": "keyId",
  "Admin.setKeyLabel": "keyId label",
  "Admin.setKeyLimits": "keyId characters speechToTextMilliseconds speechToSpeechMilliseconds",
  "Admin.analytics": `${range} groupBy`,
  "Admin.listCustomTagUsage": `${range} aggregateBy`,
  "Admin.listCustomTagUsagePage": `${range} aggregateBy page`,
  "Documents.status": document,
  "Documents.isAvailable": document,
  "Documents.wait": document,
  "Documents.download": document,
  "Documents.saveTo": document,
  "Documents.recover": document,
  "Documents.pending": "",
  "Documents.resume": "entryId",
  "Documents.forget": "entryId",
  "Documents.adopt": "entryId",
  "Glossaries.create": "name dictionaries",
  "Glossaries.list": "",
  "Glossaries.get": "glossaryId",
  "Glossaries.merge": "glossaryId name dictionary",
  "Glossaries.remove": "glossaryId",
  "Glossaries.entries": "glossaryId sourceLanguage targetLanguage",
  "Glossaries.replaceDictionary": "glossaryId sourceLanguage targetLanguage entries",
  "Glossaries.removeDictionary": "glossaryId sourceLanguage targetLanguage",
  "Glossaries.plan": "glossaries removeOthers",
  "Glossaries.sync": "glossaries removeOthers",
  "GlossariesV2.create": "name sourceLanguage targetLanguage entries entriesFormat",
  "GlossariesV2.list": "",
  "GlossariesV2.get": "glossaryId",
  "GlossariesV2.entries": "glossaryId",
  "GlossariesV2.remove": "glossaryId",
  "Languages.sources": "resource include",
  "Languages.targets": "resource include",
  "Languages.find": "resource include code side",
  "Languages.resolve": "resource include code side",
  "Languages.supports": "resource include sourceLanguage targetLanguage feature",
  "Languages.invalidate": "resource",
  "Languages.list": "resource include",
  "Languages.resources": "",
  "Languages.listV2": "type",
  "Languages.glossaryPairs": "",
  "QualityEvaluation.start": evaluation,
  "QualityEvaluation.status": "jobId",
  "QualityEvaluation.wait": "jobId",
  "QualityEvaluation.evaluate": evaluation,
  "CustomRequests.send": "method path params query headers body contentType success repeat",
  "StyleRules.create": "name language configuredRules customInstructions",
  "StyleRules.list": "detailed",
  "StyleRules.listPage": "page pageSize detailed",
  "StyleRules.get": "styleId",
  "StyleRules.rename": "styleId name",
  "StyleRules.remove": "styleId",
  "StyleRules.replaceConfiguredRules": "styleId configuredRules",
  "StyleRules.addInstruction": "styleId label prompt sourceLanguage",
  "StyleRules.getInstruction": "styleId instructionId",
  "StyleRules.replaceInstruction": "styleId instructionId label prompt sourceLanguage",
  "StyleRules.removeInstruction": "styleId instructionId",
  "StyleRules.plan": "lists removeOthers",
  "StyleRules.sync": "lists removeOthers",
  "TranslationMemories.list": "",
  "TranslationMemories.listPage": "page pageSize",
  "TranslationMemories.get": "translationMemoryId",
  "TranslationMemories.remove": "translationMemoryId",
  "TranslationMemories.listSegments": segments,
  "TranslationMemories.listSegmentsPage": `${segments} pageCursor`,
  "TranslationMemories.startImport": "fileName displayName contentType size",
  "TranslationMemories.startExport": "translationMemoryId",
  "TranslationMemories.upload": "job content contentType size",
  "TranslationMemories.status": "jobId",
  "TranslationMemories.wait": "jobId",
  "TranslationMemories.download": "jobId",
  "TranslationMemories.importTmx": "fileName displayName content contentType size",
  "TranslationMemories.exportTmx": "translationMemoryId",
  "Usage.get": "",
  "Usage.remaining": "",
  "Usage.thresholds": "at every"
}

/** Methods whose argument is no record of options, and those of the other table. */
const others = new Set([
  "Documents.translate",
  "Documents.upload",
  "Glossaries.apply",
  "StyleRules.apply",
  "Detection.detect",
  "Detection.detectAll",
  "Translation.translate",
  "Translation.translateAll",
  "Translation.translateInto",
  "Writing.correct",
  "Writing.correctAll",
  "Writing.rephrase",
  "Writing.rephraseAll"
])

const table = Object.entries(methods).flatMap(([method, names]) =>
  names.split(" ").filter((name) => name !== "").map((name) => [method, name, names.split(" ")] as const)
)

describe("an option of an unknown name", () => {
  it.effect.each(table)(
    "%s refuses a misspelling of %s, and names it",
    ([method, name, names]) =>
      Effect.gen(function*() {
        const misspelt = `${name}x`
        const options = Object.fromEntries(names.map((other) => [other === name ? misspelt : other, "a"]))
        const error = yield* Effect.flip(Sample.call(method, options))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: misspelt })
        assert.match(error.operation, new RegExp(`^${method.split(".")[0]}\\.`))
        assert.match(error.message, new RegExp(`there is no such option; the nearest is ${name}\\b`))
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("is looked for in the options of each method", () =>
    Effect.gen(function*() {
      const untested = (yield* Sample.methodNames).filter((name) => !(name in methods) && !others.has(name))
      assert.deepStrictEqual(untested, [])
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("is named with all options if none is near", () =>
    Effect.gen(function*() {
      for (const name of ["betaToo", "inc"]) {
        const error = yield* Effect.flip(Sample.call("Languages.sources", { resource: "write", [name]: true }))
        assert.match(error.message, /there is no such option; the options are resource, include\b/)
      }
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each<readonly [method: string, name: string, options: object]>([
    ["Glossaries.merge", "newName", { glossaryId: "g", newName: "new", dictionary: {} }],
    ["TranslationMemories.listSegments", "filter", { translationMemoryId: "m", filter: "x" }],
    ["TranslationMemories.get", "translation_memory_id", { translation_memory_id: "m" }]
  ])("of %s is no field of the service: %s", ([method, name, options]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Sample.call(method, options))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: name })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("is accepted among the fields of an object that has an id, unless it is a misspelling", () =>
    Effect.gen(function*() {
      const list = {
        styleId: Sample.styleId,
        name: "House style",
        language: "en",
        version: 4,
        creationTime: "now",
        configuredRules: {}
      }
      const { create, remove } = yield* StyleRules
      yield* create(list)
      yield* remove(list)
      const glossary = { glossaryId: Ids.GlossaryId.make("g"), name: "Hardware", creationTime: "now", dictionaries: [] }
      yield* Glossaries.use((glossaries) => glossaries.remove(glossary))
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(201, Sample.list), Wire.answer(204), Wire.answer(204)]))))
})
