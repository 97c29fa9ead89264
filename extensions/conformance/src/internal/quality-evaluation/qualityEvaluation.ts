import { EvaluationId } from "@effect-lingua/core/contract/Ids"
import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import { check, fakeCheck, nothing, present, refused, same, that } from "../check.ts"
import { refusedBodies } from "../host.ts"
import type { Check } from "../model.ts"

const segment = { source: "👋 We pay 42 euros.", target: "👋 Wir zahlen 24 Euro." }

export const qualityEvaluation: ReadonlyArray<Check> = [
  check(
    "QualityEvaluation: an unknown id is not found, if the account has access",
    {},
    () =>
      QualityEvaluation.use((quality) =>
        refused(
          quality.status({ jobId: EvaluationId.make(nothing) }),
          "NotFound",
          "AccessDenied"
        )
      )
  ),
  check("QualityEvaluation: an evaluation without segments is refused", {}, () =>
    refusedBodies(
      "/v1/quality-evaluation",
      [{ metadata: { source_language: "en", target_language: "de" }, segments: [] }, { segments: [] }],
      400,
      403
    )),
  fakeCheck(
    "QualityEvaluation: an evaluation has a Retry-After, and finds a wrong number",
    {},
    function*({ fake }) {
      const quality = yield* QualityEvaluation
      const { jobId, retryAfter } = yield* quality.start({
        sourceLanguage: "en",
        targetLanguage: "de",
        segments: [segment]
      })
      yield* present("the time to wait, when it was started", retryAfter)
      const before = yield* quality.status({ jobId })
      yield* same("the id and state of a running evaluation", [before.jobId, before.state], [jobId, "processing"])
      yield* present("the time to wait, while it runs", before.retryAfter)
      yield* fake.advance("1 minute")
      const { jobId: id, segments: [first], state, summary } = yield* quality.status({ jobId })
      yield* same("the id and state of a finished evaluation", [id, state], [jobId, "done"])
      yield* same("the place of the segment", first?.segmentIndex, 0)
      const found = yield* present("the error", first?.errors?.[0])
      yield* same("where it is", found.sourceSpans.map((span) => QualityEvaluation.cut(segment.source, span)), ["42"])
      const score = yield* present("the score", summary?.overallScore)
      yield* that(
        Number.isInteger(score) && score >= 0 && score < 100,
        "an integer from 0 to 100 as the score, below the best",
        score
      )
      yield* fake.advance("24 hours")
      yield* refused(quality.status({ jobId }), "NotFound")
    }
  ),
  fakeCheck("QualityEvaluation: an impossible evaluation fails", {}, function*({ fake }) {
    const quality = yield* QualityEvaluation
    const { jobId } = yield* quality.start({ sourceLanguage: "en", targetLanguage: "en-GB", segments: [segment] })
    yield* fake.advance("1 minute")
    const error = yield* refused(quality.wait({ jobId }), "JobFailed")
    yield* that("code" in error && error.code === "evaluation_failed", "the code evaluation_failed", error)
  })
]
