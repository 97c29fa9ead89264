/** The messages of errors. */
import * as Attempt from "../Attempt.ts"
import * as Durations from "./duration.ts"
import type { Failure } from "./failure.ts"
import { outcomeOfCall } from "./outcome.ts"

const about = ({ first, last }: NonNullable<Failure["texts"]>): string =>
  first === last ? `It is about text ${first}.` : `It is about texts ${first} to ${last}.`

const unfinished = ({ done, failed, left }: NonNullable<Failure["plan"]>): string =>
  `It was to ${failed}. Calls of the plan: ${done.length} made, ${left.length} left.`

/** A note on earlier attempts of unknown outcome, if the last one has another. */
const uncertain = (attempts: Failure["attempts"]): string =>
  attempts.at(-1)?.outcome !== "unknown" && outcomeOfCall(attempts, "refused") === "unknown"
    ? "The outcome of an earlier attempt is not known."
    : ""

const tried = (attempts: Failure["attempts"]): string => {
  if (attempts.length > 1) return `Tried ${attempts.length} times: ${Attempt.format(attempts)}.`
  const stop = attempts[0]?.stopCause
  return stop === undefined ? "" : `Not tried again (${stop}).`
}

const sentence = (text: string): string => text === "" || /[.!?]$/.test(text) ? text : `${text}.`

const hint = (status: number | undefined): string => status === undefined ? "Retry in" : "The service asks to wait"

/** The message of an error: the problem, the operation, its attempts and advice. */
export const message = (
  error: Omit<Failure, "_tag" | "category" | "outcome" | "isTransient">,
  problem: string,
  advice: string
): string => {
  const { attempts, description, detail, document, job, operation, plan, retryAfter, status, targetLanguage, texts } =
    error
  const characters = error.possiblyCountedCharacters
  return [
    `${operation === "" ? "" : `${operation}: `}${problem}${status === undefined ? "" : ` (status ${status})`}.`,
    sentence(description),
    detail && sentence(detail),
    texts && about(texts),
    targetLanguage && `The target was ${targetLanguage}.`,
    plan && unfinished(plan),
    document && !problem.includes(document.documentId) && `The document is ${document.documentId}.`,
    job && !problem.includes(job) && `The job is ${job}.`,
    retryAfter && `${hint(status)} ${Durations.format(retryAfter)}.`,
    tried(attempts),
    uncertain(attempts),
    characters !== undefined && `Up to ${characters} characters may have been counted for this request.`,
    sentence(advice),
    error.traceId && `Trace id ${error.traceId}.`
  ].filter(Boolean).join(" ")
}
