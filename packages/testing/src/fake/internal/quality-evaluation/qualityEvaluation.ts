/** A simple quality evaluation: finds translations that equal the source, are empty, or lack a number. */
import { EvaluationId } from "@effect-lingua/core/contract/Ids"
import type {
  Span,
  TranslatedSegment,
  TranslationError
} from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { badRequest, notSupported } from "../answers.ts"
import { group } from "../group.ts"
import type { Fake, StoredEvaluation } from "../state.ts"
import { handler, tookEffect } from "../steps.ts"
import { countCharacters, rootOf } from "../text.ts"

const life = Duration.toMillis("24 hours")

export const isForgotten = ({ created }: StoredEvaluation, now: number): boolean => now - created >= life

/** The offsets of `found` in code points; `index` is its offset in UTF-16 units. */
const spanOf = (text: string, found: string, index: number): Span => {
  const start = countCharacters(text.slice(0, index))
  return { start, end: start + countCharacters(found) }
}

const whole = (text: string): ReadonlyArray<Span> => text === "" ? [] : [spanOf(text, text, 0)]

const error = (
  kind: Pick<TranslationError, "subType" | "severity" | "explanation">,
  sourceSpans: ReadonlyArray<Span>,
  targetSpans: ReadonlyArray<Span>
): TranslationError => ({ type: "Accuracy", ...kind, sourceSpans, targetSpans })

const errorsOf = ({ source, target }: TranslatedSegment): ReadonlyArray<TranslationError> => {
  if (target.trim() === "" && source.trim() !== "") {
    const kind = { subType: "Omission", severity: "Critical", explanation: "The translation is empty." }
    return [error(kind, whole(source), whole(target))]
  }
  if (source === target && /\p{L}/u.test(source)) {
    const kind = { subType: "Untranslated", severity: "Major", explanation: "The translation repeats its source." }
    return [error(kind, whole(source), whole(target))]
  }
  return Array.from(source.matchAll(/\d+/g)).filter(([number]) => !target.includes(number)).map((match) =>
    error(
      { subType: "Mistranslation", severity: "Minor", explanation: `The translation lacks ${match[0]}.` },
      [spanOf(source, match[0], match.index)],
      []
    )
  )
}

const costs: Readonly<Record<string, number>> = { Critical: 100, Major: 40, Minor: 15 }

const scoreOf = (errors: ReadonlyArray<TranslationError>): number =>
  Math.max(0, errors.reduce((score, { severity }) => score - (costs[severity] ?? 0), 100))

const countsOf = (errors: ReadonlyArray<TranslationError>) => {
  const counts: Record<string, Record<string, Record<string, number>>> = {}
  for (const { severity, subType = "", type } of errors) {
    const bySeverity = ((counts[type] ??= {})[subType] ??= {})
    bySeverity[severity] = (bySeverity[severity] ?? 0) + 1
  }
  return counts
}

const done = ({ id, segments }: StoredEvaluation) => {
  const found = segments.map((segment, index) => ({ segmentIndex: index, errors: errorsOf(segment) }))
  const errors = found.flatMap((segment) => segment.errors)
  return {
    jobId: id,
    state: "done",
    segments: found,
    summary: {
      overallScore: Math.round(found.reduce((sum, segment) => sum + scoreOf(segment.errors), 0) / found.length),
      granularCounts: countsOf(errors)
    }
  }
}

const failed = ({ fails, id }: StoredEvaluation) => ({
  job_id: id,
  status: "error",
  error: { code: "evaluation_failed", message: fails }
})

/** A `Retry-After` header in whole seconds. */
const askAgain = (millis: number) => ({ "retry-after": String(Math.max(1, Math.ceil(millis / 1000))) })

const workOf = ({ settings: { readyAfter } }: Fake) => Duration.toMillis(readyAfter)

export const layer = group("QualityEvaluation", (handlers) =>
  handlers.handleAll({
    start: handler(function*({ payload: { metadata, segments } }, now, { account, fake, jobFails, note }) {
      const { limits } = fake.settings
      if (segments.length < 1 || segments.length > limits.evaluationSegments) yield* notSupported("segments")
      const long = segments.findIndex(({ source, target }) =>
        Math.max(countCharacters(source), countCharacters(target)) > limits.evaluationCharacters
      )
      if (long !== -1) yield* badRequest(`/segments/${long}: too long`)
      const id = EvaluationId.make(fake.store.ids.uuid())
      const { sourceLanguage, targetLanguage } = metadata
      fake.store.evaluations.add(account, id, {
        id,
        created: DateTime.toEpochMillis(now),
        segments,
        fails: rootOf(sourceLanguage) === rootOf(targetLanguage)
          ? "The languages of a pair have to differ."
          : jobFails
      })
      tookEffect(fake, note, id)
      const started = { job_id: id, poll_url: `/v1/quality-evaluation/${id}` }
      return HttpServerResponse.jsonUnsafe(started, { status: 202, headers: askAgain(workOf(fake)) })
    }),
    status: handler(function*({ params: { jobId } }, now, { account, fake }) {
      const evaluation = fake.store.evaluations.lookUp(account, jobId)
      const time = DateTime.toEpochMillis(now)
      if (evaluation === undefined || isForgotten(evaluation, time)) return yield* fake.store.evaluations.absent()
      const age = time - evaluation.created
      const work = workOf(fake)
      if (age < work) {
        const processing = { job_id: jobId, status: "processing" }
        return HttpServerResponse.jsonUnsafe(processing, { status: 202, headers: askAgain(work - age) })
      }
      return evaluation.fails === undefined ? done(evaluation) : HttpServerResponse.jsonUnsafe(failed(evaluation))
    })
  }))
