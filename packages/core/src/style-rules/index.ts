export * as ConfiguredRules from "./ConfiguredRules.ts"
export * as StyleRules from "./StyleRules.ts"
export * as StyleRulesApi from "./StyleRulesApi.ts"
export * as StyleRulesPlan from "./StyleRulesPlan.ts"
