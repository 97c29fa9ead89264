export * as NodeResultCache from "./NodeResultCache.ts"
export * as ResultCache from "./ResultCache.ts"
export * as TextBatching from "./TextBatching.ts"
