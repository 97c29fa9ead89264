export { QualityEvaluation } from "./QualityEvaluation.ts"
