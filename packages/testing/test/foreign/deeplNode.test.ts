import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import {
  DeepLError,
  DocumentNotReadyError,
  GlossaryEntries,
  GlossaryNotFoundError,
  WritingStyle,
  WritingTone
} from "deepl-node"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createWriteStream } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { folder } from "../../../node/test/support/documents.ts"
import { call, effectCounts, layer, make, prepare, record, refused } from "./client.ts"

const tmx = `<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Nut &amp; bolt</seg></tuv><tuv xml:lang="de"><seg>Mutter &amp; Bolzen</seg></tuv>
  <tuv xml:lang="fr"><seg>Écrou</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Nail</seg></tuv><tuv xml:lang="de"><seg>Nagel</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Washer</seg></tuv></tu>
</body></tmx>`

describe("deepl-node, which this project did not write, against the fake on a socket", () => {
  it.effect("rephrases one text, or several in their order, with each tone and style", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const one = yield* call(() => client.rephraseText("teh colour", "en-US"))
      assert.deepStrictEqual(one, { text: "The color.", detectedSourceLang: "en", targetLang: "en-US" })
      const several = yield* call(() => client.rephraseText(["teh one", "teh two"], "en-GB"))
      assert.deepStrictEqual(several.map(({ text }) => text), ["The one.", "The two."])
      const foundByItself = yield* call(() => client.rephraseText("Where is the next good restaurant, please?"))
      assert.strictEqual(foundByItself.targetLang, "en-US")
      for (const style of Object.values(WritingStyle)) {
        yield* call(() => client.rephraseText("teh one", "en-GB", style))
      }
      for (const tone of Object.values(WritingTone)) {
        yield* call(() => client.rephraseText("teh one", "en-GB", null, tone))
      }
      // A style with the tone that means none is one manner, not two.
      yield* call(() => client.rephraseText("teh one", "en-GB", WritingStyle.SIMPLE, WritingTone.DEFAULT))
      const { effects, requests } = yield* FakeLanguageService
      const { count } = (yield* effects)["Writing.rephrase"]
      assert.strictEqual(count, 3 + 9 + 9 + 1)
      assert.isTrue((yield* record).every(([operation, status]) => operation === "Writing.rephrase" && status === 200))
      const [first] = yield* requests
      assert.strictEqual(first?.body, "target_lang=en-US&text=teh+colour", "it sends forms")
    }).pipe(Effect.provide(layer())))

  it.effect("leads a style rule list through its life, in all operations", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const list = yield* call(() =>
        client.createStyleRule({
          name: "House",
          language: "en",
          configured_rules: { punctuation: { periods_in_academic_degrees: "do_not_use" } },
          custom_instructions: [{ label: "a", prompt: "first" }, { label: "b", prompt: "2nd", source_language: "de" }]
        })
      )
      const { styleId } = list
      assert.deepStrictEqual(yield* call(() => client.getStyleRule(styleId)), list)
      yield* call(() => client.updateStyleRuleName(styleId, "New"))
      const other = { dates_and_times: { calendar_era: "use_bc_and_ad" } }
      yield* call(() => client.updateStyleRuleConfiguredRules(styleId, other))
      const added = yield* call(() => client.createStyleRuleCustomInstruction(styleId, { label: "c", prompt: "3rd" }))
      const id = added.id ?? ""
      assert.deepStrictEqual(yield* call(() => client.getStyleRuleCustomInstruction(styleId, id)), added)
      const fourth = { label: "d", prompt: "4th", source_language: "fr" }
      yield* call(() => client.updateStyleRuleCustomInstruction(styleId, id, fourth))
      const after = yield* call(() => client.getStyleRule(styleId))
      assert.deepStrictEqual([after.name, after.version], ["New", 5])
      assert.deepStrictEqual(after.configuredRules?.datesAndTimes, other.dates_and_times)
      assert.isUndefined(after.configuredRules?.punctuation)
      assert.deepStrictEqual(
        after.customInstructions?.map(({ label, prompt, sourceLanguage }) => [label, prompt, sourceLanguage]),
        [["a", "first", "en"], ["b", "2nd", "de"], ["d", "4th", "fr"]]
      )
      yield* call(() => client.deleteStyleRuleCustomInstruction(styleId, id))
      yield* call(() => client.deleteStyleRule(styleId))
      assert.deepStrictEqual(yield* call(() => client.getAllStyleRules()), [])
      assert.deepStrictEqual(yield* effectCounts, {
        "StyleRules.create": 1,
        "StyleRules.rename": 1,
        "StyleRules.replaceConfiguredRules": 1,
        "StyleRules.addInstruction": 1,
        "StyleRules.replaceInstruction": 1,
        "StyleRules.removeInstruction": 1,
        "StyleRules.remove": 1
      })
    }).pipe(Effect.provide(layer())))

  it.effect("lists source and target languages and the pairs of glossaries, all by the deprecated version 2", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const sources = yield* call(() => client.getSourceLanguages())
      assert.deepInclude(sources, { name: "English", code: "en" })
      const targets = yield* call(() => client.getTargetLanguages())
      assert.isTrue(targets.some(({ code, supportsFormality }) => code === "de" && supportsFormality === true))
      assert.isTrue(targets.some(({ code }) => code === "en-US"))
      assert.isFalse(targets.some(({ code }) => code === "en"), "`en` is a source only")
      const pairs = yield* call(() => client.getGlossaryLanguagePairs())
      assert.deepInclude(pairs, { sourceLang: "en", targetLang: "de" })
      assert.deepStrictEqual((yield* record).map(([operation]) => operation), [
        "Languages.listV2",
        "Languages.listV2",
        "Languages.glossaryPairs"
      ])
    }).pipe(Effect.provide(layer())))

  it.effect("downloads a prepared document once to a path and to a stream", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { documents } = yield* FakeLanguageService
      const directory = yield* folder
      // More than one chunk, so that the client has to stream.
      const content = "Hallo Welt. ".repeat(20_000)
      const at = (name: string) => join(directory, name)
      // Not to a handle, whose descriptor this client closes twice: the second close can hit a socket of another test, which then hangs.
      const targets = [() => at("path"), () => createWriteStream(at("stream"))]
      for (const target of targets) {
        const document = yield* prepare(content)
        yield* refused(() => client.downloadDocument(document, target()), DocumentNotReadyError, "not ready")
        yield* TestClock.adjust("3 seconds")
        yield* call(() => client.downloadDocument(document, target()))
        // The specification has 404 for the second download; others have answered 503.
        yield* refused(
          () => client.downloadDocument(document, at("again")),
          DeepLError,
          "Not found, message: Document already downloaded"
        )
      }
      for (const name of ["path", "stream"]) {
        assert.strictEqual(yield* Effect.promise(() => readFile(at(name), "utf8")), content)
      }
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), ["path", "stream"])
      assert.deepStrictEqual((yield* documents).map(({ status }) => status), ["gone", "gone"])
      assert.deepStrictEqual((yield* record).map(([, status]) => status), targets.flatMap(() => [503, 200, 404]))
      assert.deepStrictEqual(yield* effectCounts, { "Documents.download": 2 })
    }).pipe(Effect.provide(layer())))

  it.effect("imports a translation memory, reads it, translates with it, exports and deletes it", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const directory = yield* folder
      const file = join(directory, "manuals.tmx")
      yield* Effect.promise(() => writeFile(file, tmx))
      const job = yield* call(() => client.importTranslationMemoryFromFilepath(file, { displayName: "Manuals" }))
      const [result] = job.results
      assert.deepInclude<object>(result ?? {}, { status: "completed", skippedSegmentCount: 1 })
      const id = result?.translationMemoryId ?? ""
      const memory = yield* call(() => client.getTranslationMemory(id))
      assert.deepInclude(memory, {
        translationMemoryId: id,
        name: "Manuals",
        sourceLanguage: "en",
        targetLanguages: ["de", "fr"],
        segmentCount: 3
      })
      yield* call(() => client.importTranslationMemoryFromFilepath(file))
      const all = yield* call(() => client.listTranslationMemories())
      assert.deepStrictEqual(all.map(({ name }) => name), ["Manuals", "manuals.tmx"])
      assert.deepStrictEqual(yield* call(() => client.listTranslationMemories(1, 1)), all.slice(1))
      const first = yield* call(() => client.listTranslationMemorySegments(memory, { pageSize: 2 }))
      const pageCursor = first.nextPageCursor ?? ""
      const second = yield* call(() => client.listTranslationMemorySegments(id, { pageSize: 2, pageCursor }))
      assert.deepStrictEqual(
        [...first.segments, ...second.segments].map(({ sourceText }) => sourceText),
        ["Screw", "Nut & bolt", "Nail"]
      )
      assert.deepStrictEqual([second.segmentCount, second.nextPageCursor], [3, undefined])
      yield* call(() =>
        client.translateText("Screw", "en", "de", { translationMemory: memory, translationMemoryThreshold: 80 })
      )
      const copy = join(directory, "copy.tmx")
      const exported = yield* call(() => client.exportTranslationMemoryToFilepath(memory, copy))
      assert.deepInclude(exported, { operation: "export", translationMemoryId: id })
      assert.include(yield* Effect.promise(() => readFile(copy, "utf8")), "<seg>Mutter &amp; Bolzen</seg>")
      assert.isTrue((yield* call(() => client.createTranslationMemoryExport(id))).reusedExisting)
      yield* call(() => client.deleteTranslationMemory(memory))
      yield* refused(() => client.getTranslationMemory(id), DeepLError, "Translation memory not found")
      const { requests } = yield* FakeLanguageService
      const files = (yield* requests).filter(({ url }) => url.includes("/_storage/"))
      assert.deepStrictEqual(files.map(({ method, status }) => [method, status]), [
        ["PUT", 200],
        ["PUT", 200],
        ["GET", 200]
      ])
      assert.isTrue(files.every(({ headers }) => headers["authorization"] === undefined))
    }).pipe(Effect.provide(layer({ readyAfter: 0 }))))

  it.effect("leads glossaries of version 3 through their life, in forms and from CSV", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const english = { sourceLangCode: "en", targetLangCode: "de" } as const
      const german = { sourceLangCode: "de", targetLangCode: "en" } as const
      const made = yield* call(() =>
        client.createMultilingualGlossary("Terms", [
          { ...english, entries: new GlossaryEntries({ entries: { screw: "Schraube", nut: "Mutter" } }) },
          { ...german, entries: new GlossaryEntries({ entries: { Schraube: "screw" } }) }
        ])
      )
      const { glossaryId: id } = made
      assert.deepStrictEqual(
        made.dictionaries.map(({ entryCount, sourceLangCode, targetLangCode }) => [
          sourceLangCode,
          targetLangCode,
          entryCount
        ]),
        [["en", "de", 2], ["de", "en", 1]]
      )
      assert.strictEqual((yield* call(() => client.getMultilingualGlossary(id))).name, "Terms")
      yield* call(() => client.updateMultilingualGlossaryName(id, "Hardware"))
      yield* call(() =>
        client.updateMultilingualGlossaryDictionary(id, {
          ...english,
          entries: new GlossaryEntries({ entries: { nut: "Nuss" } })
        })
      )
      const read = yield* call(() => client.getMultilingualGlossaryDictionaryEntries(id, "en", "de"))
      assert.deepStrictEqual(read.entries.entries(), { screw: "Schraube", nut: "Nuss" })
      yield* call(() => client.replaceMultilingualGlossaryDictionaryWithCsv(id, "en", "de", `"a, b",c\n`))
      const replaced = yield* call(() => client.getMultilingualGlossaryDictionaryEntries(id, "en", "de"))
      assert.deepStrictEqual(replaced.entries.entries(), { "a, b": "c" })
      const twice = () => client.createMultilingualGlossaryWithCsv("Twice", "en", "de", "a,b\na,c\n")
      yield* refused(twice, DeepLError, "duplicates key with the index 0")
      yield* call(() => client.deleteMultilingualGlossaryDictionary(id, "de", "en"))
      const [listed] = yield* call(() => client.listMultilingualGlossaries())
      assert.deepStrictEqual([listed?.name, listed?.dictionaries.length], ["Hardware", 1])
      yield* call(() => client.deleteMultilingualGlossary(id))
      yield* refused(() => client.getMultilingualGlossary(id), GlossaryNotFoundError, "Glossary not found")
      assert.deepStrictEqual(yield* effectCounts, {
        "Glossaries.create": 1,
        "Glossaries.merge": 2,
        "Glossaries.replaceDictionary": 1,
        "Glossaries.removeDictionary": 1,
        "Glossaries.remove": 1
      })
    }).pipe(Effect.provide(layer())))

  it.effect("makes, reads and deletes glossaries of version 2", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const entries = new GlossaryEntries({ entries: { screw: "Schraube" } })
      const made = yield* call(() => client.createGlossary("Terms", "en", "de", entries))
      assert.deepInclude(made, { name: "Terms", ready: true, sourceLang: "en", targetLang: "de", entryCount: 1 })
      const fromCsv = yield* call(() => client.createGlossaryWithCsv("Csv", "en", "de", Buffer.from("a,b,en,de\n")))
      assert.strictEqual(fromCsv.entryCount, 1)
      assert.deepStrictEqual((yield* call(() => client.listGlossaries())).length, 2)
      assert.deepStrictEqual((yield* call(() => client.getGlossaryEntries(made))).entries(), { screw: "Schraube" })
      assert.strictEqual((yield* call(() => client.getGlossary(made.glossaryId))).name, "Terms")
      yield* call(() => client.deleteGlossary(made))
      yield* refused(() => client.getGlossary(made.glossaryId), GlossaryNotFoundError, "Glossary not found")
      // One that version 3 has edited is one of version 3.
      yield* call(() => client.updateMultilingualGlossaryName(fromCsv.glossaryId, "Edited"))
      yield* refused(() => client.getGlossaryEntries(fromCsv), DeepLError, "edited with version 3")
      yield* refused(() => client.deleteGlossary(fromCsv), DeepLError, "edited with version 3")
      yield* call(() => client.deleteMultilingualGlossary(fromCsv.glossaryId))
      assert.deepStrictEqual(yield* effectCounts, {
        "GlossariesV2.create": 2,
        "GlossariesV2.remove": 1,
        "Glossaries.merge": 1,
        "Glossaries.remove": 1
      })
    }).pipe(Effect.provide(layer())))
})
