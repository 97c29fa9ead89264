import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { scaled } from "../../../../../test/support/scale.ts"
import { client } from "../../support/client.ts"

const fake = FakeLanguageService

const correct = Effect.fnUntraced(function*(targetLanguage: string, ...text: ReadonlyArray<string>) {
  const { improvements } = yield* (yield* client).Writing.correct({ payload: { text, targetLanguage } })
  return improvements.map((improvement) => improvement.text)
})

interface Manner {
  readonly tone?: string
  readonly writingStyle?: string
}

const rephrase = Effect.fnUntraced(function*(targetLanguage: string, text: string, manner: Manner = {}) {
  const { improvements } = yield* (yield* client).Writing.rephrase({
    payload: { text: [text], targetLanguage, ...manner }
  })
  return improvements[0]?.text ?? ""
})

describe("Writing", () => {
  it.effect("corrects spelling, grammar, spaces, capitals and the end of a sentence", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* correct(
          "en-US",
          "i has  a apple and teh cat",
          "We could of known. he dont care ,really",
          "Alright",
          "see example.com, e.g. this",
          "- one\n- two",
          ""
        ),
        [
          "I have an apple and the cat.",
          "We could have known. He doesn't care ,really.",
          "Alright",
          "See example.com, e.g. this.",
          "- one\n- two.",
          ""
        ]
      )
      assert.deepStrictEqual(yield* correct("de", "Wir kommen vieleicht"), ["Wir kommen vielleicht."])
      assert.deepStrictEqual(yield* correct("FR", "c'est tres interessant"), ["C'est tres intéressant."])
      assert.deepStrictEqual(yield* correct("ja", "これは日本語です"), ["これは日本語です。"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("converts a text of another variant", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* correct("en-us", "The colours of the THEATRE are grey."), [
        "The colors of the THEATER are gray."
      ])
      assert.deepStrictEqual(yield* correct("pt-PT", "O ônibus e o trem."), ["O autocarro e o comboio."])
      assert.deepStrictEqual(yield* correct("pt-BR", "O autocarro e o comboio."), ["O ônibus e o trem."])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("tells the language of each text and the one it is in now, in order", () =>
    Effect.gen(function*() {
      const api = yield* client
      const given = yield* api.Writing.correct({ payload: { text: ["Hello there", "Bye"], targetLanguage: "EN-gb" } })
      assert.deepStrictEqual(given.improvements, [
        { text: "Hello there.", detectedSourceLanguage: "en", targetLanguage: "en-GB" },
        { text: "Bye", detectedSourceLanguage: "en", targetLanguage: "en-GB" }
      ])
      const found = yield* api.Writing.correct({
        payload: { text: ["Das ist ein schönes Haus.", "This is a test.", "Isto é um teste simples."] }
      })
      assert.deepStrictEqual(
        found.improvements.map((improvement) => [improvement.detectedSourceLanguage, improvement.targetLanguage]),
        [["de", "de"], ["en", "en-US"], ["pt", "pt-PT"]]
      )
      assert.deepStrictEqual(
        (yield* api.Writing.correct({ payload: { text: [], targetLanguage: "de" } })).improvements,
        []
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("rewrites in a tone or a style that can be seen", () =>
    Effect.gen(function*() {
      const text = "I think we don't utilize it, thanks; it works"
      const manners: ReadonlyArray<Manner> = [
        { writingStyle: "academic" },
        { writingStyle: "business" },
        { writingStyle: "casual" },
        { writingStyle: "simple" },
        { tone: "confident" },
        { tone: "diplomatic" },
        { tone: "enthusiastic" },
        { tone: "friendly" }
      ]
      const plain = yield* rephrase("en-GB", text)
      assert.strictEqual(plain, "I think we don't use it, thanks; it works.")
      const texts = yield* Effect.forEach(manners, (manner) => rephrase("en-GB", text, manner))
      assert.strictEqual(new Set([plain, ...texts]).size, 9)
      assert.strictEqual(texts[1], "I think we do not use it, thank you; it works. Kind regards.")
      assert.strictEqual(texts[4], "We don't use it, thanks; it works.")
      assert.strictEqual(yield* rephrase("de", "Das geht so", { tone: "friendly" }), "Das geht so. Vielen Dank!")
      assert.strictEqual(yield* rephrase("en-GB", text, { writingStyle: "default", tone: "friendly" }), texts[7])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("does not translate, but doubts the language of long texts only", () =>
    Effect.gen(function*() {
      const german = "Wir haben gestern lange über das neue Haus am See gesprochen und uns sehr gefreut."
      const error = yield* Effect.flip(correct("en-GB", german))
      assert.deepInclude(error, {
        _tag: "BadRequest",
        description: "The language de of the text does not match the target language en-GB."
      })
      assert.deepStrictEqual(yield* correct("en-GB", "Guten Tag, Welt."), ["Guten Tag, Welt."])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("counts its characters, and each run as one effect", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* correct("en-GB", "Grüße 👋", "abc")
      yield* rephrase("en-GB", "abcd")
      yield* Effect.flip(correct("xx", "abc"))
      assert.strictEqual((yield* service.quota()).used, 14)
      const effects = yield* service.effects
      assert.strictEqual(effects["Writing.correct"].count, 1)
      assert.strictEqual(effects["Writing.rephrase"].count, 1)
      assert.deepStrictEqual(
        effects["Writing.rephrase"].ids,
        (yield* service.requests).slice(1, 2).map(({ traceId }) => traceId)
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  const target = Schema.Literals(["de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "pt-BR", "pt-PT", "zh"])
  const piece = Schema.Union([
    Schema.Literals([
      "a",
      "an",
      "the",
      "i",
      "teh",
      "dont",
      "he don't",
      "could of",
      "colour",
      "color",
      "theatre",
      "bus"
    ]),
    Schema.Literals(["vieleicht", "standart", "probleme", "asi", "piu", "nao", "ônibus", "comboio", "I has", "apple"]),
    Schema.Literals([",", ".", "!", "\n", "  ", "'", "’", "-", "e.g.", "日本", "👋", "(", "1"]),
    Schema.String
  ])

  it.effect.prop(
    "corrects no text twice",
    [Schema.Array(Schema.Array(piece)), target],
    ([texts, target]) =>
      Effect.gen(function*() {
        // Short, because the language of a long text may be doubted.
        const once = yield* correct(target, ...texts.map((pieces) => pieces.join(" ").slice(0, 45)))
        assert.deepStrictEqual(yield* correct(target, ...once), once)
      }).pipe(Effect.provide(FakeLanguageService.layer())),
    { arbitrary: { runs: scaled(8, 100) } }
  )

  it.effect("corrects what correction itself could double", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* correct("en-GB", "you have a an apple", "an a apple", "a a apple"), [
        "You have an apple.",
        "An apple.",
        "An apple."
      ])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes a tone or a style exactly for the targets that list the feature", () =>
    Effect.gen(function*() {
      const { Languages } = yield* client
      const languages = yield* Languages.list({ query: { resource: "write" } })
      for (const { code, features = {} } of languages.filter(({ usableAsTarget }) => usableAsTarget)) {
        for (const manner of [{ tone: "diplomatic" }, { writingStyle: "academic" }]) {
          const feature = "tone" in manner ? "tone" : "writing_style"
          assert.strictEqual(
            (yield* Effect.result(rephrase(code, "a", manner)))._tag,
            feature in features ? "Success" : "Failure",
            `${feature} ${code}`
          )
        }
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("converts a variant when it rephrases too, and changes no word when it corrects", () =>
    Effect.gen(function*() {
      const american = "We utilize the color of the theater."
      assert.strictEqual(yield* rephrase("en-GB", american), "We use the colour of the theatre.")
      assert.deepStrictEqual(yield* correct("en-GB", american), ["We utilize the colour of the theatre."])
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
