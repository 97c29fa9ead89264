export * as Conformance from "./Conformance.ts"
