import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Script from "@effect-lingua/testing/faults/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import { inProcess, workIn } from "../support/cli.ts"
import { fake, key, lines } from "../support/cliFake.ts"

const texts = { title: "My page", hello: "Hello {{name}}", item_one: "{{count}} item", item_other: "{{count}} items" }

/** The texts in the German of the fake. */
const german = Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, `[de] ${text}`]))

/** A project with one JSON file. */
const makeProject = Effect.fnUntraced(function*(settings: object = {}) {
  const directory = yield* folder
  const { effects, url } = yield* FakeLanguageService
  const project = join(directory, "effect-lingua.json")
  const write = (name: string, content: object) =>
    Effect.sync(() => writeFileSync(join(directory, name), `${JSON.stringify(content, null, 2)}\n`))
  yield* write("effect-lingua.json", { source: "en", targets: ["de", "pl"], files: ["{language}.json"], ...settings })
  yield* write("en.json", texts)
  const run = (...args: ReadonlyArray<string>) =>
    inProcess(["localize", ...args, "--project", project, "--attempts", "1"], {
      env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
    })
  const read = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), "utf8"))
  const characters = Effect.map(effects, (found) => found["Translation.translate"].count)
  return { directory, read, requests: characters, run, write }
})

const unit = (id: number, text: string) => `<trans-unit id="${id}"><source>${text}</source></trans-unit>`

/** The files of a table in JSON. */
const filesOf = (out: string) => lines(out).map(({ file, target }) => file ?? target)

const init = (...args: ReadonlyArray<string>) => inProcess(["localize", "init", ...args])

