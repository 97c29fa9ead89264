import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { runInNewContext } from "node:vm"
import { scaled } from "../../../test/support/scale.ts"
import { type Format, Malformed } from "../src/formats/Format.ts"
import { problemOf } from "../src/formats/internal/comparison.ts"
import { arb, json } from "../src/formats/internal/json.ts"
import { protect } from "../src/formats/internal/markup.ts"
import { hasPlurals, sentencesIn } from "../src/formats/internal/messages.ts"
import { po } from "../src/formats/internal/po.ts"
import { strings } from "../src/formats/internal/strings.ts"
import { xliff } from "../src/formats/internal/xliff.ts"
import { yaml } from "../src/formats/internal/yaml.ts"
import { lines } from "./support/formats.ts"

const sentencesOf = (text: string, language: string) => sentencesIn(text, language) ?? assert.fail(text)

/** A file of each format, with comments, odd spaces and escapes, and the number of its texts in German. */
const files: ReadonlyArray<readonly [name: string, format: Format, source: string, texts: number]> = [
  [
    "JSON",
    json,
    lines(
      `{`,
      `\t"b" : "Hello {{name}}", "a": { "x": ["one", 2, true, null, "\\u00e9\\n"] },`,
      `  // a comment`,
      `  "item_one": "{{count}} item",  "item_other": "{{count}} items"`,
      `}`
    ),
    5
  ],
  [
    "ARB",
    arb,
    lines(
      `{`,
      `  "@@locale": "de",`,
      `  "cart": "{n, plural, one {# item} other {# items}}",`,
      `  "@cart": { "description": "Cart" }`,
      `}`
    ),
    1
  ],
  [
    "YAML",
    yaml,
    lines(
      `# top`,
      `de:`,
      `    hello:   Hello %{name}  # greeting`,
      `    'it''s': "quoted \\"x\\""`,
      `    list: [one, "two"]`,
      `    n: 3`
    ),
    4
  ],
  [
    "PO",
    po,
    lines(
      `# Translators`,
      `msgid ""`,
      `msgstr ""`,
      `"Language: de\\n"`,
      `"Content-Type: text/plain; charset=UTF-8\\n"`,
      `"Plural-Forms: nplurals=2; plural=(n != 1);\\n"`,
      ``,
      `#: src/a.c:10`,
      `#, c-format`,
      `msgid ""`,
      `"Hello "`,
      `"%s"`,
      `msgstr "Hello %s"`,
      ``,
      `msgctxt "menu"`,
      `msgid "file"`,
      `msgid_plural "files"`,
      `msgstr[0] "file"`,
      `msgstr[1] "files"`,
      `#~ msgid "old"`,
      `#~ msgstr "alt"`
    ),
    3
  ],
  [
    "XLIFF 1.2",
    xliff,
    lines(
      `<?xml version="1.0" encoding="UTF-8"?>`,
      `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:t="urn:of-a-tool">`,
      `  <file original="a" source-language="en" datatype="plaintext" target-language="de"><body>`,
      `    <!-- first -->`,
      `    <trans-unit id="1"><source>Hi <x id="a"/> &amp; you</source><target>Hi <x id="a"/> &amp; you</target><t:path>b</t:path></trans-unit>`,
      `    <trans-unit id="2" translate="no"><source>No</source></trans-unit>`,
      `  </body></file>`,
      `</xliff>`
    ),
    1
  ],
  [
    "XLIFF 2.0",
    xliff,
    lines(
      `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de">`,
      `  <file id="f"><unit id="u">`,
      `    <segment><source>One</source><target>One</target></segment>`,
      `    <segment><source>Two</source><target>Two</target></segment>`,
      `  </unit></file>`,
      `</xliff>`
    ),
    2
  ]
]

const isWhole = (source: string, translation: string, syntax: "icu" | "mustache" = "mustache") =>
  problemOf(source, translation, { isXml: true, syntax }, "pl") === undefined

const fileOf = (units: string) => `<xliff version="1.2"><file original="f" target-language="de">${units}</file></xliff>`

/** The texts of a target by their ids. */
const textsOf = (format: Format, text: string, language: string) =>
  new Map([...format.read(text, language)].map(([id, { text }]) => [id, text]))

