export * as Fault from "./Fault.ts"
export * as Script from "./Script.ts"
export * as Weather from "./Weather.ts"
