export * as Catalogue from "./Catalogue.ts"
export * as ConfiguredRules from "./ConfiguredRules.ts"
export { StyleRules } from "./StyleRules.ts"
export * as StyleRulesPlan from "./StyleRulesPlan.ts"
