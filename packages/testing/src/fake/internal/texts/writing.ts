import type { BadRequest } from "@effect-lingua/core/errors/ServiceError"
import type { WritingApi } from "@effect-lingua/core/extension/Resources"
import { resultFn } from "@effect-lingua/core/extension/Service"
import type { Improvement } from "@effect-lingua/core/texts/Writing"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import { group } from "../group.ts"
import { findLanguage, hasFeature, isTarget } from "../languages/languages.ts"
import * as Quota from "../quota.ts"
import type { Fake } from "../state.ts"
import { handler, tookEffect } from "../steps.ts"
import { countCharacters, rootOf } from "../text.ts"
import { correct, rephrase } from "./corrections.ts"
import { detect } from "./detection.ts"
import * as Taught from "./taught.ts"

interface Text {
  readonly text: string
  readonly source: string
  readonly target: string
}

const styles = ["academic", "business", "casual", "simple"]
const tones = ["confident", "diplomatic", "enthusiastic", "friendly"]

/** True if detection is certain enough to check the text's language. */
const isLongEnough = (text: string): boolean => countCharacters(text) >= 60 && text.trim().split(/\s+/).length >= 8

const resolved: Readonly<Record<string, string>> = { en: "en-US", pt: "pt-PT" }

const resolveText = (
  text: string,
  targetLanguage: string | undefined,
  fake: Fake
): Result.Result<Text, BadRequest> => {
  const { dialect } = fake.settings
  const detected = detect(fake, text)
  const found = detected._tag === "Detected" ? detected.language : undefined
  if (targetLanguage === undefined) {
    const source = found ?? "en"
    const target = resolved[source] ?? source
    if (isTarget("write", target, dialect)) return Result.succeed({ text, source, target })
    return isLongEnough(text)
      ? badRequest(`The language ${source} of the text is not supported.`)
      : Result.succeed({ text, source: "en", target: "en-US" })
  }
  const language = findLanguage("write", targetLanguage, dialect)
  if (language?.usableAsTarget !== true) return notSupported("target_lang")
  if (found !== undefined && isLongEnough(text) && found !== rootOf(language.code)) {
    return badRequest(`The language ${found} of the text does not match the target language ${language.code}.`)
  }
  const target = resolved[language.code] ?? language.code
  return Result.succeed({ text, source: rootOf(target), target })
}

/**
 * The tone or style. For a language without the feature, refuses a value, except a `prefer_` value, which is ignored.
 */
const chooseManner = (
  feature: "tone" | "writing_style",
  value: string | undefined,
  target: string
): Result.Result<string | undefined, BadRequest> => {
  if (value === undefined || value === "default") return Result.succeed(undefined)
  const name = value.replace(/^prefer_/, "")
  if (!(feature === "tone" ? tones : styles).includes(name)) return notSupported(feature)
  if (hasFeature("write", target, feature)) return Result.succeed(name)
  return value === name
    ? badRequest(`Language ${target} does not support setting a ${feature === "tone" ? "tone" : "writing style"}.`)
    : Result.succeed(undefined)
}

type Improvable = Pick<typeof WritingApi.CorrectBody.Type, "targetLanguage" | "text">

const rephrased = resultFn(
  function*({ tone, writingStyle }: typeof WritingApi.RephraseBody.Type, { target, text }: Text) {
    const chosenTone = yield* chooseManner("tone", tone, target)
    const style = yield* chooseManner("writing_style", writingStyle, target)
    return [tone, writingStyle].some((value = "default") => value === "default")
      ? rephrase(text, target, chosenTone ?? style)
      : yield* badRequest(
        "Bad request. Reason: Both writing_style and tone defined. Currently only style OR tone can be chosen for a single request."
      )
  }
)

const improve = <Body extends Improvable>(rewrite: (body: Body, text: Text) => Result.Result<string, BadRequest>) =>
  handler(function*({ payload }: { readonly payload: Body }, now, exchange) {
    const { fake } = exchange
    const { targetLanguage, text: texts } = payload
    if (targetLanguage !== undefined) yield* rewrite(payload, yield* resolveText("", targetLanguage, fake))
    const improvements: Array<typeof Improvement.Type> = []
    for (const text of texts) {
      const resolvedText = yield* resolveText(text, targetLanguage, fake)
      improvements.push({
        text: Taught.improvement(fake.store.taught, text, resolvedText.target) ??
          (yield* rewrite(payload, resolvedText)),
        detectedSourceLanguage: resolvedText.source,
        targetLanguage: resolvedText.target
      })
    }
    const characters = texts.reduce((total, text) => total + countCharacters(text), 0)
    yield* Quota.charge(fake, exchange, "improvement", DateTime.toEpochMillis(now), characters)
    tookEffect(fake, exchange.note, exchange.note.traceId)
    return { improvements }
  })

export const layer = group("Writing", (handlers) =>
  handlers.handleAll({
    rephrase: improve(rephrased),
    correct: improve((_body: Improvable, { target, text }) => Result.succeed(correct(text, target)))
  }))
