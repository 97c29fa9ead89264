// What `localize` does in every format when a service or a person does something unexpected.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Script from "@effect-lingua/testing/faults/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { isFull } from "../../../../test/support/scale.ts"
import { formats } from "../../../localization/src/formats/internal/table.ts"
import { type Kind, kinds, plainOf, type Texts, xml } from "../../../localization/test/support/formatFixtures.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import { inProcess } from "../support/cli.ts"
import { fakeWith, key, lines } from "../support/cliFake.ts"

const element = /<(x|placeholder) id="\d+">[^<]*<\/\1>/g

/** A text without its placeholders, which the second request does not have. */
const withoutElements = (text: string) => text.replace(element, "").replaceAll(/%[sd]/g, "")

/** Sources, the answers to them with a text in the place of another, and the translation or what is wrong with it. */
const responses: Readonly<
  Record<string, readonly [source: string, from: string | RegExp, to: string, translation: string, problem?: string]>
> = {
  ends: ["  My page\n", "My page", "Meine Seite ", "  Meine Seite\n"],
  "bare ampersand": ["Tom & Tim", "&amp;", "&", "Tom & Tim"],
  "entity of HTML": ["Go on", " ", "&nbsp;", "Go\u00a0on"],
  "line breaks": ["One\nTwo", "\n", " ", "", "its line break is lost in the translation"],
  "empty text": ["Full", "Full", " ", "", "its translation is empty"],
  "lost tag": ["<b>a</b> is", "/b", "b", "", "its tag <b> is lost in the translation"],
  "renamed tag": ["a<br>b", "br", "hr", "", "its tag <br> is lost in the translation"],
  "invented tag": ["Six", "Six", "&lt;i&gt;Six&lt;/i&gt;", "", "its tag <i> is added in the translation"],
  attribute: ["<a href='x'>an x</a>", "href='x'", "href='y'", "", "its tag <a href='x'> is lost in the translation"],
  word: ["Open <file>", "file", "Datei", "Open <Datei>"],
  entity: ["R&copy;D", "copy", "kopie", "", "its entity &copy; is lost in the translation"],
  "lost placeholder": ["No %s", element, "", "", "its placeholder %s is lost in the translation"],
  "doubled placeholder": ["Two %s", element, "$&$&", "", "its placeholder %s is added in the translation"],
  "translated placeholder": ["Des %s", />(?:%s)?</g, ">%z<", "", "its placeholder %s is lost in the translation"],
  "emptied placeholder": ["Has %s", />%s</g, "><", "Has %s"],
  "swapped placeholders": ["A %s, %d", /%s(.*)%d/g, "%d$1%s", "A %s, %d"],
  "another text": ["Not %s", /^.*$/g, "My page", "", "its placeholder %s is lost in the translation"],
  "crossed tags": ["<b><i>c</i></b>", /(&lt;\/i.*?)(&lt;\/b.*)$/g, "$2$1", "", "its tag </b> closes another tag"],
  "swapped tag": ["<b>s</b>", /^(.*?&gt;|.*?>)s(.*)$/g, "$2s$1", "", "its tag </b> closes another tag"],
  "control character": ["Ring", "Ring", "Ri\u0001ng", "", "its placeholder \u0001 is added in the translation"],
  overlong: ["Long", "Long", "Lang ".repeat(500), "Lang ".repeat(500).trim()],
  "plural form": [
    "{n, plural, one {# form} other {# forms}}",
    /^.* forms$/g,
    "Eine Form",
    "",
    "its placeholder # is lost in the translation"
  ],
  reference: ["Go to $t(home.title)", "Go to", "Zu", "Go to $t(home.title)"]
}

/** What the service answers to a text as it is sent; `undefined` for its usual answer. */
let answer: (text: string) => string | undefined = () => undefined

const fake = fakeWith({ taught: { translate: (text) => answer(text) } })

/** The property or element of a title. */
const spelling = /"?title"?: "[^"]*"|<source>My page.*<\/target>|<segment>.*<\/segment>/

/** A project of a file of each kind, in German. */
const makeProject = Effect.fnUntraced(function*({ file, idOf, placeholder, print }: Kind, targets = ["de"]) {
  answer = () => undefined
  const directory = yield* folder
  const { requestsOf, url } = yield* FakeLanguageService
  const target = (language: string) => file.replace("{language}", language)
  const pathOf = (language: string) => join(directory, target(language))
  writeFileSync(join(directory, "effect-lingua.json"), JSON.stringify({ source: "en", targets, files: [file] }))
  const source: Texts = { title: "My page", hello: `Hello ${placeholder}`, brand: "Git" }
  const write = (language: string, texts: Texts, of: Texts = source) =>
    Effect.sync(() => writeFileSync(pathOf(language), print(language, of, texts)))
  yield* write("en", source)
  const run = (...args: ReadonlyArray<string>) =>
    inProcess(["localize", ...args, "--project", join(directory, "effect-lingua.json"), "--attempts", "1"], {
      env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
    })
  /** The texts of the German file by their keys, or `undefined` if there is none. */
  const read = Effect.fnUntraced(function*(of: Texts = source) {
    if (!existsSync(pathOf("de"))) return undefined
    const format = yield* Effect.promise(
      formats[file.split(".").at(-1) ?? ""] ?? (() => Promise.reject(new Error(file)))
    )
    const found = format.read(readFileSync(pathOf("de"), "utf8"), "de")
    return Object.fromEntries(
      Object.entries(of).flatMap(([key, text]) => {
        const translation = found.get(idOf(key, text))?.text
        return translation === undefined ? [] : [[key, translation]]
      })
    )
  })
  const check = Effect.map(
    run("check", "--json"),
    ({ out }) => out === "" ? [] : lines(out).map(({ file, id, state }) => ({ file, id, state }))
  )
  const finding = (key: string, state: string) => ({ file: target("de"), id: idOf(key, source[key] ?? ""), state })
  const sent = Effect.map(requestsOf("Translation.translate"), (found) => found.length)
  return { check, finding, idOf, path: pathOf("de"), read, run, sent, source, target, write }
})

