export * as Checks from "./Checks.ts"
export * as Generating from "./Generating.ts"
export * as Resource from "./Resource.ts"
