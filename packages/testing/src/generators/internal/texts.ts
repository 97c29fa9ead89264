/** Texts: improvement, translation and detection. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import { DetectionApi, TranslationApi, WritingApi } from "@effect-lingua/core/extension/Resources"
import { DetectionResult } from "@effect-lingua/core/texts/Detection"
import { Translated, type TranslateOptions } from "@effect-lingua/core/texts/Translation"
import { type CorrectOptions, Improvement, type RephraseOptions } from "@effect-lingua/core/texts/Writing"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Data from "../../fake/internal/languages/languageData.ts"
import { hasFeature } from "../../fake/internal/languages/languages.ts"
import type { ServiceState } from "../../fake/internal/model.ts"
import { canonicalCode, rootOf } from "../../fake/internal/text.ts"
import { answerOf, derive, joined } from "./derive.ts"
import * as Leaves from "./leaves.ts"
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
  improved(derive(WritingApi.RephraseBody)),
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

type References = Pick<
  TranslationApi.TranslateBody,
  "glossaryId" | "glossaryIds" | "sourceLanguage" | "styleId" | "translationMemoryId"
>

/** The ids of other resources are those of a state. */
export const withoutReferences = <A extends References>(
  { glossaryId: _glossary, glossaryIds: _glossaries, styleId: _style, translationMemoryId: _memory, ...rest }: A
) => rest

const withRoot = (codes: ReadonlyArray<string>, language: string) =>
  codes.filter((code) => rootOf(code) === rootOf(language))

/** The choices of references to one resource of a state: none, a style list, a glossary in each form, a memory. */
export const referencesIn =
  (resource: "translate_text" | "translate_document") =>
  ({ glossaries, styleRuleLists, translationMemories }: ServiceState): ReadonlyArray<
    References & Partial<Pick<TranslationApi.TranslateBody, "targetLanguage">>
  > => {
    const sources = Data.languages[resource].filter(Data.usableAsSource)
    const targets = Data.languages[resource].filter((code) => Data.usableAsTarget(resource, code))
    return [
      {},
      ...styleRuleLists.flatMap(({ language, styleId }) =>
        withRoot(targets, language).map((targetLanguage) => ({ styleId, targetLanguage }))
      ),
      ...glossaries.flatMap(({ dictionaries, glossaryId }) =>
        dictionaries.flatMap((pair) =>
          withRoot(sources, pair.sourceLanguage).flatMap((sourceLanguage) =>
            withRoot(targets, pair.targetLanguage).flatMap((targetLanguage) => [
              { glossaryId, sourceLanguage, targetLanguage },
              { glossaryIds: [glossaryId], sourceLanguage, targetLanguage }
            ])
          )
        )
      ),
      ...translationMemories.flatMap(({ sourceLanguage: source, targetLanguages, translationMemoryId }) =>
        withRoot(sources, source).flatMap((sourceLanguage) =>
          targetLanguages.flatMap((language) =>
            targets.filter((target) => [canonicalCode(target), rootOf(target)].includes(canonicalCode(language)))
              .map((targetLanguage) => ({ translationMemoryId, sourceLanguage, targetLanguage }))
          )
        )
      )
    ]
  }

/** A plain formality needs a target that has it. */
export const withFormality = <A extends Pick<TranslateOptions, "formality" | "targetLanguage">>(
  resource: "translate_text" | "translate_document",
  request: A
): A =>
  (request.formality === "more" || request.formality === "less") &&
    !hasFeature(resource, request.targetLanguage, "formality")
    ? { ...request, formality: `prefer_${request.formality}` }
    : request

/** Instructions need a target that has the feature. */
const fittingTranslation = ({ customInstructions, ...request }: TranslateOptions): TranslateOptions =>
  withFormality("translate_text", {
    ...request,
    ...(customInstructions === undefined || !hasFeature("translate_text", request.targetLanguage, "style_rules")
      ? undefined
      : { customInstructions })
  })

const translate: Arbitrary.Arbitrary<TranslateOptions> = Arbitrary.map(
  Arbitrary.all({ body: derive(TranslationApi.TranslateBody), text: anyTexts }),
  ({ body, text }) =>
    fittingTranslation({ ...withoutReferences(body), text: fitting(text, limits.translationBytes / 2) })
)

/** One item for each text. */
const each = <A>(item: Arbitrary.Arbitrary<A>, { text }: { readonly text: ReadonlyArray<string> }) =>
  Arbitrary.array(item, { minLength: text.length, maxLength: text.length })

const improvement = answerOf(Improvement)

const improvements = ({ targetLanguage, text }: CorrectOptions): Arbitrary.Arbitrary<WritingApi.Improvements> => {
  const item = targetLanguage === undefined
    ? improvement
    : Arbitrary.map(improvement, (item) => ({ ...item, targetLanguage: canonicalCode(targetLanguage) }))
  return Arbitrary.map(
    Arbitrary.all([answerOf(WritingApi.Improvements), each(item, { text })]),
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
    request: joined(derive(DetectionApi.DetectBody), Arbitrary.map(anyTexts, (text) => ({ text }))),
    responseTo: (request) =>
      Arbitrary.map(
        Arbitrary.all([answerOf(DetectionApi.DetectionResults), each(answerOf(DetectionResult), request)]),
        ([answer, results]) => ({ ...answer, results })
      ),
    breaches: [surrogates, more("text", limits.detectionTexts, "a")]
  },
  "Translation.translate": {
    request: translate,
    existing: referencesIn("translate_text"),
    fitting: fittingTranslation,
    responseTo: (request) =>
      Arbitrary.map(
        Arbitrary.all([answerOf(TranslationApi.Translations), each(answerOf(Translated), request)]),
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
    request: improved(derive(WritingApi.CorrectBody)),
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
