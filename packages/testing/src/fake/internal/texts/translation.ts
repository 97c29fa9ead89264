import type { BadRequest } from "@effect-lingua/core/errors/ServiceError"
import type { TranslationApi } from "@effect-lingua/core/extension/Resources"
import { resultFn } from "@effect-lingua/core/extension/Service"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import { group } from "../group.ts"
import { hasFeature } from "../languages/languages.ts"
import * as Quota from "../quota.ts"
import type { Fake } from "../state.ts"
import { handler, tookEffect } from "../steps.ts"
import { countCharacters } from "../text.ts"
import { sourceOf } from "./detection.ts"
import { check, oneOf } from "./references.ts"
import { translator } from "./terminology.ts"

/** Reads the reporting tag from `X-<vendor>-Reporting-Tag`. */
const checkTag = (
  headers: Readonly<Record<string, string | undefined>>
): Result.Result<string | undefined, BadRequest> => {
  const [name, tag = ""] = Object.entries(headers).find(([name]) => /^x-\w+-reporting-tag$/.test(name)) ?? []
  return name === undefined || /^[\x21-\x7e]{1,100}$/.test(tag.trim())
    ? Result.succeed(name === undefined ? undefined : tag.trim().toLowerCase())
    : badRequest(`Bad request. Reason: the header ${name} has a value that is not a tag.`)
}

const checkValues = resultFn(function*(body: TranslationApi.TranslateBody, { settings: { limits } }: Fake) {
  if (body.text.length > limits.translationTexts) {
    yield* badRequest(`Bad request. Reason: more than ${limits.translationTexts} texts.`)
  }
  yield* oneOf("split_sentences", body.splitSentences, ["0", "1", "nonewlines"])
  yield* oneOf("model_type", body.modelType, ["latency_optimized", "quality_optimized", "prefer_quality_optimized"])
  yield* oneOf("tag_handling", body.tagHandling, ["xml", "html"])
  yield* oneOf("tag_handling_version", body.tagHandlingVersion, ["v1", "v2"])
  const instructions = body.customInstructions ?? []
  if (
    instructions.length > limits.translationInstructions ||
    instructions.some((instruction) => countCharacters(instruction) > limits.promptCharacters)
  ) yield* notSupported("custom_instructions")
  if (instructions.length > 0 && !hasFeature("translate_text", body.targetLanguage, "style_rules")) {
    yield* badRequest(`'custom_instructions' are not supported for the target language ${body.targetLanguage}.`)
  }
})

/** With `tagHandling`, markup is not billed. */
const billed = (text: string, { tagHandling }: TranslationApi.TranslateBody): number =>
  countCharacters(tagHandling === undefined ? text : text.replace(/<[^<>]*>/g, ""))

const translated = (fake: Fake, text: string, translation: string, body: TranslationApi.TranslateBody) => ({
  text: translation,
  detectedSourceLanguage: (body.sourceLanguage ?? sourceOf(fake, text)).toUpperCase(),
  ...(body.showBilledCharacters === true ? { billedCharacters: billed(text, body) } : undefined),
  ...(body.modelType === undefined
    ? undefined
    : { modelTypeUsed: body.modelType === "latency_optimized" ? body.modelType : "quality_optimized" }),
  ...(body.tagHandling === undefined ? undefined : { tagHandlingVersion: body.tagHandlingVersion ?? "v2" })
})

export const layer = group("Translation", (handlers) =>
  handlers.handleAll({
    translate: handler(function*({ payload, request }, now, exchange) {
      const { fake } = exchange
      const tag = yield* checkTag(request.headers)
      yield* checkValues(payload, fake)
      yield* check("translate_text", payload, fake, exchange.account)
      const characters = payload.text.reduce((total, text) => total + billed(text, payload), 0)
      yield* Quota.charge(fake, exchange, "text", DateTime.toEpochMillis(now), characters, tag)
      tookEffect(fake, exchange.note, exchange.note.traceId)
      const translate = translator(fake, exchange.account, payload)
      return { translations: payload.text.map((text) => translated(fake, text, translate(text), payload)) }
    })
  }))
