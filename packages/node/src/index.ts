export * from "./files/index.ts"
export * as NodeLanguageService from "./NodeLanguageService.ts"
export * as NodeSharedState from "./NodeSharedState.ts"
export * as NodeTelemetry from "./NodeTelemetry.ts"
