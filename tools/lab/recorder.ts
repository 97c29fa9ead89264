/** Counts what happens in a simulation, by second. */
import { best, type Call, sum } from "./oracle.ts"
import type { Scenario } from "./scenarios.ts"
import { millis } from "./terms.ts"

/** Percentiles of the time from the beginning of a call to its end, in milliseconds. */
interface Latencies {
  readonly p50: number
  readonly p99: number
}

/** Calls that began in a second (`offered`), that succeeded (`useful`) and that failed in it; `attempts` that arrived, and those refused with 429. */
const newSecond = () => ({ offered: 0, useful: 0, failed: 0, attempts: 0, refused: 0 })

type Second = ReturnType<typeof newSecond>

/**
 * The calls that began in `duration` seconds are followed to their end, so there may be more `seconds`.
 *
 * `best` is the number of calls that an ideal client would serve in time: it knows the service and sends only what succeeds. `goodput` is successes
 * per second of the duration; `amplification` attempts per call; `recovery` the seconds from the end of the last phase until 95 % of the calls
 * succeed again. It is absent if that did not happen, or if no phase ended (`hasEnded`).
 */
export interface Report {
  readonly scenario: string
  readonly client: string
  readonly duration: number
  readonly seconds: ReadonlyArray<Readonly<Second>>
  readonly calls: number
  readonly useful: number
  readonly best: number
  readonly attempts: number
  readonly refused: number
  readonly goodput: number
  readonly amplification: number
  readonly latency: Latencies | undefined
  readonly failureLatency: Latencies | undefined
  readonly hasEnded: boolean
  readonly recovery: number | undefined
}

const latencies = (waits: ReadonlyArray<number>): Latencies | undefined => {
  if (waits.length === 0) return undefined
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return { p50: at(0.5), p99: at(0.99) }
}

/** Seconds over which rates are compared, as single ones differ by chance. */
const span = 5

/** Seconds from the end of the last phase until nearly all calls succeed again. */
const recoveryOf = (seconds: ReadonlyArray<Second>, end: number): number | undefined => {
  for (let at = end; at + span <= seconds.length; at++) {
    const part = seconds.slice(at, at + span)
    const offered = sum(part.map((second) => second.offered))
    if (offered > 0 && sum(part.map(({ useful }) => useful)) >= 0.95 * offered) return at - end
  }
  return undefined
}

const secondsOf = (input: Scenario["duration"]): number => Math.ceil(millis(input) / 1000)

/** Counts for one simulation. */
export const make = (scenario: Scenario, client: string) => {
  const seconds: Array<Second> = []
  const calls: Array<Call> = []
  const waits: Array<number> = []
  const waitsOfFailures: Array<number> = []
  const at = (now: number): Second => {
    const second = Math.floor(now / 1000)
    while (seconds.length <= second) seconds.push(newSecond())
    return seconds[second] ?? newSecond()
  }
  return {
    begin: (call: Call): void => {
      at(call.startedAt).offered++
      calls.push(call)
    },
    end: (startedAt: number, now: number, isSuccess: boolean): void => {
      at(now)[isSuccess ? "useful" : "failed"]++
      ;(isSuccess ? waits : waitsOfFailures).push(now - startedAt)
    },
    attempt: (now: number, isRefused: boolean): void => {
      const second = at(now)
      second.attempts++
      if (isRefused) second.refused++
    },
    report: (): Report => {
      const duration = secondsOf(scenario.duration)
      const within = seconds.slice(0, duration)
      const attempts = sum(seconds.map((second) => second.attempts))
      const ends = (scenario.phases ?? []).map(({ to }) => secondsOf(to)).filter((end) => end < duration)
      return {
        scenario: scenario.name,
        client,
        duration,
        seconds,
        calls: calls.length,
        useful: waits.length,
        best: best(scenario, calls),
        attempts,
        refused: sum(seconds.map((second) => second.refused)),
        goodput: sum(within.map(({ useful }) => useful)) / duration,
        amplification: attempts / Math.max(1, calls.length),
        latency: latencies(waits),
        failureLatency: latencies(waitsOfFailures),
        hasEnded: ends.length > 0,
        recovery: ends.length === 0 ? undefined : recoveryOf(within, Math.max(...ends))
      }
    }
  }
}
