/** Checks of language detection. The public descriptions do not say whether detection counts characters. */
import { Detection } from "@effect-lingua/core/texts/Detection"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { charactersOf, checkWith, refused, same, that } from "../check.ts"
import { altered, read, refusedBodies, send, sendForm } from "../host.ts"
import type { Check } from "../model.ts"

const path = "/v3/detect/language"

const detect = (text: ReadonlyArray<string>) => Detection.use((detection) => detection.detect({ text }))

const samples = {
  fr: "Les enfants jouent dans le jardin pendant que leur mère prépare le dîner.",
  de: "Das Wetter ist heute schön und die Kinder spielen im Garten.",
  en: "The children are playing in the garden while their mother is cooking."
}
const texts = Object.values(samples)
const shortTexts = ["a", "?", "123"]

/** A result has a language only if its status is `success`. */
const WireResult = Schema.Struct({
  detection_status: Schema.String,
  detected_language: Schema.optionalKey(Schema.NullOr(Schema.String))
}).check(
  Schema.makeFilter(({ detected_language, detection_status }) =>
    (detection_status === "success") === (typeof detected_language === "string") ||
    "detected_language is there when detection_status is success, and only then"
  )
)

const WireResults = Schema.Struct({ results: Schema.Array(WireResult) })

const detectionCheck = checkWith("detection")

export const detection: ReadonlyArray<Check> = [
  detectionCheck("Detection: each text has a result, in order", {
    source: "Detect language",
    characters: charactersOf(...texts)
  }, () =>
    Effect.flatMap(detect(texts), (results) =>
      same(
        "the languages",
        results.map((result) => result._tag === "Detected" ? result.language : result.reason),
        Object.keys(samples)
      ))),
  detectionCheck("Detection: a result has a language when its status is success, and only then", {
    source: "Detect language 1 and 2",
    characters: charactersOf(...shortTexts, samples.de)
  }, function*() {
    const text = [...shortTexts, samples.de]
    const answer = yield* send("POST", path, { body: { text } })
    const { results } = yield* read(WireResults, answer)
    yield* same("the number of results", results.length, text.length)
  }),
  detectionCheck("Detection: a form with repeated texts is accepted too", {
    source: "Detect language",
    characters: charactersOf(...texts)
  }, function*() {
    const answer = yield* sendForm(path, texts.map((text) => ["text", text]))
    const { results } = yield* read(WireResults, answer)
    yield* same("the languages", results.map((result) => result.detected_language), Object.keys(samples))
  }),
  detectionCheck("Detection: up to 50 texts are accepted", { source: "Limits", characters: 50 }, () =>
    Effect.flatMap(
      detect(Array.from({ length: 50 }, () => "a")),
      (results) => that(results.length === 50, "50 results", results.length)
    )),
  detectionCheck("Detection: more than 50 texts are refused", { source: "Limits" }, () =>
    altered(
      { settings: { limits: { detectionTexts: Infinity } } },
      refused(detect(Array.from({ length: 51 }, () => "a")), "BadRequest")
    )),
  detectionCheck("Detection: a request without texts, or that is no JSON, is refused", {
    source: "Errors"
  }, () => refusedBodies(path, [{}, { text: 5 }, `{"text": ["a`], 400)),
  detectionCheck(
    "Detection: another content type than JSON and form is refused with 415",
    { source: "Errors" },
    () =>
      altered(
        { request: HttpClientRequest.setHeader("content-type", "text/plain") },
        refused(detect(["a"]), "UnsupportedMediaType")
      )
  )
]
