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
    const seen = (to: BreakerState) => {
      isClosed = to === "Closed"
      show(to)
    }

    const record = ({ consecutiveOpenings, generation }: CircuitBreaker.Admission, exit: Exit.Exit<Ending>) =>
      Effect.match(
        store.record({
          key,
          generation,
          outcome: outcomeOf(exit),
          tripPolicy,
          openFor: openFor(policy, consecutiveOpenings, exit)
        }),
        {
          onFailure: () => undefined,
          onSuccess: (transition) => {
            if (transition !== undefined) seen(transition.to)
          }
        }
      )

    // A call of a circuit that is known to be open need not wait to be rejected. The known transitions are those of this client;
    // those of others show in the ends of the attempts.
    const learn = ({ failure }: Ending) =>
      Effect.ignore(Effect.flatMap(store.state(key), (state) =>
        Effect.map(Monotonic.now, (now) => {
          seen(state._tag)
          if (failure?.isTransient === true) {
            openUntil = state._tag === "Open" ? now + Duration.toMillis(state.retryAfter) : 0
          }
        })))

    const admitted = (
      admission: Effect.Effect<CircuitBreaker.Admission, CircuitBreaker.CircuitBreakerError>,
      attempt: Effect.Effect<Ending>
    ): Effect.Effect<Ending> =>
      Effect.matchEffect(admission, {
        onFailure: ({ reason }) => {
          if (reason._tag === "CircuitBreakerStoreError") return attempt
          if (reason._tag === "CircuitOpen") seen("Open")
          return Effect.succeed(rejected(reason._tag === "CircuitOpen" ? reason.retryAfter : undefined))
        },
        onSuccess: (admission) => {
          if (admission.transition !== undefined) seen(admission.transition.to)
          return Effect.onExit(attempt, (exit) => record(admission, exit))
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
              ? Effect.as(learn(ending), ending)
              : Effect.succeed(ending)
        )
    }
  }
