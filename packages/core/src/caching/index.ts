export * as ResultCache from "./ResultCache.ts"
