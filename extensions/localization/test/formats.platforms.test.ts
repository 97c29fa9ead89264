// The formats of Android, Apple, Java and .NET: what is a text, its escapes, and plurals.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Format, Malformed } from "../src/formats/Format.ts"
import { android } from "../src/formats/internal/android.ts"
import { properties } from "../src/formats/internal/properties.ts"
import { resx } from "../src/formats/internal/resx.ts"
import { strings } from "../src/formats/internal/strings.ts"
import { xcstrings } from "../src/formats/internal/xcstrings.ts"
import type { Texts } from "./support/formatFixtures.ts"
import { lines, run, textsOf } from "./support/formats.ts"
import { makeProject, services } from "./support/projects.ts"

const printed = (format: Format, source: string, texts: Texts, before?: string, language?: string) =>
  run(format, source, before, texts, language)

/** The spelling of a text in the place of another. */
const spelled = (format: Format, text: string, print: (raw: string) => string, like = "x") =>
  printed(format, print(like), { a: text })

const file = (...content: ReadonlyArray<string>) => lines(`<resources>`, ...content, `</resources>`)

const one = (raw: string) => file(`  <string name="a">${raw}</string>`)

describe("Android", () => {
  it.each<[raw: string, text: string, spelled?: string]>([
    ["Don\\'t", "Don't"],
    ["\"Don't  \"", "Don't  ", "Don\\'t \\u0020"],
    ["say \\\"hi\\\"", "say \"hi\""],
    ["one\\ntwo", "one\ntwo"],
    ["\n    one\n    two  ", "one two", "one two"],
    ["\\u0020x\\u00A0", " x\u00a0", "\\u0020x\u00a0"],
    ["\\@a \\?b \\\\", "@a ?b \\", "\\@a ?b \\\\"],
    ["\\?", "?"],
    ["a &amp; b &lt;c>", "a &amp; b &lt;c>"],
    ["Hi <b>%1$s</b>, <xliff:g id=\"n\">%d</xliff:g>", "Hi <b>%1$s</b>, <xliff:g id=\"n\">%d</xliff:g>"],
    ["<a href=\"x\">it\\'s</a>", "<a href=\"x\">it's</a>"]
  ])("spells %j", (raw, text, again = raw) => {
    const found = one(raw).replace("<resources>", "<resources xmlns:xliff=\"x\">")
    assert.deepStrictEqual(textsOf(android, found), { a: text })
    assert.strictEqual(printed(android, found, { a: text }), found)
    assert.strictEqual(spelled(android, text, one), one(again))
  })

  it("keeps CDATA, and the text in it", () => {
    const raw = "<![CDATA[<b>Don\\'t</b> & %s]]>"
    assert.deepStrictEqual(textsOf(android, one(raw)), { a: "&lt;b>Don't&lt;/b> &amp; %s" })
    assert.strictEqual(
      spelled(android, "&lt;b&gt;Kein 'x'&lt;/b&gt; &amp; %s", one, raw),
      one("<![CDATA[<b>Kein \\'x\\'</b> & %s]]>")
    )
  })

  it("has plurals, arrays and contexts, and no texts for the source only", () => {
    const source = file(
      `  <!-- The name of`,
      `       the app -->`,
      `  <string name="app" translatable="false">App</string>`,
      `  <string name="other">@string/app</string>`,
      `  <!-- On the`,
      `       button -->`,
      `  <string name="go">Go</string>`,
      `  <color name="c">#fff</color>`,
      `  <plurals name="files">`,
      `    <item quantity="one">%d file</item>`,
      `    <item quantity="other">%d files</item>`,
      `  </plurals>`,
      `  <string-array name="days">`,
      `    <item>Mon</item>`,
      `    <item>Tue</item>`,
      `  </string-array>`
    )
    const { placeholders, units } = android.parse(source, "en")
    assert.strictEqual(placeholders, "xml")
    assert.deepStrictEqual(units("pl").map(({ context, id }) => [id, context]), [
      ["go", "On the\nbutton"],
      ...["files/one", "files/other", "files/few", "files/many", "days/0", "days/1"].map((id) => [id, undefined])
    ])
    const texts = Object.fromEntries(units("pl").map(({ id }) => [id, `%d ${id}`]))
    const after = printed(android, source, texts, undefined, "pl")
    assert.deepStrictEqual(textsOf(android, after, "pl"), texts)
    assert.notInclude(after, "name=\"app\"")
    assert.include(
      after,
      `    <item quantity="other">%d files/other</item>\n    <item quantity="few">%d files/few</item>\n`
    )
    const before = file(`\t<string name="go">Los</string>`)
    const more = printed(android, source, { ...texts, go: "Los" }, before, "pl")
    assert.deepStrictEqual(textsOf(android, more, "pl"), { ...texts, go: "Los" })
    assert.include(more, `\t<string name="go">Los</string>\n\t<plurals name="files">\n`)
    const japanese = printed(android, source, { "files/other": "%d" }, undefined, "ja")
    assert.include(japanese, `<item quantity="one">%d</item>`)
    assert.strictEqual(printed(android, file(), {}, more, "pl"), file())
  })
})

