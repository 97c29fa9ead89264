import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { threadCpuUsage } from "node:process"
import * as Billing from "../../../../packages/core/src/account/internal/characters.ts"
import { withoutSecrets } from "../../../../packages/core/src/contract/internal/sanitizer.ts"
import * as Splitting from "../../../../packages/core/src/texts/internal/splitting.ts"
import { safeName } from "../../../../packages/node/src/files/internal/target.ts"
import { isFull } from "../../../../test/support/scale.ts"
import type { Format } from "../../../localization/src/formats/Format.ts"
import { android } from "../../../localization/src/formats/internal/android.ts"
import { checkResponse, problemOf } from "../../../localization/src/formats/internal/comparison.ts"
import { arb, json } from "../../../localization/src/formats/internal/json.ts"
import { type Markup, protect } from "../../../localization/src/formats/internal/markup.ts"
import { hasPlurals, sentencesIn } from "../../../localization/src/formats/internal/messages.ts"
import { po } from "../../../localization/src/formats/internal/po.ts"
import { properties } from "../../../localization/src/formats/internal/properties.ts"
import { resx } from "../../../localization/src/formats/internal/resx.ts"
import { strings } from "../../../localization/src/formats/internal/strings.ts"
import { xcstrings } from "../../../localization/src/formats/internal/xcstrings.ts"
import { xliff } from "../../../localization/src/formats/internal/xliff.ts"
import { yaml } from "../../../localization/src/formats/internal/yaml.ts"
import { starsOf } from "../../../localization/src/projects/internal/pattern.ts"
import { split } from "../../src/files/records.ts"

type Make = (length: number) => string

/** Repeats a piece up to a length, between a beginning and an end. */
const of = (piece: string, before = "", after = ""): Make => (length) =>
  before + piece.repeat(Math.ceil(length / piece.length)) + after

/** Repeats a piece with its number. */
const numbered = (piece: (index: number) => string, before = "", after = ""): Make => (length) =>
  before + Array.from({ length: Math.ceil(length / piece(0).length) }, (_, index) => piece(index)).join("") + after

const pieces = [
  ..."{|{{|{{{|}|}}|{{a}|{a|{a}|{{a}} |{{#a}}|'|'{|''{a}|{a,|{a, plural, other {|%|%(|%(a|%{a|%<a|%1$|%0|%d".split("|"),
  ...`<|<a |<"|<'<"|<a b="|<!--|<![CDATA[|<x id="0">|<x id |&|&a|&#1|"|","|""|,|\t|a\tb\n|\r|\n| |\u00a0|. `.split("|"),
  ...`a|a |0|*|\\|😀|\u0000|[|- |a: |#|#, fuzzy\n|msgid "a"\n`.split("|")
]

const hostile: ReadonlyArray<Make> = [
  ...pieces.map((piece) => of(piece)),
  of("{{a} {", "{ {", ""),
  of("|{1}"),
  of("0", "%", "q"),
  of(" ", "<a", ">"),
  of(" ", "a", "b")
]

const syntaxes: ReadonlyArray<Placeholders.Syntax> = ["icu", "mustache", "printf", "brace"]

const restored = (text: string, syntax: Placeholders.Syntax) => {
  const found = Placeholders.protect(text, syntax)
  return Result.isSuccess(found) ? Placeholders.restore(found.success, found.success.text) : found
}

/** All that is done with a file; hostile ones are refused. */
const localized = (format: Format) => (text: string) =>
  Result.try(() => {
    const source = format.parse(text, "en")
    const units = source.units("de", text)
    const texts = new Map(units.map(({ id, text }) => [id, `${text}!`]))
    const half = source.print("de", new Map([...texts].filter((_, index) => index % 2 === 0)))
    source.print("de", texts, text)
    source.print("de", texts, half)
    format.read(text, "de")
  })

const xml: Markup = { isXml: true, syntax: "brace" }
const icu: Markup = { isXml: false, syntax: "icu" }

