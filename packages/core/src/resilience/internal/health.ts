/** The health of the service, derived from the end of an attempt, for the learned number in flight. */
import * as Duration from "effect/Duration"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { ConnectionFailed } from "../../errors/CallError.ts"
import { type Failure, middlewareCode } from "../../errors/internal/failure.ts"
import type { Ending } from "./ending.ts"
import { mayBeRepeated } from "./repeat.ts"

export type Health = "works" | "fails" | "unclear"

/** The service throttles, or the client's own limiter has no turn. */
const isOfRate = ({ _tag, status }: Failure): boolean => _tag === "RateLimited" || status === 429

/** The deadline passed in the client's own queue. */
const isUnsent = ({ _tag, outcome }: Failure): boolean => _tag === "DeadlineExceeded" && outcome === "refused"

/** The client's own middleware failed. */
const isOwn = (failure: Failure): boolean => failure instanceof ConnectionFailed && failure.code === middlewareCode

/** Milliseconds for which the client itself waits without receiving anything. */
export const patienceOf = (policy: ResiliencePolicy, transfers: boolean): number =>
  Math.min(
    Duration.toMillis(transfers ? policy.documentTimeout : policy.attemptTimeout),
    Duration.toMillis(policy.bodyIdleTimeout)
  )

/**
 * No connection, an unknown outcome, 503 and 529 are signs of a service in trouble. Any other response is deliberate, a refusal and
 * a document that is not ready included. A 429 is no evidence either way, nor is an attempt whose middleware failed.
 */
export const healthOf = ({ failure, response }: Ending): Health => {
  if (failure === undefined || failure.outcome === "pending") return "works"
  if (isOfRate(failure) || isUnsent(failure) || isOwn(failure)) return "unclear"
  if (mayBeRepeated(failure)) return "fails"
  return response === undefined ? "unclear" : "works"
}
