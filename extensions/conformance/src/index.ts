export * as Checks from "./Checks.ts"
export * as Conformance from "./Conformance.ts"
export * as Drift from "./Drift.ts"
