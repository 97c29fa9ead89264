/**
 * The contract: every operation of the Language Service API, interface 3.13.0, described once. The client and the fake
 * are both derived from it.
 *
 * @since 0.1.0
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { AdminApi } from "./AdminApi.ts"
import { DetectionApi } from "./DetectionApi.ts"
import { DocumentsApi } from "./DocumentsApi.ts"
import { GlossariesApi } from "./GlossariesApi.ts"
import { GlossariesV2Api } from "./GlossariesV2Api.ts"
import { describe } from "./internal/openapi.ts"
import { LanguagesApi } from "./LanguagesApi.ts"
import { QualityEvaluationApi } from "./QualityEvaluationApi.ts"
import { StyleRulesApi } from "./StyleRulesApi.ts"
import { TranslationApi } from "./TranslationApi.ts"
import { TranslationMemoriesApi } from "./TranslationMemoriesApi.ts"
import { UsageApi } from "./UsageApi.ts"
import { VoiceApi } from "./VoiceApi.ts"
import { WritingApi } from "./WritingApi.ts"

/**
 * The contract as one `HttpApi`. Group and endpoint names are those of services and methods: the endpoint `rephrase` of
 * the group `Writing` is the operation `Writing.rephrase`.
 *
 * @category contract
 * @since 0.1.0
 */
export class LanguageServiceApi extends HttpApi.make("LanguageService")
  .add(DocumentsApi, WritingApi, StyleRulesApi, DetectionApi, LanguagesApi, TranslationApi)
  .add(UsageApi)
  .add(TranslationMemoriesApi)
  .add(GlossariesApi, GlossariesV2Api)
  .add(AdminApi)
  .add(QualityEvaluationApi)
  .add(VoiceApi)
  .annotateMerge(OpenApi.annotations({
    title: "Language Service API",
    version: "3.13.0",
    description:
      "Document download, text improvement, style rules, language detection, language listing, translation, glossaries, " +
      "translation memories, usage, administration, quality evaluation, voice.",
    transform: describe
  }))
{}
