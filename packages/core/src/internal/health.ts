/** What the end of an attempt says of the service. Circuit breaker and retry budget go by it. */
import * as Duration from "effect/Duration"
import { AttemptTimeout, DeadlineExceeded } from "../CallError.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import type { Failure } from "./answer.ts"
import type { Ending } from "./attempt.ts"
import { mayBeRepeated } from "./repeat.ts"

/** It works, it is in trouble, or nothing is said. */
export type Health = "works" | "fails" | "unclear"

/** The service has too many requests, or the client's own limiter has no turn. */
const isThrottled = ({ _tag, status }: Failure): boolean => _tag === "RateLimited" || status === 429

/** The deadline passed in the client's own queue. */
const isUnsent = ({ _tag, outcome }: Failure): boolean => _tag === "DeadlineExceeded" && outcome === "refused"

/** How many milliseconds the client itself waits for a sign of the service. */
export const patienceOf = (policy: ResiliencePolicy, transfers: boolean): number =>
  Math.min(
    Duration.toMillis(transfers ? policy.documentTimeout : policy.attemptTimeout),
    Duration.toMillis(policy.bodyIdleTimeout)
  )

/** Whether the caller gave up on an attempt, silent for some milliseconds, sooner than the client would have. */
export const isCutShort = (failure: Failure | undefined, silence: number, patience: number): boolean =>
  (failure instanceof AttemptTimeout && Duration.toMillis(failure.limit) < patience) ||
  (failure instanceof DeadlineExceeded && failure.outcome === "unknown" && silence < patience)

/**
 * No connection, an unknown outcome, 503 and 529 are those of a service in trouble. Any other answer is one that the service
 * means, a refusal and a document that is not ready included. A 429 says nothing either way, nor does an attempt that its
 * caller cut short.
 */
export const healthOf = ({ failure, isCut, response }: Ending): Health => {
  if (failure === undefined || failure.outcome === "pending") return "works"
  if (isCut === true || isThrottled(failure) || isUnsent(failure)) return "unclear"
  if (mayBeRepeated(failure)) return "fails"
  return response === undefined ? "unclear" : "works"
}