describe("Apple strings", () => {
  it("has escapes, keys without quotes, and comments as contexts", () => {
    const source = lines(
      `/* The program */`,
      ``,
      `/* Title of`,
      `   the page */`,
      `title = "My \\"page\\"\\n\\U00e9";`,
      ``,
      `// Button`,
      `"a \\"b\\"" = "/* no comment */"; "c" = "d";`,
      `/* No comment provided by engineer. */`,
      `"e"=f ;`
    )
    assert.deepStrictEqual(
      strings.parse(source, "en").units("de").map(({ context, id, text }) => [id, text, context]),
      [
        ["title", "My \"page\"\né", "Title of\nthe page"],
        [`a "b"`, "/* no comment */", "Button"],
        ["c", "d", undefined],
        ["e", "f", undefined]
      ]
    )
    const after = printed(strings, source, { title: "Seite \"ä\"\\", c: "D", e: "F" })
    assert.strictEqual(
      after,
      source.replace(`My \\"page\\"\\n\\U00e9`, `Seite \\"ä\\"\\\\`).replace(`"d"`, `"D"`).replace("=f", `="F"`)
    )
    assert.deepStrictEqual(Object.keys(textsOf(strings, printed(strings, `title="x";`, {}, source))), ["title"])
  })

  it.each([[`"a" "b";`, 5], [`"a" = ;`, 7], [`"a" = "b"`, 10], [`"a" = "b";\n}`, 1]])(
    "is refused: %s",
    (text, column) => {
      const message = new RegExp(`^line \\d, column ${column}: .* is expected`)
      assert.throws(() => strings.read(text, "de"), Malformed, message)
    }
  )
})

const unit = (state: string, value: string) => `{ "stringUnit" : { "state" : "${state}", "value" : "${value}" } }`

const inUtf16 = (encoding: string) => (text: string) => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le")
  return encoding === "utf-16le" ? bytes : bytes.swap16()
}

describe("files in UTF-16", () => {
  it.effect.each(["utf-16le", "utf-16be"])("stay in %s, and so do new targets", (encoding) =>
    Effect.gen(function*() {
      const bytesOf = inUtf16(encoding)
      const { directory, open, read, write } = yield* makeProject({
        targets: ["de", "fr"],
        files: ["{language}.strings"]
      }, {
        "en.strings": bytesOf(lines(`a = "A";`, `b = "B";`)),
        "de.strings": bytesOf(lines(`/* ü */`, `a = "Ä";`)),
        "fr.strings": lines(`a = "À";`)
      })
      const german = join(directory, "de.strings")
      yield* (yield* open()).run()
      assert.deepStrictEqual(readFileSync(german), bytesOf(lines(`/* ü */`, `a = "Ä";`, `b = "[de] B";`)))
      assert.strictEqual(read("fr.strings"), lines(`a = "À";`, `b = "[fr] B";`))
      rmSync(german)
      yield* (yield* open({ targets: ["de"] })).run()
      assert.deepStrictEqual(readFileSync(german), bytesOf(lines(`a = "[de] A";`, `b = "[de] B";`)))
      write("fr.strings", Buffer.from([0xe9, 0x0a]))
      assert.include((yield* open()).problems[0]?.problem, "not text in UTF-8")
    }).pipe(Effect.scoped, Effect.provide(services)))
})