describe.each(kinds)("localize of $name", (kind) => {
  const { placeholder } = kind
  let tests = kinds.indexOf(kind)
  // The short run gives each test to one format.
  const test = (name: string, run: () => Effect.Effect<void, unknown>) =>
    it.live.skipIf(tests++ % kinds.length > 0 && !isFull)(name, run)

  test("keeps a translation that equals its source", () =>
    Effect.gen(function*() {
      const { check, read, run, sent, source, write } = yield* makeProject(kind)
      const translations = { title: "Meine Seite", hello: `Hallo ${placeholder}`, brand: "Git" }
      yield* write("de", translations)
      assert.deepStrictEqual(yield* check, [], "before the first run")
      assert.strictEqual((yield* run()).code, 0)
      assert.strictEqual(yield* sent, 0)
      assert.deepStrictEqual(yield* read(), translations)
      // A translation of ours that a person replaces by the source's text.
      yield* write("de", source)
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual([yield* sent, yield* check], [0, []])
      assert.deepStrictEqual(yield* read(), source)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("reports a text without a usable translation until a later run repairs it", () =>
    Effect.gen(function*() {
      const { check, finding, read, run, sent, source } = yield* makeProject(kind)
      answer = (text) => text.includes("Hello") ? "Hallo" : undefined
      const failed = yield* run()
      assert.strictEqual(failed.code, exitCodes.problems)
      assert.include(failed.err, finding("hello", "").id)
      assert.deepInclude(yield* read(), { title: "[de] My page" })
      assert.deepStrictEqual(yield* check, [finding("hello", "missing")])
      answer = () => undefined
      const before = yield* sent
      assert.strictEqual((yield* run()).code, 0)
      assert.strictEqual(yield* sent, before + 1)
      assert.deepInclude(yield* read(), { hello: `[de] ${source["hello"]}` })
      assert.deepStrictEqual(yield* check, [])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("keeps what is written by hand after a failure", () =>
    Effect.gen(function*() {
      const { check, read, run, sent, source, write } = yield* makeProject(kind)
      answer = (text) => text.includes("Hello") ? "Hallo" : undefined
      assert.strictEqual((yield* run()).code, exitCodes.problems)
      const translations = { ...source, ...(yield* read()), hello: `Hallo ${placeholder}` }
      yield* write("de", translations)
      const before = yield* sent
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual([yield* sent, yield* check, yield* read()], [before, [], translations])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("translates texts with the names of methods of objects", () =>
    Effect.gen(function*() {
      const { check, read, run, sent, write } = yield* makeProject(kind)
      const names = ["constructor", "__proto__", "toString"]
      const source = Object.fromEntries(names.map((name) => [name, `The ${name}`]))
      yield* write("en", source, source)
      assert.strictEqual((yield* run()).code, 0)
      const before = yield* sent
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual([yield* sent, yield* check], [before, []])
      assert.deepStrictEqual(
        Object.entries((yield* read(source)) ?? {}),
        names.map((name) => [name, `[de] The ${name}`])
      )
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("deletes all texts of a target only with --delete-all", () =>
    Effect.gen(function*() {
      const { read, run, sent, write } = yield* makeProject(kind)
      assert.strictEqual((yield* run()).code, 0)
      const [translations, before] = [yield* read(), yield* sent]
      yield* write("en", {}, {})
      const { code, err } = yield* run()
      assert.strictEqual(code, exitCodes.configuration)
      assert.include(err, "has no texts any more")
      assert.deepStrictEqual(yield* read(), translations)
      assert.strictEqual((yield* run("--delete-all")).code, 0)
      assert.deepStrictEqual([yield* read(), yield* sent], [{}, before])
      assert.strictEqual((yield* run()).code, 0, "nothing is left to delete")
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("translates the other languages and texts when one fails", () =>
    Effect.gen(function*() {
      const { check, idOf, read, run, source, target, write } = yield* makeProject(kind, ["xx", "de"])
      const broken = { ...source, broken: `Open ${kind.unclosed ?? placeholder}` }
      yield* write("en", broken, broken)
      const { code, err, out } = yield* run("--json")
      assert.strictEqual(code, exitCodes.problems)
      assert.include(err, `${target("xx")}: xx is not a target language of the service`)
      assert.deepInclude(yield* read(), { title: "[de] My page" })
      const found = lines(out)
      assert.deepInclude(found[0], {
        target: target("xx"),
        translated: 0,
        problems: [`${target("xx")}: xx is not a target language of the service`]
      })
      const unclosed = `${target("de")}: ${idOf("broken", broken.broken)}: it has an unclosed brace`
      assert.deepInclude(found[1], {
        target: target("de"),
        translated: kind.unclosed === undefined ? 4 : 3,
        problems: kind.unclosed === undefined ? [] : [unclosed]
      })
      const states = (yield* check).filter(({ file }) => file === target("de"))
      assert.strictEqual(states.length, kind.unclosed === undefined ? 0 : 1)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("keeps the bytes of what it does not translate", () =>
    Effect.gen(function*() {
      const { path, read, run, sent, source, write } = yield* makeProject(kind)
      const translations = { title: "Seiteé/", hello: `Hallo ${placeholder}`, brand: "Git" }
      yield* write("de", translations)
      const usual = kind.print("de", source, { title: translations.title }).split("\n")
      const line = usual.find((line) => line.includes("Seite")) ?? ""
      const text = readFileSync(path, "utf8")
      const title = kind.usual ??
        (kind.name === "PO" ? `msgid "My page"\nmsgstr "Seiteé/"` : spelling.exec(line)?.[0] ?? "")
      const before = `${text.replace(title, kind.spelled)}${kind.end ?? ""}`
      assert.include(before, kind.spelled)
      writeFileSync(path, before)
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual([readFileSync(path, "utf8"), yield* sent], [before, 0])
      const more = { ...source, more: "More" }
      yield* write("en", more, more)
      assert.strictEqual((yield* run()).code, 0)
      assert.include(readFileSync(path, "utf8"), kind.spelled)
      assert.include(readFileSync(path, "utf8"), kind.end ?? "")
      assert.deepStrictEqual(yield* read(more), { ...translations, more: "[de] More" })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("creates no file without a translation", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { check, finding, read, run, source } = yield* makeProject(kind)
      answer = () => ""
      assert.strictEqual((yield* run()).code, exitCodes.problems)
      assert.isUndefined(yield* read())
      yield* script(Script.next(1, { status: 456 }, "Translation.translate"))
      assert.strictEqual((yield* run()).code, exitCodes.quota)
      assert.isUndefined(yield* read())
      assert.deepStrictEqual(yield* check, Object.keys(source).map((key) => finding(key, "missing")))
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("repairs a response, or reports it with id and language", () =>
    Effect.gen(function*() {
      const { idOf, read, run, target, write } = yield* makeProject(kind)
      const all = Object.entries(responses)
      const source = Object.fromEntries(all.map(([key, [text]]) => [key, text]))
      yield* write("en", source, source)
      answer = (sent) => {
        const plain = withoutElements(sent).replaceAll("&gt;", ">")
        const [, from = "", to = ""] = all.map(([, response]) => response).find(([text]) =>
          [xml(withoutElements(text.trim())), ...text.split(/\{#|\}/)].includes(plain)
        ) ?? []
        return sent.replaceAll(from, to)
      }
      const { code, out } = yield* run("--json")
      assert.strictEqual(code, exitCodes.problems)
      assert.deepStrictEqual(
        lines(out).map(({ problems }) => problems),
        [all.flatMap(([key, [text, , , , problem]]) =>
          problem === undefined ? [] : [`${target("de")}: ${idOf(key, text)}: ${problem}`]
        )]
      )
      const found = Object.entries((yield* read(source)) ?? {}).map(([key, text]) => [key, plainOf(text)])
      assert.deepInclude(
        Object.fromEntries(found),
        Object.fromEntries(all.flatMap(([key, [, , , text, problem]]) =>
          problem === undefined ? [[key, text]] : []
        ))
      )
    }).pipe(Effect.scoped, Effect.provide(fake)))

  // The id of an entry of gettext is its text.
  if (kind.name === "PO") return
  test("keeps the old translation of a changed text that fails", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { check, finding, read, run, source, write } = yield* makeProject(kind)
      assert.strictEqual((yield* run()).code, 0)
      const old = yield* read()
      const changed = { ...source, title: "Our page" }
      yield* write("en", changed, changed)
      answer = () => ""
      assert.strictEqual((yield* run()).code, exitCodes.problems)
      assert.deepStrictEqual([yield* read(), yield* check], [old, [finding("title", "changed")]])
      yield* script(Script.next(1, { status: 456 }, "Translation.translate"))
      assert.strictEqual((yield* run()).code, exitCodes.quota)
      assert.deepStrictEqual([yield* read(), yield* check], [old, [finding("title", "changed")]])
      answer = () => undefined
      assert.strictEqual((yield* run()).code, 0)
      assert.deepStrictEqual([yield* read(), yield* check], [{ ...old, title: "[de] Our page" }, []])
    }).pipe(Effect.scoped, Effect.provide(fake)))
})
