/**
 * Services that few programs need, over the client of `LanguageService.layer`. The layer of one service, such as `GlossariesV2.layer`, bundles only
 * this service.
 *
 * **Example** (Glossaries of API version 2)
 *
 * ```ts import.meta.vitest
 * import { GlossariesV2, LanguageService, OtherServices } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const services = OtherServices.layer.pipe(
 *   Layer.provideMerge(LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" })),
 *   Layer.provide(FakeLanguageService.layer())
 * )
 * const program = GlossariesV2.use((glossaries) => glossaries.list)
 * const { glossaries } = await program.pipe(Effect.provide(services), Effect.runPromise)
 * glossaries // => []
 * ```
 *
 * @since 0.3.0
 */
import * as Layer from "effect/Layer"
import { GlossariesV2 } from "./glossaries/GlossariesV2.ts"
import type * as LanguageServiceClient from "./LanguageServiceClient.ts"
import { QualityEvaluation } from "./quality-evaluation/QualityEvaluation.ts"

/**
 * The evaluation of translations, and glossaries of API version 2.
 *
 * @category models
 * @since 0.3.0
 */
export type OtherServices = GlossariesV2 | QualityEvaluation

/**
 * Requires the client of `LanguageService.layer`.
 *
 * @category layers
 * @since 0.3.0
 */
export const layer: Layer.Layer<OtherServices, never, LanguageServiceClient.Requirements> = Layer.mergeAll(
  GlossariesV2.layer,
  QualityEvaluation.layer
)
