/** The meanings of values that the schemas of the contract leave open: ids, codes, options, sizes. */
import * as AdminApi from "@effect-lingua/core/account/AdminApi"
import * as Language from "@effect-lingua/core/client/Language"
import * as Limits from "@effect-lingua/core/client/Limits"
import * as DocumentsApi from "@effect-lingua/core/documents/DocumentsApi"
import * as LanguagesApi from "@effect-lingua/core/languages/LanguagesApi"
import * as QualityEvaluationApi from "@effect-lingua/core/quality-evaluation/QualityEvaluationApi"
import { catalogue } from "@effect-lingua/core/style-rules/Catalogue"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import type { UndetectedReason } from "@effect-lingua/core/texts/DetectionApi"
import type {
  Formality,
  ModelType,
  SplitSentences,
  TagHandling,
  TagHandlingVersion
} from "@effect-lingua/core/texts/TranslationApi"
import * as WritingApi from "@effect-lingua/core/texts/WritingApi"
import * as TranslationMemoriesApi from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import * as VoiceApi from "@effect-lingua/core/voice/VoiceApi"
import * as Schema from "effect/Schema"
import * as Data from "../../fake/internal/languages/languageData.ts"
import { detectable } from "../../fake/internal/texts/detection.ts"
import * as Leaves from "./leaves.ts"

/** The check that makes a schema an open set; the schema may stand in the contract in other forms, its check is the same. */
const checkOf = (schema: Schema.Constraint): unknown => schema.ast.checks?.at(-1)

type Known<A> = A extends string ? string extends A ? never : A : never

/** The known values of an open set, all of them: the compiler asks for a value that the contract adds. */
const known = <A extends string>(values: Readonly<Record<Known<A>, true>>) => Leaves.pick(Object.keys(values))

const englishFirst = (codes: ReadonlyArray<string>) => [
  ...codes.filter((code) => code.startsWith("en")),
  ...codes.filter((code) => !code.startsWith("en"))
]

/** Codes are taken in any case, so some come in upper case. */
const codes = (all: ReadonlyArray<string>) => Leaves.pick([...englishFirst(all), "DE", "JA"])

const targets = (resource: Data.Resource) =>
  Data.languages[resource].filter((code) => Data.usableAsTarget(resource, code))

/** The code of a language that text can be translated from. */
export const sourceCode = codes(Data.languages.translate_text.filter(Data.usableAsSource))

const tones = known<WritingApi.Tone>({
  default: true,
  friendly: true,
  confident: true,
  diplomatic: true,
  enthusiastic: true,
  prefer_friendly: true,
  prefer_confident: true,
  prefer_diplomatic: true,
  prefer_enthusiastic: true
})

const writingStyles = known<WritingApi.WritingStyle>({
  default: true,
  simple: true,
  business: true,
  academic: true,
  casual: true,
  prefer_simple: true,
  prefer_business: true,
  prefer_academic: true,
  prefer_casual: true
})

const ruleChoices = Object.entries(catalogue).flatMap(([category, entries]) =>
  Object.entries<ReadonlyArray<string>>(entries).flatMap(([rule, options]) =>
    options.map((option) => ({ category, rule, option }))
  )
)

const configuredRules = Leaves.formed(
  Schema.is(ConfiguredRules),
  Schema.Array(Leaves.int(0, ruleChoices.length - 1)).check(Schema.isMaxLength(6)),
  (indexes) => {
    const chosen: Record<string, Record<string, string>> = {}
    for (const index of indexes) {
      const choice = ruleChoices[index]
      if (choice !== undefined) {
        chosen[choice.category] = { ...chosen[choice.category], [choice.rule]: choice.option }
      }
    }
    return chosen
  }
)

const languageFeatures: Readonly<Record<Known<LanguagesApi.LanguageFeature>, true>> = {
  formality: true,
  auto_detection: true,
  glossary: true,
  spoken_terms: true,
  style_rules: true,
  tag_handling: true,
  tone: true,
  transcription: true,
  translated_speech: true,
  translation_memory: true,
  writing_style: true
}

const include = ["beta", "external"]

/** Meanings of the contract's own schemas, told by the check that makes each of them one. */
export const byCheck: ReadonlyMap<unknown, Schema.Top> = new Map<unknown, Schema.Top>([
  [checkOf(Language.ImprovementLanguage), codes(targets("write"))],
  [checkOf(Language.DetectedLanguage), Leaves.pick(Array.from(detectable))],
  [checkOf(Language.StyleRuleLanguage), Leaves.pick(englishFirst(Limits.defaults.styleRuleLanguages))],
  [checkOf(LanguagesApi.LanguageResource), Leaves.pick(Object.keys(Data.languages))],
  [checkOf(LanguagesApi.LanguageInclude), Leaves.pick(include)],
  [checkOf(LanguagesApi.LanguageFeature), known<LanguagesApi.LanguageFeature>(languageFeatures)],
  [checkOf(LanguagesApi.Maturity), known<LanguagesApi.Maturity>({ stable: true, beta: true, early_access: true })],
  [checkOf(WritingApi.Tone), tones],
  [checkOf(WritingApi.WritingStyle), writingStyles],
  [
    checkOf(DocumentsApi.DocumentState),
    known<DocumentsApi.DocumentState>({ queued: true, translating: true, done: true, error: true })
  ],
  [
    checkOf(TranslationMemoriesApi.JobState),
    known<TranslationMemoriesApi.JobState>({
      awaiting_input: true,
      processing: true,
      completed: true,
      failed: true,
      expired: true,
      downloaded: true
    })
  ],
  [
    checkOf(TranslationMemoriesApi.JobOperation),
    known<TranslationMemoriesApi.JobOperation>({ import: true, export: true })
  ],
  [checkOf(AdminApi.GroupBy), known<AdminApi.GroupBy>({ key: true, key_and_day: true })],
  [checkOf(AdminApi.AggregateBy), known<AdminApi.AggregateBy>({ period: true, day: true })],
  [
    checkOf(QualityEvaluationApi.EvaluationState),
    known<QualityEvaluationApi.EvaluationState>({ processing: true, done: true, error: true })
  ],
  [
    checkOf(VoiceApi.VoiceResultState),
    known<VoiceApi.VoiceResultState>({
      pending: true,
      uploaded: true,
      processing: true,
      complete: true,
      downloaded: true,
      failed: true
    })
  ],
  [checkOf(ConfiguredRules), configuredRules]
])

