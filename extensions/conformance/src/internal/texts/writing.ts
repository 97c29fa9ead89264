import { type CorrectOptions, type Improvement, type RephraseOptions, Writing } from "@effect-lingua/core/texts/Writing"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { charactersOf, paidCheck, refused, same, that } from "../check.ts"
import { altered, padded, read, refusedBodies, sendForm } from "../host.ts"
import type { Check } from "../model.ts"

const rephrase = (options: RephraseOptions) => Writing.use((writing) => writing.rephrase(options))
const correct = (options: CorrectOptions) => Writing.use((writing) => writing.correct(options))

/** Two texts with distinguishable improvements. */
const texts = ["Anna and Peter is at the zoo.", "The train to Berlin have left."]
const marks = [/zoo/i, /Berlin/i]

const american = "The color of the theater is gray."
const japanese = "これは本です。"
const german = "Das Wetter ist heute schön und die Kinder spielen im Garten."

const paths = ["/v2/write/rephrase", "/v2/write/correct"]

const WireImprovements = Schema.Struct({
  improvements: Schema.Array(Schema.Struct({
    text: Schema.String,
    detected_source_language: Schema.String,
    target_language: Schema.String
  }))
})

/** Requires one improvement for each text, in order, in the requested language. */
const inOrder = (improvements: ReadonlyArray<Improvement>) =>
  Effect.all([
    same("the number of improvements", improvements.length, texts.length),
    that(
      improvements.every(({ text }, index) => marks[index]?.test(text) === true),
      "improvements in the order of the texts",
      improvements
    ),
    same(
      "the languages",
      improvements.map(({ detectedSourceLanguage, targetLanguage }) => [
        detectedSourceLanguage?.toLowerCase().split("-", 1).join(""),
        targetLanguage
      ]),
      texts.map(() => ["en", "en-GB"])
    )
  ])

/** Fails unless both operations refuse a transformed request. */
const bothRefused = (
  request: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest,
  error: "PayloadTooLarge" | "UnsupportedMediaType"
) => {
  const options = { text: ["a"], targetLanguage: "en-US" }
  return altered(
    { request },
    Effect.all([refused(rephrase(options), error, "BadRequest"), refused(correct(options), error, "BadRequest")])
  )
}

export const writing: ReadonlyArray<Check> = [
  paidCheck("Writing: correct gives an improvement for each text, in order", {
    source: "Correct text; Improvement response",
    characters: charactersOf(...texts)
  }, () => Effect.flatMap(correct({ text: texts, targetLanguage: "en-GB" }), inOrder)),
  paidCheck("Writing: rephrase gives an improvement for each text, in order", {
    source: "Rephrase text; Improvement response",
    characters: charactersOf(...texts)
  }, () => Effect.flatMap(rephrase({ text: texts, targetLanguage: "en-GB" }), inOrder)),
  paidCheck("Writing: a text of one variant is converted to the requested one", {
    source: "Rephrase text 3",
    characters: charactersOf(american)
  }, () =>
    Effect.flatMap(
      rephrase({ text: [american], targetLanguage: "en-GB" }),
      ([improved]) => that(/colour/i.test(improved?.text ?? ""), "British spelling: colour", improved?.text)
    )),
  paidCheck("Writing: a very short text counts as English", {
    characters: charactersOf("teh letter")
  }, function*() {
    const [improved] = yield* correct({ text: ["teh letter"] })
    yield* that(/^en\b/i.test(improved?.detectedSourceLanguage ?? ""), "a text in English", improved)
  }),
  paidCheck(
    "Writing: without a target language the language of the text is detected",
    { characters: charactersOf(german) },
    () =>
      Effect.flatMap(
        correct({ text: [german] }),
        ([improved]) => same("the language that was found", improved?.detectedSourceLanguage?.toLowerCase(), "de")
      )
  ),
  paidCheck("Writing: tones and styles are accepted, and prefer_ for any language", {
    source: "Rephrase text 5",
    characters: 2 * charactersOf(american) + charactersOf(japanese)
  }, function*() {
    yield* rephrase({ text: [american], targetLanguage: "en-US", tone: "friendly" })
    yield* rephrase({ text: [american], targetLanguage: "en-US", writingStyle: "business" })
    yield* rephrase({ text: [japanese], targetLanguage: "ja", tone: "prefer_friendly" })
  }),
  paidCheck("Writing: the target language is accepted in any case", {
    source: "Versioning 5",
    characters: charactersOf(american)
  }, () =>
    Effect.flatMap(
      correct({ text: [american], targetLanguage: "EN-us" }),
      ([improved]) => same("the target language", improved?.targetLanguage, "en-US")
    )),
  paidCheck("Writing: a form is accepted too, and the response is JSON", {
    source: "Improvement response",
    characters: paths.length * charactersOf(american)
  }, () =>
    Effect.forEach(paths, (path) =>
      Effect.gen(function*() {
        const answer = yield* sendForm(path, { text: american, target_lang: "en-US" })
        const { improvements } = yield* read(WireImprovements, answer)
        yield* same("the number of improvements", improvements.length, 1)
      }))),
  paidCheck("Writing: an unknown language, tone or style is refused", {
    source: "Errors; Rephrase text 2 and 5"
  }, function*() {
    const text = ["a"]
    yield* refused(correct({ text, targetLanguage: "xx" }), "BadRequest")
    yield* refused(rephrase({ text, targetLanguage: "xx" }), "BadRequest")
    yield* refused(rephrase({ text, targetLanguage: "en-US", tone: "no-such-tone" }), "BadRequest")
    yield* refused(rephrase({ text, targetLanguage: "en-US", writingStyle: "no-such-style" }), "BadRequest")
  }),
  paidCheck("Writing: a plain tone or style is refused where the language has none", {}, function*() {
    yield* refused(rephrase({ text: ["a"], targetLanguage: "ja", tone: "friendly" }), "BadRequest")
    yield* refused(rephrase({ text: ["a"], targetLanguage: "ja", writingStyle: "business" }), "BadRequest")
  }),
  paidCheck("Writing: tone and style together are refused", { source: "Rephrase text 4" }, () =>
    refusedBodies(
      "/v2/write/rephrase",
      [{ text: ["a"], target_lang: "en-US", tone: "friendly", writing_style: "business" }],
      400
    )),
  paidCheck(
    "Writing: a request without texts, or that is no JSON, is refused",
    { source: "Errors" },
    () =>
      Effect.forEach(
        paths,
        (path) => refusedBodies(path, [{ target_lang: "en-US" }, { text: 5 }, `{"text": ["a`], 400)
      )
  ),
  paidCheck("Writing: a body over 10 KiB is refused", { source: "Rephrase text 1" }, () =>
    // The padding is outside of the text, so that a host that accepts the body counts only one character.
    bothRefused(padded(10 * 1024), "PayloadTooLarge")),
  paidCheck(
    "Writing: another content type than JSON and form is refused",
    {},
    () => bothRefused(HttpClientRequest.setHeader("content-type", "text/plain"), "UnsupportedMediaType")
  )
]
