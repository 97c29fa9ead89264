export * as Deadline from "./Deadline.ts"
export { LanguageServiceConfig } from "./LanguageServiceConfig.ts"
export * as ResiliencePolicy from "./ResiliencePolicy.ts"
