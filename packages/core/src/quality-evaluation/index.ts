export * as QualityEvaluation from "./QualityEvaluation.ts"
export * as QualityEvaluationApi from "./QualityEvaluationApi.ts"
