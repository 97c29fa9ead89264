/** The circuit breaker around attempts. It counts each end of an attempt as a sign of the service's health. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Scope from "effect/Scope"
import { CircuitOpen } from "../../client/CallError.ts"
import type * as ClientState from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import type { Failure } from "../../client/internal/failure.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import type { Breaker } from "../../client/ResiliencePolicy.ts"
import * as Circuit from "./circuit.ts"
import type { Ending } from "./ending.ts"
import { healthOf } from "./health.ts"

const outcomeOf = (exit: Exit.Exit<Ending>): Circuit.Outcome => {
  if (Exit.isFailure(exit)) return "Ignored"
  switch (healthOf(exit.value)) {
    case "works":
      return "Success"
    case "fails":
      return "Failure"
    case "unclear":
      return "Ignored"
  }
}

const stateNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

/** Estimated time until another caller's probe has ended. */
const probeTime = Duration.seconds(1)

const rejected = (retryAfter: Duration.Duration | undefined): Ending => ({
  failure: new CircuitOpen(
    retryAfter === undefined ? { retryAfter: probeTime, description: "A probe is in flight" } : { retryAfter }
  )
})

/** The n-th opening in a row is twice as long as the one before, and as long as the service asks for. */
const openFor = (policy: Breaker, openings: number, exit: Exit.Exit<Ending>): Duration.Duration => {
  const failure: Failure | undefined = Exit.isSuccess(exit) ? exit.value.failure : undefined
  const own = Duration.times(policy.open, 2 ** openings)
  return Duration.min(Duration.max(own, failure?.retryAfter ?? Duration.zero), policy.openCap)
}

/** Runs an attempt through the circuit of one client. */
const executeAlone = (policy: Breaker, circuit: ReturnType<typeof Circuit.make>) => (attempt: Effect.Effect<Ending>) =>
  Effect.clockWith((clock) => {
    const now = Monotonic.nowUnsafe(clock)
    const generation = circuit.admit(now)
    if (generation === undefined) {
      const wait = circuit.openUntil() - now
      return Effect.succeed(rejected(wait > 0 ? Duration.millis(wait) : undefined))
    }
    const openings = circuit.openings()
    return Effect.onExit(attempt, (exit) => {
      const millis = () => Duration.toMillis(openFor(policy, openings, exit))
      circuit.record(generation, outcomeOf(exit), millis, Monotonic.nowUnsafe(clock))
      return Effect.void
    })
  })

/** Runs attempts through a circuit that other clients share. Its store may fail; an attempt keeps its end. */
const shared = (
  policy: Breaker,
  key: string,
  store: CircuitBreaker.CircuitBreakerStore["Service"],
  show: (to: Events.BreakerState) => void
) => {
  const tripPolicy = CircuitBreaker.rate({
    threshold: policy.failureRate,
    size: policy.attempts,
    minimumCalls: policy.attempts
  })
  let isClosed = true
  let openUntil = 0
  /** Shows a state. An open circuit has the time until its probe from the start on, so that it is not taken for a half-open one. */
  const seen = (to: Events.BreakerState, retryAfter: Duration.Duration) =>
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
          ending.failure?.isTransient === true || !isClosed ? Effect.as(learn, ending) : Effect.succeed(ending)
      )
  }
}

/**
 * Runs attempts through one circuit. An attempt that is not let through ends with `CircuitOpen`. The circuit is one in memory, or
 * Effect's in a store from the context; `CircuitBreaker.execute` is not used, as it computes the length of the next opening from
 * a schedule after every success.
 */
export const make = Effect.fnUntraced(function*(policy: Breaker, key: string) {
  const events = yield* Events.Events
  const store = Option.getOrUndefined(yield* Effect.serviceOption(CircuitBreaker.CircuitBreakerStore))
  const context = yield* Telemetry.clientContext
  let shown: Events.BreakerState = "Closed"
  Telemetry.update("breakerState", stateNumber.Closed, {}, context)
  const show = (to: Events.BreakerState) => {
    if (shown === to) return
    const from = shown
    shown = to
    Telemetry.update("breakerState", stateNumber[to], {}, context)
    publish(events, () => Events.Event.BreakerChanged({ from, to }))
  }
  const circuit = Circuit.make(policy, show)
  const { execute, openUntil } = store === undefined
    ? { execute: executeAlone(policy, circuit), openUntil: circuit.openUntil }
    : shared(policy, key, store, show)
  return {
    /** True if the circuit is in a store that can be slow. */
    isShared: store !== undefined,
    /** Runs an attempt. */
    execute,
    /** The time of `Monotonic` until which the circuit is known to be open. */
    openUntil,
    /** The state at a time, which is shown: an open circuit whose time has passed admits a probe. */
    standing: (now: number): ClientState.Breaker => {
      if (shown === "Open" && now >= openUntil()) show("HalfOpen")
      return { state: shown, retryAfter: Duration.millis(Math.max(0, openUntil() - now)) }
    }
  }
})