describe("string catalogs", () => {
  const catalog = lines(
    `{`,
    `  "sourceLanguage" : "en",`,
    `  "strings" : {`,
    `    "" : {},`,
    `    "%lld files" : {`,
    `      "localizations" : {`,
    `        "en" : {`,
    `          "variations" : {`,
    `            "plural" : {`,
    `              "one" : ${unit("translated", "%lld file")},`,
    `              "other" : ${unit("translated", "%lld files")}`,
    `            }`,
    `          }`,
    `        }`,
    `      }`,
    `    },`,
    `    "Brand" : { "shouldTranslate" : false },`,
    `    "Device" : { "localizations" : { "en" : { "variations" : { "device" : { "mac" : ${
      unit("new", "Mac")
    } } } } } },`,
    `    "Go" : {`,
    `      "comment" : "A button",`,
    `      "localizations" : {`,
    `        "de" : ${unit("needs_review", "Gehen")},`,
    `        "fr" : ${unit("translated", "Aller")}`,
    `      }`,
    `    }`,
    `  },`,
    `  "version" : "1.0"`,
    `}`
  )

  it("have all languages in one file, which keeps those of others", () => {
    const { units } = xcstrings.parse(catalog, "en")
    assert.deepStrictEqual(units("pl").map(({ context, id, text }) => [id, text, context]), [
      ...["one", "few", "many", "other"].map((category) => [
        `%lld files/${category}`,
        category === "one" ? "%lld file" : "%lld files",
        undefined
      ]),
      ["Go", "Go", "A button"]
    ])
    assert.deepStrictEqual(textsOf(xcstrings, catalog, "fr"), { Go: "Aller" })
    assert.deepStrictEqual(textsOf(xcstrings, catalog, "de"), {})
    const german = { Go: "Los", "%lld files/one": "%lld Datei", "%lld files/other": "%lld Dateien" }
    const after = printed(xcstrings, catalog, german, catalog)
    assert.deepStrictEqual(textsOf(xcstrings, after, "de"), german)
    assert.include(
      after,
      `        "de" : ${unit("translated", "Los")},\n        "fr" : ${unit("translated", "Aller")}\n`
    )
    assert.include(
      after,
      `        "de" : {\n          "variations" : {\n            "plural" : {\n              "one" : {\n`
    )
    const polish = Object.fromEntries(units("pl").map(({ id }) => [id, `pl ${id}`]))
    const both = printed(xcstrings, after, polish, after, "pl")
    assert.deepStrictEqual([textsOf(xcstrings, both, "de"), textsOf(xcstrings, both, "pl")], [german, polish])
    assert.strictEqual(printed(xcstrings, both, german, both), both)
    assert.deepStrictEqual(Object.keys(JSON.parse(both).strings), Object.keys(JSON.parse(catalog).strings))
  })

  it.effect("are translated in their place, to all languages", () =>
    Effect.gen(function*() {
      const name = "Localizable.xcstrings"
      const { open, read, write } = yield* makeProject({ targets: ["de", "fr", "pl"], files: [name] }, {
        [name]: catalog
      })
      yield* (yield* open()).run()
      const after = read(name)
      assert.deepStrictEqual(textsOf(xcstrings, after, "fr")["Go"], "Aller")
      assert.deepStrictEqual(
        ["de", "pl"].map((language) => Object.keys(textsOf(xcstrings, after, language)).length),
        [3, 5]
      )
      const again = yield* open()
      assert.deepStrictEqual(again.problems, [])
      assert.deepStrictEqual(again.costs.map(({ removed, texts }) => [removed, texts]), [[0, 0], [0, 0], [0, 0]])
      write("effect-lingua.json", JSON.stringify({ source: "en", targets: ["de"], files: ["a.json"] }))
      const refused = yield* Effect.flip(open())
      assert.include(refused.message, "must contain {language}")
    }).pipe(Effect.scoped, Effect.provide(services)))
})

