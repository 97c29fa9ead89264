/**
 * The contract of the Language Service API, version 3.13.0, from which the client and the fake service are derived.
 *
 * @since 0.1.0
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { AdminApi } from "./account/internal/adminApi.ts"
import { UsageApi } from "./account/internal/usageApi.ts"
import { httpGroup } from "./call/internal/httpApi.ts"
import { describe } from "./contract/internal/openapi.ts"
import { DocumentsApi } from "./documents/internal/documentsApi.ts"
import { GlossariesApi, GlossariesV2Api } from "./glossaries/internal/glossariesApi.ts"
import { LanguagesApi } from "./languages/internal/languagesApi.ts"
import { QualityEvaluationApi } from "./quality-evaluation/internal/qualityEvaluationApi.ts"
import { StyleRulesApi } from "./style-rules/internal/styleRulesApi.ts"
import { DetectionApi } from "./texts/internal/detectionApi.ts"
import { TranslationApi } from "./texts/internal/translationApi.ts"
import { WritingApi } from "./texts/internal/writingApi.ts"
import { TranslationMemoriesApi } from "./translation-memories/internal/translationMemoriesApi.ts"

/**
 * The contract as an Effect `HttpApi`. The endpoint `rephrase` of the group `Writing` is the operation `Writing.rephrase`.
 *
 * @category contract
 * @since 0.1.0
 */
export class LanguageServiceApi extends HttpApi.make("LanguageService")
  .add(
    httpGroup(DocumentsApi),
    httpGroup(WritingApi),
    httpGroup(StyleRulesApi),
    httpGroup(DetectionApi),
    httpGroup(LanguagesApi),
    httpGroup(TranslationApi),
    httpGroup(UsageApi),
    httpGroup(TranslationMemoriesApi),
    httpGroup(GlossariesApi),
    httpGroup(GlossariesV2Api),
    httpGroup(AdminApi),
    httpGroup(QualityEvaluationApi)
  )
  .annotateMerge(OpenApi.annotations({
    title: "Language Service API",
    version: "3.13.0",
    description:
      "Document download, text improvement, style rules, language detection, language listing, translation, glossaries, " +
      "translation memories, usage, administration, quality evaluation.",
    transform: describe
  }))
{}

type Groups = typeof LanguageServiceApi["groups"]

/**
 * The name of an operation: group and endpoint, such as `Writing.rephrase`.
 *
 * @category models
 * @since 0.3.0
 */
export type OperationName = {
  readonly [G in keyof Groups]: `${G}.${keyof Groups[G]["endpoints"] & string}`
}[keyof Groups]
