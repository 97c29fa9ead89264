/** The circuit breaker around attempts, and what each way of ending means to it. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { CircuitOpen } from "../CallError.ts"
import * as Events from "../Events.ts"
import type { Breaker } from "../ResiliencePolicy.ts"
import type { Failure } from "./answer.ts"
import type { Ending } from "./attempt.ts"
import * as LocalStores from "./localStores.ts"
import * as Monotonic from "./monotonic.ts"
import * as Telemetry from "./telemetry.ts"

/** The deadline passed in the client's own queue. */
const isUnsent = (failure: Failure): boolean => failure._tag === "DeadlineExceeded" && failure.outcome === "refused"

/**
 * A failure is what speaks of a service in trouble: no connection, an unknown outcome, 503, 529. An answer that refuses
 * the request, and a document that is not ready, come from a service that works. A 429 says nothing either way.
 */
const classify = (exit: Exit.Exit<Ending>): CircuitBreaker.Outcome => {
  if (Exit.isFailure(exit)) return CircuitBreaker.ignored
  const failure: Failure | undefined = exit.value.failure
  if (failure === undefined || failure.outcome === "pending") return CircuitBreaker.success
  if (failure._tag === "RateLimited" || isUnsent(failure)) return CircuitBreaker.ignored
  return failure.isTransient ? CircuitBreaker.failure({ retryAfter: failure.retryAfter }) : CircuitBreaker.success
}

const stateNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

/** Time until a probe of another caller is likely to have ended. */
const probeTime = Duration.seconds(1)

/** Runs attempts through one circuit. An attempt that is not let through ends with `CircuitOpen`. */
export const make = Effect.fnUntraced(function*(policy: Breaker, key: string) {
  const events = yield* Events.Events
  const store = Option.getOrUndefined(yield* Effect.serviceOption(CircuitBreaker.CircuitBreakerStore))
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.rate({
      threshold: policy.failureRate,
      size: policy.attempts,
      minimumCalls: policy.attempts
    }),
    openDuration: Schedule.exponential(policy.open).pipe(
      Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, policy.openCap)))
    ),
    maxOpenDuration: policy.openCap
  }).pipe(
    store === undefined
      ? Effect.provide(LocalStores.circuits)
      : Effect.provideService(CircuitBreaker.CircuitBreakerStore, store)
  )
  const context = yield* Effect.context()
  let shown: Events.BreakerState = "Closed"
  Telemetry.update("breakerState", stateNumber.Closed, {}, context)
  const show = (to: Events.BreakerState) => {
    if (shown === to) return
    const from = shown
    shown = to
    Telemetry.update("breakerState", stateNumber[to], {}, context)
    events.publish(() => Events.Event.BreakerChanged({ from, to }))
  }
  yield* breaker.transitions.pipe(
    Stream.runForEach(({ to }) => Effect.sync(() => show(to))),
    Effect.forkScoped({ startImmediately: true })
  )

  // The transitions are those of this client. What others do to a shared circuit shows in what becomes of the attempts.
  const showShared = store === undefined ? Effect.void : Effect.suspend(() =>
    shown === "Closed"
      ? Effect.void
      : Effect.ignore(Effect.map(breaker.state(key), ({ _tag }) => show(_tag)))
  )

  let openUntil = 0

  // What is known of an open circuit spares a call the wait for something that will be rejected.
  const learn = (ending: Ending) =>
    ending.failure?.isTransient === true
      ? Effect.ignore(Effect.flatMap(breaker.state(key), (state) =>
        Effect.map(Monotonic.now, (now) => {
          openUntil = state._tag === "Open" ? now + Duration.toMillis(state.retryAfter) : 0
        })))
      : Effect.void

  /** Until when the circuit is known to be open, as a time of `Monotonic`. */
  const isOpenUntil = (): number => openUntil

  const execute = (attempt: Effect.Effect<Ending>): Effect.Effect<Ending> =>
    Effect.catch(
      breaker.execute(attempt, { key, classify }).pipe(Effect.tap(learn), Effect.tap(showShared)),
      ({ reason }) => {
        if (store !== undefined && reason._tag === "CircuitOpen") show("Open")
        return Effect.succeed({
          failure: new CircuitOpen({
            retryAfter: reason._tag === "CircuitOpen" ? reason.retryAfter : probeTime,
            ...(reason._tag === "CircuitHalfOpen" ? { description: "A probe is on its way" } : undefined)
          })
        })
      }
    )

  return { execute, isOpenUntil }
})
