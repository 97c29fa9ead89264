/** The circuit breaker around attempts. It counts each end of an attempt as a sign of the service's health. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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
import { type Execution, SharedLimits } from "./sharedLimits.ts"

/** The meaning of an end for the circuit. */
export const outcomeOf = (exit: Exit.Exit<Ending>): Circuit.Outcome => {
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

/** The end of an attempt that is not let through. */
export const rejected = (retryAfter: Duration.Duration | undefined): Ending => ({
  failure: new CircuitOpen(
    retryAfter === undefined ? { retryAfter: probeTime, description: "A probe is in flight" } : { retryAfter }
  )
})

/** The n-th opening in a row is twice as long as the one before, and as long as the service asks for. */
export const openFor = (policy: Breaker, openings: number, exit: Exit.Exit<Ending>): Duration.Duration => {
  const failure: Failure | undefined = Exit.isSuccess(exit) ? exit.value.failure : undefined
  const own = Duration.millis(Duration.toMillis(policy.open) * 2 ** openings)
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

/**
 * Runs attempts through one circuit. An attempt that is not let through ends with `CircuitOpen`. The circuit is one in memory, or
 * one that other clients share.
 */
export const make = Effect.fnUntraced(function*(policy: Breaker, key: string) {
  const events = yield* Events.Events
  const shared = yield* SharedLimits
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
  const alone = (): Execution => {
    const circuit = Circuit.make(policy, show)
    return { execute: executeAlone(policy, circuit), openUntil: circuit.openUntil }
  }
  const { execute, openUntil } = shared === undefined ? alone() : shared.circuit(policy, key, show)
  return {
    /** True if the circuit is in a store that can be slow. */
    isShared: shared !== undefined,
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
