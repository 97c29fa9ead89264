// Codes that the service refuses, and the nearest valid ones that the errors name.
import { Glossaries, Languages, type LanguageService, StyleRules, Translation, Writing } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const { layerServices } = FakeLanguageService

const into = (targetLanguage: string) =>
  Translation.use((translation) => translation.translate({ text: ["a"], targetLanguage }))

const from = (sourceLanguage: string) =>
  Translation.use((translation) => translation.translate({ text: ["a"], sourceLanguage, targetLanguage: "de" }))

const write = (targetLanguage: string) => Writing.use((writing) => writing.correct({ text: ["a"], targetLanguage }))

const entries = new Map([["a", "b"]])

const glossary = (sourceLanguage: string, targetLanguage: string) =>
  Glossaries.use((glossaries) =>
    glossaries.create({
      name: "a",
      dictionaries: [
        { sourceLanguage: "fr", targetLanguage: "it", entries },
        { sourceLanguage, targetLanguage, entries }
      ]
    })
  )

const merged = (dictionary: { readonly sourceLanguage: string; readonly targetLanguage: string }) =>
  Effect.gen(function*() {
    const { create, merge } = yield* Glossaries
    const pair = { sourceLanguage: "en", targetLanguage: "de", entries }
    const { glossaryId } = yield* create({ name: "a", dictionaries: [pair] })
    return yield* merge({ glossaryId, dictionary: { ...dictionary, entries } })
  })

const replaced = (targetLanguage: string) =>
  Effect.gen(function*() {
    const { create, replaceDictionary } = yield* Glossaries
    const pair = { sourceLanguage: "en", targetLanguage: "de", entries }
    const { glossaryId } = yield* create({ name: "a", dictionaries: [pair] })
    return yield* replaceDictionary({ glossaryId, ...pair, targetLanguage })
  })

type Call = Effect.Effect<object, Error & { readonly _tag: string }, LanguageService.LanguageService>

const codes: ReadonlyArray<
  readonly [what: string, call: Call, resource: Languages.LanguageResource, given: string, nearest: string]
> = [
  ["en-US as a source", from("en-US"), "translate_text", `sourceLanguage "en-US"`, "en"],
  ["pt-BR as a source", from("pt-BR"), "translate_text", `sourceLanguage "pt-BR"`, "pt"],
  ["en as a target", into("en"), "translate_text", `targetLanguage "en"`, "en-US"],
  ["pt as a target", into("pt"), "translate_text", `targetLanguage "pt"`, "pt-BR"],
  ["no as a target", into("no"), "translate_text", `targetLanguage "no"`, "nb"],
  ["zh-CN as a target", into("zh-CN"), "translate_text", `targetLanguage "zh-CN"`, "zh-Hans"],
  ["zh-TW as a target", into("zh-TW"), "translate_text", `targetLanguage "zh-TW"`, "zh-Hant"],
  ["en as the language of an improvement", write("en"), "write", `targetLanguage "en"`, "en-US"],
  ["a variant in a glossary", glossary("en-US", "de"), "glossary", `sourceLanguage "en-US"`, "en"],
  ["a target variant in a glossary", glossary("en", "pt-BR"), "glossary", `targetLanguage "pt-BR"`, "pt"],
  [
    "a variant among merged entries",
    merged({ sourceLanguage: "en", targetLanguage: "zh-Hans" }),
    "glossary",
    `targetLanguage "zh-Hans"`,
    "zh"
  ],
  ["a variant among replaced entries", replaced("pt-BR"), "glossary", `targetLanguage "pt-BR"`, "pt"]
]

const styleRules = (language: string) => StyleRules.use((rules) => rules.create({ name: "a", language }))

describe("a refused code", () => {
  it.effect.each(codes)("%s is refused before it is sent, by an error that names the nearest", (
    [, call, resource, given, nearest]
  ) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.provideService(call, Languages.Checks, true))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.match(
        error.message,
        new RegExp(
          `anguage: given ${
            given.replace(/.* /, "")
          }, allowed a \\w+ language of ${resource}; the nearest is "${nearest}"`
        )
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect.each(codes)("%s is refused by the service, and the error names the nearest of the list in use", (
    [, call, resource, given, nearest]
  ) =>
    Effect.gen(function*() {
      yield* Languages.use((languages) => languages.targets({ resource }))
      const error = yield* Effect.flip(call)
      assert.strictEqual(error._tag, "BadRequest")
      assert.include(error.message, `${given} is not listed; the nearest is "${nearest}".`)
    }).pipe(Effect.provide(layerServices())))

  it.effect.each([["en-US", "en"], ["ZH-hans", "zh"], ["de-AT", "de"]] as const)(
    "%s of a style rule list is refused before it is sent, and the error names %s",
    ([code, nearest]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(styleRules(code))
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(
          error.message,
          `language: given "${code}", allowed one of de, en, es, fr, it, ja, ko, zh; the nearest is "${nearest}"`
        )
      }).pipe(Effect.provide(layerServices()))
  )
})
