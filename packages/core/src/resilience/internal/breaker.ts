/** The circuit breaker around attempts. It counts each end of an attempt as a sign of the service's health. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Scope from "effect/Scope"
import { CircuitOpen } from "../../client/CallError.ts"
import * as Events from "../../client/Events.ts"
import type { Failure } from "../../client/internal/failure.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import type { Breaker } from "../../client/ResiliencePolicy.ts"
import type { Ending } from "./ending.ts"
import { healthOf } from "./health.ts"
import * as LocalStores from "./localStores.ts"

const classify = (exit: Exit.Exit<Ending>): CircuitBreaker.Outcome => {
  if (Exit.isFailure(exit)) return CircuitBreaker.ignored
  const failure: Failure | undefined = exit.value.failure
  switch (healthOf(exit.value)) {
    case "works":
      return CircuitBreaker.success
    case "fails":
      return CircuitBreaker.failure({ retryAfter: failure?.retryAfter })
    case "unclear":
      return CircuitBreaker.ignored
  }
}

const stateNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

/** Estimated time until another caller's probe has ended. */
const probeTime = Duration.seconds(1)

/** The store in memory holds no permit during a call. */
const noScope = Scope.makeUnsafe()

/**
 * Runs attempts through one circuit. A rejected attempt ends with `CircuitOpen`.
 *
 * The circuit is Effect's, in one of its stores; `CircuitBreaker.execute` is not used, as it computes the length of the next opening
 * from a schedule after every success.
 */
export const make = Effect.fnUntraced(function*(policy: Breaker, key: string) {
  const events = yield* Events.Events
  const shared = Option.getOrUndefined(yield* Effect.serviceOption(CircuitBreaker.CircuitBreakerStore))
  const store = shared ?? (yield* Effect.provide(CircuitBreaker.CircuitBreakerStore, LocalStores.circuits))
  const inScope: typeof Effect.scopedWith = shared === undefined ? (run) => run(noScope) : Effect.scopedWith
  const tripPolicy = CircuitBreaker.rate({
    threshold: policy.failureRate,
    size: policy.attempts,
    minimumCalls: policy.attempts
  })
  const context = yield* Effect.context()
  let shown: Events.BreakerState = "Closed"
  Telemetry.update("breakerState", stateNumber.Closed, {}, context)
  const show = (to: Events.BreakerState) => {
    if (shown === to) return
    const from = shown
    shown = to
    Telemetry.update("breakerState", stateNumber[to], {}, context)
    publish(events, () => Events.Event.BreakerChanged({ from, to }))
  }

  /** Each consecutive opening is twice as long as the previous one, and at least as long as the service's `Retry-After`. */
  const openFor = (openings: number, outcome: CircuitBreaker.Outcome): Duration.Duration => {
    const own = Duration.times(policy.open, 2 ** openings)
    const hint = outcome._tag === "Failure" ? outcome.retryAfter ?? Duration.zero : Duration.zero
    return Duration.min(Duration.max(own, hint), policy.openCap)
  }

  const record = ({ consecutiveOpenings, generation }: CircuitBreaker.Admission, exit: Exit.Exit<Ending>) => {
    const outcome = classify(exit)
    return Effect.match(
      store.record({
        key,
        generation,
        outcome: outcome._tag,
        tripPolicy,
        openFor: openFor(consecutiveOpenings, outcome)
      }),
      {
        // The store may fail; the attempt keeps its end.
        onFailure: () => undefined,
        onSuccess: (transition) => {
          if (transition !== undefined) show(transition.to)
        }
      }
    )
  }

  let openUntil = 0

  // A call on a circuit known to be open is rejected without asking the store. The known transitions are those of this client;
  // those of other clients of a shared circuit appear in the ends of attempts.
  const isToLearn = ({ failure }: Ending): boolean =>
    failure?.isTransient === true || (shared !== undefined && shown !== "Closed")

  const learn = ({ failure }: Ending) =>
    Effect.ignore(Effect.flatMap(store.state(key), (state) =>
      Effect.map(Monotonic.now, (now) => {
        show(state._tag)
        if (failure?.isTransient === true) {
          openUntil = state._tag === "Open" ? now + Duration.toMillis(state.retryAfter) : 0
        }
      })))

  const rejected = (reason: CircuitBreaker.CircuitOpen | CircuitBreaker.CircuitHalfOpen): Ending => {
    if (reason._tag === "CircuitOpen") show("Open")
    return {
      failure: new CircuitOpen({
        retryAfter: reason._tag === "CircuitOpen" ? reason.retryAfter : probeTime,
        ...(reason._tag === "CircuitHalfOpen" ? { description: "A probe is in flight" } : undefined)
      })
    }
  }

  const admitted = (
    admission: Effect.Effect<CircuitBreaker.Admission, CircuitBreaker.CircuitBreakerError>,
    attempt: Effect.Effect<Ending>
  ): Effect.Effect<Ending> =>
    Effect.matchEffect(admission, {
      onFailure: ({ reason }) =>
        reason._tag === "CircuitBreakerStoreError" ? attempt : Effect.succeed(rejected(reason)),
      onSuccess: (admission) => {
        if (admission.transition !== undefined) show(admission.transition.to)
        return Effect.onExit(attempt, (exit) => record(admission, exit))
      }
    })

  const execute = (attempt: Effect.Effect<Ending>): Effect.Effect<Ending> =>
    Effect.flatMap(
      Effect.uninterruptibleMask((restore) =>
        inScope((scope) => admitted(Scope.provide(store.admit(key), scope), restore(attempt)))
      ),
      (ending) => isToLearn(ending) ? Effect.as(learn(ending), ending) : Effect.succeed(ending)
    )

  return {
    execute,
    /** The `Monotonic` time until which the circuit is known to be open. */
    openUntil: () => openUntil,
    /** True if the store of the circuit can be slow. */
    isShared: shared !== undefined
  }
})