describe("properties", () => {
  it.each<[line: string, key: string, text: string, spelled?: string]>([
    ["a=b", "a", "b"],
    ["a : b", "a", "b"],
    ["a b", "a", "b"],
    ["  a\\ b\\=c=\\ d", "a b=c", " d"],
    ["a=one\\\n   two\\\\", "a", "onetwo\\", "a=onetwo\\\\"],
    ["a=\\u00e9\\n", "a", "é\n"],
    ["a=don't", "a", "don't"],
    ["a=don''t {0}", "a", "don't {0}"],
    ["a=don't {0}", "a", "don't {0}"],
    ["a=", "a", ""]
  ])("reads %j", (line, key, text, spelled = line) => {
    const source = lines(`# a`, `! b`, line)
    assert.deepStrictEqual(textsOf(properties, source), { [key]: text })
    assert.strictEqual(printed(properties, source, { [key]: text }), source)
    assert.strictEqual(printed(properties, source, { [key]: `${text}x` }), lines(`# a`, `! b`, `${spelled}x`))
  })

  it("has escapes only where all characters are of ASCII, and quotes for MessageFormat", () => {
    assert.strictEqual(printed(properties, "a=b\n", { a: "ä😀" }), "a=\\u00e4\\ud83d\\ude00\n")
    assert.strictEqual(printed(properties, "a=b\nc=d\n", { a: "ä", c: "ü" }, "c=ü\n"), "a=ä\nc=ü\n")
    assert.strictEqual(printed(properties, "a={0} is\n", { a: "{0} l'est" }), "a={0} l''est\n")
    assert.strictEqual(printed(properties, "a=is\n", { a: "l'est" }), "a=l'est\n")
    assert.throws(() => properties.read("a=\\u00zz", "de"), "line 1, column 3: an escape \\u without four digits")
  })
})

describe(".NET resources", () => {
  it("has comments as contexts, and leaves values with types alone", () => {
    const source = lines(
      `<root>`,
      `  <data name="Hi" xml:space="preserve">`,
      `    <value>Hi {0} &amp; &lt;b&gt;</value>`,
      `    <comment>A greeting</comment>`,
      `  </data>`,
      `  <data name="icon" type="System.Resources.ResXFileRef"><value>a.ico</value></data>`,
      `  <data name="label.Size" type="System.Drawing.Size"><value>1, 2</value></data>`,
      `  <data name="&gt;&gt;label.Name" xml:space="preserve"><value>label</value></data>`,
      `  <data name="Empty"><value /></data>`,
      `</root>`
    )
    assert.deepStrictEqual(
      resx.parse(source, "en").units("de").map(({ context, id, text }) => [id, text, context]),
      [["Hi", "Hi {0} & <b>", "A greeting"], ["Empty", "", undefined]]
    )
    assert.strictEqual(
      printed(resx, source, { Hi: "Hallo {0} & <b>", Empty: "x" }),
      source.replace("Hi {0}", "Hallo {0}").replace("<value />", "<value>x</value>")
    )
    assert.deepStrictEqual(textsOf(resx, printed(resx, source, { Hi: "Hallo {0}" }, "<root>\n</root>\n")), {
      Hi: "Hallo {0}"
    })
  })
})