/** A file of a format that it can read: a text in the middle, and many texts. */
const jsonFiles = [
  of(" ", `{"a_other":"b",`, `"c":"d"}`),
  numbered((index) => `"k${index}_other": "v",\n  `, "{", `"end": ""}`),
  numbered((index) => `"k${index}":{"a":"b"},`, "{", `"b":"c"}`),
  numbered((index) => `"k${index}":{`, "{", "")
]
const poFiles = [
  numbered((index) => `msgid "a${index}"\nmsgid_plural "b"\nmsgstr[0] "c"\nmsgstr[1] "d"\n\n`),
  of("#, fuzzy\n", "", `msgid "a"\nmsgstr "b"\n`),
  of("\"a\"\n", `msgid "a"\nmsgstr "b"\n`),
  of("Plural-Forms:\\n", `msgid ""\nmsgstr "`, "\"\n")
]
const start = `<xliff version="1.2"><file original="a">`
const xliffFiles = [
  numbered((index) => `\n   <trans-unit id="${index}"><source>a</source></trans-unit>`, start, "</file></xliff>"),
  numbered((index) => `<group id="${index}">`, start),
  of(" ", `${start}<trans-unit id="1"><source>a</source>`, "<target/></trans-unit></file></xliff>"),
  of(" ", `${start}<trans-unit id="1">`, "<source>a</source></trans-unit></file></xliff>"),
  of(" ", `${start}<trans-unit id="1"><source>a</source><target`, "/></trans-unit></file></xliff>"),
  of(" ", `<xliff version="1.2"><file original="a"`, `x="1"></file></xliff>`)
]
const yamlFiles = [
  numbered((index) => `k${index}:\n  one: a\n  other: b\n`, "en:\n"),
  numbered((index) => `k${index}: {one: a, other: b}, `, "en: {", "}"),
  numbered((index) => `k${index}: a\n`),
  numbered((index) => `k${index}: &a${index} a\nl${index}: *a${index}\n`),
  numbered((index) => `k${index}: a, `, "{", "}"),
  of("a, ", "a: [", "b]"),
  of("- ", "", "a"),
  of("{}"),
  of("'{"),
  of("a\n", "k: |\n")
]
const androidFiles = [
  numbered((index) => `<string name="k${index}">a</string>`, "<resources>", "</resources>"),
  numbered(
    (index) => `<!-- a -->\n<plurals name="k${index}"><item quantity="other">a</item></plurals>\n`,
    "<resources>\n",
    "</resources>"
  ),
  numbered((index) => `<item>${index}</item>`, `<resources><string-array name="a">`, "</string-array></resources>"),
  of("<![CDATA[a]]>", `<resources><string name="a">`, "</string></resources>"),
  of("\\", `<resources><string name="a">`, "n</string></resources>"),
  of("<!-- a -->\n", "<resources>\n", `<string name="a">b</string>\n</resources>`)
]
const resxFiles = [numbered((index) => `<data name="k${index}"><value>a</value></data>`, "<root>", "</root>")]
const propertyFiles = [
  numbered((index) => `k${index} = a\n`),
  of("\\\n", "a=", "b"),
  of("\\", "a=", "n"),
  of("# a\n", "", "a=b"),
  of("''", "a={0}", "'")
]
const stringFiles = [
  numbered((index) => `k${index} = "a";`),
  of("/* a */\n", "\n", `a = "b";`),
  of("\\\\", `a = "`, `";`),
  of(" ", "a", `= "b";`)
]
const catalogFiles = [
  numbered(
    (index) => `"k${index}":{"localizations":{"de":{"stringUnit":{"state":"new","value":"a"}}}},`,
    `{"strings":{`,
    "}}"
  ),
  numbered((index) => `"k${index}":{},`, `{"strings":{"a":{"localizations":{`, "}}}}")
]
const messages = [
  of("{a, plural, one {b} other {c}} "),
  of("{a, select, b {c} other {d}}"),
  of("'{a}' ", "{a, plural, one {", "} other {#}}"),
  of("# ", "{a, plural, one {", "} other {#}}")
]

