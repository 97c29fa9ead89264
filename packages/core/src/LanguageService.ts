/**
 * Layers that provide the client's services.
 *
 * **Example** (Rephrasing a text)
 *
 * ```ts import.meta.vitest
 * import { LanguageService, Writing } from "@effect-lingua/core"
 * import { Effect, Layer, Redacted } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * // Any HttpClient works; this one returns a fixed response.
 * const http = HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({
 *     improvements: [{ text: "This is fine.", detected_source_language: "en", target_language: "en-GB" }]
 *   })))
 * )
 * const program = Effect.gen(function*() {
 *   const writing = yield* Writing
 *   const [improvement] = yield* writing.rephrase({ text: ["This are fine."], targetLanguage: "en-GB" })
 *   return improvement?.text
 * })
 * const service = LanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" })
 * const text = await program.pipe(
 *   Effect.provide(Layer.provide(service, Layer.succeed(HttpClient.HttpClient, http))),
 *   Effect.runPromise
 * )
 * text // => "This is fine."
 * ```
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { Usage } from "./account/Usage.ts"
import { CustomRequests } from "./call/CustomRequests.ts"
import { LanguageServiceConfig, layerConfig as layerConfiguration } from "./config/LanguageServiceConfig.ts"
import { Documents } from "./documents/Documents.ts"
import { Glossaries } from "./glossaries/Glossaries.ts"
import { Languages } from "./languages/Languages.ts"
import * as LanguageServiceClient from "./LanguageServiceClient.ts"
import { StyleRules } from "./style-rules/StyleRules.ts"
import type { ClientState } from "./telemetry/ClientState.ts"
import type { Events } from "./telemetry/Events.ts"
import { Detection } from "./texts/Detection.ts"
import { Translation } from "./texts/Translation.ts"
import { Writing } from "./texts/Writing.ts"
import { TranslationMemories } from "./translation-memories/TranslationMemories.ts"

/**
 * The services of the client, and the events and connection that other layers, such as `QualityEvaluation.layer`, require. Administration requires
 * an admin key: see `Admin`.
 *
 * @category models
 * @since 0.1.0
 */
export type LanguageService =
  | ClientState
  | CustomRequests
  | Detection
  | Documents
  | Events
  | Glossaries
  | Languages
  | StyleRules
  | Translation
  | Usage
  | TranslationMemories
  | Writing
  | LanguageServiceClient.Connection

const services = LanguageServiceClient.layerShared(Layer.mergeAll(
  CustomRequests.layer,
  Detection.layer,
  Documents.layer,
  Glossaries.layer,
  Languages.layer,
  StyleRules.layer,
  Translation.layer,
  Usage.layer,
  TranslationMemories.layer,
  Writing.layer
))

/**
 * The services, with the `LanguageServiceConfig` of the context.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerNoConfig: Layer.Layer<
  Exclude<LanguageService, LanguageServiceConfig>,
  never,
  HttpClient.HttpClient | LanguageServiceConfig
> = services

/** Fresh: two configurations must not share services. */
const configured = Layer.fresh(services)

/**
 * The services with a configuration from options. Fails with `InvalidConfiguration` for an invalid setting, such as `http:` to a host other than
 * loopback.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: LanguageServiceConfig.Options
): Layer.Layer<LanguageService, LanguageServiceConfig.InvalidConfiguration, HttpClient.HttpClient> =>
  Layer.provideMerge(configured, LanguageServiceConfig.layer(options))

/**
 * The services with a configuration from the environment: see `LanguageServiceConfig.config`. Fails with `ConfigError` for a missing or malformed
 * variable, and `InvalidConfiguration` for an invalid setting.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options?: LanguageServiceConfig.ConfigOptions
): Layer.Layer<
  LanguageService,
  Config.ConfigError | LanguageServiceConfig.InvalidConfiguration,
  HttpClient.HttpClient
> => Layer.provideMerge(configured, layerConfiguration(options))
