// Projects as `localize init` finds them, in the layouts of usual tools.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { formats } from "../src/formats/internal/table.ts"
import { discover } from "../src/projects/internal/discovery.ts"
import { makeProject, services } from "./support/projects.ts"

const endings = Object.keys(formats)

/** Paths, languages, files, and the language of the source if it is not English. */
const layouts: Readonly<Record<string, string>> = {
  i18next:
    "locales/en.json locales/de.json locales/pt-BR.json package.json src/id/data.json | en: de pt-BR | locales/{language}.json",
  "namespaces of i18next":
    "public/locales/en/a.json public/locales/en/b.json public/locales/fr/a.json | en: fr | public/locales/{language}/*.json",
  Angular:
    "src/locale/messages.xlf src/locale/messages.de.xlf | en: de | src/locale/messages.xlf > src/locale/messages.{language}.xlf",
  Rails:
    "config/locales/en.yml config/locales/devise.en.yml config/locales/de.yml | en: de | config/locales/devise.{language}.yml, config/locales/{language}.yml",
  "gettext with a template": "po/app.pot po/de.po po/pt_BR.po | en: de pt_BR | po/app.pot > po/{language}.po",
  "gettext in folders":
    "locale/app.pot locale/en/LC_MESSAGES/app.po locale/de/LC_MESSAGES/app.po | en: de | locale/app.pot > locale/{language}/LC_MESSAGES/app.po",
  Django:
    "locale/en/LC_MESSAGES/django.po locale/zh_Hans/LC_MESSAGES/django.po | en: zh_Hans | locale/{language}/LC_MESSAGES/*.po",
  Flutter: "lib/l10n/app_en.arb lib/l10n/app_pt_BR.arb | en: pt_BR | lib/l10n/app_{language}.arb",
  Android:
    "res/values/strings.xml res/values-es/strings.xml res/values-car/strings.xml res/values/c.xml res/values-en-rGB/strings.xml | en: en-rGB es | res/values/strings.xml > res/values-{language}/strings.xml",
  "Android's modules with names of languages":
    "io/values/strings.xml os/values/strings.xml os/values-de/strings.xml | en: de | io/values/strings.xml > io/values-{language}/strings.xml, os/values/strings.xml > os/values-{language}/strings.xml",
  "catalogs in folders with names of languages": "io/A.xcstrings os/A.xcstrings | en: | io/A.xcstrings, os/A.xcstrings",
  WordPress:
    "languages/my-plugin.pot languages/my-plugin-de_DE.po | en: de_DE | languages/my-plugin.pot > languages/my-plugin-{language}.po",
  "templates beside each other":
    "po/app.pot po/myapp.pot po/app.de.po po/myapp.de.po | en: de | po/app.pot > po/app.{language}.po, po/myapp.pot > po/myapp.{language}.po",
  "languages in folder and name":
    "locales/en/en.json locales/de/de.json l10n/en/app_en.arb l10n/de/app_de.arb | en: de | l10n/{language}/app_{language}.arb, locales/{language}/{language}.json",
  Apple: "App/en.lproj/Main.strings App/zh-Hans.lproj/Main.strings | en: zh-Hans | App/{language}.lproj/*.strings",
  Java:
    "src/LocalStrings.properties src/LocalStrings_de.properties src/log.properties | en: de | src/LocalStrings.properties > src/LocalStrings_{language}.properties",
  ".NET":
    "Resources/Texts.resx Resources/Texts.fr.resx | en: fr | Resources/Texts.resx > Resources/Texts.{language}.resx",
  "a string catalog": "App/Localizable.xcstrings | en: | App/Localizable.xcstrings",
  "a new project": "i18n/en-US.json | en-US: | i18n/{language}.json",
  "another source": "i18n/de.json i18n/en.json | de: en | i18n/{language}.json | de",
  "folders that are words":
    "src/no/locale/messages.xlf src/no/locale/messages.de.xlf io/messages.properties | en: de | io/messages.properties > io/messages_{language}.properties, src/no/locale/messages.xlf > src/no/locale/messages.{language}.xlf",
  "names that are words":
    "el/locales/en.json el/locales/de.json locales/en/is.json locales/fr/is.json | en: de fr | el/locales/{language}.json, locales/{language}/*.json",
  "a file named as its language, beside others":
    "locales/en/en.json locales/en/a.json locales/de/de.json locales/de/a.json | en: de | locales/{language}/*.json, locales/{language}/{language}.json",
  "folders named as the source's language":
    "en/locale/m.xlf en/locale/m.de.xlf en/i18n/en.json en/i18n/fr.json | en: de fr | en/locale/m.xlf > en/locale/m.{language}.xlf, en/i18n/{language}.json",
  "files of others":
    "node_modules/a/locales/en.json vendor/a/locales/en.json dist/locales/en.json .git/locales/en.json | undefined: | ",
  nothing: "package.json src/no.json | undefined: | "
}

describe("discover", () => {
  it.effect.each(Object.entries(layouts))("finds the files of %s", ([, layout]) =>
    Effect.gen(function*() {
      const [paths = "", languages, files, source] = layout.split(" | ")
      const { directory } = yield* makeProject({}, Object.fromEntries(paths.split(" ").map((path) => [path, ""])))
      const found = yield* discover(directory, endings, source)
      assert.strictEqual(`${found?.source}: ${found?.targets.join(" ") ?? ""}`.trim(), languages)
      const spelled = found?.files.map((one) => typeof one === "string" ? one : `${one.source} > ${one.target}`) ?? []
      assert.strictEqual(spelled.join(", "), files)
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("gives a translation to the template with its texts", () =>
    Effect.gen(function*() {
      const { directory } = yield* makeProject({}, {
        "po/a.pot": `msgid "a"\nmsgstr ""\n`,
        "po/b.pot": `msgid "b"\nmsgstr ""\n`,
        "po/de.po": `msgid "b"\nmsgstr "B"\n`
      })
      assert.deepInclude(yield* discover(directory, endings, undefined), {
        targets: ["de"],
        files: [
          { source: "po/a.pot", target: "po/a.{language}.po" },
          { source: "po/b.pot", target: "po/{language}.po" }
        ]
      })
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("takes a file for a translation only if it has a text of the source, or if its language is named", () =>
    Effect.gen(function*() {
      const { directory, write } = yield* makeProject({}, {
        "lang/en/app.json": `{ "a": "A", "b": "B" }`,
        "lang/is/app.json": `{ "b": "Bé" }`,
        "lang/io/app.json": `{ "port": "Port" }`,
        "lang/so/app.json": "{}"
      })
      const found = (...targets: ReadonlyArray<string>) => discover(directory, endings, "en", targets)
      const files = ["lang/{language}/*.json"]
      const translations = { is: "lang/is/app.json", so: "lang/so/app.json" }
      const ignored = ["lang/io/app.json"]
      assert.deepStrictEqual(yield* found(), { source: "en", targets: ["is", "so"], files, translations, ignored })
      assert.deepInclude(yield* found("io"), { targets: ["is", "so", "io"], ignored: [] })
      // Rails has the language as the root of a file.
      write("config/locales/fr.yml", "fr: { a: A }")
      write("config/locales/de.yml", "de: { a: Ä }")
      assert.deepInclude(yield* discover(directory, endings, "fr"), { targets: ["de"], ignored: [] })
    }).pipe(Effect.scoped, Effect.provide(services)))
})
