// Targets are edited and not printed anew: nested files, and what each format has of its own.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Yaml from "yaml"
import { scaled } from "../../../test/support/scale.ts"
import type { Format } from "../src/formats/Format.ts"
import { arb, json } from "../src/formats/internal/json.ts"
import { po } from "../src/formats/internal/po.ts"
import { xliff } from "../src/formats/internal/xliff.ts"
import { yaml } from "../src/formats/internal/yaml.ts"
import { lines, run, textsOf } from "./support/formats.ts"

interface Nested {
  [key: string]: string | Nested
}

/** A file with texts at paths of up to three keys, none of which begins another. */
const nestedOf = (seeds: ReadonlyArray<number>, text: (id: string) => string): Nested => {
  const root: Nested = {}
  for (const seed of seeds) {
    const path = String(Math.abs(seed) % 1000).split("").map((digit) => "abc"[Number(digit) % 3] ?? "a")
    let at: Nested = root
    for (const [index, key] of path.entries()) {
      const next = at[key]
      if (index === path.length - 1 && next === undefined) at[key] = text(path.join("/"))
      if (index === path.length - 1 || typeof next === "string") break
      at = next ?? (at[key] = {})
    }
  }
  return root
}

const idsOf = (nested: Nested, path = ""): ReadonlyArray<string> =>
  Object.entries(nested).flatMap(([key, value]) =>
    typeof value === "string" ? [path + key] : idsOf(value, `${path}${key}/`)
  )

const styles: ReadonlyArray<readonly [name: string, format: Format, print: (nested: Nested) => string]> = [
  ["JSON on lines", json, (nested) => `${JSON.stringify(nested, null, "\t")}\n`],
  ["JSON on a line", json, (nested) => JSON.stringify(nested)],
  ["YAML", yaml, (nested) => Yaml.stringify(nested)],
  ["YAML with wide indentation", yaml, (nested) => Yaml.stringify(nested, { indent: 4 }).trimEnd()],
  ["YAML in braces", yaml, (nested) => Yaml.stringify(nested, { collectionStyle: "flow" })],
  ["YAML of Rails", yaml, (nested) => Yaml.stringify({ de: nested })]
]

describe.each(styles)("%s", (name, format, print) => {
  const seeds = Schema.Array(Schema.Int)
  const ofSource = name === "YAML of Rails" ? (nested: Nested) => Yaml.stringify({ en: nested }) : print

  it.prop("has the texts of the source and no others, wherever they are nested", [seeds, seeds], ([some, others]) => {
    const source = nestedOf([...some, 1], (id) => `Text ${id}`)
    const texts = Object.fromEntries(idsOf(source).map((id) => [id, `neu ${id}: "#"`]))
    const before = print(nestedOf(others, (id) => `alt ${id}`))
    const after = run(format, ofSource(source), before, texts)
    assert.deepStrictEqual(textsOf(format, after), texts, `${before}\n${after}`)
    assert.strictEqual(run(format, ofSource(source), after), after)
    // With nothing translated, each text that both have stays as it is.
    const old = textsOf(format, before)
    const kept = Object.entries(old).filter(([id]) => id in texts)
    assert.deepStrictEqual(textsOf(format, run(format, ofSource(source), before)), Object.fromEntries(kept))
  }, { arbitrary: { runs: scaled(10, 100) } })
})

const syntaxOf = (text: string) => json.parse(text, "en").placeholders

