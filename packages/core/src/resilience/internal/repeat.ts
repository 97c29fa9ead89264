/** The decision about a retry after a failure: the wait before it, or the end of the call. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Wait } from "../../client/internal/currentCall.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import type { RepeatKind } from "../../contract/Operation.ts"
import type { StopCause } from "../../errors/Attempt.ts"
import type { Failure } from "../../errors/internal/failure.ts"

/** The consequence of a failure: a wait, or the end of the call with its reason if another attempt could have helped. */
export type Next = { readonly wait: Wait; readonly stop?: undefined } | {
  readonly wait?: undefined
  readonly stop: StopCause | undefined
}

/** True if the same request can work later. The service requests no retry after a 456, even if it could help. */
export const mayBeRepeated = ({ isTransient, status }: Failure): boolean => isTransient && status !== 456

/** Growth of the bound of backoff from wait to wait: each is about the sum of all before it. */
const backoffFactor = 2

/** Growth of the wait from poll to poll: a poll is late by about half of the time waited so far. */
const pollFactor = 1.5

/** The upper bound of a wait, which grows from one to the next; `index` counts from 0. */
const bound = (base: Duration.Duration, factor: number, cap: Duration.Duration, index: number): number =>
  Math.min(Duration.toMillis(base) * factor ** index, Duration.toMillis(cap))

/** The service is throttling: clients that were refused together should retry neither together nor soon. */
const isThrottled = ({ status }: Failure): boolean => status === 429 || status === 529

/** Milliseconds before the next attempt: a random part of the bound, or at least half of it after throttling. */
const backoff = (failure: Failure, policy: ResiliencePolicy, index: number): Effect.Effect<number> =>
  Effect.map(Random.next, (part) =>
    isThrottled(failure)
      ? bound(policy.throttleBase, backoffFactor, policy.backoffCap, index) * (1 + part) / 2
      : bound(policy.backoffBase, backoffFactor, policy.backoffCap, index) * part)

/** Milliseconds before the next poll; grows with each run. */
export const polls = ({ pollBase, pollCap }: ResiliencePolicy): Effect.Effect<number> => {
  let index = 0
  return Effect.map(Random.next, (part) => bound(pollBase, pollFactor, pollCap, index++) * (0.8 + 0.4 * part))
}

/** True if the response was lost: the service most likely did the work. After a 5xx it most likely did not. */
const isLost = ({ outcome, status }: Failure): boolean =>
  outcome === "unknown" && (status === undefined || status < 500)

/** The number of attempts of unknown outcome, and of those whose response was lost. */
interface Uncertain {
  readonly attempts: number
  readonly lost: number
}

/** True if a call of this kind may be sent again after an unknown outcome. */
const mayRepeatUnknown = (
  kind: RepeatKind,
  failure: Failure,
  uncertain: Uncertain,
  { repeatMetered }: ResiliencePolicy
): boolean => {
  switch (kind) {
    case "Read":
    case "Replace":
      return true
    case "Metered":
      return repeatMetered === "always" || (repeatMetered === "once" && (!isLost(failure) || uncertain.lost === 1))
    case "Consume":
      return uncertain.attempts === 1
    case "Create":
      return false
  }
}

/**
 * Decides about each failure of one call: a wait before the next attempt, or the end. `deadline` is the time of
 * `Monotonic` by which the next attempt must have started.
 */
export const make = (
  kind: RepeatKind,
  policy: ResiliencePolicy,
  deadline: number
) => {
  const nextPoll = polls(policy)
  let failures = 0
  let uncertain: Uncertain = { attempts: 0, lost: 0 }

  return Effect.fnUntraced(function*(failure: Failure, now: number): Effect.fn.Return<Next> {
    const pending = failure.outcome === "pending"
    // A pending document was not consumed by an earlier attempt.
    failures = pending ? 0 : failures + 1
    uncertain = pending ? { attempts: 0, lost: 0 } : {
      attempts: uncertain.attempts + (failure.outcome === "unknown" ? 1 : 0),
      lost: uncertain.lost + (isLost(failure) ? 1 : 0)
    }
    if (!mayBeRepeated(failure) || (pending && !policy.polling)) return { stop: undefined }
    if (failure.outcome === "unknown" && !mayRepeatUnknown(kind, failure, uncertain, policy)) {
      return { stop: "outcome-unknown" }
    }
    if (failures >= policy.attempts) return { stop: "attempts" }
    const hint = Duration.toMillis(failure.retryAfter ?? 0)
    // Only the deadline bounds the number of polls.
    if (!pending && hint > Duration.toMillis(policy.retryAfterCap)) return { stop: "retry-after-cap" }
    const own = yield* (pending ? nextPoll : backoff(failure, policy, failures - 1))
    const millis = Math.ceil(Math.max(own, hint))
    if (now + millis >= deadline) return { stop: "deadline" }
    return { wait: { millis, cause: pending ? "poll" : hint > own ? "retry-after" : "backoff" } }
  })
}
