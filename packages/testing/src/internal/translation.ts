/** Text translation: the text marked with its target, and every rule about what a request may refer to (reference B10). */
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { BadRequest, NotFound } from "@effect-lingua/core/ServiceError"
import type { TranslateBody } from "@effect-lingua/core/TranslationApi"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Result from "effect/Result"
import { detect } from "./detection.ts"
import { findLanguage, hasFeature, isTarget } from "./languages.ts"
import * as Quota from "./quota.ts"
import { FakeState, lookUp, step, tookEffect } from "./state.ts"
import { canonicalCode, countCharacters, rootOf } from "./text.ts"

type Fake = FakeState["Service"]
type Checked<E> = Result.Result<void, E>

const accepted: Checked<never> = Result.succeed(undefined)
const refuse = (description: string): Checked<BadRequest> => Result.fail(new BadRequest({ description }))
const absent = (description: string): Checked<NotFound> => Result.fail(new NotFound({ description }))
const notSupported = (parameter: string): Checked<BadRequest> => refuse(`Value for '${parameter}' not supported.`)

const oneOf = (parameter: string, value: string | undefined, allowed: ReadonlyArray<string>): Checked<BadRequest> =>
  value === undefined || allowed.includes(value) ? accepted : notSupported(parameter)

const checkValues = (body: TranslateBody, { settings: { dialect, limits } }: Fake): Checked<BadRequest> =>
  Result.gen(function*() {
    if (body.text.length > limits.translationTexts) {
      yield* refuse(`Bad request. Reason: more than ${limits.translationTexts} texts.`)
    }
    if (!isTarget("translate_text", body.targetLanguage, dialect)) yield* notSupported("target_lang")
    if (
      body.sourceLanguage !== undefined &&
      findLanguage("translate_text", body.sourceLanguage)?.usableAsSource !== true
    ) yield* notSupported("source_lang")
    yield* oneOf("formality", body.formality, ["default", "more", "less", "prefer_more", "prefer_less"])
    yield* oneOf("split_sentences", body.splitSentences, ["0", "1", "nonewlines"])
    yield* oneOf("model_type", body.modelType, ["latency_optimized", "quality_optimized", "prefer_quality_optimized"])
    yield* oneOf("tag_handling", body.tagHandling, ["xml", "html"])
    yield* oneOf("tag_handling_version", body.tagHandlingVersion, ["v1", "v2"])
    if (
      (body.formality === "more" || body.formality === "less") &&
      !hasFeature("translate_text", body.targetLanguage, "formality")
    ) yield* refuse(`'formality' is not supported for the target language ${body.targetLanguage}.`)
    const threshold = body.translationMemoryThreshold ?? 75
    if (threshold < 0 || threshold > 100) yield* notSupported("translation_memory_threshold")
    const instructions = body.customInstructions ?? []
    if (
      instructions.length > limits.translationInstructions ||
      instructions.some((instruction) => countCharacters(instruction) > limits.promptCharacters)
    ) yield* notSupported("custom_instructions")
    if (instructions.length > 0 && !hasFeature("translate_text", body.targetLanguage, "style_rules")) {
      yield* refuse(`'custom_instructions' are not supported for the target language ${body.targetLanguage}.`)
    }
  })

const checkGlossaries = (body: TranslateBody, fake: Fake, account: string): Checked<BadRequest | NotFound> =>
  Result.gen(function*() {
    const ids = [...(body.glossaryId === undefined ? [] : [body.glossaryId]), ...(body.glossaryIds ?? [])]
    if (body.glossaryId !== undefined && body.glossaryIds !== undefined) {
      yield* refuse("Bad request. Reason: glossary_id and glossary_ids exclude each other.")
    }
    if (ids.length > fake.settings.limits.glossaryIds) yield* notSupported("glossary_ids")
    if (ids.length > 0 && body.sourceLanguage === undefined) {
      yield* refuse("Use of a glossary requires the source_lang parameter to be specified.")
    }
    for (const id of ids) {
      const glossary = lookUp(fake, fake.store.glossaries, account, id)
      if (glossary === undefined) {
        yield* absent("Glossary not found")
      } else if (
        glossary.source !== rootOf(body.sourceLanguage ?? "") || glossary.target !== rootOf(body.targetLanguage)
      ) {
        yield* refuse("The glossary has no dictionary for the language pair.")
      }
    }
  })

const checkStyle = (
  { styleId, targetLanguage }: TranslateBody,
  fake: Fake,
  account: string
): Checked<BadRequest | NotFound> => {
  if (styleId === undefined) return accepted
  const list = lookUp(fake, fake.store.styleLists, account, styleId)
  if (list === undefined) return absent("Style rule list not found")
  return rootOf(list.language) === rootOf(targetLanguage)
    ? accepted
    : refuse("The language of the style rule list does not match the target language.")
}

/** A memory works without `source_lang`; then only its targets can be compared. */
const checkMemory = (body: TranslateBody, fake: Fake, account: string): Checked<NotFound> => {
  if (body.translationMemoryId === undefined) return accepted
  const memory = lookUp(fake, fake.store.memories, account, body.translationMemoryId)
  if (memory === undefined) return absent("Translation memory not found")
  const target = canonicalCode(body.targetLanguage)
  const covered = (body.sourceLanguage === undefined || rootOf(body.sourceLanguage) === memory.source) &&
    memory.targets.some((candidate) => candidate === target || candidate === rootOf(target))
  return covered ? accepted : absent("Translation memory does not cover the language pair")
}

const sourceOf = (text: string): string => {
  const found = detect(text)
  return found._tag === "Detected" ? found.language : "en"
}

/** Characters that count: markup does not where it is handled (reference A9). */
const billed = (text: string, { tagHandling }: TranslateBody): number =>
  countCharacters(tagHandling === undefined ? text : text.replace(/<[^<>]*>/g, ""))

const translateText = (text: string, body: TranslateBody) => ({
  text: text === "" ? "" : `[${canonicalCode(body.targetLanguage)}] ${text}`,
  detectedSourceLanguage: (body.sourceLanguage ?? sourceOf(text)).toUpperCase(),
  ...(body.showBilledCharacters === true ? { billedCharacters: billed(text, body) } : undefined),
  ...(body.modelType === undefined
    ? undefined
    : { modelTypeUsed: body.modelType === "latency_optimized" ? body.modelType : "quality_optimized" }),
  ...(body.tagHandling === undefined ? undefined : { tagHandlingVersion: body.tagHandlingVersion ?? "v2" })
})

export const layer = HttpApiBuilder.group(
  LanguageServiceApi,
  "Translation",
  Effect.fnUntraced(function*(handlers) {
    const fake = yield* FakeState
    return handlers.handleAll({
      translate: Effect.fnUntraced(function*({ payload }) {
        return yield* step((now, { account, note }) =>
          Result.gen(function*() {
            yield* checkValues(payload, fake)
            yield* checkGlossaries(payload, fake, account)
            yield* checkStyle(payload, fake, account)
            yield* checkMemory(payload, fake, account)
            const characters = payload.text.reduce((total, text) => total + billed(text, payload), 0)
            yield* Quota.charge(fake, DateTime.toEpochMillis(now), characters)
            tookEffect(fake, note, "Translation.translate", note.traceId)
            return { translations: payload.text.map((text) => translateText(text, payload)) }
          })
        )
      })
    })
  })
)