/** Meanings of values that only their name tells. */
export const byName: ReadonlyMap<string, Schema.Top> = new Map<string, Schema.Top>([
  ["styleId", Leaves.uuid],
  ["instructionId", Leaves.uuid],
  ["id", Leaves.uuid],
  ["glossaryId", Leaves.uuid],
  ["glossaryIds", Leaves.uuid],
  ["translationMemoryId", Leaves.uuid],
  ["jobId", Leaves.uuid],
  ["keyId", Leaves.keyId],
  ["sessionId", Leaves.uuid],
  ["fileName", Leaves.pick(["manuals.tmx", "Übersicht 2026.tmx"])],
  ["contentType", Leaves.pick(["application/xml", "application/x-tmx+xml"])],
  ["contentLength", Leaves.int(1, 1_000_000)],
  ["filterText", Leaves.pick(["screw", "Mutter 👋"])],
  ["documentId", Leaves.documentId],
  ["documentKey", Leaves.documentKey],
  ["traceId", Leaves.hexDigits(32)],
  ["targetLanguage", codes(targets("translate_text"))],
  ["sourceLanguage", sourceCode],
  ["detectedSourceLanguage", sourceCode],
  ["name", Leaves.textUpTo(Limits.defaults.styleRuleListNameCharacters)],
  ["label", Leaves.textUpTo(Limits.defaults.labelCharacters)],
  ["prompt", Leaves.textUpTo(Limits.defaults.promptCharacters)],
  ["customInstructions", Leaves.textUpTo(Limits.defaults.promptCharacters)],
  ["splittingTags", Leaves.pick(["p", "div", "br"])],
  ["nonSplittingTags", Leaves.pick(["b", "i", "span"])],
  ["ignoreTags", Leaves.pick(["code", "x"])],
  [
    "reason",
    known<Exclude<UndetectedReason, "success">>({
      no_language_detected: true,
      insufficient_confidence: true,
      unsupported_language: true
    })
  ],
  ["splitSentences", known<SplitSentences>({ 1: true, 0: true, nonewlines: true })],
  [
    "formality",
    known<Formality>({ default: true, more: true, less: true, prefer_more: true, prefer_less: true })
  ],
  [
    "modelType",
    known<ModelType>({ latency_optimized: true, quality_optimized: true, prefer_quality_optimized: true })
  ],
  [
    "modelTypeUsed",
    known<Exclude<ModelType, "prefer_quality_optimized">>({ latency_optimized: true, quality_optimized: true })
  ],
  ["tagHandling", known<TagHandling>({ xml: true, html: true })],
  ["tagHandlingVersion", known<TagHandlingVersion>({ v1: true, v2: true })],
  ["cause", Leaves.pick(["ConnectionLost", "AttemptTimeout", "InternalServerError", "BadGateway", "GatewayTimeout"])],
  ["parameter", Leaves.pick(["text", "text[3]", "customInstructions[0].prompt"])],
  ["path", Leaves.pick(["/tmp/document.txt.part", "report (final).pdf.part"])],
  ["messageFormat", known<VoiceApi.MessageFormat>({ json: true, msgpack: true })],
  ["sourceLanguageMode", known<VoiceApi.SourceLanguageMode>({ auto: true, fixed: true })],
  ["page", Leaves.int(0, 3)],
  ["pageSize", Leaves.int(1, Limits.defaults.pageSize)],
  ["status", Leaves.int(200, 599)],
  ["version", Leaves.int(1, 1000)],
  ["translationMemoryThreshold", Leaves.int(0, 100)]
])

/** A code that no name or schema tells more about. */
export const languageCode: readonly [check: unknown, meaning: Schema.Top] = [
  checkOf(Language.LanguageCode),
  codes(Data.languages.translate_text)
]

const key = (words: ReadonlyArray<string>) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^(${words.join("|")})$`)))

/** The keys of records, by name. */
export const keys: ReadonlyMap<string, Schema.Record.Key> = new Map([
  ["features", key(Object.keys(languageFeatures))],
  ["lookup", key(["name", "language", "styleId", "label"])]
])

/** The keys of other records. */
export const anyKey = Schema.String.check(Schema.isPattern(/^[a-z_]{1,16}$/))

/** The greatest lengths of arrays, by name. */
export const lengths: Readonly<Record<string, number>> = {
  text: Limits.defaults.translationTexts,
  customInstructions: Limits.defaults.translationInstructions,
  glossaryIds: Limits.defaults.glossaryIds,
  include: include.length
}
