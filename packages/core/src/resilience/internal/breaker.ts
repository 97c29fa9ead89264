/** The circuit breaker around attempts. It counts each end of an attempt as a sign of the service's health. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ClientState from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import type { BreakerState } from "../../client/Events.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import type { Breaker } from "../../config/ResiliencePolicy.ts"
import { CircuitOpen } from "../../errors/CallError.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { Ending } from "./ending.ts"
import { healthOf } from "./health.ts"
import { type Execution, SharedLimits } from "./sharedLimits.ts"

/** The meaning of the end of an attempt. */
type Outcome = "Success" | "Failure" | "Ignored"

/** The time without attempts after which the openings are forgotten. */
const forgetAfter = Duration.toMillis(Duration.hours(1))

/** `show` is called with each new state. */
const makeCircuit = ({ attempts, failureRate }: Breaker, show: (to: BreakerState) => void) => {
  let state: BreakerState = "Closed"
  /** Changes with the state and with each probe: an attempt of before changes nothing. */
  let generation = 0
  /** True for each failure among the last attempts. */
  let ends: Array<boolean> = []
  let openings = 0
  let openFor = 0
  let openUntil = 0
  let resetAt = 0
  let lastActivity = 0
  let isProbing = false

  const become = (to: BreakerState): void => {
    state = to
    generation++
    ends = []
    isProbing = false
    show(to)
  }

  const open = (millis: number, now: number): void => {
    become("Open")
    openings++
    openFor = millis
    openUntil = now + millis
  }

  const forget = (now: number): void => {
    if (isProbing || now - Math.max(lastActivity, openUntil) < forgetAfter) return
    openings = 0
    become("Closed")
  }

  return {
    /** The time until which no attempt is admitted. */
    openUntil: (): number => state === "Open" ? openUntil : 0,
    /** The number of openings in a row. */
    openings: (): number => openings,
    /** Admits an attempt and returns its generation; `undefined` if the circuit is open or a probe is in flight. */
    admit: (now: number): number | undefined => {
      forget(now)
      if (state === "Open" ? now < openUntil : isProbing) return undefined
      if (state === "Open") become("HalfOpen")
      if (state === "Closed" && now >= resetAt) openings = 0
      if (state === "HalfOpen") {
        isProbing = true
        generation++
      }
      lastActivity = now
      return generation
    },
    /** Records the end of an attempt, which may open the circuit for `millis`. */
    record: (of: number, outcome: Outcome, millis: () => number, now: number): void => {
      forget(now)
      if (of !== generation) return
      lastActivity = now
      if (outcome === "Ignored") isProbing = false
      else if (state === "HalfOpen") {
        resetAt = now + openFor
        if (outcome === "Success") become("Closed")
        else open(millis(), now)
      } else {
        ends.push(outcome === "Failure")
        if (ends.length > attempts) ends.shift()
        const failures = ends.filter(Boolean).length
        if (ends.length >= attempts && failures > 0 && failures / attempts >= failureRate) open(millis(), now)
      }
    }
  }
}

/** The meaning of an end for the circuit. */
export const outcomeOf = (exit: Exit.Exit<Ending>): Outcome => {
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
const executeAlone = (policy: Breaker, circuit: ReturnType<typeof makeCircuit>) => (attempt: Effect.Effect<Ending>) =>
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
    const circuit = makeCircuit(policy, show)
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
