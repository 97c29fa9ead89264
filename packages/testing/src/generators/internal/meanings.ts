/** Realistic values for fields whose schemas also accept unrealistic values. */
import * as Language from "@effect-lingua/core/contract/Language"
import * as Limits from "@effect-lingua/core/contract/Limits"
import {
  AdminApi,
  DocumentsApi,
  GlossariesApi,
  LanguagesApi,
  QualityEvaluationApi,
  TranslationMemoriesApi,
  WritingApi
} from "@effect-lingua/core/extension/Resources"
import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
import { catalogue } from "@effect-lingua/core/style-rules/Catalogue"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import type { Detection } from "@effect-lingua/core/texts/Detection"
import type { Translation } from "@effect-lingua/core/texts/Translation"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Data from "../../fake/internal/languages/languageData.ts"
import { detectable } from "../../fake/internal/texts/detection.ts"
import * as Leaves from "./leaves.ts"

/** The check that identifies an open enumeration's schema, even a transformed schema. */
const checkOf = (schema: Schema.Constraint): unknown => schema.ast.checks?.at(-1)

type Known<A> = A extends string ? string extends A ? never : A : never

/** Compiles only with all known values, so that a value added to the contract is not missed. */
type All<A, Words extends ReadonlyArray<string>> = [Known<A>] extends [Words[number]] ? unknown : never

const known = <A extends string>() => <const Words extends ReadonlyArray<Known<A>>>(...words: Words & All<A, Words>) =>
  Leaves.pick(words)

const openSet = <S extends Schema.Constraint, const Words extends ReadonlyArray<Known<S["Type"]>>>(
  schema: S,
  ...words: Words & All<S["Type"], Words>
) => [checkOf(schema), Leaves.pick(words)] as const

const englishFirst = (codes: ReadonlyArray<string>) => [
  ...codes.filter((code) => code.startsWith("en")),
  ...codes.filter((code) => !code.startsWith("en"))
]

/** Codes, some in upper case, because the service accepts any case. */
const codes = (all: ReadonlyArray<string>) => Leaves.pick([...englishFirst(all), "DE", "JA"])

const targets = (resource: Data.Resource) =>
  Data.languages[resource].filter((code) => Data.usableAsTarget(resource, code))

const sourceCode = codes(Data.languages.translate_document.filter(Data.usableAsSource))

const ruleChoices = Object.entries(catalogue).flatMap(([category, entries]) =>
  Object.entries<ReadonlyArray<string>>(entries).flatMap(([rule, options]) =>
    options.map((option) => [category, rule, option] as const)
  )
)

const configuredRules = Leaves.formed(
  Schema.is(ConfiguredRules),
  Schema.Array(Leaves.int(0, ruleChoices.length - 1)).check(Schema.isMaxLength(6)),
  (indexes) => {
    const rules: Record<string, Record<string, string>> = {}
    for (const [category, rule, option] of indexes.flatMap((index) => ruleChoices.slice(index, index + 1))) {
      rules[category] = { ...rules[category], [rule]: option }
    }
    return rules
  }
)

const features = Object.keys(Data.needs)

const pairCodes = Data.languages.glossary
const lastPair = pairCodes.length - 1

export const PairForm = Schema.Struct({ source: Leaves.int(0, lastPair), step: Leaves.int(1, lastPair) })

export const pairOf = ({ source, step }: typeof PairForm.Type): GlossaryEntries.LanguagePair => ({
  sourceLanguage: pairCodes[source] ?? "en",
  targetLanguage: pairCodes[(source + step) % pairCodes.length] ?? "de"
})

const term = Leaves.textUpTo(Limits.defaults.glossaryTermBytes / 4)

export const EntriesForm = Schema.Array(Schema.Struct({ source: term, target: term })).check(Schema.isMinLength(1))

export const entriesOf = (entries: typeof EntriesForm.Type): GlossaryEntries.GlossaryEntries =>
  new Map(entries.map(({ source, target }) => [Leaves.termOf(source), Leaves.termOf(target)]))

export const tsvOf = (entries: GlossaryEntries.GlossaryEntries): string =>
  Result.getOrThrow(GlossaryEntries.writeTsv(entries))

const { NewDictionary } = GlossariesApi

export const dictionary = Leaves.formed(
  Schema.is(NewDictionary),
  Schema.Struct({ pair: PairForm, entries: EntriesForm }),
  ({ entries, pair }) => ({ ...pairOf(pair), entries: tsvOf(entriesOf(entries)), entriesFormat: "tsv" as const })
)

