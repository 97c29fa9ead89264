/** What the service answers, decoded. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import * as AdminApi from "@effect-lingua/core/account/AdminApi"
import * as UsageApi from "@effect-lingua/core/account/UsageApi"
import * as DocumentsApi from "@effect-lingua/core/documents/DocumentsApi"
import type { DictionaryOptions } from "@effect-lingua/core/glossaries/Glossaries"
import * as GlossariesApi from "@effect-lingua/core/glossaries/GlossariesApi"
import * as GlossariesV2Api from "@effect-lingua/core/glossaries/GlossariesV2Api"
import type { LanguagePair } from "@effect-lingua/core/glossaries/GlossaryEntries"
import * as LanguagesApi from "@effect-lingua/core/languages/LanguagesApi"
import type { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as QualityEvaluationApi from "@effect-lingua/core/quality-evaluation/QualityEvaluationApi"
import * as StyleRulesApi from "@effect-lingua/core/style-rules/StyleRulesApi"
import * as DetectionApi from "@effect-lingua/core/texts/DetectionApi"
import * as TranslationApi from "@effect-lingua/core/texts/TranslationApi"
import type { CorrectOptions } from "@effect-lingua/core/texts/Writing"
import * as WritingApi from "@effect-lingua/core/texts/WritingApi"
import * as TranslationMemoriesApi from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import * as VoiceApi from "@effect-lingua/core/voice/VoiceApi"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { canonicalCode } from "../../fake/internal/text.ts"
import type { OperationName } from "../../faults/Fault.ts"
import * as Derive from "./derive.ts"
import { entriesOf, glossaryEntries, tsvOf } from "./glossaryTerms.ts"
import * as Leaves from "./leaves.ts"
import type { Request } from "./requests.ts"

type Groups = (typeof LanguageServiceApi)["groups"]

type Endpoint<Name extends OperationName> = Name extends `${infer Group extends keyof Groups}.${infer Key}`
  ? Key extends keyof Groups[Group]["endpoints"] ? Groups[Group]["endpoints"][Key] : never
  : never

/** The decoded body of a successful answer. */
export type Response<Name extends OperationName> = HttpApiEndpoint.Success<Endpoint<Name>>["Type"]

/** Generates what a client reads: a service that sends nothing says that there is nothing. */
const derive = <A, E>(schema: Schema.Codec<A, E>): Arbitrary.Arbitrary<A> => {
  const read = Schema.decodeSync(schema)
  const write = Schema.encodeSync(schema)
  return Arbitrary.map(Derive.derive(schema), (value) => read(write(value)))
}

const nothing: Arbitrary.Arbitrary<void> = Arbitrary.Constant(undefined)

type List = typeof StyleRulesApi.StyleRuleList.Type
type Entry = typeof StyleRulesApi.StyleRuleListEntry.Type

/** A list is not updated before it was made. */
const inOrder = <A extends Pick<List, "creationTime" | "updatedTime">>(list: A): A =>
  list.creationTime === undefined || list.updatedTime === undefined
    ? list
    : { ...list, updatedTime: DateTime.max(list.creationTime, list.updatedTime) }

const list = Arbitrary.map(derive(StyleRulesApi.StyleRuleList), inOrder)
const instruction = derive(StyleRulesApi.CustomInstruction)

const page = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter((entry, index) => entries.findIndex(({ styleId }) => styleId === entry.styleId) === index).map(inOrder)

const download = Arbitrary.map(
  Arbitrary.all({
    chunks: Arbitrary.array(Arbitrary.schema(Schema.Uint8Array), { maxLength: 5 }),
    headers: Arbitrary.schema(Schema.Struct({
      traceId: Leaves.hexDigits(32),
      contentType: Leaves.pick(["text/plain", "application/pdf", "application/octet-stream"]),
      fileName: Leaves.pick(["document.txt", "report (final).pdf", "a"])
    }))
  }),
  ({ chunks, headers: { contentType, fileName, traceId } }): Response<"Documents.download"> =>
    HttpApiSchema.withHeaders({
      body: Stream.fromIterable(chunks),
      headers: {
        "x-trace-id": traceId,
        "content-type": contentType,
        "content-length": String(chunks.reduce((sum, chunk) => sum + chunk.length, 0)),
        "content-disposition": `attachment; filename="${fileName}"`
      }
    })
)

const glossary = derive(GlossariesApi.Glossary)
const glossaryV2 = derive(GlossariesV2Api.GlossaryV2)

const dictionary = Arbitrary.map(
  Arbitrary.all([derive(GlossariesApi.DictionaryEntries), glossaryEntries]),
  ([dictionary, entries]) => ({ ...dictionary, entries: tsvOf(entries), entriesFormat: "tsv" as const })
)

