/** The client, which only a command that calls the service has to wait for. */
import * as Admin from "@effect-lingua/core/account/Admin"
import * as Events from "@effect-lingua/core/client/Events"
import type * as LanguageServiceConfig from "@effect-lingua/core/client/LanguageServiceConfig"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Journal from "./journal.ts"

export * as Admin from "@effect-lingua/core/account/Admin"
export { KeyId } from "@effect-lingua/core/account/AdminApi"
export * as Usage from "@effect-lingua/core/account/Usage"
export { InvalidEntries } from "@effect-lingua/core/client/CallError"
export { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
export { Requests } from "@effect-lingua/core/client/Requests"
export { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
export * as GlossariesPlan from "@effect-lingua/core/glossaries/GlossariesPlan"
export * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
export { Languages } from "@effect-lingua/core/languages/Languages"
export * as QualityEvaluation from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
export { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
export { InstructionId, StyleId } from "@effect-lingua/core/style-rules/StyleRulesApi"
export * as StyleRulesPlan from "@effect-lingua/core/style-rules/StyleRulesPlan"
export { Detection } from "@effect-lingua/core/texts/Detection"
export * as Placeholders from "@effect-lingua/core/texts/Placeholders"
export { Translation } from "@effect-lingua/core/texts/Translation"
export { Writing } from "@effect-lingua/core/texts/Writing"
export { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
export * as Voice from "@effect-lingua/core/voice/Voice"
export * as NodeFile from "@effect-lingua/node/files/NodeFile"
export * as DocumentActions from "../commands/documents/documentActions.ts"
export * as DocumentFiles from "../commands/documents/documentFiles.ts"
export * as MemoryActions from "../commands/translation-memories/memoryActions.ts"
export { told } from "./events.ts"

/** All services of the client, over the network, through the proxy of the environment, and their journal. */
export const layer = (options: LanguageServiceConfig.Options) =>
  Layer.provideMerge(
    NodeLanguageService.layer({ ...options, pool: { proxy: "environment" } }),
    NodeJournal.layer()
  )

/** Administration, over the network and through the proxy of the environment. */
export const layerAdmin = (options: Admin.Options) =>
  Admin.layer(options).pipe(
    Layer.provide(NodeLanguageService.layerHttpClient({ proxy: "environment" })),
    Layer.provideMerge(Events.layer)
  )

/** The documents of the journal, at any service. */
export const journalEntries = Effect.provide(Journal.entries, NodeJournal.layer())
