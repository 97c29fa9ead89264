/** Decides after a failure whether a call waits for another attempt or ends. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import type { RepeatKind } from "../../contract/internal/endpoint.ts"
import type { StopCause, WaitCause } from "../../errors/Attempt.ts"
import { type Failure, mayBeRepeated } from "../../errors/internal/failure.ts"

export interface Wait {
  readonly millis: number
  readonly cause: WaitCause
}

/** The wait before another attempt, or the end of the call. `stop` is defined if another attempt could have helped. */
export type Next = { readonly wait: Wait; readonly stop?: undefined } | {
  readonly wait?: undefined
  readonly stop: StopCause | undefined
}

const isThrottled = ({ status }: Failure): boolean => status === 429 || status === 529

/** Makes a function that returns a schedule's next wait in milliseconds: infinity after the schedule's end. */
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

/** True if the service probably did the work and the response was lost. After a 5xx response, the work was probably not done. */
const isLost = ({ outcome, status }: Failure): boolean =>
  outcome === "unknown" && (status === undefined || status < 500)

/** Makes the decision function of one call. `deadline` is the latest start of an attempt, in milliseconds of `Monotonic`. */
export const make = (
  kind: RepeatKind,
  policy: ResiliencePolicy.ResiliencePolicy,
  deadline: number,
  { polls = ResiliencePolicy.polls(policy), throttled, transient }: ResiliencePolicy.Schedules
) => {
  const nextPoll = waitsOf(polls)
  const makeWaits = () => {
    const backoff = waitsOf(ResiliencePolicy.backoff(policy))
    return {
      throttled: throttled === undefined ? backoff : waitsOf(throttled),
      transient: transient === undefined ? backoff : waitsOf(transient)
    }
  }
  let waits = makeWaits()
  let failures = 0
  let unknown = 0
  let lost = 0

  const mayRepeatUnknown = (failure: Failure): boolean => {
    const { repeatMetered } = policy
    switch (kind) {
      case "Read":
      case "Replace":
        return true
      case "Metered":
        return repeatMetered === "always" || (repeatMetered === "once" && (!isLost(failure) || lost === 1))
      case "Consume":
        return unknown === 1
      case "Create":
        return false
    }
  }

  return Effect.fnUntraced(function*(failure: Failure, now: number): Effect.fn.Return<Next> {
    const pending = failure.outcome === "pending"
    if (pending) {
      // No earlier attempt has consumed a pending document, so the counts start again.
      failures = unknown = lost = 0
      waits = makeWaits()
    } else {
      failures++
      if (failure.outcome === "unknown") unknown++
      if (isLost(failure)) lost++
    }
    if (!mayBeRepeated(failure) || (pending && !policy.polling)) return { stop: undefined }
    if (failure.outcome === "unknown" && !mayRepeatUnknown(failure)) return { stop: "outcome-unknown" }
    if (failures >= policy.attempts) return { stop: "attempts" }
    const hint = Duration.toMillis(failure.retryAfter ?? 0)
    // Only the deadline limits a poll's `Retry-After`.
    if (!pending && hint > Duration.toMillis(policy.retryAfterCap)) return { stop: "retry-after-cap" }
    const wait = yield* (pending ? nextPoll : isThrottled(failure) ? waits.throttled : waits.transient)(failure)
    if (wait === Number.POSITIVE_INFINITY) return { stop: "attempts" }
    const millis = Math.ceil(Math.max(wait, hint))
    if (now + millis >= deadline) return { stop: "deadline" }
    return { wait: { millis, cause: pending ? "poll" : hint > wait ? "retry-after" : "backoff" } }
  })
}
