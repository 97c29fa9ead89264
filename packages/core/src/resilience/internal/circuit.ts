/**
 * The circuit of one client as plain state: that of Effect's `CircuitBreaker` with a rate, without an effect for each step. Times
 * are those of `Monotonic`.
 */
import * as Duration from "effect/Duration"
import type { BreakerState } from "../../client/Events.ts"
import type { Breaker } from "../../client/ResiliencePolicy.ts"

/** The meaning of the end of an attempt. */
export type Outcome = "Success" | "Failure" | "Ignored"

/** The time without attempts after which the openings are forgotten. */
const forgetAfter = Duration.toMillis(Duration.hours(1))

/** `show` is called with each new state. */
export const make = ({ attempts, failureRate }: Breaker, show: (to: BreakerState) => void) => {
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