const pairOf = ({ sourceLanguage, targetLanguage }: LanguagePair) => ({
  sourceLanguage: sourceLanguage.toLowerCase(),
  targetLanguage: targetLanguage.toLowerCase()
})

/** What the service says of a dictionary that it was given. */
const dictionaryOf = ({ entries, ...pair }: DictionaryOptions) => ({
  ...pairOf(pair),
  entryCount: entriesOf(entries, pair).size
})

const developerKey = derive(AdminApi.DeveloperKey)

/** A job whose file can be sent. */
const startedVoiceJob = Arbitrary.map(
  derive(VoiceApi.StartedVoiceJob),
  (job): VoiceApi.StartedVoiceJob => ({ uploadUrl: Redacted.make("https://voice.test/u/1"), ...job })
)

/** An address that can be connected to. */
const session = Arbitrary.map(
  derive(VoiceApi.VoiceSession),
  (session) => ({ ...session, streamingUrl: Redacted.make("wss://voice.test/v3/realtime") })
)

export const responses: { readonly [Name in OperationName]: Arbitrary.Arbitrary<Response<Name>> } = {
  "Admin.analytics": derive(AdminApi.UsageReportAnswer),
  "Admin.createKey": derive(AdminApi.CreatedKey),
  "Admin.deactivateKey": developerKey,
  "Admin.listCustomTagUsage": derive(AdminApi.CustomTagUsageAnswer),
  "Admin.listKeys": derive(Schema.Array(AdminApi.DeveloperKey)),
  "Admin.setKeyLabel": developerKey,
  "Admin.setKeyLimits": developerKey,
  "Detection.detect": derive(DetectionApi.DetectionResults),
  "Documents.download": download,
  "Documents.status": derive(DocumentsApi.DocumentStatus),
  "Documents.upload": derive(DocumentsApi.IssuedDocument),
  "Glossaries.create": glossary,
  "Glossaries.entries": Arbitrary.map(dictionary, (dictionary) => ({ dictionaries: [dictionary] })),
  "Glossaries.get": glossary,
  "Glossaries.list": derive(GlossariesApi.GlossaryList),
  "Glossaries.merge": glossary,
  "Glossaries.remove": nothing,
  "Glossaries.removeDictionary": nothing,
  "Glossaries.replaceDictionary": derive(GlossariesApi.GlossaryDictionary),
  "GlossariesV2.create": glossaryV2,
  "GlossariesV2.entries": Arbitrary.map(glossaryEntries, tsvOf),
  "GlossariesV2.get": glossaryV2,
  "GlossariesV2.list": derive(GlossariesV2Api.GlossaryV2List),
  "GlossariesV2.remove": nothing,
  "Languages.glossaryPairs": derive(LanguagesApi.GlossaryLanguagePairs),
  "Languages.list": derive(Schema.Array(LanguagesApi.Language)),
  "Languages.listV2": derive(Schema.Array(LanguagesApi.LanguageV2)),
  "Languages.resources": derive(Schema.Array(LanguagesApi.ResourceFeatures)),
  "StyleRules.addInstruction": instruction,
  "StyleRules.create": list,
  "StyleRules.get": list,
  "StyleRules.getInstruction": instruction,
  "StyleRules.list": Arbitrary.map(
    derive(StyleRulesApi.StyleRuleListPage),
    (answer) => ({ ...answer, styleRules: page(answer.styleRules) })
  ),
  "StyleRules.remove": nothing,
  "StyleRules.removeInstruction": nothing,
  "StyleRules.rename": list,
  "StyleRules.replaceConfiguredRules": list,
  "StyleRules.replaceInstruction": instruction,
  "Translation.translate": derive(TranslationApi.Translations),
  "Usage.get": derive(UsageApi.CurrentUsage),
  "TranslationMemories.get": derive(TranslationMemoriesApi.TranslationMemory),
  "TranslationMemories.status": derive(TranslationMemoriesApi.Job),
  "TranslationMemories.listPage": derive(TranslationMemoriesApi.TranslationMemoryPage),
  "TranslationMemories.listSegmentsPage": derive(TranslationMemoriesApi.SegmentPage),
  "TranslationMemories.remove": nothing,
  "TranslationMemories.startExport": derive(TranslationMemoriesApi.StartedExport),
  "TranslationMemories.startImport": derive(TranslationMemoriesApi.StartedImport),
  "QualityEvaluation.status": derive(QualityEvaluationApi.Evaluation),
  "QualityEvaluation.start": derive(QualityEvaluationApi.StartedEvaluation),
  "Voice.start": startedVoiceJob,
  "Voice.status": derive(VoiceApi.VoiceJob),
  "Voice.reconnect": session,
  "Voice.requestSession": session,
  "Writing.correct": derive(WritingApi.Improvements),
  "Writing.rephrase": derive(WritingApi.Improvements)
}

