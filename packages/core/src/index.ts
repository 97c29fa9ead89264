/**
 * Administration: developer keys, and what they have used up.
 *
 * @since 0.2.0
 */
export * as Admin from "./Admin.ts"

/**
 * The contract of administration.
 *
 * @since 0.2.0
 */
export * as AdminApi from "./AdminApi.ts"

/**
 * The ledger of a call.
 *
 * @since 0.1.0
 */
export * as Attempt from "./Attempt.ts"

/**
 * The middleware that carries the key.
 *
 * @since 0.1.0
 */
export * as Authorization from "./Authorization.ts"

/**
 * Work in bulk: what the methods for any number of texts have in common.
 *
 * @since 0.2.0
 */
export * as Bulk from "./Bulk.ts"

/**
 * Failures that the service did not answer for.
 *
 * @since 0.1.0
 */
export * as CallError from "./CallError.ts"

/**
 * The catalogue of configured rules.
 *
 * @since 0.1.0
 */
export * as ConfiguredRules from "./ConfiguredRules.ts"

/**
 * Language detection.
 *
 * @since 0.1.0
 */
export * as Detection from "./Detection.ts"

/**
 * The contract of language detection.
 *
 * @since 0.1.0
 */
export * as DetectionApi from "./DetectionApi.ts"

/**
 * What is remembered of documents on their way.
 *
 * @since 0.2.0
 */
export * as DocumentJournal from "./DocumentJournal.ts"

/**
 * How far a document is, as it happens.
 *
 * @since 0.2.0
 */
export * as DocumentProgress from "./DocumentProgress.ts"

/**
 * Documents.
 *
 * @since 0.1.0
 */
export * as Documents from "./Documents.ts"

/**
 * The contract of documents.
 *
 * @since 0.1.0
 */
export * as DocumentsApi from "./DocumentsApi.ts"

/**
 * What is wrong with an entry of a glossary.
 *
 * @since 0.2.0
 */
export * as EntryProblem from "./EntryProblem.ts"

/**
 * What the client does, as it happens.
 *
 * @since 0.1.0
 */
export * as Events from "./Events.ts"

/**
 * Glossaries: several dictionaries each, which can be edited.
 *
 * @since 0.2.0
 */
export * as Glossaries from "./Glossaries.ts"

/**
 * The contract of glossaries.
 *
 * @since 0.2.0
 */
export * as GlossariesApi from "./GlossariesApi.ts"

/**
 * What has to be done so that glossaries are as they are wanted.
 *
 * @since 0.2.0
 */
export * as GlossariesPlan from "./GlossariesPlan.ts"

/**
 * Glossaries of version 2: one dictionary each, which cannot be changed.
 *
 * @since 0.2.0
 */
export * as GlossariesV2 from "./GlossariesV2.ts"

/**
 * The contract of glossaries of version 2.
 *
 * @since 0.2.0
 */
export * as GlossariesV2Api from "./GlossariesV2Api.ts"

/**
 * The entries of a glossary, as a map and as text.
 *
 * @since 0.2.0
 */
export * as GlossaryEntries from "./GlossaryEntries.ts"

/**
 * How far a job of the service is, as it happens.
 *
 * @since 0.2.0
 */
export * as JobProgress from "./JobProgress.ts"

/**
 * Language codes.
 *
 * @since 0.1.0
 */
export * as Language from "./Language.ts"

/**
 * Language listing.
 *
 * @since 0.1.0
 */
export * as Languages from "./Languages.ts"

/**
 * The contract of language listing.
 *
 * @since 0.1.0
 */
export * as LanguagesApi from "./LanguagesApi.ts"

/**
 * All services from one configuration.
 *
 * @since 0.1.0
 */
export * as LanguageService from "./LanguageService.ts"

/**
 * The contract.
 *
 * @since 0.1.0
 */
export * as LanguageServiceApi from "./LanguageServiceApi.ts"

/**
 * The configuration.
 *
 * @since 0.1.0
 */
export * as LanguageServiceConfig from "./LanguageServiceConfig.ts"

/**
 * The limits that are checked before anything is sent.
 *
 * @since 0.1.0
 */
export * as Limits from "./Limits.ts"

/**
 * What the contract says about an operation.
 *
 * @since 0.1.0
 */
export * as Operation from "./Operation.ts"

/**
 * Translation that keeps placeholders.
 *
 * @since 0.2.0
 */
export * as Placeholders from "./Placeholders.ts"

/**
 * Quality evaluation.
 *
 * @since 0.2.0
 */
export * as QualityEvaluation from "./QualityEvaluation.ts"

/**
 * The contract of quality evaluation.
 *
 * @since 0.2.0
 */
export * as QualityEvaluationApi from "./QualityEvaluationApi.ts"

/**
 * How an `HttpClient` tells when it has a connection for a request.
 *
 * @since 0.1.0
 */
export * as RequestSignal from "./RequestSignal.ts"

/**
 * Requests outside of the contract.
 *
 * @since 0.2.0
 */
export * as Requests from "./Requests.ts"

/**
 * The middleware around every call.
 *
 * @since 0.1.0
 */
export * as Resilience from "./Resilience.ts"

/**
 * How calls are repeated and given up.
 *
 * @since 0.1.0
 */
export * as ResiliencePolicy from "./ResiliencePolicy.ts"

/**
 * Errors that the service answers with.
 *
 * @since 0.1.0
 */
export * as ServiceError from "./ServiceError.ts"

/**
 * Limiter and breaker state that several processes share.
 *
 * @since 0.1.0
 */
export * as SharedState from "./SharedState.ts"

/**
 * Style rule lists.
 *
 * @since 0.1.0
 */
export * as StyleRules from "./StyleRules.ts"

/**
 * The contract of style rule lists.
 *
 * @since 0.1.0
 */
export * as StyleRulesApi from "./StyleRulesApi.ts"

/**
 * What has to be done so that style rule lists are as they are wanted.
 *
 * @since 0.2.0
 */
export * as StyleRulesPlan from "./StyleRulesPlan.ts"

/**
 * Text translation.
 *
 * @since 0.1.0
 */
export * as Translation from "./Translation.ts"

/**
 * The contract of text translation.
 *
 * @since 0.1.0
 */
export * as TranslationApi from "./TranslationApi.ts"

/**
 * Translation memories.
 *
 * @since 0.2.0
 */
export * as TranslationMemories from "./TranslationMemories.ts"

/**
 * The contract of translation memories.
 *
 * @since 0.2.0
 */
export * as TranslationMemoriesApi from "./TranslationMemoriesApi.ts"

/**
 * Usage: what the period has used up, and what a call will use.
 *
 * @since 0.2.0
 */
export * as Usage from "./Usage.ts"

/**
 * The contract of usage.
 *
 * @since 0.2.0
 */
export * as UsageApi from "./UsageApi.ts"

/**
 * Voice: speech that was recorded, and speech as it is spoken.
 *
 * @since 0.2.0
 */
export * as Voice from "./Voice.ts"

/**
 * The contract of voice.
 *
 * @since 0.2.0
 */
export * as VoiceApi from "./VoiceApi.ts"

/**
 * Text improvement.
 *
 * @since 0.1.0
 */
export * as Writing from "./Writing.ts"

/**
 * The contract of text improvement.
 *
 * @since 0.1.0
 */
export * as WritingApi from "./WritingApi.ts"
