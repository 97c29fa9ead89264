export * as QualityEvaluation from "./QualityEvaluation.ts"