/** As many items as there are texts. */
const each = <A>(item: Arbitrary.Arbitrary<A>, { text }: { readonly text: ReadonlyArray<string> }) =>
  Arbitrary.array(item, { minLength: text.length, maxLength: text.length })

const improvement = derive(WritingApi.Improvement)

const improvements = ({ targetLanguage, text }: CorrectOptions): Arbitrary.Arbitrary<Response<"Writing.correct">> => {
  const item = targetLanguage === undefined
    ? improvement
    : Arbitrary.map(improvement, (item) => ({ ...item, targetLanguage: canonicalCode(targetLanguage) }))
  return Arbitrary.map(
    Arbitrary.all([responses["Writing.correct"], each(item, { text })]),
    ([answer, improvements]) => ({ ...answer, improvements })
  )
}

/** An entry with details or without. */
const asAsked = (detailed: boolean) => ({ configuredRules = {}, customInstructions = [], ...summary }: Entry): Entry =>
  detailed ? { ...summary, configuredRules, customInstructions } : summary

const instructionOf = (request: StyleRulesApi.NewInstruction) =>
  Arbitrary.map(instruction, (answer) => ({ ...answer, label: request.label, prompt: request.prompt }))

export const responsesTo: {
  readonly [Name in OperationName]: (request: Request<Name>) => Arbitrary.Arbitrary<Response<Name>>
} = {
  "Admin.analytics": ({ groupBy }) =>
    Arbitrary.map(responses["Admin.analytics"], ({ usageReport }) => ({
      usageReport: {
        totalUsage: usageReport.totalUsage,
        ...(groupBy === undefined ? undefined : { groupBy }),
        keyUsages: groupBy === "key" ? usageReport.keyUsages : [],
        keyAndDayUsages: groupBy === "key_and_day" ? usageReport.keyAndDayUsages : []
      }
    })),
  "Admin.createKey": ({ label }) =>
    Arbitrary.map(responses["Admin.createKey"], (answer) => ({
      ...answer,
      ...(label === undefined ? undefined : { label })
    })),
  "Admin.deactivateKey": ({ keyId }) =>
    Arbitrary.map(developerKey, (answer) => ({ ...answer, keyId, isDeactivated: true })),
  "Admin.listCustomTagUsage": ({ aggregateBy = "period" }) =>
    Arbitrary.map(responses["Admin.listCustomTagUsage"], ({ customTagUsageReport }) => ({
      customTagUsageReport: { ...customTagUsageReport, aggregateBy }
    })),
  "Admin.listKeys": () => responses["Admin.listKeys"],
  "Admin.setKeyLabel": ({ keyId, label }) => Arbitrary.map(developerKey, (answer) => ({ ...answer, keyId, label })),
  "Admin.setKeyLimits": ({ characters, keyId, speechToTextMilliseconds }) =>
    Arbitrary.map(developerKey, (answer) => ({
      ...answer,
      keyId,
      usageLimits: {
        ...answer.usageLimits,
        ...(characters === undefined ? undefined : { characters }),
        ...(speechToTextMilliseconds === undefined ? undefined : { speechToTextMilliseconds })
      }
    })),
  "Detection.detect": (request) =>
    Arbitrary.map(
      Arbitrary.all([responses["Detection.detect"], each(derive(DetectionApi.DetectionResult), request)]),
      ([answer, results]) => ({ ...answer, results })
    ),
  "Documents.download": () => download,
  "Documents.status": ({ documentId }) =>
    Arbitrary.map(responses["Documents.status"], (answer) => ({ ...answer, documentId })),
  "Documents.upload": () => responses["Documents.upload"],
  "Glossaries.create": ({ dictionaries, name }) =>
    Arbitrary.map(glossary, (answer) => ({ ...answer, name, dictionaries: dictionaries.map(dictionaryOf) })),
  "Glossaries.entries": ({ sourceLanguage, targetLanguage }) =>
    Arbitrary.map(
      dictionary,
      (dictionary) => ({ dictionaries: [{ ...dictionary, ...pairOf({ sourceLanguage, targetLanguage }) }] })
    ),
  "Glossaries.get": ({ glossaryId }) => Arbitrary.map(glossary, (answer) => ({ ...answer, glossaryId })),
  "Glossaries.list": () => responses["Glossaries.list"],
  "Glossaries.merge": ({ dictionary, glossaryId, name }) =>
    Arbitrary.map(glossary, (answer) => ({
      ...answer,
      glossaryId,
      ...(name === undefined ? undefined : { name }),
      ...(dictionary === undefined ? undefined : { dictionaries: [dictionaryOf(dictionary)] })
    })),
  "Glossaries.remove": () => nothing,
  "Glossaries.removeDictionary": () => nothing,
  "Glossaries.replaceDictionary": (dictionary) => Arbitrary.Constant(dictionaryOf(dictionary)),
  "GlossariesV2.create": ({ name, ...dictionary }) =>
    Arbitrary.map(glossaryV2, (answer) => ({ ...answer, name, ...dictionaryOf(dictionary) })),
  "GlossariesV2.entries": () => responses["GlossariesV2.entries"],
  "GlossariesV2.get": ({ glossaryId }) => Arbitrary.map(glossaryV2, (answer) => ({ ...answer, glossaryId })),
  "GlossariesV2.list": () => responses["GlossariesV2.list"],
  "GlossariesV2.remove": () => nothing,
  "Languages.glossaryPairs": () => responses["Languages.glossaryPairs"],
  "Languages.list": () => responses["Languages.list"],
  "Languages.listV2": () => responses["Languages.listV2"],
  "Languages.resources": () => responses["Languages.resources"],
  "StyleRules.addInstruction": ({ label, prompt }) => instructionOf({ label, prompt }),
  "StyleRules.create": ({ configuredRules = {}, customInstructions = [], language, name }) =>
    Arbitrary.map(
      Arbitrary.all([
        list,
        Arbitrary.all(customInstructions.map(({ label, prompt }) => instructionOf({ label, prompt })))
      ]),
      ([{ updatedTime: _updated, ...answer }, instructions]): List => ({
        ...answer,
        name,
        language: language.toLowerCase(),
        version: 1,
        ...(answer.creationTime === undefined ? undefined : { updatedTime: answer.creationTime }),
        configuredRules,
        customInstructions: instructions
      })
    ),
  "StyleRules.get": ({ styleId }) => Arbitrary.map(list, (answer): List => ({ ...answer, styleId })),
  "StyleRules.getInstruction": ({ instructionId }) =>
    Arbitrary.map(instruction, (answer) => ({ ...answer, id: instructionId })),
  "StyleRules.list": ({ detailed = false, pageSize = 10 }) =>
    Arbitrary.map(responses["StyleRules.list"], (answer) => ({
      ...answer,
      styleRules: answer.styleRules.slice(0, pageSize).map(asAsked(detailed))
    })),
  "StyleRules.remove": () => nothing,
  "StyleRules.removeInstruction": () => nothing,
  "StyleRules.rename": ({ name, styleId }) => Arbitrary.map(list, (answer): List => ({ ...answer, styleId, name })),
  "StyleRules.replaceConfiguredRules": ({ configuredRules, styleId }) =>
    Arbitrary.map(list, (answer): List => ({ ...answer, styleId, configuredRules })),
  "StyleRules.replaceInstruction": ({ instructionId, label, prompt, sourceLanguage }) =>
    Arbitrary.map(instruction, (answer) => ({
      ...answer,
      id: instructionId,
      label,
      prompt,
      sourceLanguage: canonicalCode(sourceLanguage)
    })),
  "Translation.translate": (request) =>
    Arbitrary.map(
      Arbitrary.all([responses["Translation.translate"], each(derive(TranslationApi.Translated), request)]),
      ([answer, translations]) => ({ ...answer, translations })
    ),
  "Usage.get": () => responses["Usage.get"],
  "TranslationMemories.get": ({ translationMemoryId }) =>
    Arbitrary.map(responses["TranslationMemories.get"], (answer) => ({ ...answer, translationMemoryId })),
  "TranslationMemories.status": ({ jobId }) =>
    Arbitrary.map(responses["TranslationMemories.status"], (answer) => ({ ...answer, jobId })),
  "TranslationMemories.listPage": ({ pageSize = 10 }) =>
    Arbitrary.map(responses["TranslationMemories.listPage"], (answer) => ({
      ...answer,
      translationMemories: answer.translationMemories.slice(0, pageSize)
    })),
  "TranslationMemories.listSegmentsPage": () => responses["TranslationMemories.listSegmentsPage"],
  "TranslationMemories.remove": () => nothing,
  "TranslationMemories.startExport": () => responses["TranslationMemories.startExport"],
  "TranslationMemories.startImport": () => responses["TranslationMemories.startImport"],
  "QualityEvaluation.status": ({ jobId }) =>
    Arbitrary.map(responses["QualityEvaluation.status"], (answer) => ({ ...answer, jobId })),
  "QualityEvaluation.start": () => responses["QualityEvaluation.start"],
  "Voice.start": () => responses["Voice.start"],
  "Voice.status": ({ jobId }) => Arbitrary.map(responses["Voice.status"], (answer) => ({ ...answer, jobId })),
  "Voice.reconnect": () => session,
  "Voice.requestSession": () => session,
  "Writing.correct": improvements,
  "Writing.rephrase": improvements
}
