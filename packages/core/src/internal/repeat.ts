/** Whether a call is sent again after a failure, and how long it waits before. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { StopCause, WaitCause } from "../Attempt.ts"
import type { RepeatKind } from "../Operation.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import type { Failure, Outcome } from "./answer.ts"

/** A wait in whole milliseconds and its reason. */
export interface Wait {
  readonly millis: number
  readonly cause: WaitCause
}

/** What follows a failure: a wait, or the end of the call with its reason where another attempt could have helped. */
export type Next = { readonly wait: Wait; readonly stop?: undefined } | {
  readonly wait?: undefined
  readonly stop: StopCause | undefined
}

const backoff = (policy: ResiliencePolicy) =>
  Schedule.exponential(policy.backoffBase, policy.backoffFactor).pipe(
    Schedule.modifyDelay(({ duration }) =>
      Effect.map(Random.next, (part) => Duration.times(Duration.min(duration, policy.backoffCap), part))
    )
  )

const poll = (policy: ResiliencePolicy) =>
  Schedule.exponential(policy.pollBase, policy.pollFactor).pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, policy.pollCap))),
    Schedule.jittered
  )

/** The table of kinds: may a call of this kind be sent again after an outcome that is not known? */
const mayRepeatUnknown = (kind: RepeatKind, unknownOutcomes: number, policy: ResiliencePolicy): boolean => {
  switch (kind) {
    case "Read":
    case "Replace":
      return true
    case "Metered":
      return policy.repeatMetered
    case "Consume":
      return unknownOutcomes === 1
    case "Create":
      return false
  }
}

type Step = (now: number, input: unknown) => Pull.Pull<[Duration.Duration, Duration.Duration], never, Duration.Duration>

/** The delays of a schedule, one a call. The schedule is made when the first is asked for: most calls need none. */
const delays = (schedule: () => Schedule.Schedule<Duration.Duration>) => {
  let step: Step | undefined
  return (now: number): Effect.Effect<Duration.Duration> =>
    Effect.gen(function*() {
      step ??= yield* Schedule.toStep(schedule())
      // Neither schedule of this module ends.
      const [, delay] = yield* Effect.orDie(step(now, undefined))
      return delay
    })
}

/** The waits between polls, one a call. */
export const polls = (policy: ResiliencePolicy) => delays(() => poll(policy))

/**
 * What follows each failure of one call: a wait before the next attempt, or the end. `deadline` is the time of
 * `Monotonic` by which the next attempt must have started; `spend` takes the cost of a repeat from the retry budget.
 */
export const make = (
  kind: RepeatKind,
  policy: ResiliencePolicy,
  deadline: number,
  spend: (outcome: Outcome, now: number) => boolean
) => {
  const nextBackoff = delays(() => backoff(policy))
  const nextPoll = polls(policy)
  let failures = 0
  let unknownOutcomes = 0

  return Effect.fnUntraced(function*(failure: Failure, now: number): Effect.fn.Return<Next> {
    const pending = failure.outcome === "pending"
    // A document that is said to be pending was not taken by an earlier attempt.
    failures = pending ? 0 : failures + 1
    unknownOutcomes = pending ? 0 : unknownOutcomes + (failure.outcome === "unknown" ? 1 : 0)
    if (!failure.isTransient || (pending && !policy.polling)) return { stop: undefined }
    if (failure.outcome === "unknown" && !mayRepeatUnknown(kind, unknownOutcomes, policy)) {
      return { stop: "outcome-unknown" }
    }
    if (failures >= policy.attempts) return { stop: "attempts" }
    const hint = Duration.toMillis(failure.retryAfter ?? 0)
    // How long something takes to become ready is the service's to say; only the deadline bounds it.
    if (!pending && hint > Duration.toMillis(policy.retryAfterCap)) return { stop: "retry-after-cap" }
    const own = Duration.toMillis(yield* (pending ? nextPoll(now) : nextBackoff(now)))
    const millis = Math.ceil(Math.max(own, hint))
    if (now + millis >= deadline) return { stop: "deadline" }
    if (!pending && !spend(failure.outcome, now)) return { stop: "retry-budget" }
    return { wait: { millis, cause: pending ? "poll" : hint > own ? "retry-after" : "backoff" } }
  })
}
