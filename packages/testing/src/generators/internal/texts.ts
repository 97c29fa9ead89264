/** Texts: improvement, translation and detection. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import { DetectBody, DetectionResult, DetectionResults } from "@effect-lingua/core/texts/DetectionApi"
import type { TranslateOptions } from "@effect-lingua/core/texts/Translation"
import { TranslateBody, Translated, Translations } from "@effect-lingua/core/texts/TranslationApi"
import type { CorrectOptions, RephraseOptions } from "@effect-lingua/core/texts/Writing"
import { CorrectBody, Improvement, Improvements, RephraseBody } from "@effect-lingua/core/texts/WritingApi"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { hasFeature } from "../../fake/internal/languages/languages.ts"
import { canonicalCode, rootOf } from "../../fake/internal/text.ts"
import { answerOf, derive, joined } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import { sourceCode } from "./meanings.ts"
import { type Breach, limits, more, type Records, tooLong, tooMany } from "./record.ts"

/** One request in sixteen has as many texts as are allowed. */
const most = 15

/** Languages that the service can detect and improve. */
const evident = ["en", "de", "fr", "es", "it", "ja"]

const TextForms = Schema.Struct({
  forms: Schema.Array(Leaves.TextForm).check(Schema.isMinLength(1)),
  language: Leaves.int(0, evident.length - 1),
  count: Leaves.int(0, most)
})

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(JSON.stringify(text)).length + 1

/** The texts that fit into a body, and one at least. */
const fitting = (texts: ReadonlyArray<string>, bytes: number): ReadonlyArray<string> => {
  let left = bytes
  return texts.filter((text, index) => {
    left -= bytesOf(text)
    return left > 0 || index === 0
  })
}

/** The same texts with white space at the end that fills their body. */
const filled = (texts: ReadonlyArray<string>, bytes: number): ReadonlyArray<string> => {
  const left = bytes - texts.reduce((sum, text) => sum + bytesOf(text), 0)
  return texts.map((text, index) => index === texts.length - 1 ? text + " ".repeat(Math.max(0, left)) : text)
}

const repeated = <A>(items: ReadonlyArray<A>, count: number, all: number): ReadonlyArray<A> =>
  count === most
    ? Array.from({ length: Math.ceil(all / items.length) }, () => items).flat().slice(0, all)
    : items.slice(0, all)

/** One improvement in sixteen has a body that is as large as is allowed, but for some bytes. */
const largest = most - 1

/** The bytes of a body besides its texts. */
const otherBytes = 200

/**
 * Texts of an improvement are in the language of its target, so that they do not count as a translation. Without a
 * target they show their language.
 */
