/** A circuit in a store that several processes share: that of Effect's `CircuitBreaker`. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Scope from "effect/Scope"
import type { BreakerState } from "../../client/Events.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type { Breaker } from "../../client/ResiliencePolicy.ts"
import { openFor, outcomeOf, rejected } from "./breaker.ts"
import type { Ending } from "./ending.ts"
import type { Execution } from "./sharedLimits.ts"

/**
 * Makes a circuit that other clients share. Its store may fail; an attempt keeps its end. `CircuitBreaker.execute` is not used, as
 * it computes the length of the next opening from a schedule after every success.
 */
export const make =
  (store: CircuitBreaker.CircuitBreakerStore["Service"]) =>
  (policy: Breaker, key: string, show: (to: BreakerState) => void): Execution => {
    const tripPolicy = CircuitBreaker.rate({
      threshold: policy.failureRate,
      size: policy.attempts,
      minimumCalls: policy.attempts
    })
    let isClosed = true
    let openUntil = 0
    /** Shows a state. An open circuit has the time until its probe from the start on, so that it is not taken for a half-open one. */
    const seen = (to: BreakerState, retryAfter: Duration.Duration) =>
      Effect.map(Monotonic.now, (now) => {
        openUntil = to === "Open" ? now + Duration.toMillis(retryAfter) : 0
        isClosed = to === "Closed"
        show(to)
      })

    const record = ({ consecutiveOpenings, generation }: CircuitBreaker.Admission, exit: Exit.Exit<Ending>) => {
      const retryAfter = openFor(policy, consecutiveOpenings, exit)
      const outcome = outcomeOf(exit)
      return Effect.matchEffect(store.record({ key, generation, outcome, tripPolicy, openFor: retryAfter }), {
        onFailure: () => Effect.void,
        onSuccess: (transition) => transition === undefined ? Effect.void : seen(transition.to, retryAfter)
      })
    }

    // A call of a circuit that is known to be open need not wait to be rejected. The known transitions are those of this client;
    // those of others show in the ends of the attempts.
    const learn = Effect.ignore(
      Effect.flatMap(
        store.state(key),
        (state) => seen(state._tag, state._tag === "Open" ? state.retryAfter : Duration.zero)
      )
    )

    const admitted = (
      admission: Effect.Effect<CircuitBreaker.Admission, CircuitBreaker.CircuitBreakerError>,
      attempt: Effect.Effect<Ending>
    ): Effect.Effect<Ending> =>
      Effect.matchEffect(admission, {
        onFailure: ({ reason }) => {
          if (reason._tag === "CircuitBreakerStoreError") return attempt
          return reason._tag === "CircuitOpen"
            ? Effect.as(seen("Open", reason.retryAfter), rejected(reason.retryAfter))
            : Effect.succeed(rejected(undefined))
        },
        onSuccess: (admission) => {
          const recorded = Effect.onExit(attempt, (exit) => record(admission, exit))
          return admission.transition === undefined
            ? recorded
            : Effect.andThen(seen(admission.transition.to, Duration.zero), recorded)
        }
      })

    return {
      openUntil: () => openUntil,
      execute: (attempt: Effect.Effect<Ending>): Effect.Effect<Ending> =>
        Effect.flatMap(
          Effect.uninterruptibleMask((restore) =>
            Effect.scopedWith((scope) => admitted(Scope.provide(store.admit(key), scope), restore(attempt)))
          ),
          (ending) =>
            ending.failure?.isTransient === true || !isClosed
              ? Effect.as(learn, ending)
              : Effect.succeed(ending)
        )
    }
  }
