// Plurals: which forms a language needs, what they are made from, and what `check` accepts.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Format } from "../src/formats/Format.ts"
import { json } from "../src/formats/internal/json.ts"
import { sentencesIn } from "../src/formats/internal/messages.ts"
import { po } from "../src/formats/internal/po.ts"
import { yaml } from "../src/formats/internal/yaml.ts"
import { lines } from "./support/formats.ts"
import { makeProject, services } from "./support/projects.ts"

/** The texts of a source that a language needs. */
const needed = (format: Format, source: string, language: string) =>
  Object.fromEntries(format.parse(source, "en").units(language).map(({ id, text }) => [id, text]))

const poOf = (singular: string, plural: string) =>
  lines(`msgid "${singular}"`, `msgid_plural "${plural}"`, `msgstr[0] ""`, `msgstr[1] ""`)

const messages = (count: number) => JSON.stringify({ text: "{n, plural, one {# a} other {# b}} ".repeat(count) })

/** A plural in each format: its source, and the ids of its forms. */
const formats: ReadonlyArray<
  readonly [
    name: string,
    file: string,
    format: Format,
    number: string,
    print: (forms: Readonly<Record<string, string>>, language: string) => string,
    idOf: (category: string) => string
  ]
> = [
  [
    "i18next",
    "{language}.json",
    json,
    "{{count}}",
    (forms) => JSON.stringify(Object.fromEntries(Object.entries(forms).map(([key, text]) => [`item_${key}`, text]))),
    (category) => `item_${category}`
  ],
  [
    "Rails",
    "{language}.yml",
    yaml,
    "%{count}",
    (forms, language) => JSON.stringify({ [language]: { item: forms } }),
    (category) => `item/${category}`
  ]
]

describe.each(formats)("plurals of %s", (_, file, format, number, print, idOf) => {
  it("have the text for 0 in every language if the source has one, and only then", () => {
    const forms = { zero: "None", one: `${number} item`, other: `${number} items` }
    for (const language of ["ja", "de", "pl"]) {
      assert.strictEqual(needed(format, print(forms, "en"), language)[idOf("zero")], "None")
      assert.notProperty(needed(format, print({ one: "a", other: "b" }, "en"), language), idOf("zero"))
    }
    assert.strictEqual(needed(format, print(forms, "en"), "ar")[idOf("zero")], "None")
    const before = print({ zero: "Nichts", one: "Ein Ding", other: `${number} Dinge` }, "de")
    assert.strictEqual(format.parse(print(forms, "en"), "en").print("de", new Map(), before), before)
  })

  it("make a form for 1, 21 and 31 of the plural if the singular has no number", () => {
    const without = print({ one: "One item", other: `${number} items` }, "en")
    for (const language of ["ru", "sl", "lv"]) {
      assert.strictEqual(needed(format, without, language)[idOf("one")], `${number} items`, language)
    }
    for (const language of ["de", "pl", "fr"]) {
      assert.strictEqual(needed(format, without, language)[idOf("one")], "One item", language)
    }
    const withNumber = print({ one: `${number} item`, other: `${number} items` }, "en")
    assert.strictEqual(needed(format, withNumber, "ru")[idOf("one")], `${number} item`)
    const never = print({ one: "The item", other: "The items" }, "en")
    assert.strictEqual(needed(format, never, "ru")[idOf("one")], "The item")
  })

  it("keep forms that a language does not use, which say what `other` says", () => {
    const source = print({ one: `${number} item`, other: `${number} items` }, "en")
    const { print: printed, units } = format.parse(source, "en")
    assert.deepStrictEqual(units("ja").map(({ id }) => id), [idOf("other")])
    const first = printed("ja", new Map([[idOf("other"), `${number}件`]]))
    assert.deepStrictEqual([...format.read(first, "ja").keys()], [idOf("other")])
    assert.strictEqual(first.split(`${number}件`).length, 3, first)
    const next = printed("ja", new Map([[idOf("other"), `${number}個`]]), first)
    assert.strictEqual(next, first.replaceAll("件", "個"))
    const byHand = print({ one: "ひとつ", other: `${number}件` }, "ja")
    assert.strictEqual(printed("ja", new Map([[idOf("other"), `${number}個`]]), byHand), byHand.replace("件", "個"))
  })

  const problems = Effect.fnUntraced(
    function*(source: Readonly<Record<string, string>>, language: string, target: Readonly<Record<string, string>>) {
      const { open } = yield* makeProject({ targets: [language], files: [file] }, {
        [file.replace("{language}", "en")]: print(source, "en"),
        [file.replace("{language}", language)]: print(target, language)
      })
      return (yield* open()).problems.map(({ id, state }) => [id, state])
    },
    (effect) => Effect.scoped(Effect.provide(effect, services))
  )

  it.effect("may be without the number where a form stands for one number only, or have it", () =>
    Effect.gen(function*() {
      const source = { one: `${number} item of %{name}{{name}}`, other: `${number} items of %{name}{{name}}` }
      const name = "%{name}{{name}}"
      assert.deepStrictEqual(yield* problems(source, "de", { one: `Ein ${name}`, other: `${number} ${name}` }), [])
      const ar = ["few", "many", "other"].map((category) => [category, `${number} ${name}`])
      const forms = { zero: name, one: name, two: name, ...Object.fromEntries(ar) }
      assert.deepStrictEqual(yield* problems(source, "ar", forms), [])
      const ru = { one: name, few: `${number} ${name}`, many: `${number} ${name}`, other: `${number} ${name}` }
      assert.deepStrictEqual(yield* problems(source, "ru", ru), [[idOf("one"), "broken"]])
      const lost = { one: `${number} ohne Namen`, other: name }
      assert.deepStrictEqual(yield* problems(source, "de", lost), [[idOf("one"), "broken"], [idOf("other"), "broken"]])
      // The singular of the source has no number.
      const one = { one: "One item", other: `${number} items` }
      assert.deepStrictEqual(yield* problems(one, "de", { one: `${number} Ding`, other: `${number} Dinge` }), [])
      assert.deepStrictEqual(yield* problems(one, "de", { one: "Ein Ding", other: "Dinge" }), [[
        idOf("other"),
        "broken"
      ]])
    }))
})