describe("JSON", () => {
  it("is edited within arrays, comments and values that are no texts", () => {
    const before = lines(
      `{`,
      `  // by Ada`,
      `  "list": ["eins", 2],`,
      `  "gone": { "a": "weg", "b": 1 }, // gone`,
      `  "count": 7, /* stays */`,
      `  "own": null`,
      `}`
    )
    const source =
      `{"list":["one",2,"three",{"a":"four"}],"own":"Own","count":8,"new":{"text":"New","size":5,"none":{}}}`
    const after = run(json, source, before, { "list/2": "drei", "list/3/a": "vier", own: "Eigen", "new/text": "Neu" })
    assert.strictEqual(
      after,
      lines(
        `{`,
        `  // by Ada`,
        `  "list": ["eins", 2, "drei", { "a": "vier" }],`,
        `  "count": 7, /* stays */`,
        `  "new": {`,
        `    "text": "Neu",`,
        `    "size": 5,`,
        `    "none": {}`,
        `  },`,
        `  "own": "Eigen"`,
        `}`
      )
    )
  })

  it("is recognized as messages of ICU, and as messages of Chrome", () => {
    assert.strictEqual(syntaxOf(`{"a":"{n, plural, one {#} other {#}}"}`), "icu")
    assert.strictEqual(syntaxOf(`{"a":"Hi {name}","b":"c"}`), "icu")
    assert.strictEqual(syntaxOf(`{"a":"Hi {{name}}","b":"{c}"}`), "mustache")
    assert.strictEqual(syntaxOf(`{"a":"b"}`), "mustache")
    const source = `{"hi":{"message":"Hi $NAME$","description":"A greeting","placeholders":{"name":{"content":"$1"}}}}`
    assert.deepStrictEqual(
      json.parse(source, "en").units("de").map(({ context, id, text }) => [id, text, context]),
      [["hi/message", "Hi $NAME$", "A greeting"]]
    )
    const before = `{"ho": {"message": "Ho", "description": "Ho"}}`
    const texts = { "hi/message": "Hallo $NAME$" }
    assert.deepStrictEqual(textsOf(json, run(json, source, undefined, texts)), texts)
    const { hi, ho } = JSON.parse(run(json, source, before, texts))
    assert.deepStrictEqual([hi, ho], [{ ...JSON.parse(source).hi, message: "Hallo $NAME$" }, undefined])
  })

  it("fills an object without values on its own lines, and opens one that has none", () => {
    for (const before of ["{\n}", "{}"]) {
      assert.strictEqual(run(json, `{"a":"a"}`, before, { a: "A" }), `{\n  "a": "A"\n}`, before)
    }
  })

  it("has no item of a list in the place of another", () => {
    const source = `{"list":["one","two","three"]}`
    assert.strictEqual(run(json, source, `{"list":["eins"]}`, { "list/2": "drei" }), `{"list":["eins"]}`)
    assert.strictEqual(run(json, `{"list":["one"]}`, `{"list":["eins","zwei"]}`), `{"list":["eins"]}`)
    assert.strictEqual(run(yaml, `list: [a, b, c]`, `{}`, { "list/0": "A", "list/2": "C" }), `{list: [A]}`)
  })

  it("takes the description of a text with it, in ARB", () => {
    const before = lines(`{`, `  "a": "A",`, `  "b": "B",`, `  "@b": {"description": "b"}`, `}`)
    assert.strictEqual(run(arb, `{"a":"a"}`, before), lines(`{`, `  "a": "A"`, `}`))
  })
})

describe("YAML", () => {
  it("keeps blocks, symbols, anchors and the comments of others", () => {
    const before = lines(
      `# German`,
      `de: # by Ada`,
      `    folded: >-`,
      `      eins`,
      `      zwei`,
      ``,
      `    # about the text`,
      `    literal: |`,
      `         alt`,
      `    gone: &name "weg"`,
      `    # about what goes`,
      `    other: x # with it`,
      `    order: [ :day, :month ]`,
      `    named: *name`,
      `    items:`,
      `    - title: a`,
      `      text: b`,
      `    empty:`
    )
    const source = lines(
      `en:`,
      `  folded: >-`,
      `    one two`,
      `  literal: |`,
      `    old`,
      `  order: [:year]`,
      `  added: |`,
      `    a`,
      `    b`,
      `  items:`,
      `    - lead: l`,
      `      title: a`,
      `  empty: e`
    )
    const texts = { literal: "neu\n\nund neu\n", added: "A\nB\n", "items/0/lead": "L", empty: "no" }
    assert.strictEqual(
      run(yaml, source, before, texts),
      lines(
        `# German`,
        `de: # by Ada`,
        `    folded: >-`,
        `      eins`,
        `      zwei`,
        ``,
        `    # about the text`,
        `    literal: |`,
        `         neu`,
        ``,
        `         und neu`,
        `    gone: &name "weg"`,
        `    order: [ :day, :month ]`,
        `    added: |`,
        `        A`,
        `        B`,
        `    named: *name`,
        `    items:`,
        `    - lead: L`,
        `      title: a`,
        `    empty: "no"`
      )
    )
  })

  it("changes no value that is a text in YAML 1.2 only, and writes none", () => {
    const source = lines(`en:`, `  answer: no`, `  at: 12:30`, `  day: 2020-01-02`, `  title: Title`, `  "yes": Sure`)
    const parsed = yaml.parse(source, "en")
    assert.deepStrictEqual(parsed.units("no").map(({ id }) => id), ["title", "yes"])
    for (const text of ["No", "off", "y", "null", "True", "Über: uns", "Kein #", "12:30"]) {
      const after = run(yaml, source, undefined, { title: text, yes: "Ja" }, "no")
      assert.include(after, `"no":\n  answer: no\n  at: 12:30\n  day: 2020-01-02\n  title: "${text}"\n  "yes": Ja\n`)
      assert.deepStrictEqual(Yaml.parse(after, { version: "1.1" }).no.title, text)
    }
    const norwegian = lines(`no:`, `  title: Tittel`)
    assert.strictEqual(run(yaml, source, norwegian, { yes: "Ja" }, "no"), `${norwegian}  "yes": Ja\n`)
  })

  it("is refused before anything is sent if the root of its target is another language", () => {
    const { units } = yaml.parse(`en:\n  a: b\n`, "en")
    assert.throws(() => units("pt-BR", `pt:\n  a: b\n`), "the root of the translation is not pt-BR")
    assert.strictEqual(units("pt-BR", `pt_BR:\n  a: b\n`).length, 1)
  })
})