describe("localize", () => {
  it.live("translates what is new or changed, and keeps edits by hand", () =>
    Effect.gen(function*() {
      const { read, requests, run, write } = yield* makeProject()
      const planned = yield* run("--dry-run", "--json")
      assert.include(planned.out, `{"file":"pl.json","language":"pl","texts":6,`)
      assert.strictEqual(yield* requests, 0)
      assert.strictEqual((yield* run("check")).code, exitCodes.problems)
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual(read("de.json"), german)
      assert.hasAllKeys(read("pl.json"), ["title", "hello", "item_one", "item_few", "item_many", "item_other"])
      assert.strictEqual((yield* run("check")).code, 0)
      const before = yield* requests
      assert.strictEqual((yield* run()).code, 0)
      assert.strictEqual(yield* requests, before, "nothing is sent again")

      // An edit by hand stays, and a changed source is translated anew, but not over an edit.
      const edited = { title: "Meine Seite", hello: "Hallo {{name}}", item_one: "1", item_other: "2" }
      yield* write("de.json", edited)
      yield* write("en.json", { ...texts, hello: "Hi {{name}}", more: "More" })
      const check = yield* run("check")
      assert.match(check.out, /de\.json(?::\d+)? +more +missing/)
      assert.match(check.out, /de\.json(?::\d+)? +hello +stale/)
      assert.match(check.out, /de\.json(?::\d+)? +item_other +broken +its placeholder {{count}} is lost/)
      assert.match(check.out, /pl\.json(?::\d+)? +hello +changed/)
      const stale = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
        const { code, out } = yield* run("--json", ...args)
        return [code, ...lines(out).map(({ stale }) => stale)]
      })
      assert.deepStrictEqual(yield* stale(), [0, 1, 0])
      assert.deepStrictEqual(read("de.json"), { ...edited, more: "[de] More" })
      assert.deepInclude(read("pl.json"), { hello: "[pl] Hi {{name}}", more: "[pl] More" })
      assert.match((yield* run("check")).out, /de\.json(?::\d+)? +hello +stale/)
      assert.deepStrictEqual(yield* stale("--accept"), [0, 0, 0])
      assert.notMatch((yield* run("check")).out, /stale/)
      assert.deepInclude(read("de.json"), { hello: "Hallo {{name}}" })

      // A text that the source does not have any more goes.
      yield* write("en.json", { title: "My page" })
      const removed = yield* run()
      assert.match(removed.out, /REMOVED.*\nde\.json +0 +1 +1 +0 +0\n/)
      const kept = "skipped because they are not in the source; kept: de.json: hello, item_one, item_other\n"
      assert.include(removed.err, kept)
      assert.include((yield* run("check")).err, kept)
      assert.deepStrictEqual(read("de.json"), { ...edited, hello: "Hallo {{name}}" })
      assert.deepStrictEqual(read("pl.json"), { title: "[pl] My page" })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("keeps translations that were there before its first run", () =>
    Effect.gen(function*() {
      const { read, run, write } = yield* makeProject({ targets: ["de"] })
      yield* write("de.json", { title: "Meine Seite", hello: "", item_other: texts.item_other })
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual(read("de.json"), { ...german, title: "Meine Seite", item_other: texts.item_other })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("writes what is paid when a later file fails, and goes on from there", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { directory, read, requests, run } = yield* makeProject()
      yield* script({ ...Script.next(1, { status: 456 }, "Translation.translate"), skip: 1 })
      const failed = yield* run()
      assert.strictEqual(failed.code, exitCodes.quota, failed.err)
      assert.deepInclude(read("de.json"), { title: "[de] My page" })
      assert.deepStrictEqual(readdirSync(directory).filter((name) => name.endsWith(".part")), [])
      const before = yield* requests
      assert.strictEqual((yield* run()).code, 0)
      assert.strictEqual(yield* requests, before + 1, "German is not sent again")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("finds the project in a folder above, and takes --to, --only and --force", () =>
    Effect.gen(function*() {
      const { directory, read, requests, write } = yield* makeProject({
        files: ["{language}.json", "app/{language}.json"]
      })
      const { url } = yield* FakeLanguageService
      mkdirSync(join(directory, "app/src"), { recursive: true })
      yield* write("app/en.json", { button: "Save" })
      yield* workIn(join(directory, "app/src"))
      const run = (...args: ReadonlyArray<string>) =>
        inProcess(["localize", ...args, "--json"], {
          env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
        })
      const planned = yield* run("--dry-run", "--to", "pl")
      assert.deepStrictEqual(filesOf(planned.out), ["pl.json", "app/pl.json"])
      assert.deepStrictEqual(filesOf((yield* run("--only", "app", "--to", "de")).out), ["app/de.json"])
      assert.deepStrictEqual(read("app/de.json"), { button: "[de] Save" })
      assert.isFalse(existsSync(join(directory, "de.json")))
      const checked = yield* run("check", "--only", "app/en.json")
      assert.deepStrictEqual(lines(checked.out).map(({ file, id }) => [file, id]), [["app/pl.json", "button"]])
      yield* write("app/de.json", { button: "Sichern" })
      const before = yield* requests
      assert.strictEqual((yield* run("--only", "app/de.json")).code, 0)
      assert.strictEqual(yield* requests, before)
      assert.strictEqual((yield* run("--only", "app/de.json", "--force")).code, 0)
      assert.strictEqual(yield* requests, before + 1)
      assert.deepStrictEqual(read("app/de.json"), { button: "[de] Save" })
      const unknown = yield* run("--to", "fr")
      assert.strictEqual(unknown.code, exitCodes.configuration)
      assert.include(unknown.err, "fr is not one of the project's targets: de, pl")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("init writes a project file for what it finds, which localize takes", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      yield* workIn(directory)
      assert.include((yield* init()).err, ". has no localization files")
      mkdirSync(join(directory, "locales"))
      writeFileSync(join(directory, "locales/en.json"), `{ "title": "My page" }`)
      assert.include((yield* init()).err, "name target languages, such as --to de,fr")
      writeFileSync(join(directory, "locales/pt_BR.json"), "{}")
      const { code, err, out } = yield* init("--to", "de,pt-BR,en")
      assert.strictEqual(code, 0, err)
      assert.deepStrictEqual(JSON.parse(out), {
        source: "en",
        targets: ["pt_BR", "de"],
        files: ["locales/{language}.json"]
      })
      assert.include((yield* inProcess(["localize", "--fake"])).out, "locales/pt_BR.json")
      const again = yield* init("--to", "de")
      assert.strictEqual(again.code, exitCodes.file)
      assert.include(again.err, "effect-lingua.json exists")
      assert.strictEqual((yield* init("--to", "de", "--overwrite")).code, 0)
    }).pipe(Effect.scoped))

  it.live("sends nothing beyond --max-characters", () =>
    Effect.gen(function*() {
      const { requests, run } = yield* makeProject({ targets: ["de"] })
      const { code, err } = yield* run("--max-characters", "10")
      assert.strictEqual(code, exitCodes.configuration)
      assert.match(err, /\d+ characters would be sent, and maxCharacters is 10/)
      assert.strictEqual(yield* requests, 0)
      assert.strictEqual((yield* run("--max-characters", "1000")).code, 0)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("reports a file that is not of its format, and translates the others", () =>
    Effect.gen(function*() {
      const { directory, read, run, write } = yield* makeProject({
        targets: ["de", "pl"],
        files: ["{language}.json", "b.{language}.json"]
      })
      writeFileSync(join(directory, "b.en.json"), `{\n  "a": "b",\n  "a": "c"\n}\n`)
      writeFileSync(join(directory, "de.json"), "{\n  \"title\" \"x\"\n}")
      const { code, err, out } = yield* run("--json")
      assert.strictEqual(code, exitCodes.configuration)
      assert.deepStrictEqual(lines(out).map(({ target, translated }) => [target, translated]), [
        ["pl.json", 6],
        ["de.json", 0],
        ["b.en.json", 0]
      ])
      assert.deepInclude(JSON.parse(err), { error: "BadFile", file: "de.json", line: 2 })
      assert.match(err, /de\.json: line 2, column \d+: .*b\.en\.json: line 3, column 3: a is defined twice/)
      assert.deepInclude(read("pl.json"), { title: "[pl] My page" })
      const checked = yield* run("check", "--json")
      assert.deepStrictEqual(lines(checked.out).map(({ file, line, state }) => [file, line, state]), [
        ["de.json", 2, "invalid"],
        ["b.en.json", 3, "invalid"]
      ])
      for (const args of [["check"], ["--dry-run"]]) {
        assert.deepInclude(lines((yield* run(...args, "--json")).err).at(-1), { error: "BadFile", exitCode: 3 })
      }
      yield* write("de.json", {})
      assert.strictEqual((yield* run("--only", "en.json")).code, 0)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("sends short contexts together, in the number of requests that --dry-run says", () =>
    Effect.gen(function*() {
      const { requestsOf } = yield* FakeLanguageService
      const { directory, requests, run } = yield* makeProject({ targets: ["de"], files: ["{language}.po"] })
      const entries = Array.from({ length: 120 }, (_, index) => [`Text ${index}`, `Comment ${index}`])
      const long = "long ".repeat(50)
      const all = [...entries, ["Open", "menu"], ["Open", "door"], ["Text 1", long], ["Plain", ""]]
      const po = all.map(([text, comment], index) => `#. ${comment}\nmsgctxt "${index}"\nmsgid "${text}"\nmsgstr ""\n`)
      writeFileSync(join(directory, "en.po"), po.join("\n"))
      const planned = yield* run("--dry-run", "--json")
      assert.deepInclude(lines(planned.out)[0], { texts: 124, requests: 5 })
      assert.match((yield* run("--dry-run")).out, /characters +requests/i)
      assert.strictEqual((yield* run()).code, 0)
      assert.strictEqual(yield* requests, 5)
      const sent = (yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload)
      const first = sent.find((payload) => payload?.text?.includes("Text 7"))
      assert.include(first?.context, `"Text 7": 7; Comment 7\n"Text 8": 8; Comment 8`)
      assert.isTrue(sent.every((payload) => payload?.text?.filter((text) => text === "Open").length !== 2))
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("says what it skips", () =>
    Effect.gen(function*() {
      const { addGlossary } = yield* FakeLanguageService
      const { run, write } = yield* makeProject({ targets: ["de", "fr"], exclude: ["url*"], glossary: "Terms" })
      yield* write("en.json", { title: "My page", url: "/a", count: 3, isNew: true })
      yield* addGlossary({ name: "Terms", sourceLanguage: "en", targetLanguage: "de", entries: new Map([["a", "b"]]) })
      for (const args of [["--dry-run"], []]) {
        const { code, err } = yield* run(...args)
        assert.strictEqual(code, 0, err)
        assert.include(err, "skipped because they are not texts to translate: en.json: count, isNew\n")
        assert.include(err, "skipped because exclude matches them: de.json: url, fr.json: url\n")
        assert.strictEqual(
          err.includes("skipped because they lack the language: fr.json: Terms\n"),
          args.length === 0
        )
      }
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("says once what is wrong with many texts, and shows its progress at a terminal", () =>
    Effect.gen(function*() {
      const { directory, run, write } = yield* makeProject({ targets: ["de"], modelType: "unknown" })
      const { code, err } = yield* run()
      assert.strictEqual(code, exitCodes.usage)
      const [problems = "", failure, ...more] = err.trim().split("\n")
      assert.include(
        problems,
        "de.json: title, hello, item_one, item_other: Value for 'model_type' not supported. Not translated: "
      )
      assert.include(failure, "the service does not accept the request")
      assert.deepStrictEqual(more, [])
      yield* write("effect-lingua.json", { source: "en", targets: ["de"], files: ["{language}.json"] })
      const { url } = yield* FakeLanguageService
      const shown = yield* inProcess(["localize", "--project", join(directory, "effect-lingua.json")], {
        env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url },
        terminal: { stderr: true }
      })
      assert.strictEqual(shown.code, 0, shown.err)
      assert.include(shown.err, "de.json: 0 of 4")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("shows languages that the service does not have before anything is sent, and totals by language", () =>
    Effect.gen(function*() {
      const { requests, run, write } = yield* makeProject({
        source: "en-US",
        targets: ["pt_BR", "zh-CN", "xx", "en-AU"],
        files: [{ source: "en.json", target: "{language}.json" }, { source: "b.json", target: "b.{language}.json" }]
      })
      yield* write("b.json", { title: "Title" })
      const { code, err, out } = yield* run("--dry-run")
      assert.strictEqual(code, exitCodes.problems)
      assert.match(out, /zh-CN\.json +zh-CN \(zh-Hans\)/)
      const rows = lines((yield* run("--dry-run", "--json")).out)
      const sum = rows.reduce((sum, { characters }) => sum + Number(characters), 0)
      assert.strictEqual(rows.length, 8)
      assert.match(out, /^total +pt-BR +6 +\d+/m)
      assert.match(out, new RegExp(`^total +all +\\d+ +${sum} `, "m"))
      assert.include(
        err,
        "xx is not a target language of the service; en-AU is not a target language of the service; the nearest is en-GB"
      )
      const json = yield* run("--dry-run", "--json", "--to", "pt-BR")
      assert.deepInclude(lines(json.out)[0], { file: "pt_BR.json", language: "pt-BR", service: "pt-BR", source: "en" })
      const files = [{ source: "en.json", target: "{language}.json" }]
      yield* write("effect-lingua.json", { source: "qq", targets: ["de"], files })
      const wrong = yield* run("--dry-run")
      assert.strictEqual(wrong.code, exitCodes.configuration)
      assert.include(wrong.err, "source: qq is not a source language of the service")
      assert.strictEqual(yield* requests, 0)
      const offline = yield* inProcess(["localize", "--dry-run", "--project", wrong.err.split(": ")[1] ?? ""])
      assert.strictEqual(offline.code, 0, offline.err)
      assert.include(offline.err, "the languages were not checked: ")
      assert.match(offline.out, /de\.json +de +4/)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("writes all forms of a plural of PO, or none", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { directory, run } = yield* makeProject({ targets: ["de"], files: ["{language}.po"] })
      writeFileSync(
        join(directory, "en.po"),
        `msgid "Open"\nmsgstr ""\n\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n`
      )
      for (const texts of [["Offen", "<x id=\"0\"/> Datei", "Dateien"], ["Dateien"]]) {
        const translations = texts.map((text) => ({ text, detected_source_language: "EN" }))
        yield* script(Script.next(1, { status: 200, body: JSON.stringify({ translations }) }, "Translation.translate"))
      }
      const { code, err } = yield* run()
      assert.strictEqual(code, exitCodes.problems)
      assert.include(err, "de.po: %d file[1]: its placeholder %d is lost in the translation")
      const printed = readFileSync(join(directory, "de.po"), "utf8")
      assert.include(printed, "msgstr \"Offen\"")
      assert.include(printed, "msgstr[0] \"\"\nmsgstr[1] \"\"")
      assert.strictEqual((yield* run()).code, 0)
      assert.include(readFileSync(join(directory, "de.po"), "utf8"), "msgstr[1] \"[de] %d files\"")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("sends what a file says about a text as its context", () =>
    Effect.gen(function*() {
      const { requestsOf } = yield* FakeLanguageService
      const { directory, run } = yield* makeProject({
        targets: ["de"],
        files: ["{language}.po", "{language}.arb", "{language}.xlf", "{language}.xliff"]
      })
      const note = "<note>In a &lt;bank&gt;</note>"
      const files = {
        "en.po":
          `#. In a menu\n#. A verb\nmsgctxt "menu"\nmsgid "Open"\nmsgstr ""\n\nmsgctxt "door"\nmsgid "Open"\nmsgstr ""\n`,
        "en.arb": `{ "a": "Close", "@a": { "description": "A verb" }, "b": "Near" }`,
        "en.xlf": `<xliff version="1.2"><file original="f"><body><trans-unit id="a"><source>Bank</source>${note}` +
          `</trans-unit>${unit(2, "River")}</body></file></xliff>`,
        "en.xliff": `<xliff version="2.0"><file id="f"><unit id="a"><notes><note category="location">a.ts</note>` +
          `${note}</notes><segment><source>Teller</source></segment></unit></file></xliff>`
      }
      for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
      const { code, err } = yield* run()
      assert.strictEqual(code, 0, err)
      const sent = (yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload)
      for (
        const [text, context] of [
          ["Open", "menu\nIn a menu\nA verb"],
          ["Open", "door"],
          ["Close", "A verb"],
          ["Near", undefined],
          ["Bank", "In a <bank>"],
          ["River", undefined],
          ["Teller", "In a <bank>"]
        ]
      ) {
        const found = sent.filter((payload) => JSON.stringify(payload).includes(`"text":["${text}"]`))
        assert.isTrue(found.some((payload) => payload?.context === context), `${text} ${context}`)
      }
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("says that a lock file has conflicts of a merge, and takes all translations as made by hand with --accept", () =>
    Effect.gen(function*() {
      const { directory, requests, run, write } = yield* makeProject({ targets: ["de"] })
      assert.strictEqual((yield* run()).code, 0)
      const lock = join(directory, "effect-lingua.lock.json")
      const text = readFileSync(lock, "utf8")
      const line = text.split("\n").find((line) => line.includes("title")) ?? ""
      const other = line.replace(/\w{16}/, "0".repeat(16))
      const conflict = `<<<<<<< HEAD\n${line}\n=======\n${other}\n>>>>>>> main\n`
      writeFileSync(lock, text.replace(`${line}\n`, conflict))
      const before = yield* requests
      for (const args of [[], ["--dry-run"], ["check"]]) {
        const { code, err } = yield* run(...args)
        assert.strictEqual(code, exitCodes.configuration)
        assert.include(err, "effect-lingua.lock.json: it has merge conflicts")
      }
      assert.strictEqual((yield* run("--accept")).code, 0)
      assert.strictEqual((yield* run("check")).code, 0)
      assert.strictEqual(yield* requests, before)
      yield* write("en.json", { ...texts, title: "Our page" })
      assert.match((yield* run("check")).out, /title +stale/)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("keeps the folders that a pattern finds, also as an absolute path", () =>
    Effect.gen(function*() {
      const { directory, requests, run, write } = yield* makeProject()
      for (const name of ["src/en", "src/a/en", "src/a/b/en"]) {
        mkdirSync(join(directory, name), { recursive: true })
        yield* write(`${name}/x.json`, { title: "Title" })
      }
      const printed = () =>
        readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("de")).toSorted()
      const found = ["a/b/de/x.json", "a/de/x.json", "de/x.json"]
      const pattern = "src/**/{language}/*.json"
      for (const files of [[pattern], [`./${pattern}`], [join(directory, pattern)]]) {
        yield* write("effect-lingua.json", { source: "en", targets: ["de"], files })
        const { code, err } = yield* run()
        assert.strictEqual(code, 0, err)
        assert.deepStrictEqual(
          printed().filter((name) => name.endsWith(".json")),
          found.map((name) => join("src", name))
        )
      }
      assert.strictEqual(yield* requests, 3, "the paths are those of the first run")
      const other = { source: "src/en/x.json", target: "out/**/{language}.json" }
      yield* write("effect-lingua.json", { source: "en", targets: ["de"], files: [other] })
      const { code, err } = yield* run()
      assert.strictEqual(code, exitCodes.configuration)
      assert.include(err, "out/**/{language}.json has more wildcards than src/en/x.json")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("uses the glossary with a name", () =>
    Effect.gen(function*() {
      const { addGlossary } = yield* FakeLanguageService
      const { read, run } = yield* makeProject({ targets: ["de"], glossary: "Terms" })
      const missing = yield* run()
      assert.strictEqual(missing.code, exitCodes.configuration)
      assert.include(missing.err, "there is no glossary Terms; there are none")
      const entries = new Map([["page", "Seite"]])
      yield* addGlossary({ name: "Terms", sourceLanguage: "en", targetLanguage: "de", entries })
      assert.strictEqual((yield* run()).code, 0)
      assert.deepInclude(read("de.json"), { title: "[de] My Seite" })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("translates with the settings of the project", () =>
    Effect.gen(function*() {
      const { addTranslationMemory, requestsOf } = yield* FakeLanguageService
      const { run } = yield* makeProject({
        targets: ["de"],
        splitSentences: "nonewlines",
        preserveFormatting: true,
        modelType: "quality_optimized",
        customInstructions: ["Be brief"],
        translationMemory: "Manual"
      })
      const { err } = yield* run()
      assert.include(err, "there is no translation memory Manual; there are none")
      const memory = { name: "Manual", sourceLanguage: "en", targetLanguages: ["de"], segments: [] }
      const translationMemoryId = yield* addTranslationMemory(memory)
      assert.strictEqual((yield* run()).code, 0)
      const sent = (yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload)
      assert.deepInclude<object | undefined>(sent.at(-1), {
        splitSentences: "nonewlines",
        preserveFormatting: true,
        modelType: "quality_optimized",
        customInstructions: ["Be brief"],
        translationMemoryId
      })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("translates a template whose name has no language", () =>
    Effect.gen(function*() {
      const { directory, run } = yield* makeProject({
        targets: ["de"],
        files: [{ source: "messages.xlf", target: "messages.{language}.xlf" }],
        placeholders: "mustache"
      })
      writeFileSync(
        join(directory, "messages.xlf"),
        `<xliff version="1.2"><file original="a"><body><trans-unit id="1">` +
          `<source>{n, plural, =1 {one <b/>} other {more <b/>}}</source></trans-unit><trans-unit id="2">` +
          `<source>Hi {{ name }}</source></trans-unit></body></file></xliff>`
      )
      const { code, err } = yield* run()
      assert.strictEqual(code, 0, err)
      const printed = readFileSync(join(directory, "messages.de.xlf"), "utf8")
      assert.include(
        printed,
        "<target>{n, plural, =1 {[de] one <b/>} one {[de] more <b/>} other {[de] more <b/>}}</target>"
      )
      assert.include(printed, "<target>[de] Hi {{ name }}</target>")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("sends a text whose tags changed once more, without the others", () =>
    Effect.gen(function*() {
      const { requestsOf, script } = yield* FakeLanguageService
      const { directory, run } = yield* makeProject({
        targets: ["de"],
        files: [{ source: "messages.xlf", target: "messages.{language}.xlf" }]
      })
      writeFileSync(
        join(directory, "messages.xlf"),
        `<xliff version="1.2"><file original="a"><body>${unit(1, "One <x/>")}${unit(2, "Two")}</body></file></xliff>`
      )
      const translations = ["Eins", "Zwei"].map((text) => ({ text, detected_source_language: "EN" }))
      yield* script(Script.next(1, { status: 200, body: JSON.stringify({ translations }) }, "Translation.translate"))
      const { code, err } = yield* run()
      assert.strictEqual(code, 0, err)
      const printed = readFileSync(join(directory, "messages.de.xlf"), "utf8")
      assert.include(printed, "<target>[de] One <x/></target>")
      assert.include(printed, "<target>Zwei</target>")
      const sent = (yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload)
      assert.deepInclude(sent.at(-1), { text: ["One <x/>"], tagHandling: "xml", outlineDetection: false })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("keeps the fields of Python in PO, where an entry has their flag", () =>
    Effect.gen(function*() {
      const { requestsOf } = yield* FakeLanguageService
      const { directory, run } = yield* makeProject({ targets: ["de"], files: ["{language}.po"] })
      const entries =
        `#, python-brace-format\nmsgid "{0} of {all:,}"\nmsgstr ""\n\n#, c-format\nmsgid "%d {x}"\nmsgstr ""\n`
      writeFileSync(join(directory, "en.po"), entries)
      const { code, err } = yield* run()
      assert.strictEqual(code, 0, err)
      const sent = (yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload)
      for (const text of [`<x id="0">{0}</x> of <x id="1">{all:,}</x>`, `<x id="0">%d</x> {x}`]) {
        assert.isTrue(sent.some((payload) => JSON.stringify(payload).includes(JSON.stringify(text))), text)
      }
      const printed = readFileSync(join(directory, "de.po"), "utf8")
      assert.include(printed, `#, python-brace-format\nmsgid "{0} of {all:,}"\nmsgstr "[de] {0} of {all:,}"\n`)
      writeFileSync(join(directory, "de.po"), printed.replace("[de] {0} of", "von"))
      assert.match((yield* run("check")).out, /de\.po:\d+ +\{0\} of \{all:,\} +broken/)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("reads and writes no file outside of the folder of the project", () =>
    Effect.gen(function*() {
      const { directory, requests, run, write } = yield* makeProject()
      const outside = yield* folder
      const secret = join(outside, "en.json")
      writeFileSync(secret, JSON.stringify(texts))
      mkdirSync(join(directory, "below"))
      symlinkSync(outside, join(directory, "linked"))
      symlinkSync(secret, join(directory, "below/en.json"))
      symlinkSync(join(outside, "new.json"), join(directory, "de.json"))
      for (
        const settings of [
          { files: [`../${basename(outside)}/{language}.json`] },
          { files: [`${outside}/{language}.json`] },
          { files: ["linked/{language}.json"] },
          { files: ["below/*.json"].map((source) => ({ source, target: "below/{language}.json" })) },
          { files: [{ source: "en.json", target: "linked/{language}.json" }] },
          { languages: { de: { path: `../${basename(outside)}/xx` } } },
          { files: ["{language}.json"] }
        ]
      ) {
        yield* write("effect-lingua.json", { source: "en", targets: ["de"], files: ["{language}.json"], ...settings })
        const { code, err } = yield* run()
        assert.strictEqual(code, exitCodes.configuration, JSON.stringify(settings))
        assert.include(err, `is outside of ${directory}`)
      }
      yield* write("effect-lingua.json", { source: "en", targets: ["fr"], files: ["{language}.json"] })
      symlinkSync(secret, join(directory, "effect-lingua.lock.json"))
      assert.include((yield* run()).err, `is outside of ${directory}`)
      assert.strictEqual(yield* requests, 0)
      assert.deepStrictEqual(readdirSync(outside), ["en.json"])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("says what is wrong with a project or a file, and writes and sends nothing", () =>
    Effect.gen(function*() {
      const { directory, requests, run, write } = yield* makeProject()
      const fails = Effect.fnUntraced(function*(settings: object) {
        yield* write("effect-lingua.json", { source: "en", targets: ["de"], files: ["{language}.json"], ...settings })
        const { code, err } = yield* run()
        assert.strictEqual(code, exitCodes.configuration, err)
        return err
      })
      assert.include(yield* fails({ target: [] }), "target")
      assert.include(yield* fails({ files: ["en.json"] }), "en.json must contain {language}")
      assert.include(
        yield* fails({ files: [{ source: "en.json", target: "to.json" }] }),
        "to.json must contain {language}"
      )
      assert.include(
        yield* fails({ targets: ["de", "fr"], languages: { fr: { path: "DE" } } }),
        "DE.json of en.json is also a file of en.json; names that differ only in case are one file on many machines"
      )
      assert.include(
        yield* fails({ files: ["{language}.json", "./{language}.json"] }),
        "en.json is a source of two entries; leave it in one of them"
      )
      assert.include(yield* fails({ targets: ["de", "DE"] }), "DE is the source language or is listed twice")
      assert.include(yield* fails({ targets: ["d!"] }), "d! is not a language code such as pt-BR")
      assert.include(
        yield* fails({ languages: { fr: {} } }),
        "fr is neither the source language nor one of the targets"
      )
      assert.include(yield* fails({ files: ["{language}.txt"] }), "en.txt has no known format")
      assert.include(yield* fails({ files: ["{language}/*.json"] }), "nothing matches en/*.json")
      assert.include(yield* fails({ files: ["{language}.yaml"] }), "there is no source file en.yaml")
      symlinkSync("loop.json", join(directory, "loop.json"))
      const loop = { source: "loop.json", target: "{language}.json" }
      yield* write("effect-lingua.json", { source: "en", targets: ["de"], files: [loop] })
      assert.include(
        (yield* run()).err,
        "loop.json: its links lead in a circle. Not translated: make it a file that can be read"
      )
      writeFileSync(join(directory, "de.json"), "{\n  \"title\" \"x\"\n}")
      assert.match(yield* fails({}), /de\.json: line 2, column \d+/)
      yield* write("de.json", { gone: "weg" })
      const hashes = [texts.title, "weg"].map((text) => createHash("sha256").update(text).digest("hex").slice(0, 16))
      yield* write("effect-lingua.lock.json", { version: 1, files: { "en.json": { de: { gone: hashes } } } })
      const stopped = yield* fails({ removed: "stop", targets: ["pl", "de"] })
      assert.include(stopped, "de.json has texts that en.json does not have: gone")
      yield* write("effect-lingua.lock.json", { version: 2, files: {} })
      assert.include(yield* fails({}), "has version 2, and this program knows version 1")
      assert.strictEqual(yield* requests, 0)
      assert.isFalse(existsSync(join(directory, "pl.json")))
      mkdirSync(join(directory, "empty"))
      const none = yield* inProcess(["localize", "--fake", "--project", join(directory, "empty/effect-lingua.json")])
      assert.include(none.err, "make one such as")
    }).pipe(Effect.scoped, Effect.provide(fake)))
})
