/** The client, which only a command that calls the service has to wait for. */
import * as Admin from "@effect-lingua/core/Admin"
import * as Events from "@effect-lingua/core/Events"
import type * as LanguageServiceConfig from "@effect-lingua/core/LanguageServiceConfig"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDocumentJournal from "../../NodeDocumentJournal.ts"
import * as NodeLanguageService from "../../NodeLanguageService.ts"
import * as Journal from "./journal.ts"

export * as Admin from "@effect-lingua/core/Admin"
export { KeyId } from "@effect-lingua/core/AdminApi"
export { InvalidEntries } from "@effect-lingua/core/CallError"
export { Detection } from "@effect-lingua/core/Detection"
export { Glossaries } from "@effect-lingua/core/Glossaries"
export * as GlossariesPlan from "@effect-lingua/core/GlossariesPlan"
export * as GlossaryEntries from "@effect-lingua/core/GlossaryEntries"
export { Languages } from "@effect-lingua/core/Languages"
export * as Placeholders from "@effect-lingua/core/Placeholders"
export * as QualityEvaluation from "@effect-lingua/core/QualityEvaluation"
export { Requests } from "@effect-lingua/core/Requests"
export { StyleRules } from "@effect-lingua/core/StyleRules"
export { InstructionId, StyleId } from "@effect-lingua/core/StyleRulesApi"
export * as StyleRulesPlan from "@effect-lingua/core/StyleRulesPlan"
export { Translation } from "@effect-lingua/core/Translation"
export { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/TranslationApi"
export { TranslationMemories } from "@effect-lingua/core/TranslationMemories"
export * as Usage from "@effect-lingua/core/Usage"
export * as Voice from "@effect-lingua/core/Voice"
export { Writing } from "@effect-lingua/core/Writing"
export * as Source from "../source.ts"
export * as DocumentActions from "./documentActions.ts"
export * as DocumentFiles from "./documentFiles.ts"
export { told } from "./events.ts"
export * as MemoryActions from "./memoryActions.ts"

/** All services of the client, over the network, through the proxy of the environment, and their journal. */
export const layer = (options: LanguageServiceConfig.Options) =>
  Layer.provideMerge(
    NodeLanguageService.layer({ ...options, pool: { proxy: "environment" } }),
    NodeDocumentJournal.layer()
  )

/** Administration, over the network and through the proxy of the environment. */
export const layerAdmin = (options: Admin.Options) =>
  Admin.layer(options).pipe(
    Layer.provide(NodeLanguageService.layerHttpClient({ proxy: "environment" })),
    Layer.provideMerge(Events.layer)
  )

/** The documents, imports and exports that the journal has, at whatever service they are. */
export const journalEntries = Effect.all([Journal.entries, Journal.jobs]).pipe(
  Effect.map(([entries, jobs]) => [...entries, ...jobs]),
  Effect.provide(NodeDocumentJournal.layer())
)
