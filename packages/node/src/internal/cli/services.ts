/** The client, which only a command that calls the service has to wait for. */
import type * as LanguageServiceConfig from "@effect-lingua/core/LanguageServiceConfig"
import * as NodeLanguageService from "../../NodeLanguageService.ts"

export { Detection } from "@effect-lingua/core/Detection"
export { Languages } from "@effect-lingua/core/Languages"
export { StyleRules } from "@effect-lingua/core/StyleRules"
export { InstructionId, StyleId } from "@effect-lingua/core/StyleRulesApi"
export * as StyleRulesPlan from "@effect-lingua/core/StyleRulesPlan"
export { Translation } from "@effect-lingua/core/Translation"
export { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/TranslationApi"
export { Writing } from "@effect-lingua/core/Writing"
export { told } from "./events.ts"

/** All services of the client, over the network, through the proxy of the environment. */
export const layer = (options: LanguageServiceConfig.Options) =>
  NodeLanguageService.layer({ ...options, pool: { proxy: "environment" } })