type Parser = readonly [name: string, parse: (text: string) => unknown, more?: ReadonlyArray<Make>, length?: number]

const parsers: ReadonlyArray<Parser> = [
  ...syntaxes.map((syntax): Parser => [`placeholders of ${syntax}`, (text) => restored(text, syntax)]),
  ["characters of markup", (text) => Billing.ofTexts([text], "xml")],
  ["splitting", (text) => Splitting.make()("en").split(text, 1000)],
  ["TSV", (text) => GlossaryEntries.readTsv(text)],
  ["CSV", (text) => GlossaryEntries.readCsv(text, { sourceLanguage: "en", targetLanguage: "de" })],
  ["markup", (text) => [protect(text, xml).text, problemOf(text, `${text}a`, xml, "ar")]],
  ["responses", (text) => [xml, icu].map((markup) => checkResponse(text, `${text}a`, markup))],
  [
    "messages",
    (text) => [
      problemOf(text, `${text}a`, icu, "ar"),
      hasPlurals(text, "ar"),
      sentencesIn(text, "ar")?.texts.length
    ],
    messages
  ],
  ["JSON", localized(json), jsonFiles],
  ["ARB", localized(arb), jsonFiles],
  ["PO", localized(po), poFiles],
  ["XLIFF", localized(xliff), xliffFiles],
  ["Android", localized(android), androidFiles],
  [".NET resources", localized(resx), resxFiles],
  ["properties", localized(properties), propertyFiles],
  ["Apple strings", localized(strings), stringFiles],
  ["string catalogs", localized(xcstrings), catalogFiles],
  [
    "records in small pieces",
    (text) =>
      Effect.runSync(Stream.runCount(split(Stream.fromIterable(text.match(/[^]{1,64}/g) ?? []), "\n", "a file"))),
    [],
    4 * 1024
  ],
  ["stars of a pattern", (text) => starsOf("*a".repeat(20), text), [of("a", "", "b"), of("a/")], 128],
  ["folders of a pattern", (text) => starsOf("**/a/".repeat(10), text), [of("a/", "", "b"), of("a/")], 128],
  ["names of files", safeName, [of(".", "a", "b")], 512],
  // Of a longer text, 16 KiB are read.
  [
    "texts of a service",
    (text) => Array.from({ length: 40 }, () => withoutSecrets.fit(text)),
    [of("<style"), of("<style><script>")],
    512
  ],
  ["YAML", localized(yaml), yamlFiles]
]

/** The milliseconds of processor time that this thread needs, whatever else the machine does. Its clock has steps of 4 ms. */
const cost = (run: () => unknown): number => {
  const before = threadCpuUsage()
  run()
  const { system, user } = threadCpuUsage(before)
  return (user + system) / 1000
}

const factor = 32

/** The cost of the same number of characters in short texts, as a multiple: 1 if the cost is linear, 32 if it is quadratic. */
const growth = (parse: (text: string) => unknown, short: string, long: string): number => {
  const needed = cost(() => parse(long))
  // Below 40 ms, two steps of the clock or a collection of garbage make too much of the difference.
  if (needed <= 40) return 1
  return needed / Math.max(8, cost(() => Array.from({ length: factor }, () => parse(short))))
}

describe("the time of a parser grows with the text only", () => {
  // The short run gives a third of the pieces to each parser.
  it.each(parsers.map(([name, parse, more = [], length = 1024], index) => ({
    name,
    parse,
    makes: [...hostile.filter((_, piece) => isFull || piece % 3 === index % 3), ...more],
    length
  })))(
    "$name",
    ({ length, makes, parse }) => {
      const slow = makes.flatMap((make) => {
        const [short, long] = [make(length), make(length * factor)]
        // Caches and collections of garbage make up to eight of one; another process slows one measurement down, not each of five.
        return Array.from({ length: 5 }).some(() => growth(parse, short, long) <= 12)
          ? []
          : [JSON.stringify(short.slice(0, 60))]
      })
      assert.deepStrictEqual(slow, [])
    }
  )
})
