/** The client, loaded only by commands that call the service. */
import * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import * as Admin from "@effect-lingua/core/account/Admin"
import type * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import * as Events from "@effect-lingua/core/telemetry/Events"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as SpokenTerms from "@effect-lingua/voice/SpokenTerms"
import * as Voice from "@effect-lingua/voice/Voice"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Entries from "./entries.ts"

export * as Admin from "@effect-lingua/core/account/Admin"
export * as Usage from "@effect-lingua/core/account/Usage"
export { CustomRequests } from "@effect-lingua/core/call/CustomRequests"
export { InvalidEntries } from "@effect-lingua/core/errors/CallError"
export { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
export * as GlossariesPlan from "@effect-lingua/core/glossaries/GlossariesPlan"
export * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
export { Languages } from "@effect-lingua/core/languages/Languages"
export * as QualityEvaluation from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
export { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
export * as StyleRulesPlan from "@effect-lingua/core/style-rules/StyleRulesPlan"
export { Detection } from "@effect-lingua/core/texts/Detection"
export * as Placeholders from "@effect-lingua/core/texts/Placeholders"
export { Translation } from "@effect-lingua/core/texts/Translation"
export { Writing } from "@effect-lingua/core/texts/Writing"
export { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
export * as NodeFile from "@effect-lingua/node/files/NodeFile"
export { NodeTranslationMemories } from "@effect-lingua/node/files/NodeTranslationMemories"
export { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
export * as Voice from "@effect-lingua/voice/Voice"
export { reportingEvents } from "./events.ts"

/** All services of the client over the network, through the proxy of the environment, with their journal and their cache. */
export const layer = (options: LanguageServiceConfig.Options, cache: boolean) => {
  const services = Layer.mergeAll(OtherServices.layer, Voice.layer, SpokenTerms.layer).pipe(
    Layer.provideMerge(NodeLanguageService.layer({ ...options, pool: { proxy: "environment" } })),
    Layer.provideMerge(NodeJournal.layer())
  )
  return cache ? Layer.provideMerge(NodeResultCache.layer(), services) : services
}

/** Administration over the network, through the proxy of the environment. */
export const layerAdmin = (options: Admin.Options) =>
  Admin.layer(options).pipe(
    Layer.provide(NodePool.layerHttpClient({ proxy: "environment" })),
    Layer.provideMerge(Events.layer)
  )

/** The documents in the journal, of any service. */
export const journalEntries = Effect.provide(Entries.all, NodeJournal.layer())
