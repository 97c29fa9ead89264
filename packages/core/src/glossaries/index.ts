export { Glossaries } from "./Glossaries.ts"
export * as GlossariesPlan from "./GlossariesPlan.ts"
export { GlossariesV2 } from "./GlossariesV2.ts"
export * as GlossaryEntries from "./GlossaryEntries.ts"
