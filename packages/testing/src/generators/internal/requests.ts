/** What each service method takes: valid by the rules of the service. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import type { Admin, RangeOptions } from "@effect-lingua/core/account/Admin"
import * as AdminApi from "@effect-lingua/core/account/AdminApi"
import * as Limits from "@effect-lingua/core/client/Limits"
import type { Documents, UploadOptions } from "@effect-lingua/core/documents/Documents"
import * as DocumentsApi from "@effect-lingua/core/documents/DocumentsApi"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import * as GlossariesApi from "@effect-lingua/core/glossaries/GlossariesApi"
import type { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import type { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguagesApi from "@effect-lingua/core/languages/LanguagesApi"
import type { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import * as QualityEvaluationApi from "@effect-lingua/core/quality-evaluation/QualityEvaluationApi"
import type { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as StyleRulesApi from "@effect-lingua/core/style-rules/StyleRulesApi"
import type { Detection } from "@effect-lingua/core/texts/Detection"
import * as DetectionApi from "@effect-lingua/core/texts/DetectionApi"
import type { TranslateOptions, Translation } from "@effect-lingua/core/texts/Translation"
import { TranslateBody } from "@effect-lingua/core/texts/TranslationApi"
import type { CorrectOptions, RephraseOptions, Writing } from "@effect-lingua/core/texts/Writing"
import { CorrectBody, RephraseBody } from "@effect-lingua/core/texts/WritingApi"
import type { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as TranslationMemoriesApi from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import type { Voice } from "@effect-lingua/core/voice/Voice"
import * as VoiceApi from "@effect-lingua/core/voice/VoiceApi"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { findLanguage, hasFeature } from "../../fake/internal/languages.ts"
import { rootOf } from "../../fake/internal/text.ts"
import type { OperationName } from "../../faults/Fault.ts"
import { derive } from "./derive.ts"
import { dictionary, glossaryName, languagePair } from "./glossaryTerms.ts"
import * as Leaves from "./leaves.ts"
import { sourceCode } from "./meanings.ts"

interface Services {
  readonly Admin: Admin["Service"]
  readonly Detection: Detection["Service"]
  readonly Documents: Documents["Service"]
  readonly Glossaries: Glossaries["Service"]
  readonly GlossariesV2: GlossariesV2["Service"]
  readonly Languages: Languages["Service"]
  readonly QualityEvaluation: QualityEvaluation["Service"]
  readonly StyleRules: StyleRules["Service"]
  readonly Translation: Translation["Service"]
  readonly TranslationMemories: TranslationMemories["Service"]
  readonly Voice: Voice["Service"]
  readonly Writing: Writing["Service"]
}

/** The service method of an operation. */
export type Method<Name extends OperationName> = Name extends `${infer Group extends keyof Services}.${infer Key}`
  ? Key extends keyof Services[Group] ? Services[Group][Key] : never
  : never

/** What a service method takes; nothing, for one without parameters. */
export type Request<Name extends OperationName> = Method<Name> extends (...input: infer Input) => unknown
  ? Input extends [] ? void : Exclude<Input[0], undefined>
  : never

/** The value of an endpoint has its schemas by their widest type; the type of the endpoint has the exact ones. */
const params = <S extends Schema.Constraint>(
  { params }: { readonly "~Params": S; readonly params: Schema.Top | undefined }
): Arbitrary.Arbitrary<S["Type"]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is this schema
  derive(params as unknown as S)

const query = <S extends Schema.Constraint>(
  { query }: { readonly "~Query": S; readonly query: Schema.Top | undefined }
): Arbitrary.Arbitrary<S["Type"]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is this schema
  derive(query as unknown as S)

const ofList = params(StyleRulesApi.get)
const ofMemory = params(TranslationMemoriesApi.get)
const ofInstruction = params(StyleRulesApi.getInstruction)
const newInstruction = derive(StyleRulesApi.NewInstruction)

/** One request in sixteen has as many texts as are allowed. */
const most = 15

/** Languages that the service can tell by itself and improve. */
const evident = ["en", "de", "fr", "es", "it", "ja"]

