/** Language detection with the n-gram detector `eld`. */
import { BadRequest } from "@effect-lingua/core/errors/ServiceError"
import type { DetectionResult } from "@effect-lingua/core/texts/Detection"
import * as Effect from "effect/Effect"
import { eld } from "eld/extrasmall"
import * as Exchange from "../exchange.ts"
import { group } from "../group.ts"
import type { Fake } from "../state.ts"
import * as Taught from "./taught.ts"

/** Languages that the service can return as `detected_language`. */
export const detectable: ReadonlySet<string> = new Set(
  ("en de fr es pt it nl pl ru zh ja bg cs da el et fi hu lt lv ro sk sl sv tr id uk ko nb ar vi he th").split(" ")
)

/** Maps codes of `eld` to the service's codes; `eld` does not distinguish Indonesian from Malay. */
const codes: Readonly<Record<string, string>> = { no: "nb", ms: "id" }

/** Minimum length in characters at which n-grams distinguish related languages. */
const minCharacters = 25

/** Added to the scores (0 to 1) of short texts, because common languages are likelier. */
const common: ReadonlyMap<string, number> = new Map([
  ["en", 0.2],
  ...["de", "es", "fr", "it", "pt"].map((language) => [language, 0.1] as const),
  ...["nl", "pl"].map((language) => [language, 0.08] as const)
])

/** Minimum difference between the scores of the two likeliest languages. */
const lead = 0.08

const likeliest = (scores: Readonly<Record<string, number>>): string => {
  const weighted = Object.entries(scores).map(([language, score]) =>
    [language, score + (common.get(language) ?? 0)] as const
  )
  return weighted.reduce((best, other) => other[1] > best[1] ? other : best, ["", 0])[0]
}

/** A text's language from taught answers or n-grams. */
export const detect = ({ store: { taught } }: Fake, text: string): DetectionResult => {
  const known = Taught.language(taught, text)
  if (known !== undefined) return { _tag: "Detected", language: known }
  const found = eld.detect(text)
  if (found.language === "") return { _tag: "Undetected", reason: "no_language_detected" }
  if (!found.isReliable()) return { _tag: "Undetected", reason: "insufficient_confidence" }
  const best = text.length < minCharacters ? likeliest(found.getScores()) : found.language
  const language = codes[best] ?? best
  return detectable.has(language)
    ? { _tag: "Detected", language }
    : { _tag: "Undetected", reason: "unsupported_language" }
}

/** The detected language, else a clearly likeliest language, else English. */
export const sourceOf = (fake: Fake, text: string): string => {
  const found = detect(fake, text)
  if (found._tag === "Detected") return found.language
  const [[best, score] = ["", 0], [, next] = ["", 0]] = Object.entries(eld.detect(text).getScores())
  const language = codes[best] ?? best
  return score - next >= lead && detectable.has(language) ? language : "en"
}

export const layer = group("Detection", (handlers) =>
  handlers.handleAll({
    detect: Effect.fnUntraced(function*({ payload: { text } }) {
      const { fake } = yield* Exchange.Current
      const { detectionTexts } = fake.settings.limits
      if (text.length > detectionTexts) {
        return yield* new BadRequest({
          description: `Bad request. Reason: more than ${detectionTexts} texts.`
        })
      }
      return { results: text.map((text) => detect(fake, text)) }
    })
  }))
