/** Quality evaluation. */
import { QualityEvaluationApi } from "@effect-lingua/core/extension/Resources"
import * as Arbitrary from "effect/Arbitrary"
import { derive } from "./derive.ts"
import { limits, type Records, tooLong } from "./record.ts"

const segments = (source: string, count = 1) => ({
  segments: Array.from({ length: count }, () => ({ source, target: "a" }))
})

export const qualityEvaluation = {
  "QualityEvaluation.status": { existing: ({ evaluations }) => evaluations.map((jobId) => ({ jobId })) },
  "QualityEvaluation.start": {
    request: Arbitrary.map(derive(QualityEvaluationApi.NewEvaluation), ({ metadata, segments }) => ({
      ...metadata,
      segments: segments.length > 0 ? segments : [{ source: "", target: "" }]
    })),
    breaches: [
      ["an evaluation has at least 1 segment", "InvalidInput", segments("a", 0)],
      ["an evaluation has at most 500 segments", "LimitExceeded", segments("a", limits.evaluationSegments + 1)],
      ["a source has at most 10,000 characters", "LimitExceeded", segments(tooLong(limits.evaluationCharacters))],
      ["a source has no unpaired surrogate", "InvalidInput", segments("\ud800")]
    ]
  }
} satisfies Records<"QualityEvaluation">
