export * as Format from "./Format.ts"
