/** Shared checks of text and document translations: languages, formality, and ids of other resources. */
import { type BadRequest, NotFound } from "@effect-lingua/core/errors/ServiceError"
import { resultFn } from "@effect-lingua/core/extension/Service"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import { findLanguage, hasFeature, isTarget } from "../languages/languages.ts"
import type { Fake } from "../state.ts"
import { canonicalCode, rootOf } from "../text.ts"

export type Checked<E> = Result.Result<void, E>

export interface References {
  readonly targetLanguage: string
  readonly sourceLanguage?: string
  readonly formality?: string
  readonly glossaryId?: string
  readonly glossaryIds?: ReadonlyArray<string>
  readonly styleId?: string
  readonly translationMemoryId?: string
  readonly translationMemoryThreshold?: number
}

export const oneOf = (
  parameter: string,
  value: string | undefined,
  allowed: ReadonlyArray<string>
): Checked<BadRequest> =>
  value === undefined || allowed.includes(value) ? Result.succeed(undefined) : notSupported(parameter)

const checkLanguages = resultFn(
  function*(
    resource: "translate_text" | "translate_document",
    { formality, sourceLanguage, targetLanguage }: References,
    { settings: { dialect } }: Fake
  ) {
    if (!isTarget(resource, targetLanguage, dialect)) yield* notSupported("target_lang")
    if (sourceLanguage !== undefined && findLanguage(resource, sourceLanguage, dialect)?.usableAsSource !== true) {
      yield* notSupported("source_lang")
    }
    yield* oneOf("formality", formality, ["default", "more", "less", "prefer_more", "prefer_less"])
    if ((formality === "more" || formality === "less") && !hasFeature(resource, targetLanguage, "formality", dialect)) {
      yield* badRequest(`Target language '${targetLanguage.toUpperCase()}' doesn't support formality.`)
    }
  }
)

const checkGlossaries = resultFn(
  function*(resource: "translate_text" | "translate_document", body: References, fake: Fake, account: string) {
    const { glossaryDetection, glossaryIdsMissingPair } = fake.settings.dialect
    const ids = [...(body.glossaryId === undefined ? [] : [body.glossaryId]), ...(body.glossaryIds ?? [])]
    if (body.glossaryId !== undefined && body.glossaryIds !== undefined) {
      yield* badRequest("Bad request. Reason: glossary_id and glossary_ids exclude each other.")
    }
    if (ids.length > fake.settings.limits.glossaryIds) yield* notSupported("glossary_ids")
    const source = body.sourceLanguage
    const isDetected = glossaryDetection === "detected" && resource === "translate_text"
    if (ids.length > 0 && source === undefined && !isDetected) {
      yield* badRequest("Use of a glossary requires the source_lang parameter to be specified.")
    }
    for (const id of ids) {
      const { dictionaries } = yield* fake.store.glossaries.find(account, id)
      const isCovered = dictionaries.some(({ sourceLanguage, targetLanguage }) =>
        (source === undefined || sourceLanguage === rootOf(source)) && targetLanguage === rootOf(body.targetLanguage)
      )
      const isSkipped = glossaryIdsMissingPair === "skipped" && body.glossaryId === undefined
      if (!isCovered && !isSkipped) yield* badRequest("The glossary has no dictionary for the language pair.")
    }
  }
)

const checkStyle = resultFn(function*({ styleId, targetLanguage }: References, fake: Fake, account: string) {
  if (styleId === undefined) return
  const { language } = yield* fake.store.styleLists.find(account, styleId)
  if (rootOf(language) !== rootOf(targetLanguage)) {
    yield* badRequest("The language of the style rule list does not match the target language.")
  }
})

/** Checks that a memory has the language pair, or, without `source_lang`, the target language. */
const checkMemory = resultFn(function*(body: References, fake: Fake, account: string) {
  if (body.translationMemoryId === undefined) return
  const { source, targets } = yield* fake.store.memories.find(account, body.translationMemoryId)
  const target = canonicalCode(body.targetLanguage)
  const covered = (body.sourceLanguage === undefined || rootOf(body.sourceLanguage) === source) &&
    targets.some((candidate) => candidate === target || candidate === rootOf(target))
  if (!covered) {
    yield* Result.fail(new NotFound({ description: "Translation memory does not cover the language pair" }))
  }
})

export const check = resultFn(
  function*(resource: "translate_text" | "translate_document", references: References, fake: Fake, account: string) {
    yield* checkLanguages(resource, references, fake)
    const threshold = references.translationMemoryThreshold ?? 75
    if (threshold < 0 || threshold > 100) yield* notSupported("translation_memory_threshold")
    yield* checkGlossaries(resource, references, fake, account)
    yield* checkStyle(references, fake, account)
    yield* checkMemory(references, fake, account)
  }
)
