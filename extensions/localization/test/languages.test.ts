// Names of languages in paths, in files and for the service, and the settings of languages and entries.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeProject, services } from "./support/projects.ts"

const title = `{ "title": "My page" }`

describe("names of languages", () => {
  it.effect("has the code of the project in paths, BCP 47 in files, and the service's in requests", () =>
    Effect.gen(function*() {
      const { files, open, read, sent } = yield* makeProject(
        { source: "en_US", targets: ["pt_BR", "zh-CN", "no"], files: ["{language}.arb"] },
        { "en_US.arb": `{ "@@locale": "en_US", "title": "My page" }` }
      )
      const opened = yield* open()
      const { done, failure } = yield* opened.run()
      assert.deepStrictEqual([failure, done.flatMap(({ problems }) => problems)], [undefined, []])
      assert.deepStrictEqual(files(), ["en_US.arb", "no.arb", "pt_BR.arb", "zh-CN.arb"])
      assert.include(read("pt_BR.arb"), `"@@locale": "pt_BR"`)
      assert.deepStrictEqual(
        (yield* sent).map((payload) => `${payload?.sourceLanguage} ${payload?.targetLanguage}`).toSorted(),
        ["en nb", "en pt-BR", "en zh-Hans"]
      )
      assert.deepStrictEqual(done.map(({ language }) => language), ["pt-BR", "zh-CN", "no"])
      assert.deepStrictEqual((yield* open({ targets: ["pt-BR"] })).costs.map(({ file }) => file), ["pt_BR.arb"])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("takes another code for paths or for the service from languages, also of an entry", () =>
    Effect.gen(function*() {
      const { files, open, sent } = yield* makeProject({
        targets: ["es-MX", "pt-BR"],
        languages: { "es-MX": { service: "es-419" }, "pt_BR": { path: "pt" } },
        files: ["app/{language}.json", { target: "web/{language}.json", languages: { "pt-BR": { path: "br" } } }]
      }, { "app/en.json": title, "web/en.json": title })
      yield* (yield* open()).run()
      assert.includeMembers(files(), ["app/es-MX.json", "app/pt.json", "web/es-MX.json", "web/br.json"])
      const languages = (yield* sent).map((payload) => payload?.targetLanguage ?? "")
      assert.sameMembers(languages, ["es-419", "pt-BR", "es-419", "pt-BR"])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("names the folders of Android as it expects them", () =>
    Effect.gen(function*() {
      const { open } = yield* makeProject({
        targets: ["de", "pt-BR", "zh-Hans", "es-419", "pt-rPT"],
        files: [{ source: "res/values/s.json", target: "res/values-{language}/s.json" }]
      }, { "res/values/s.json": title })
      const folders = (yield* open()).costs.map(({ file }) => file.split("/")[1])
      assert.strictEqual(folders.join(" "), "values-de values-pt-rBR values-b+zh+Hans values-b+es+419 values-pt-rPT")
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("finds a language that the service does not have before anything is sent", () =>
    Effect.gen(function*() {
      const { open, sent } = yield* makeProject({ targets: ["en-AU", "de"], files: ["{language}.json"] }, {
        "en.json": title
      })
      const opened = yield* open()
      const [wrong, right] = yield* opened.resolved
      assert.deepInclude(wrong, {
        file: "en-AU.json",
        problem: "en-AU is not a target language of the service; the nearest is en-GB"
      })
      assert.deepInclude(right, { file: "de.json", service: "de", source: "en" })
      const { done } = yield* opened.run()
      assert.deepStrictEqual(done.map(({ translated }) => translated), [0, 1])
      assert.deepInclude(done[0]?.problems[0], { id: "", state: "refused", problem: wrong?.problem ?? "" })
      assert.strictEqual((yield* sent).length, 1)
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("sends the codes of the project to a service without a list", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { open, sent } = yield* makeProject({ targets: ["pt_BR"], files: ["{language}.json"] }, {
        "en.json": title
      })
      yield* script({ operation: "Languages.list", fault: { status: 404 } })
      yield* (yield* open()).run()
      assert.deepInclude((yield* sent)[0], { sourceLanguage: "en", targetLanguage: "pt-BR" })
    }).pipe(Effect.scoped, Effect.provide(services)))
})

describe("settings", () => {
  it.effect("are those nearest to a text", () =>
    Effect.gen(function*() {
      const { open, sent } = yield* makeProject({
        targets: ["de", "fr"],
        formality: "prefer_less",
        modelType: "quality_optimized",
        languages: { fr: { formality: "more" } },
        files: ["a.{language}.json", {
          target: "b.{language}.json",
          formality: "default",
          placeholders: "printf",
          languages: { de: { formality: "less" } }
        }]
      }, { "a.en.json": `{ "a": "In 5%s" }`, "b.en.json": `{ "b": "On 5%s" }` })
      yield* (yield* open()).run()
      const found = (yield* sent).map((payload) =>
        `${payload?.text.join()} ${payload?.targetLanguage} ${payload?.formality} ${payload?.modelType}`
      )
      assert.deepStrictEqual(found.toSorted(), [
        "In 5%s de prefer_less quality_optimized",
        "In 5%s fr more quality_optimized",
        `On 5<x id="0">%s</x> de less quality_optimized`,
        `On 5<x id="0">%s</x> fr default quality_optimized`
      ])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("apply a glossary to the languages that it has, and fail for one that asks for it", () =>
    Effect.gen(function*() {
      const { addGlossary } = yield* FakeLanguageService
      const ids: Array<string> = []
      for (const [targetLanguage, word] of [["de", "Seite"], ["pt", "página"]] as const) {
        ids.push(
          yield* addGlossary({
            name: "Terms",
            sourceLanguage: "en",
            targetLanguage,
            entries: new Map([["page", word]])
          })
        )
      }
      const project = { source: "en", targets: ["de", "fr", "pt-BR"], glossary: "Terms", files: ["{language}.json"] }
      const { open, read, sent, write } = yield* makeProject(project, { "en.json": title })
      yield* (yield* open()).run()
      const titles = ["de", "fr", "pt-BR"].map((code) => JSON.parse(read(`${code}.json`)).title)
      assert.deepStrictEqual(titles, ["[de] My Seite", "[fr] My page", "[pt-BR] My página"])
      write("effect-lingua.json", JSON.stringify({ ...project, languages: { de: { glossary: ids[0] } } }))
      yield* (yield* open({ force: true, targets: ["de"] })).run()
      assert.strictEqual(JSON.parse(read("de.json")).title, "[de] My Seite")
      const before = (yield* sent).length
      write("effect-lingua.json", JSON.stringify({ ...project, languages: { fr: { glossary: "Terms" } } }))
      const error = yield* Effect.flip((yield* open({ force: true })).run())
      assert.include(error.message, "the glossary Terms is not for fr")
      assert.strictEqual((yield* sent).length, before)
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("leave excluded texts as the source has them, and as they are where they are", () =>
    Effect.gen(function*() {
      const urls = { home: "https://page.test", help: "https://page.test/help" }
      const source = { title: "My page", urls, name: "Git" }
      const { open, read, sent, write } = yield* makeProject(
        { targets: ["de", "fr"], files: ["{language}.json"], exclude: ["urls/*", "name"] },
        { "en.json": JSON.stringify(source), "fr.json": JSON.stringify({ urls: { help: "https://page.test/aide" } }) }
      )
      const opened = yield* open()
      assert.deepStrictEqual(opened.costs.map(({ texts }) => texts), [1, 1])
      yield* opened.run()
      assert.deepStrictEqual((yield* sent).map((payload) => payload?.text), [["My page"], ["My page"]])
      assert.deepStrictEqual(JSON.parse(read("de.json")), { ...source, title: "[de] My page" })
      assert.deepStrictEqual(JSON.parse(read("fr.json")).urls.help, "https://page.test/aide")
      write("en.json", JSON.stringify({ ...source, name: "Git 2" }))
      const again = yield* open()
      assert.deepStrictEqual([again.problems, again.costs.map(({ texts }) => texts)], [[], [0, 0]])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("send the key of a text as its context, before what the file says about it", () =>
    Effect.gen(function*() {
      const { open, sent } = yield* makeProject(
        { files: [{ target: "{language}.arb", keyAsContext: true }, "{language}.json"] },
        { "en.arb": `{ "open": "Open", "@open": { "description": "a door" }, "close": "Open" }`, "en.json": title }
      )
      yield* (yield* open()).run()
      const contexts = (yield* sent).map((payload) => payload?.context)
      assert.sameMembers(contexts, ["open\na door", "close", undefined])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("take the texts of a source of gettext whose keys are ids", () =>
    Effect.gen(function*() {
      const { open, read, sent } = yield* makeProject(
        { source: "en", targets: ["pl"], files: ["{language}.po"] },
        {
          "en.po": `msgid "page.title"\nmsgstr "My page"\n\nmsgid "files"\nmsgid_plural "files"\n` +
            `msgstr[0] "%d file"\nmsgstr[1] "%d files"\n\nmsgid "Save"\nmsgstr ""\n\n#, fuzzy\nmsgid "Old"\nmsgstr "Bad"\n`
        }
      )
      yield* (yield* open()).run()
      const texts = (yield* sent).flatMap((payload) => payload?.text ?? []).map((text) => text.replace(/<[^>]*>/g, ""))
      assert.sameMembers(texts, ["My page", "%d file", "%d files", "%d files", "Save", "Old"])
      assert.include(read("pl.po"), `msgid "page.title"\nmsgstr "[pl] My page"`)
      assert.include(read("pl.po"), `msgstr[0] "[pl] %d file"\nmsgstr[1] "[pl] %d files"\nmsgstr[2] "[pl] %d files"`)
      assert.include(read("pl.po"), `msgid "Old"\nmsgstr "[pl] Old"`)
      assert.deepStrictEqual((yield* open()).problems, [])
    }).pipe(Effect.scoped, Effect.provide(services)))
})