const improved = <A extends CorrectOptions>(body: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(
    Arbitrary.all({ body, texts: Arbitrary.schema(TextForms) }),
    ({ body, texts: { count, forms, language } }): A => {
      const bytes = limits.improvementBytes - otherBytes
      const texts = repeated(forms, count, limits.translationTexts).map((form) =>
        body.targetLanguage === undefined
          ? Leaves.render(Leaves.unmistakable(form), evident[language] ?? "en")
          : Leaves.render(form, rootOf(body.targetLanguage))
      )
      const fit = fitting(texts, bytes)
      return { ...body, text: count === largest ? filled(fit, bytes) : fit }
    }
  )

/** A plain tone or style needs a language that has it; the `prefer_` values do not. */
const manner = (
  feature: "tone" | "writing_style",
  value: string,
  targetLanguage: string | undefined
): string =>
  value === "default" || value.startsWith("prefer_") ||
    (targetLanguage !== undefined && hasFeature("write", targetLanguage, feature))
    ? value
    : `prefer_${value}`

const rephrase: Arbitrary.Arbitrary<RephraseOptions> = Arbitrary.map(
  improved(derive(RephraseBody)),
  ({ tone, writingStyle, ...rest }): RephraseOptions =>
    tone === undefined || tone === "default"
      ? {
        ...rest,
        ...(tone === undefined ? undefined : { tone: "default" as const }),
        ...(writingStyle === undefined
          ? undefined
          : { writingStyle: manner("writing_style", writingStyle, rest.targetLanguage) })
      }
      : {
        ...rest,
        tone: manner("tone", tone, rest.targetLanguage),
        ...(writingStyle === undefined ? undefined : { writingStyle: "default" as const })
      }
)

const anyTexts = Arbitrary.map(
  Arbitrary.schema(
    Schema.Struct({ texts: Schema.Array(Leaves.text).check(Schema.isMinLength(1)), count: Leaves.int(0, most) })
  ),
  ({ count, texts }) => repeated(texts, count, limits.translationTexts)
)

/** One translation in eight refers to a style list, glossaries or a memory. */
export const refers = 7

type References = Pick<
  TranslateBody,
  "formality" | "glossaryId" | "glossaryIds" | "styleId" | "targetLanguage" | "translationMemoryId"
>

/** A plain formality needs a target that has it; a glossary needs a source, and excludes other glossaries. */
export const referring = <A extends References>(
  resource: "translate_text" | "translate_document",
  body: A,
  references: number,
  sourceLanguage: string
) => {
  const { formality, glossaryId, glossaryIds, styleId, translationMemoryId, ...rest } = body
  const glossary = glossaryId === undefined
    ? glossaryIds === undefined ? undefined : { glossaryIds, sourceLanguage }
    : { glossaryId, sourceLanguage }
  return {
    ...rest,
    ...(formality === undefined ? undefined : {
      formality: (formality === "more" || formality === "less") &&
          !hasFeature(resource, body.targetLanguage, "formality")
        ? `prefer_${formality}`
        : formality
    }),
    ...(references === refers
      ? {
        ...glossary,
        ...(styleId === undefined ? undefined : { styleId }),
        ...(translationMemoryId === undefined ? undefined : { translationMemoryId })
      }
      : undefined)
  }
}

/** Instructions need a target that has the feature. */
const translate: Arbitrary.Arbitrary<TranslateOptions> = Arbitrary.map(
  Arbitrary.all({
    body: derive(TranslateBody),
    texts: anyTexts,
    references: Arbitrary.schema(Leaves.int(0, refers)),
    sourceLanguage: Arbitrary.schema(sourceCode)
  }),
  ({ body: { customInstructions, ...body }, references, sourceLanguage, texts }) => ({
    ...referring("translate_text", body, references, sourceLanguage),
    text: fitting(texts, limits.translationBytes / 2),
    ...(customInstructions === undefined || !hasFeature("translate_text", body.targetLanguage, "style_rules")
      ? undefined
      : { customInstructions })
  })
)

/** One item for each text. */
const each = <A>(item: Arbitrary.Arbitrary<A>, { text }: { readonly text: ReadonlyArray<string> }) =>
  Arbitrary.array(item, { minLength: text.length, maxLength: text.length })

const improvement = answerOf(Improvement)

const improvements = ({ targetLanguage, text }: CorrectOptions): Arbitrary.Arbitrary<Improvements> => {
  const item = targetLanguage === undefined
    ? improvement
    : Arbitrary.map(improvement, (item) => ({ ...item, targetLanguage: canonicalCode(targetLanguage) }))
  return Arbitrary.map(
    Arbitrary.all([answerOf(Improvements), each(item, { text })]),
    ([answer, improvements]) => ({ ...answer, improvements })
  )
}

const surrogates: Breach = ["no text has an unpaired surrogate", "InvalidInput", { text: ["a", "\ud800"] }]

const ofImprovement: ReadonlyArray<Breach> = [
  surrogates,
  ["the body has at most 10 KiB", "LimitExceeded", { text: [tooLong(limits.improvementBytes)] }]
]

const glossary = "00000000-0000-4000-8000-000000000000"

/** The rules of references to other resources. */
export const ofReferences: ReadonlyArray<Breach> = [
  ["a threshold is at most 100", "InvalidInput", { translationMemoryThreshold: 101 }],
  ["a glossary needs a source language", "InvalidInput", {
    glossaryId: glossary,
    glossaryIds: undefined,
    sourceLanguage: undefined
  }],
  ["glossaryId and glossaryIds exclude each other", "InvalidInput", {
    glossaryId: glossary,
    glossaryIds: [glossary],
    sourceLanguage: "de"
  }],
  ["there are at most 5 glossaries", "LimitExceeded", {
    glossaryId: undefined,
    glossaryIds: tooMany(glossary, limits.glossaryIds),
    sourceLanguage: "de"
  }]
]

export const texts = {
  "Detection.detect": {
    request: joined(derive(DetectBody), Arbitrary.map(anyTexts, (text) => ({ text }))),
    responseTo: (request) =>
      Arbitrary.map(
        Arbitrary.all([answerOf(DetectionResults), each(answerOf(DetectionResult), request)]),
        ([answer, results]) => ({ ...answer, results })
      ),
    breaches: [surrogates, more("text", limits.detectionTexts, "a")]
  },
  "Translation.translate": {
    request: translate,
    responseTo: (request) =>
      Arbitrary.map(
        Arbitrary.all([answerOf(Translations), each(answerOf(Translated), request)]),
        ([answer, translations]) => ({ ...answer, translations })
      ),
    breaches: [
      surrogates,
      more("text", limits.translationTexts, "a"),
      ["the body has at most 128 KiB", "LimitExceeded", { text: [tooLong(limits.translationBytes)] }],
      ...ofReferences,
      more("customInstructions", limits.translationInstructions, "a"),
      ["an instruction has at most 300 characters", "LimitExceeded", {
        customInstructions: [tooLong(limits.promptCharacters)]
      }]
    ],
    errors: { BudgetExceeded: true }
  },
  "Writing.correct": {
    request: improved(derive(CorrectBody)),
    responseTo: improvements,
    breaches: ofImprovement,
    errors: { BudgetExceeded: true }
  },
  "Writing.rephrase": {
    request: rephrase,
    responseTo: improvements,
    breaches: [
      ...ofImprovement,
      ["a tone and a writing style exclude each other", "InvalidInput", { tone: "friendly", writingStyle: "business" }]
    ],
    errors: { BudgetExceeded: true }
  }
} satisfies Records<"Detection" | "Translation" | "Writing">
