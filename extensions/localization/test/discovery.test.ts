// Projects as `localize init` finds them, in the layouts of usual tools.
import type { Discovered } from "@effect-lingua/localization/projects/Project"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { formats } from "../src/formats/internal/table.ts"
import { discover } from "../src/projects/internal/discovery.ts"

const endings = Object.keys(formats)

describe("discover", () => {
  it.effect.each<
    [
      what: string,
      files: ReadonlyArray<string>,
      found: Omit<Discovered, "ignored" | "translations"> | undefined,
      source?: string
    ]
  >([
    ["i18next", ["locales/en.json", "locales/de.json", "locales/pt-BR.json", "package.json", "src/id/data.json"], {
      source: "en",
      targets: ["de", "pt-BR"],
      files: ["locales/{language}.json"]
    }],
    ["i18next with namespaces", [
      "public/locales/en/common.json",
      "public/locales/en/home.json",
      "public/locales/fr/common.json"
    ], {
      source: "en",
      targets: ["fr"],
      files: ["public/locales/{language}/*.json"]
    }],
    ["Angular", ["src/locale/messages.xlf", "src/locale/messages.de.xlf"], {
      source: "en",
      targets: ["de"],
      files: [{ source: "src/locale/messages.xlf", target: "src/locale/messages.{language}.xlf" }]
    }],
    ["Rails", ["config/locales/en.yml", "config/locales/devise.en.yml", "config/locales/de.yml"], {
      source: "en",
      targets: ["de"],
      files: ["config/locales/devise.{language}.yml", "config/locales/{language}.yml"]
    }],
    ["gettext with a template", ["po/app.pot", "po/de.po", "po/pt_BR.po"], {
      source: "en",
      targets: ["de", "pt_BR"],
      files: [{ source: "po/app.pot", target: "po/{language}.po" }]
    }],
    ["gettext in folders", ["locale/app.pot", "locale/en/LC_MESSAGES/app.po", "locale/de/LC_MESSAGES/app.po"], {
      source: "en",
      targets: ["de"],
      files: [{ source: "locale/app.pot", target: "locale/{language}/LC_MESSAGES/app.po" }]
    }],
    ["Django", ["locale/en/LC_MESSAGES/django.po", "locale/zh_Hans/LC_MESSAGES/django.po"], {
      source: "en",
      targets: ["zh_Hans"],
      files: ["locale/{language}/LC_MESSAGES/*.po"]
    }],
    ["Flutter", ["lib/l10n/app_en.arb", "lib/l10n/app_pt_BR.arb"], {
      source: "en",
      targets: ["pt_BR"],
      files: ["lib/l10n/app_{language}.arb"]
    }],
    ["Android", [
      "app/src/main/res/values/strings.xml",
      "app/src/main/res/values-es/strings.xml",
      "app/src/main/res/values/colors.xml"
    ], {
      source: "en",
      targets: ["es"],
      files: [{
        source: "app/src/main/res/values/strings.xml",
        target: "app/src/main/res/values-{language}/strings.xml"
      }]
    }],
    ["Apple", ["App/en.lproj/Main.strings", "App/zh-Hans.lproj/Main.strings"], {
      source: "en",
      targets: ["zh-Hans"],
      files: ["App/{language}.lproj/*.strings"]
    }],
    ["Java", ["src/LocalStrings.properties", "src/LocalStrings_de.properties", "src/log.properties"], {
      source: "en",
      targets: ["de"],
      files: [{ source: "src/LocalStrings.properties", target: "src/LocalStrings_{language}.properties" }]
    }],
    [".NET", ["Resources/Texts.resx", "Resources/Texts.fr.resx"], {
      source: "en",
      targets: ["fr"],
      files: [{ source: "Resources/Texts.resx", target: "Resources/Texts.{language}.resx" }]
    }],
    ["a string catalog", ["App/Localizable.xcstrings"], {
      source: "en",
      targets: [],
      files: ["App/Localizable.xcstrings"]
    }],
    ["a new project", ["i18n/en-US.json"], { source: "en-US", targets: [], files: ["i18n/{language}.json"] }],
    ["another source", ["i18n/de.json", "i18n/en.json"], {
      source: "de",
      targets: ["en"],
      files: ["i18n/{language}.json"]
    }, "de"],
    ["folders and names that are words", [
      "src/no/locale/messages.xlf",
      "src/no/locale/messages.de.xlf",
      "src/el/locales/en.json",
      "src/el/locales/de.json",
      "web/locales/en/is.json",
      "web/locales/de/is.json",
      "res/values/strings.xml",
      "res/values-car/strings.xml",
      "io/messages.properties",
      "so/messages.properties"
    ], {
      source: "en",
      targets: ["de"],
      files: [
        { source: "res/values/strings.xml", target: "res/values-{language}/strings.xml" },
        { source: "src/no/locale/messages.xlf", target: "src/no/locale/messages.{language}.xlf" },
        "src/el/locales/{language}.json",
        "web/locales/{language}/*.json"
      ]
    }],
    ["files of others", ["node_modules/a/locales/en.json", "dist/locales/en.json", ".git/locales/en.json"], undefined],
    ["nothing", ["package.json", "src/no.json"], undefined]
  ])("finds the files of %s", ([, files, found, source]) =>
    Effect.gen(function*() {
      const directory = yield* folder
      for (const file of files) {
        mkdirSync(dirname(join(directory, file)), { recursive: true })
        writeFileSync(join(directory, file), "")
      }
      const { ignored: _, translations: __, ...own } = (yield* Effect.promise(() =>
        discover(directory, endings, source)
      )) ?? {}
      assert.deepStrictEqual(own, found ?? {})
    }).pipe(Effect.scoped))

  it.effect("takes a file for a translation only if it has a text of the source, or if its language is named", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const write = (name: string, text: string) => {
        mkdirSync(dirname(join(directory, name)), { recursive: true })
        writeFileSync(join(directory, name), text)
      }
      write("lang/en/app.json", `{ "a": "A", "b": "B" }`)
      write("lang/is/app.json", `{ "b": "Bé" }`)
      write("lang/io/app.json", `{ "port": "Port" }`)
      write("lang/so/app.json", "{}")
      const found = (...targets: ReadonlyArray<string>) =>
        Effect.promise(() => discover(directory, endings, "en", targets))
      const files = ["lang/{language}/*.json"]
      const translations = { is: "lang/is/app.json", so: "lang/so/app.json" }
      const ignored = ["lang/io/app.json"]
      assert.deepStrictEqual(yield* found(), { source: "en", targets: ["is", "so"], files, translations, ignored })
      assert.deepInclude(yield* found("io"), { targets: ["is", "so", "io"], ignored: [] })
    }).pipe(Effect.scoped))
})
