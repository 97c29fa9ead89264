// Files of open projects, see fixtures/README.md.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { sentencesIn } from "../src/formats/internal/messages.ts"
import { formats } from "../src/formats/internal/table.ts"

/** Each file with its language, the number of its texts in Polish, and the lines that name the language. */
const files: ReadonlyArray<readonly [file: string, language: string, texts: number, named: ReadonlyArray<RegExp>]> = [
  ["zod-i18n-map.json", "en", 79, []],
  // Three plurals have two forms more than in English.
  ["activemodel.yml", "en", 26 + 3 * 2, [/^pl:$/]],
  // Two plurals have three forms.
  ["django-postgres.po", "en", 17 + 2 * 3, [/^"Language: pl\\n"$/, /^"Plural-Forms: nplurals=3; .*\\n"$/]],
  ["symfony-security.xlf", "en", 19, [/^ {4}<file source-language="en" target-language="pl" datatype="plaintext" /]],
  ["ngx-i18nsupport-1.2.xlf", "de", 28, [/^ {2}<file source-language="en" .* target-language="pl">\r$/]],
  ["ngx-i18nsupport-2.0.xlf", "de", 39, [/^<xliff version="2.0" .* srcLang="de" trgLang="pl">\r$/]],
  ["react-native-video.xml", "en", 8, []],
  ["react-native.strings", "en", 22, []],
  ["tomcat-host-manager.properties", "en", 72, []]
]

const mark = "ąę"

/** The states of a segment and of its target are those of a translation. */
const withoutStates = (text: string) => text.replaceAll(/ state="\w+"/g, "")

describe("files of open projects", () => {
  for (const [file, language, count, named] of files) {
    it.effect(`${file} differs from its source in its texts only`, () =>
      Effect.gen(function*() {
        const text = readFileSync(new URL(`fixtures/${file}`, import.meta.url), "utf8")
        const format = yield* Effect.promise(
          formats[file.split(".").at(-1) ?? ""] ?? (() => Promise.reject(new Error(file)))
        )
        const source = format.parse(text, language)
        const units = source.units("pl")
        assert.strictEqual(units.length, count)
        const texts = new Map(units.map(({ id, text }) => {
          const { join, texts } = sentencesIn(text, "pl") ?? assert.fail(text)
          // On each of its lines.
          return [id, join(texts.map((text) => `${mark}${text.replaceAll("\n", `\n${mark}`)}`))] as const
        }))
        const printed = source.print("pl", texts)
        assert.deepStrictEqual(new Map([...format.read(printed, "pl")].map(([id, { text }]) => [id, text])), texts)
        assert.strictEqual(source.print("pl", texts, printed), printed)
        // All other lines are those of the source, in their order and with their ends.
        const lines = withoutStates(text).split("\n")
        let at = 0
        const others = withoutStates(printed).split("\n").filter((line) => !/ąę|\\u0105\\u0119/.test(line)).filter(
          (line) => {
            const found = lines.indexOf(line, at)
            if (found !== -1) at = found + 1
            return found === -1
          }
        )
        assert.strictEqual(others.length, named.length, others.join("\n"))
        for (const [index, line] of others.entries()) assert.match(line, named[index] ?? /^$/)
      }))
  }
})
