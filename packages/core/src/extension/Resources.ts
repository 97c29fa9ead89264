/**
 * The contract of each resource. May change with each minor version.
 *
 * @since 0.3.0
 */
export * as AdminApi from "../account/internal/adminApi.ts"
export * as UsageApi from "../account/internal/usageApi.ts"
export * as DocumentsApi from "../documents/internal/documentsApi.ts"
export * as GlossariesApi from "../glossaries/internal/glossariesApi.ts"
export * as LanguagesApi from "../languages/internal/languagesApi.ts"
export * as QualityEvaluationApi from "../quality-evaluation/internal/qualityEvaluationApi.ts"
export * as StyleRulesApi from "../style-rules/internal/styleRulesApi.ts"
export * as DetectionApi from "../texts/internal/detectionApi.ts"
export * as TranslationApi from "../texts/internal/translationApi.ts"
export * as WritingApi from "../texts/internal/writingApi.ts"
export * as TranslationMemoriesApi from "../translation-memories/internal/translationMemoriesApi.ts"
