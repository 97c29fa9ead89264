export * as Catalogue from "./Catalogue.ts"
export * as ConfiguredRules from "./ConfiguredRules.ts"
export * as StyleRules from "./StyleRules.ts"
export * as StyleRulesPlan from "./StyleRulesPlan.ts"
