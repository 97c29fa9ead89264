/** The client, which only a command that calls the service has to wait for. */
import type * as LanguageServiceConfig from "@effect-lingua/core/LanguageServiceConfig"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDocumentJournal from "../../NodeDocumentJournal.ts"
import * as NodeLanguageService from "../../NodeLanguageService.ts"
import * as Journal from "./journal.ts"

export { Detection } from "@effect-lingua/core/Detection"
export { Languages } from "@effect-lingua/core/Languages"
export * as Placeholders from "@effect-lingua/core/Placeholders"
export * as QualityEvaluation from "@effect-lingua/core/QualityEvaluation"
export { Requests } from "@effect-lingua/core/Requests"
export { StyleRules } from "@effect-lingua/core/StyleRules"
export { InstructionId, StyleId } from "@effect-lingua/core/StyleRulesApi"
export * as StyleRulesPlan from "@effect-lingua/core/StyleRulesPlan"
export { Translation } from "@effect-lingua/core/Translation"
export { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/TranslationApi"
export * as Usage from "@effect-lingua/core/Usage"
export * as Voice from "@effect-lingua/core/Voice"
export { Writing } from "@effect-lingua/core/Writing"
export * as DocumentActions from "./documentActions.ts"
export * as DocumentFiles from "./documentFiles.ts"
export { told } from "./events.ts"

/** All services of the client, over the network, through the proxy of the environment, and their journal. */
export const layer = (options: LanguageServiceConfig.Options) =>
  Layer.provideMerge(
    NodeLanguageService.layer({ ...options, pool: { proxy: "environment" } }),
    NodeDocumentJournal.layer()
  )

/** The documents that the journal has, at whatever service they are. */
export const journalEntries = Effect.provide(Journal.entries, NodeDocumentJournal.layer())
