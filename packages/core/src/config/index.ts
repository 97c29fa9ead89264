export * as AttemptMiddleware from "./AttemptMiddleware.ts"
export * as LanguageServiceConfig from "./LanguageServiceConfig.ts"
export * as ResiliencePolicy from "./ResiliencePolicy.ts"