describe("keys that only look like plurals", () => {
  it("are left alone", () => {
    const source = `{"gender_male":"He","gender_other":"They","label":"L","label_other":"Other"}`
    for (const language of ["pl", "ja"]) {
      const all = Object.keys(needed(json, source, language))
      assert.deepStrictEqual(all, ["gender_male", "gender_other", "label", "label_other"])
    }
    assert.include(Object.keys(needed(json, `{"item_other":"{{count}}","item_name":"Item"}`, "pl")), "item_few")
    assert.include(Object.keys(needed(json, `{"item_other":"Items"}`, "pl")), "item_few")
    assert.include(Object.keys(needed(json, `{"item":"Item","item_one":"a","item_other":"b"}`, "pl")), "item_few")
  })
})

it.effect("ids with a category's name are no plural without the form `other`", () =>
  Effect.gen(function*() {
    const { open, read, write } = yield* makeProject({ files: ["{language}.json"] }, {
      "en.json": `{"step_one":"One","step_two":"Two","way":{"one":"A","two":"B"},"c":"C"}`
    })
    const run = Effect.flatMap(open(), ({ run }) => run())
    yield* run
    write("de.json", read("de.json").replace("[de] Two", "Zwei").replace("[de] B", "Zwo"))
    write("en.json", `{"c":"C"}`)
    yield* run
    assert.deepEqual(JSON.parse(read("de.json")), { step_two: "Zwei", way: { two: "Zwo" }, c: "[de] C" })
  }).pipe(Effect.scoped, Effect.provide(services)))

describe("plurals of gettext", () => {
  it("make a form for 1, 21 and 31 of the plural if the singular has no number", () => {
    assert.deepStrictEqual(Object.values(needed(po, poOf("One file", "%d files"), "ru")), [
      "%d files",
      "%d files",
      "%d files"
    ])
    assert.strictEqual(needed(po, poOf("One file", "%d files"), "pl")["One file[0]"], "One file")
    assert.strictEqual(needed(po, poOf("%d file", "%d files"), "ru")["%d file[0]"], "%d file")
  })
})

describe("messages of ICU", () => {
  it.effect("count with all their sentences, and are not sent if they have too many", () =>
    Effect.gen(function*() {
      const project = { targets: ["ru"], files: ["{language}.arb"] }
      const { open, write } = yield* makeProject(project, { "en.arb": messages(2) })
      assert.deepStrictEqual((yield* open()).costs.map(({ texts }) => texts), [16])
      write("en.arb", messages(6))
      const { done } = yield* (yield* open()).run()
      assert.include(done[0]?.problems[0]?.problem, "it has more than 1000 sentences")
    }).pipe(Effect.scoped, Effect.provide(services)))

  it("make a form for 1, 21 and 31 of the plural if the singular has no number", () => {
    const message = "{n, plural, one {One apple} other {# apples}}"
    assert.deepStrictEqual(sentencesIn(message, "ru")?.texts[0], "{number_of_plural} apples")
    assert.deepStrictEqual(sentencesIn(message, "de")?.texts[0], "One apple")
    assert.deepStrictEqual(sentencesIn("{n, plural, one {A} other {{n} B}}", "ru")?.texts[0], "{n} B")
    assert.deepStrictEqual(sentencesIn("{n, plural, one {A} other {B}}", "ru")?.texts[0], "A")
  })
})