const xliffOf = (...content: ReadonlyArray<string>) =>
  lines(
    `<xliff version="1.2"><file original="f" target-language="de">`,
    ...content,
    `</file></xliff>`
  )

describe("XLIFF", () => {
  it("updates the source, the state and the approval of a changed unit only", () => {
    const source = xliffOf(`<body>`, `  <trans-unit id="a"><source>New</source></trans-unit>`, `</body>`)
    const before = xliffOf(
      `<body>`,
      `  <!-- Ada -->`,
      `  <trans-unit approved='yes' id='a'><source>Old</source>`,
      `    <seg-source>Old</seg-source><target state='final' xml:lang="de">Alt</target>`,
      `    <note>Ada</note></trans-unit>`,
      `</body>`
    )
    assert.strictEqual(
      run(xliff, source, before, { "f/a": "Neu" }),
      before.replace("<source>Old", "<source>New").replace("Alt", "Neu").replace("'yes'", `"no"`)
        .replace("'final'", `"translated"`)
    )
    assert.strictEqual(run(xliff, source, before), before)
  })

  it("adds groups, and units to files without any", () => {
    const units = lines(
      `  <group id="g">`,
      `    <trans-unit id="a">`,
      `      <source>One</source>`,
      `    </trans-unit>`,
      `  </group>`,
      `  <trans-unit id="b"><source>Two</source></trans-unit>`
    )
    const source = xliffOf(`<body>\n${units}</body>`)
    const texts = { "f/g/a": "Eins", "f/b": "Zwei" }
    const translated = units.replace("<source>One</source>", "<source>One</source>\n      <target>Eins</target>")
      .replace("Two</source>", "Two</source><target>Zwei</target>")
    assert.strictEqual(run(xliff, source, xliffOf(`<body>`, `</body>`), texts), xliffOf(`<body>\n${translated}</body>`))
    assert.deepStrictEqual(textsOf(xliff, run(xliff, source, xliffOf(`<body />`), texts)), texts)
    assert.deepStrictEqual(textsOf(xliff, run(xliff, source, xliffOf(`<body></body>`), texts)), texts)
    const other = xliffOf(
      `<body>`,
      `  <trans-unit id="b"><source>Two</source><target>Zwei</target></trans-unit>`,
      `</body>`
    )
    assert.strictEqual(run(xliff, source, other, texts), xliffOf(`<body>\n${translated}</body>`))
    const two = `<xliff version="2.0" trgLang="de"><file id="f">${
      ["a", "b"].map((id) => `<unit id="${id}"><segment><source>${id}</source></segment></unit>`).join("")
    }</file></xliff>`
    const one = `<xliff version="2.0" trgLang="de"><file id="f"/></xliff>`
    assert.deepStrictEqual(textsOf(xliff, run(xliff, two, one, { "f/a": "A", "f/b": "B" })), { "f/a": "A", "f/b": "B" })
  })
})

describe("PO", () => {
  it("becomes a plural, or another one, without loss of what surrounds it", () => {
    const source = lines(`msgid "file"`, `msgid_plural "all files"`, `msgstr[0] ""`, `msgstr[1] ""`)
    const header = lines(
      `msgid ""`,
      `msgstr ""`,
      `"Language: de\\n"`,
      `"Content-Type: text/plain; charset=UTF-8\\n"`,
      `"Plural-Forms: nplurals=2; plural=(n != 1);\\n"`
    )
    const after = (plural: string) =>
      lines(
        header,
        `# by Ada`,
        `msgid "file"`,
        `msgid_plural "${plural}"`,
        `msgstr[0] "Datei"`,
        `msgstr[1] "Dateien"`
      )
    const texts = { "file[0]": "Datei", "file[1]": "Dateien" }
    assert.strictEqual(run(po, source, after("files"), texts), after("all files"))
    const single = lines(header, `msgid "file"`, `msgstr "Datei"`, ``, `#~ msgid "old"`, `#~ msgstr "alt"`)
    assert.strictEqual(
      run(po, source, single, texts),
      after("all files").replace("# by Ada\n", "") + lines(``, `#~ msgid "old"`, `#~ msgstr "alt"`)
    )
  })
})