const TextForms = Schema.Struct({
  forms: Schema.Array(Leaves.TextForm).check(Schema.isMinLength(1)),
  language: Leaves.int(0, evident.length - 1),
  count: Leaves.int(0, most)
})

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(JSON.stringify(text)).length + 1

/** As many of the texts as fit into a body, and one at least. */
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

/** What a body has beside its texts. */
const besideTexts = 200

/**
 * Texts of an improvement are in the language of its target, so that they are not taken for a translation. Without a
 * target they show their language.
 */
const improved = <A extends CorrectOptions>(body: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(
    Arbitrary.all({ body, texts: Arbitrary.schema(TextForms) }),
    ({ body, texts: { count, forms, language } }): A => {
      const bytes = Limits.defaults.improvementBytes - besideTexts
      const texts = repeated(forms, count, Limits.defaults.translationTexts).map((form) =>
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
  ({ count, texts }) => repeated(texts, count, Limits.defaults.translationTexts)
)

/** One translation in eight refers to a style list, glossaries or a memory. */
const refers = 7

interface References {
  readonly targetLanguage: TranslateBody["targetLanguage"]
  readonly formality?: NonNullable<TranslateBody["formality"]>
  readonly glossaryId?: NonNullable<TranslateBody["glossaryId"]>
  readonly glossaryIds?: NonNullable<TranslateBody["glossaryIds"]>
  readonly styleId?: NonNullable<TranslateBody["styleId"]>
  readonly translationMemoryId?: NonNullable<TranslateBody["translationMemoryId"]>
}

/** A plain formality needs a target that has it; a glossary needs a source, and excludes other glossaries. */
const referring = <A extends References>(
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
    text: fitting(texts, Limits.defaults.translationBytes / 2),
    ...(customInstructions === undefined || !hasFeature("translate_text", body.targetLanguage, "style_rules")
      ? undefined
      : { customInstructions })
  })
)

/** Bytes, a file, or a stream: whatever an upload can be of. */
const contents = (text: string): ReadonlyArray<UploadOptions["content"]> => {
  const bytes = encoder.encode(text)
  return [bytes, new Blob([bytes]), Stream.make(bytes)]
}

/** Not all languages of texts are languages of documents. */
const ofDocuments = (code: string): string => findLanguage("translate_document", code) === undefined ? "de" : code

const upload: Arbitrary.Arbitrary<UploadOptions> = Arbitrary.map(
  Arbitrary.all({
    body: derive(DocumentsApi.UploadFields),
    text: Arbitrary.schema(Leaves.text),
    file: Arbitrary.schema(Schema.Struct({
      kind: Leaves.int(0, 2),
      name: Leaves.pick(["document.txt", "Übersicht 2026.txt", "page.html", "strings.json"])
    })),
    references: Arbitrary.schema(Leaves.int(0, refers)),
    glossarySource: Arbitrary.schema(sourceCode)
  }),
  ({
    body: { outputFormat, sourceLanguage, targetLanguage, ...body },
    file: { kind, name },
    glossarySource,
    references,
    text
  }) => ({
    ...referring(
      "translate_document",
      {
        ...body,
        ...(sourceLanguage === undefined ? undefined : { sourceLanguage: ofDocuments(sourceLanguage) }),
        targetLanguage: ofDocuments(targetLanguage)
      },
      references,
      ofDocuments(glossarySource)
    ),
    ...(outputFormat === undefined ? undefined : { outputFormat: name.slice(name.lastIndexOf(".") + 1) }),
    content: contents(`${text}.`)[kind] ?? encoder.encode(text),
    fileName: name
  })
)

const nothing: Arbitrary.Arbitrary<void> = Arbitrary.Constant(undefined)

const ofGlossary = params(GlossariesApi.get)
const ofDictionary = Arbitrary.map(
  Arbitrary.all([ofGlossary, languagePair]),
  ([glossary, pair]) => ({ ...glossary, ...pair })
)

/** Each pair of languages once. */
const newGlossary = Arbitrary.map(
  Arbitrary.all({ name: glossaryName, dictionaries: Arbitrary.array(dictionary, { minLength: 1, maxLength: 3 }) }),
  ({ dictionaries, name }) => ({
    name,
    dictionaries: dictionaries.filter((dictionary, index) =>
      !dictionaries.slice(0, index).some(({ sourceLanguage, targetLanguage }) =>
        sourceLanguage === dictionary.sourceLanguage && targetLanguage === dictionary.targetLanguage
      )
    )
  })
)

/** A range of time, its ends as they can be given: as days, as times, as values. */
const range: Arbitrary.Arbitrary<RangeOptions> = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({
    start: Leaves.time,
    days: Leaves.int(0, Limits.defaults.reportDays),
    form: Leaves.int(0, 2)
  })),
  ({ days, form, start }) => {
    const end = DateTime.add(start, { days })
    const shown = [DateTime.formatIsoDateUtc, DateTime.formatIso][form]
    return shown === undefined
      ? { startDate: start, endDate: end }
      : { startDate: shown(start), endDate: shown(end) }
  }
)