describe("localization files", () => {
  for (const [name, format, source, count] of files) {
    it.prop(
      `${name}: with its own texts it is the same file, and with others it differs in them only`,
      [Schema.Array(Schema.String)],
      ([texts]) => {
        const parsed = format.parse(source, "de")
        const units = parsed.units("de")
        assert.strictEqual(units.length, count)
        const own = new Map(units.map(({ id, text }) => [id, text]))
        assert.strictEqual(parsed.print("de", own), source)
        // What a file of XML cannot have, and half of a character.
        const allowed = format === xliff ? /[^ -~é]|[<>&'"]/g : /\p{Cs}|\p{Cc}/gu
        const translations = new Map(units.map(({ id }, index) => [id, `${texts[index]?.replace(allowed, "") ?? ""}x`]))
        const printed = parsed.print("de", translations)
        assert.deepStrictEqual(textsOf(format, printed, "de"), translations)
        assert.strictEqual(printed.split("\n").length, source.split("\n").length)
        assert.deepStrictEqual(textsOf(format, parsed.print("de", own), "de"), own)
      },
      { arbitrary: { runs: scaled(20, 100) } }
    )
  }

  it("adds the plurals that a language has, and names those of gettext", () => {
    const [[, , source] = ["", json, ""]] = files
    const units = json.parse(source, "en").units("pl")
    assert.deepStrictEqual(
      units.filter(({ id }) => id.startsWith("item")).map(({ id }) => id),
      ["item_one", "item_other", "item_few", "item_many"]
    )
    const ordinal = json.parse(`{"place_ordinal_one":"{{count}}st","place_ordinal_other":"{{count}}th"}`, "en")
    assert.deepStrictEqual(ordinal.units("pl").map(({ id }) => id), ["place_ordinal_other"])
    assert.strictEqual(ordinal.units("sv").length, 2)
    const template = po.parse(files[3]?.[2] ?? "", "en")
    const printed = template.print("pl", new Map([["menu\u0004file[2]", "plików"]]))
    assert.include(printed, "Plural-Forms: nplurals=3; plural=(n==1 ? 0")
    assert.include(printed, "msgstr[2] \"plików\"")
    const numbers = [...Array.from({ length: 201 }).keys(), 1_000_000]
    for (const language of "ar br cs cy de fr ga gd he hsb is ja lt lv mk mt pl pt-BR ro ru sk sl uk".split(" ")) {
      const header = template.print(language, new Map())
      const [, count, form = ""] = /nplurals=(\d); plural=\(?(.*?)\)?;/.exec(header) ?? []
      const forms: ReadonlyArray<number> = JSON.parse(
        runInNewContext(`JSON.stringify([${numbers.join()}].map((n) => Number(${form})))`)
      )
      assert.strictEqual(new Set(forms).size, Number(count), language)
      const rules = new Intl.PluralRules(language)
      // The categories of four languages divide the numbers in other ways than gettext does.
      const isOther = /cy|ga|lv|mt/.test(language)
      const byCategory = Map.groupBy(forms.keys(), (at) => isOther ? forms[at] : rules.select(numbers[at] ?? 0))
      for (const [category, all] of byCategory) {
        assert.strictEqual(new Set(all.map((at) => forms[at])).size, 1, `${language} ${category}`)
      }
    }
    assert.deepStrictEqual(template.units("ja").map(({ text }) => text), ["Hello %s", "files"])
    assert.notInclude(template.print("ja", new Map()), "msgstr[1]")
    assert.throws(() => template.units("kw"), Malformed, "the gettext plural forms of kw")
  })

  it("translates whole sentences of messages with plurals and selections, and adds branches", () => {
    const { join, texts } = sentencesOf(
      "You have {n, plural, =0 {nothing} one {# apple} other {# apples}} in {place}.",
      "ru"
    )
    assert.deepStrictEqual(texts.slice(0, 2), [
      "You have nothing in {place}.",
      "You have {number_of_plural} apple in {place}."
    ])
    assert.strictEqual(
      join(texts.map((text) => text.toUpperCase().replaceAll(/\{\w+\}/g, (name) => name.toLowerCase()))),
      "{n, plural, =0 {YOU HAVE NOTHING IN {place}.} one {YOU HAVE # APPLE IN {place}.} few {YOU HAVE # APPLES IN {place}.} " +
        "many {YOU HAVE # APPLES IN {place}.} other {YOU HAVE # APPLES IN {place}.}}"
    )
    const nested = sentencesOf(
      "{who, select, her {She has {n, plural, one {#} other {#}}} other {They have {n}}}",
      "de"
    )
    assert.strictEqual(
      nested.join(nested.texts),
      "{who, select, her {{n, plural, one {She has #} other {She has #}}} other {They have {n}}}"
    )
    const withOffset = "{n, plural, offset:1 =0 {Nobody} one {You and # guest} other {You and # guests}}"
    const same = sentencesOf(withOffset, "de")
    assert.strictEqual(same.join(same.texts), withOffset)
    const chosen = "{who, select, her {Her fan #1} other {Their fan #1}}"
    const select = sentencesOf(chosen, "de")
    assert.strictEqual(select.join(select.texts), chosen)
    const spelled = sentencesOf("Isn't '{#}' <b>#1</b>: {n, plural, one {# l''ami} other {<i>#</i>}}", "de")
    assert.strictEqual(
      spelled.join(spelled.texts),
      "{n, plural, one {Isn't '{#}' <b>'#'1</b>: # l''ami} other {Isn't '{#}' <b>'#'1</b>: <i>#</i>}}"
    )
    for (const text of ["no message", "{broken", "It's {n}"]) {
      assert.deepStrictEqual(sentencesOf(text, "de").texts, [text])
    }
  })

  it("needs the plurals of a language in each of its parts", () => {
    const whole = "{a, plural, one {file} few {files} many {files} other {files}}"
    assert.isTrue(hasPlurals(`${whole} in {n}`, "pl"))
    assert.isFalse(hasPlurals(`${whole} in {b, plural, one {folder} other {folders}}`, "pl"))
    assert.isFalse(hasPlurals(`{who, select, her {${whole}} other {{b, plural, other {files}}}}`, "pl"))
  })

  it("keeps the header and the number of plurals of a PO file that is there, and takes no fuzzy translation", () => {
    const template = lines(
      `#, fuzzy`,
      `msgid ""`,
      `msgstr "Language: \\n"`,
      ``,
      `#, fuzzy, c-format`,
      `msgid "%d file"`,
      `msgid_plural "%d files"`,
      `msgstr[0] ""`,
      `msgstr[1] ""`
    )
    const before = lines(
      `msgid ""`,
      `msgstr "Plural-Forms: nplurals=1; plural=0;\\nLast-Translator: Ada\\n"`,
      ``,
      `#, fuzzy`,
      `#| msgid "%d document"`,
      `msgid "%d file"`,
      `msgid_plural "%d files"`,
      `msgstr[0] "%d guess"`
    )
    assert.deepStrictEqual(po.read(before, "pl"), new Map())
    const source = po.parse(template, "en")
    assert.deepStrictEqual(source.units("pl", before), [
      {
        id: "%d file[0]",
        text: "%d files",
        alternatives: ["%d files"],
        plural: "%d file",
        placeholders: "printf",
        context: undefined,
        offset: 66
      }
    ])
    assert.strictEqual(
      source.print("pl", new Map([["%d file[0]", "%d plików"]]), before),
      lines(
        `msgid ""`,
        `msgstr "Plural-Forms: nplurals=1; plural=0;\\nLast-Translator: Ada\\n"`,
        `"Language: pl\\n"`,
        `"Content-Type: text/plain; charset=UTF-8\\n"`,
        ``,
        `msgid "%d file"`,
        `msgid_plural "%d files"`,
        `msgstr[0] "%d plików"`
      )
    )
  })

  it("keeps the comments, drafts and obsolete entries of a PO file that is there", () => {
    const template = lines(
      `# Template`,
      `msgid ""`,
      `msgstr "Language: \\n"`,
      ``,
      `#: a.c:2`,
      `#, c-format`,
      `msgid "Open %s"`,
      `msgstr ""`,
      ``,
      `# Of the program`,
      `#: a.c:3`,
      `msgid "New"`,
      `msgstr ""`
    )
    const before = lines(
      `# German by Ada`,
      `msgid ""`,
      `msgstr "Language: de\\nContent-Type: text/plain; charset=utf-8\\n"`,
      ``,
      `# Which one?`,
      `#: a.c:1`,
      `#, c-format, fuzzy`,
      `msgid "Open %s"`,
      `msgstr "Öffne %s"`,
      ``,
      `# Gone`,
      `#~ msgid "Old"`,
      `#~ msgstr "Alt"`
    )
    const source = po.parse(template, "en")
    const printed = (texts: ReadonlyMap<string, string>) => source.print("de", texts, before)
    const expected = (flags: string, open: string, added: string) =>
      before.replace("#, c-format, fuzzy", flags).replace("Öffne %s", open).replace(
        "\n# Gone",
        lines(``, `# Of the program`, `#: a.c:3`, `msgid "New"`, `msgstr "${added}"`, ``, `# Gone`).trimEnd()
      )
    assert.strictEqual(printed(new Map([["New", "Neu"]])), expected("#, c-format, fuzzy", "Öffne %s", "Neu"))
    const all = new Map([["New", "Neu"], ["Open %s", "%s öffnen"]])
    assert.strictEqual(printed(all), expected("#, c-format", "%s öffnen", "Neu"))
    assert.strictEqual(source.print("de", all, printed(all)), printed(all))
  })

  it("sets the state of a translated target of XLIFF, and adds one behind the segments of its source", () => {
    const source = xliff.parse(
      fileOf(
        `<trans-unit id="1"><source>One</source><target state='new' xml:lang="de"/></trans-unit>` +
          `<trans-unit id="2"><source>Two</source><seg-source><mrk mtype="seg">Two</mrk></seg-source></trans-unit>`
      ),
      "en"
    )
    assert.strictEqual(
      source.print("de", new Map([["f/1", "Eins"], ["f/2", "Zwei"]])),
      fileOf(
        `<trans-unit id="1"><source>One</source><target state="translated" xml:lang="de">Eins</target></trans-unit>` +
          `<trans-unit id="2"><source>Two</source><seg-source><mrk mtype="seg">Two</mrk></seg-source>` +
          `<target>Zwei</target></trans-unit>`
      )
    )
  })

  it("adds the plurals of Rails in each style of YAML", () => {
    const source = yaml.parse(
      `en:\n  a: {one: day, other: "%{count} days"}\n  b:\n    other: |\n      days\n    one: day\n`,
      "en"
    )
    assert.strictEqual(source.placeholders, "printf")
    const texts = new Map(source.units("pl").map(({ id }) => [id, id.replace("/", " ")]))
    const printed = source.print("pl", texts)
    assert.deepStrictEqual(textsOf(yaml, printed, "pl"), texts)
    assert.include(printed, `{one: a one, other: "a other", few: "a few", many: "a many"}`)
    // Without a language as its root, a map of categories is one of texts.
    assert.strictEqual(yaml.parse(`one: a\nother: b`, "en").units("pl").length, 2)
  })

  it("keeps placeholders and tags of texts that are XML, and knows a translation without them", () => {
    const text = `Hi {{ name }}, <x id="a" disp="{{ no > }}"/> {{ name }}`
    const markup = { isXml: true, syntax: "mustache" } as const
    const { restore, text: sent } = protect(text, markup)
    assert.strictEqual(
      sent,
      `Hi <placeholder id="0">{{ name }}</placeholder>, <x id="a" disp="{{ no > }}"/> <placeholder id="1">{{ name }}</placeholder>`
    )
    assert.strictEqual(
      restore(sent.replace("Hi", "Hallo").replace(`"0">{{ name }}</placeholder>`, `"0"/>`)),
      text.replace("Hi", "Hallo")
    )
    assert.isTrue(isWhole(text, text.replace("Hi", "Hallo")))
    for (const lost of ["{{ name }}", `<x id="a" disp="{{ no > }}"/>`]) {
      assert.isFalse(isWhole(text, text.replace(lost, "")))
    }
    const message = "{n, plural, one {<x/>} other {<x/> of {m}}}"
    assert.isTrue(isWhole(message, "{n, plural, one {<x/>} few {<x/> {m}} other {<x/> {m}}}", "icu"))
    for (
      const wrong of ["{n, plural, one {a} other {{m}}}", "{n, plural, other {<x/>}}", "{n, plural, other {<x/> {m}}"]
    ) {
      assert.isFalse(isWhole(message, wrong, "icu"))
    }
    const { accepts } = xliff.parse(`<xliff version="1.2"/>`, "en")
    assert.deepStrictEqual(["<g>a &amp; b</g>", "a & b", "<g><b></g></b>"].map((text) => accepts?.(text)), [
      true,
      false,
      false
    ])
  })

  it("tells texts apart whose keys differ in case only", () => {
    const parsed = json.parse(`{ "Open": "Open", "open": "open" }`, "en")
    const texts = new Map(parsed.units("de").map(({ id }) => [id, id === "Open" ? "Offen" : "öffnen"]))
    assert.strictEqual(parsed.print("de", texts), `{ "Open": "Offen", "open": "öffnen" }`)
  })

  it("takes identical twins as one text, and writes both", () => {
    const unit = `<trans-unit id="1"><source>a</source></trans-unit>`
    const twins: ReadonlyArray<readonly [Format, source: string, id: string]> = [
      [xliff, `<xliff version="1.2"><file original="f"><body>${unit}${unit}</body></file></xliff>`, "f/1"],
      [po, `msgid "a"\nmsgstr ""\n\nmsgid "a"\nmsgstr ""\n`, "a"]
    ]
    for (const [format, source, id] of twins) {
      const printed = format.parse(source, "en").print("de", new Map([[id, "ö"]]))
      assert.strictEqual(printed.split("ö").length, 3, printed)
      assert.deepStrictEqual(textsOf(format, printed, "de"), new Map([[id, "ö"]]))
    }
  })

  it("reads and writes each character in PO that is not a line end", () => {
    const text = "a\tb\u2028c\\\u2029d"
    const entry = `msgid "${text.replace("\\", "\\\\")}"\nmsgstr ""\n`
    const printed = po.parse(entry, "en").print("de", new Map([[text, text]]))
    assert.deepStrictEqual(textsOf(po, printed, "de"), new Map([[text, text]]))
  })

  const [unit, other] = ["a", "b"].map((text) => `<trans-unit id="1"><source>${text}</source></trans-unit>`)
  const entries = ["One", "one", "One"].map((text, index) => `msgid "${text}"\nmsgstr "${index}"\n`).join("\n")
  it.each<[format: Format, file: string, problem: RegExp]>([
    [json, `{\n  "a": "b",\n  "c" "d"\n}`, /^line 3, column \d+: /],
    [
      json,
      `{\n  "a": { "b": "c" },\n  "a": { "b": "d" }\n}`,
      /^line 3, column 10: a\/b is .*, first at line 2, column 10$/
    ],
    [yaml, `a: "b\nc: d`, /^line \d+, column \d+: /],
    [yaml, "a: b\na: c", /^line 2, column 1: .*unique/],
    [po, `msgid "a\nmsgstr ""`, /^line 1: the string is not closed/],
    [po, `msgid "a"\n"b`, /^line 2: the string is not closed/],
    [po, `msgid "a"\nmsgst "b"`, /^line 2: neither/],
    [po, entries, /^line 7, column 7: the entry of "One" is defined twice, first at line 1/],
    [strings, `"a" = "b";\n"a" = "c";`, /^line 2, column 7: a is defined twice, first at line 1, column 7/],
    [xliff, `<xliff><file></xliff>`, /^line 1, column \d+: unexpected close tag/],
    [xliff, `<html></html>`, /no xliff element/],
    [xliff, fileOf(`${unit}\n${other}`), /^line 2, column 20: the unit f\/1 is defined twice, first at line 1/]
  ])("says where a file is malformed, case %#", (format, file, problem) => {
    assert.throws(() => format.parse(file, "en"), Malformed, problem)
  })
})

describe("a message of many selections", () => {
  it("is refused, as each multiplies its sentences", () => {
    const plural = "{a, plural, one {b} other {c}} "
    assert.strictEqual(sentencesOf(plural.repeat(3), "ar").texts.length, 6 ** 3)
    const tenfold = `{a, select, ${Array.from("abcdefghi", (name) => `${name} {}`).join(" ")} other {}} `
    assert.strictEqual(sentencesOf(tenfold.repeat(3), "en").texts.length, 1000)
    assert.isUndefined(sentencesIn(plural.repeat(64), "ar"))
  })
})
