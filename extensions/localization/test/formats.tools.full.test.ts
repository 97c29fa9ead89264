// What is printed is read by other programs.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { decodeXML } from "entities/decode"
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { has } from "../../../test/support/has.ts"
import { android } from "../src/formats/internal/android.ts"
import { po } from "../src/formats/internal/po.ts"
import { yaml } from "../src/formats/internal/yaml.ts"
import { lines } from "./support/formats.ts"

describe("YAML", () => {
  it.skipIf(!has("PyYAML"))("is read by PyYAML as it was meant", () => {
    const words = "No|off|~|1_000|=|<<|a: b|a #b|- a|é\n\nb\n| a\n b|a\n\n| |\u2028|\ufeff|😀|y|1e3|0x1f".split("|")
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
    const all = [...words, ...characters.flatMap((one) => [one, `a${one}`, `${one}a`, `a ${one} b`, `a\n${one}`])]
    const styles = ["plain", "'single'", "\"double\"", "|-\n      block", ">-\n      folded"]
    const source = lines(
      `en:`,
      `  all:`,
      ...styles.flatMap((style, index) => all.map((_, text) => `    k${index}_${text}: ${style}`))
    )
    const texts = styles.flatMap((_, index) => all.map((text, at) => [`k${index}_${at}`, text] as const))
    const printed = yaml.parse(source, "en").print("de", new Map(texts.map(([key, text]) => [`all/${key}`, text])))
    const { stderr, stdout } = spawnSync(
      "python3",
      ["-c", "import sys, json, yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer.read())))"],
      { input: printed, encoding: "utf8" }
    )
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(JSON.parse(stdout), { de: { all: Object.fromEntries(texts) } })
  })
})

describe("Android", () => {
  it.effect.skipIf(!has("aapt2"))("is compiled by aapt2 to the texts as they were meant", () =>
    Effect.gen(function*() {
      const words =
        "don't|\"a\"|@string/a|?attr/a|@null|?|\\\\|\\|\\u0020|%1$s|a  b|a &amp; &lt;b>|é\u00a0😀\u2028|]]&gt;|{{a}}"
          .split("|")
      const characters = ["\n", "\t", ...Array.from({ length: 224 }, (_, code) => String.fromCharCode(code + 32))]
        .filter((one) => !/[&<]|\p{Cc}(?<![\n\t])/u.test(one))
      const all = [...words, ...characters].flatMap((one) => [one, `a${one}`, `${one}a`, `a ${one} b`])
      const source = ["x", "<![CDATA[x]]>"].map((like) =>
        lines("<resources>", ...all.map((_, index) => `<string name="k${index}">${like}</string>`), "</resources>")
      )
      const directory = yield* folder
      for (const file of source) {
        const texts = new Map(all.map((text, index) => [`k${index}`, text]))
        mkdirSync(join(directory, "values-de"), { recursive: true })
        writeFileSync(join(directory, "values-de/strings.xml"), android.parse(file, "en").print("de", texts))
        const run = (...args: ReadonlyArray<string>) => spawnSync("aapt2", args, { cwd: directory, encoding: "utf8" })
        assert.strictEqual(run("compile", "-o", ".", "values-de/strings.xml").stderr, "")
        // The lines of a value are indented.
        const dump = run("dump", "apc", "values-de_strings.arsc.flat").stdout.replaceAll(`\n${" ".repeat(8)}`, "\n")
        const found = [...dump.matchAll(/string\/(k\d+)\n\(de\) "([^]*?)" src=/g)].map(([, ...own]) => own)
        const plain = [...texts].map(([id, text]) => [id, decodeXML(text)])
        assert.deepStrictEqual(Object.fromEntries(found), Object.fromEntries(plain))
      }
    }).pipe(Effect.scoped))
})

const header = (comment: string, ...fields: ReadonlyArray<string>) =>
  lines(comment, `#, fuzzy`, `msgid ""`, `msgstr ""`, ...fields.map((field) => `"${field}\\n"`))

describe("plurals of gettext", () => {
  const person = ["PO-Revision-Date: YEAR-MO-DA HO:MI+ZONE", "Last-Translator: FULL NAME <EMAIL@ADDRESS>"]
  const templates = {
    Babel: header(
      `# Translations template for PROJECT.`,
      "Project-Id-Version: PROJECT VERSION",
      "POT-Creation-Date: 2026-11-27 18:00+0000",
      ...person,
      "Language-Team: LANGUAGE <LL@li.org>",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "Generated-By: Babel 2.16.0"
    ),
    xgettext: header(
      `# SOME DESCRIPTIVE TITLE.`,
      "Project-Id-Version: PACKAGE VERSION",
      ...person,
      "Language-Team: LANGUAGE <LL@li.org>",
      "Language: ",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=CHARSET",
      "Content-Transfer-Encoding: 8bit",
      "Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;"
    ),
    "a program without a header": ""
  }
  const entries = lines(``, `#, c-format`) +
    lines(`msgid "%d file"`, `msgid_plural "%d files"`, `msgstr[0] ""`, `msgstr[1] ""`)

  for (const [name, template] of Object.entries(templates)) {
    it.skipIf(!has("gettext"))(
      `are complete for msgfmt from the template of ${name}, also in a file that is there`,
      () => {
        const source = po.parse(template + entries, "en")
        for (const language of "de ja pl ru lv ar pt-BR cy ga gd mt he is sl br hsb".split(" ")) {
          const texts = new Map(source.units(language).map(({ id }) => [id, "%d ąę"]))
          const printed = source.print(language, texts)
          assert.include(printed, `"Language: ${language.replace("-", "_")}\\n"`)
          assert.strictEqual(source.print(language, texts, printed), printed)
          // As a person begins it: a copy of the template.
          for (const file of [printed, source.print(language, texts, template + entries)]) {
            const { status, stderr } = spawnSync("msgfmt", ["--check", "-o", "/dev/null", "-"], {
              input: file,
              encoding: "utf8"
            })
            assert.strictEqual(status, 0, `${language}: ${stderr}\n${file}`)
          }
        }
      }
    )
  }
})