/** Realistic values, keyed by the check or AST that identifies a schema. */
export const byCheck: ReadonlyMap<unknown, Schema.Top> = new Map<unknown, Schema.Top>([
  [checkOf(Language.ImprovementLanguage), codes(targets("write"))],
  [checkOf(Language.DetectedLanguage), Leaves.pick(Array.from(detectable))],
  [checkOf(Language.StyleRuleLanguage), Leaves.pick(englishFirst(Limits.defaults.styleRuleLanguages))],
  [checkOf(LanguagesApi.LanguageResource), Leaves.pick(Object.keys(Data.languages))],
  [checkOf(LanguagesApi.LanguageInclude), Leaves.pick(["beta", "external"])],
  [checkOf(LanguagesApi.LanguageFeature), Leaves.pick(features)],
  openSet(LanguagesApi.Maturity, "stable", "beta", "early_access"),
  openSet(
    WritingApi.Tone,
    "default",
    "friendly",
    "confident",
    "diplomatic",
    "enthusiastic",
    "prefer_friendly",
    "prefer_confident",
    "prefer_diplomatic",
    "prefer_enthusiastic"
  ),
  openSet(
    WritingApi.WritingStyle,
    "default",
    "simple",
    "business",
    "academic",
    "casual",
    "prefer_simple",
    "prefer_business",
    "prefer_academic",
    "prefer_casual"
  ),
  openSet(DocumentsApi.DocumentState, "queued", "translating", "done", "error"),
  openSet(
    TranslationMemoriesApi.JobState,
    "awaiting_input",
    "processing",
    "completed",
    "failed",
    "expired",
    "downloaded"
  ),
  openSet(TranslationMemoriesApi.JobOperation, "import", "export"),
  openSet(AdminApi.GroupBy, "key", "key_and_day"),
  openSet(AdminApi.AggregateBy, "period", "day"),
  openSet(QualityEvaluationApi.EvaluationState, "processing", "done", "error"),
  [checkOf(ConfiguredRules), configuredRules],
  [SchemaAST.toType(NewDictionary.ast), dictionary]
])

/** The limit is in bytes; a character has at most four bytes. */
const name = Leaves.textUpTo(Limits.defaults.glossaryNameBytes / 4)
const prompt = Leaves.textUpTo(Limits.defaults.promptCharacters)

/** Realistic strings, keyed by field name. Other fields whose names end with `Id` are UUIDs. */
export const strings: Readonly<Record<string, Schema.Top>> = {
  id: Leaves.uuid,
  keyId: Leaves.keyId,
  fileName: Leaves.pick(["manuals.tmx", "Übersicht 2026.tmx"]),
  contentType: Leaves.pick(["application/xml", "application/x-tmx+xml"]),
  filterText: Leaves.pick(["screw", "Mutter 👋"]),
  documentId: Leaves.upperHexDigits(32),
  documentKey: Leaves.upperHexDigits(64),
  token: Leaves.hexDigits(64),
  traceId: Leaves.hexDigits(32),
  targetLanguage: codes(targets("translate_document")),
  sourceLanguage: sourceCode,
  detectedSourceLanguage: sourceCode,
  // Each start date precedes each end date, by at most a year.
  startDate: Leaves.pick(["2026-01-01", "2026-02-28", "2026-01-31T12:00:00Z"]),
  endDate: Leaves.pick(["2026-03-01", "2026-12-31", "2026-06-30T12:00:00+02:00"]),
  name,
  label: Leaves.textUpTo(Limits.defaults.labelCharacters),
  prompt,
  customInstructions: prompt,
  splittingTags: Leaves.pick(["p", "div", "br"]),
  nonSplittingTags: Leaves.pick(["b", "i", "span"]),
  ignoreTags: Leaves.pick(["code", "x"]),
  reason: known<Exclude<Detection.UndetectedReason, "success">>()(
    "no_language_detected",
    "insufficient_confidence",
    "unsupported_language"
  ),
  splitSentences: known<Translation.SplitSentences>()("1", "0", "nonewlines"),
  formality: known<Translation.Formality>()("default", "more", "less", "prefer_more", "prefer_less"),
  modelType: known<Translation.ModelType>()("latency_optimized", "quality_optimized", "prefer_quality_optimized"),
  modelTypeUsed: Leaves.pick(["latency_optimized", "quality_optimized"]),
  tagHandling: known<Translation.TagHandling>()("xml", "html"),
  tagHandlingVersion: known<Translation.TagHandlingVersion>()("v1", "v2"),
  cause: Leaves.pick(["ConnectionLost", "AttemptTimeout", "InternalServerError", "BadGateway", "GatewayTimeout"]),
  parameter: Leaves.pick(["text", "text[3]", "customInstructions[0].prompt"]),
  path: Leaves.pick(["/tmp/document.txt.part", "report (final).pdf.part"])
}

export const numbers: Readonly<Record<string, Schema.Top>> = {
  contentLength: Leaves.int(1, 1_000_000),
  page: Leaves.int(0, 3),
  pageSize: Leaves.int(1, Limits.defaults.pageSize),
  status: Leaves.int(200, 599),
  version: Leaves.int(1, 1000),
  translationMemoryThreshold: Leaves.int(0, 100)
}

export const languageCode: readonly [check: unknown, meaning: Schema.Top] = [
  checkOf(Language.LanguageCode),
  codes(Data.languages.translate_text)
]

const key = (words: ReadonlyArray<string>) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^(${words.join("|")})$`)))

export const keys: ReadonlyMap<string, Schema.Record.Key> = new Map([
  ["features", key(features)],
  ["lookup", key(["name", "language", "styleId", "label"])]
])

export const anyKey = Schema.String.check(Schema.isPattern(/^[a-z_]{1,16}$/))

/** Maximum lengths of arrays, keyed by field name. */
export const lengths: Readonly<Record<string, number>> = {
  text: Limits.defaults.translationTexts,
  customInstructions: Limits.defaults.translationInstructions,
  glossaryIds: Limits.defaults.glossaryIds,
  include: 2
}

/** Field names of arrays with at least one item. */
export const filled: ReadonlySet<string> = new Set(["dictionaries", "segments"])
