/** The decision about a retry after a failure: the wait before it, or the end of the call. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import type { RepeatKind } from "../../contract/internal/operation.ts"
import type { StopCause, WaitCause } from "../../errors/Attempt.ts"
import { type Failure, mayBeRepeated } from "../../errors/internal/failure.ts"

/** A wait in whole milliseconds and its reason. */
export interface Wait {
  readonly millis: number
  readonly cause: WaitCause
}

/** The consequence of a failure: a wait, or the end of the call with its reason if another attempt could have helped. */
export type Next = { readonly wait: Wait; readonly stop?: undefined } | {
  readonly wait?: undefined
  readonly stop: StopCause | undefined
}

/** The service is throttling. */
const isThrottled = ({ status }: Failure): boolean => status === 429 || status === 529

/** Takes the waits of a schedule, in milliseconds; infinite when it has ended. It begins with the first one. */
export const waitsOf = <Input>(schedule: Schedule.Schedule<unknown, Input>) => {
  let step: Effect.Success<ReturnType<typeof Schedule.toStep<unknown, Input, never, never>>> | undefined
  return Effect.fnUntraced(function*(input: Input): Effect.fn.Return<number> {
    step ??= yield* Schedule.toStep(schedule)
    const [, wait] = yield* Pull.catchDone(
      step(yield* Clock.currentTimeMillis, input),
      () => Effect.succeed([undefined, Duration.infinity] as const)
    )
    return Duration.toMillis(wait)
  })
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
  { repeatMetered }: ResiliencePolicy.ResiliencePolicy
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
 * Decides about each failure of one call: a wait before the next attempt, or the end. `deadline` is the time of `Monotonic` by which the next
 * attempt must have started.
 */
export const make = (
  kind: RepeatKind,
  policy: ResiliencePolicy.ResiliencePolicy,
  deadline: number,
  { polls = ResiliencePolicy.polls(policy), throttled, transient }: ResiliencePolicy.Schedules
) => {
  const nextPoll = waitsOf(polls)
  const own = () => {
    const backoff = waitsOf(ResiliencePolicy.backoff(policy))
    return {
      throttled: throttled === undefined ? backoff : waitsOf(throttled),
      transient: transient === undefined ? backoff : waitsOf(transient)
    }
  }
  let waits = own()
  let failures = 0
  let uncertain: Uncertain = { attempts: 0, lost: 0 }

  return Effect.fnUntraced(function*(failure: Failure, now: number): Effect.fn.Return<Next> {
    const pending = failure.outcome === "pending"
    // A pending document was not consumed by an earlier attempt.
    failures = pending ? 0 : failures + 1
    if (pending) waits = own()
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
    const wait = yield* (pending ? nextPoll : isThrottled(failure) ? waits.throttled : waits.transient)(failure)
    if (wait === Number.POSITIVE_INFINITY) return { stop: "attempts" }
    const millis = Math.ceil(Math.max(wait, hint))
    if (now + millis >= deadline) return { stop: "deadline" }
    return { wait: { millis, cause: pending ? "poll" : hint > wait ? "retry-after" : "backoff" } }
  })
}
