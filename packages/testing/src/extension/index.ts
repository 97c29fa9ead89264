export * as Checks from "./Checks.ts"
