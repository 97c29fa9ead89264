export * as Deadline from "./Deadline.ts"
export * as Failover from "./Failover.ts"
export { LanguageServiceConfig } from "./LanguageServiceConfig.ts"
export * as ResiliencePolicy from "./ResiliencePolicy.ts"