export const requests: { readonly [Name in OperationName]: Arbitrary.Arbitrary<Request<Name>> } = {
  "Admin.analytics": Arbitrary.map(
    Arbitrary.all([query(AdminApi.analytics), range]),
    ([query, range]) => ({ ...query, ...range })
  ),
  "Admin.createKey": derive(AdminApi.NewKey),
  "Admin.deactivateKey": derive(AdminApi.KeyDeactivation),
  "Admin.listCustomTagUsage": Arbitrary.map(
    Arbitrary.all([query(AdminApi.listCustomTagUsage), range]),
    ([query, range]) => ({ ...query, ...range })
  ),
  "Admin.listKeys": nothing,
  "Admin.setKeyLabel": derive(AdminApi.KeyLabel),
  "Admin.setKeyLimits": Arbitrary.map(
    Arbitrary.all([derive(AdminApi.KeyLimitation), derive(AdminApi.KeyLimit)]),
    ([limits, characters]) => limits.speechToTextMilliseconds === undefined ? { characters, ...limits } : limits
  ),
  "Detection.detect": Arbitrary.map(
    Arbitrary.all({ body: derive(DetectionApi.DetectBody), text: anyTexts }),
    ({ body, text }) => ({ ...body, text })
  ),
  "Documents.download": Arbitrary.map(
    Arbitrary.all([params(DocumentsApi.download), derive(DocumentsApi.DocumentKeyBody)]),
    ([params, body]) => ({ ...params, ...body })
  ),
  "Documents.status": Arbitrary.map(
    Arbitrary.all([params(DocumentsApi.status), derive(DocumentsApi.DocumentKeyBody)]),
    ([params, body]) => ({ ...params, ...body })
  ),
  "Documents.upload": upload,
  "Glossaries.create": newGlossary,
  "Glossaries.entries": ofDictionary,
  "Glossaries.get": ofGlossary,
  "Glossaries.list": nothing,
  "Glossaries.merge": Arbitrary.map(
    Arbitrary.all({ glossary: ofGlossary, name: glossaryName, dictionary, what: Arbitrary.schema(Leaves.int(0, 2)) }),
    ({ dictionary, glossary, name, what }) => ({
      ...glossary,
      ...(what === 1 ? undefined : { name }),
      ...(what === 0 ? undefined : { dictionary })
    })
  ),
  "Glossaries.remove": ofGlossary,
  "Glossaries.removeDictionary": ofDictionary,
  "Glossaries.replaceDictionary": Arbitrary.map(
    Arbitrary.all([ofGlossary, dictionary]),
    ([glossary, dictionary]) => ({ ...glossary, ...dictionary })
  ),
  "GlossariesV2.create": Arbitrary.map(
    Arbitrary.all([glossaryName, dictionary]),
    ([name, dictionary]) => ({ name, ...dictionary })
  ),
  "GlossariesV2.entries": ofGlossary,
  "GlossariesV2.get": ofGlossary,
  "GlossariesV2.list": nothing,
  "GlossariesV2.remove": ofGlossary,
  "Languages.glossaryPairs": nothing,
  "Languages.list": query(LanguagesApi.list),
  // oxlint-disable-next-line typescript/no-deprecated -- a generator for each operation, deprecated ones too
  "Languages.listV2": query(LanguagesApi.listV2),
  "Languages.resources": nothing,
  "StyleRules.addInstruction": Arbitrary.map(
    Arbitrary.all([ofList, newInstruction]),
    ([list, instruction]) => ({ ...list, ...instruction })
  ),
  "StyleRules.create": derive(StyleRulesApi.NewStyleRuleList),
  "StyleRules.get": ofList,
  "StyleRules.getInstruction": ofInstruction,
  "StyleRules.list": query(StyleRulesApi.list),
  "StyleRules.remove": ofList,
  "StyleRules.removeInstruction": ofInstruction,
  "StyleRules.rename": Arbitrary.map(
    Arbitrary.all([ofList, derive(StyleRulesApi.StyleRuleListPatch), newInstruction]),
    ([list, patch, { label }]) => ({ ...list, name: label, ...patch })
  ),
  "StyleRules.replaceConfiguredRules": Arbitrary.map(
    Arbitrary.all([ofList, derive(StyleRulesApi.NewStyleRuleList)]),
    ([list, { configuredRules = {} }]) => ({ ...list, configuredRules })
  ),
  "StyleRules.replaceInstruction": Arbitrary.map(
    Arbitrary.all([ofInstruction, derive(StyleRulesApi.InstructionReplacement)]),
    ([instruction, replacement]) => ({ ...instruction, ...replacement })
  ),
  "Translation.translate": translate,
  "Usage.get": nothing,
  "TranslationMemories.get": ofMemory,
  "TranslationMemories.status": params(TranslationMemoriesApi.status),
  "TranslationMemories.listPage": query(TranslationMemoriesApi.listPage),
  "TranslationMemories.listSegmentsPage": Arbitrary.map(
    Arbitrary.all([ofMemory, query(TranslationMemoriesApi.listSegmentsPage)]),
    ([memory, query]) => ({ ...memory, ...query })
  ),
  "TranslationMemories.remove": ofMemory,
  "TranslationMemories.startExport": ofMemory,
  "TranslationMemories.startImport": derive(TranslationMemoriesApi.NewImport),
  "QualityEvaluation.status": params(QualityEvaluationApi.status),
  "QualityEvaluation.start": Arbitrary.map(
    derive(QualityEvaluationApi.NewEvaluation),
    ({ metadata, segments }) => ({
      ...metadata,
      segments: segments.length > 0 ? segments : [{ source: "", target: "" }]
    })
  ),
  "Voice.start": Arbitrary.map(derive(VoiceApi.NewVoiceJob), ({ sourceFile, targets, ...job }) => ({
    ...job,
    sourceFile: { ...sourceFile, contentType: "audio/mpeg", name: "talk.mp3" },
    targets: (targets.length > 0 ? targets : [{ language: "de" }]).map(({ language }) => ({
      language,
      type: "text/plain"
    }))
  })),
  "Voice.status": params(VoiceApi.status),
  "Voice.reconnect": Arbitrary.map(
    Arbitrary.schema(Leaves.hexDigits(64)),
    (token) => ({ token: Redacted.make(token) })
  ),
  "Voice.requestSession": Arbitrary.map(
    derive(VoiceApi.NewVoiceSession),
    ({ formality, targetLanguages, targetMediaLanguages, ...session }) => ({
      ...session,
      ...(formality === undefined ? undefined : { formality: formality.replace("prefer_", "") }),
      sourceMediaContentType: "audio/webm",
      ...(targetLanguages === undefined
        ? undefined
        : { targetLanguages: targetLanguages.slice(0, Limits.defaults.voiceTargets) }),
      ...(targetMediaLanguages === undefined
        ? undefined
        : { targetMediaLanguages: targetMediaLanguages.slice(0, Limits.defaults.voiceMediaTargets) })
    })
  ),
  "Writing.correct": improved(derive(CorrectBody)),
  "Writing.rephrase": rephrase
}
