/** Counts what happens in a simulation, by second. */
import * as Duration from "effect/Duration"
import type { Latencies, Report, Second } from "../Report.ts"
import type { Scenario } from "../Scenario.ts"
import * as Oracle from "./oracle.ts"
import type { Ending } from "./service.ts"

const newSecond = () => ({
  offered: 0,
  useful: 0,
  failed: 0,
  attempts: 0,
  refused: 0,
  waits: Array<number>(),
  watched: 0,
  open: 0,
  concurrency: 0
})

type Counts = ReturnType<typeof newSecond>

const latencies = (waits: ReadonlyArray<number>): Latencies | undefined => {
  if (waits.length === 0) return undefined
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const secondOf = (counts: Counts): Second => {
  const { attempts, failed, offered, refused, useful } = counts
  const latency = latencies(counts.waits)
  return {
    offered,
    useful,
    failed,
    attempts,
    refused,
    ...(latency === undefined ? undefined : { latency }),
    ...(counts.watched === 0 ? undefined : {
      openBreakers: counts.open / counts.watched,
      ...(Number.isFinite(counts.concurrency) ? { concurrency: counts.concurrency / counts.watched } : undefined)
    })
  }
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** Seconds over which rates are compared, as single ones differ by chance. */
const span = 10

/** The largest ratio of attempts to calls. */
const peakOf = (seconds: ReadonlyArray<Second>): number =>
  Math.max(
    0,
    ...seconds.slice(0, Math.max(1, seconds.length - span + 1)).map((_, at) => {
      const part = seconds.slice(at, at + span)
      const offered = sum(part.map((second) => second.offered))
      return offered === 0 ? 0 : sum(part.map(({ attempts }) => attempts)) / offered
    })
  )

/** Seconds from the end of the last phase until nearly all calls succeed again. */
const recoveryOf = (seconds: ReadonlyArray<Second>, end: number): number | undefined => {
  for (let at = end; at + span / 2 <= seconds.length; at++) {
    const part = seconds.slice(at, at + span / 2)
    const offered = sum(part.map((second) => second.offered))
    if (offered > 0 && sum(part.map(({ useful }) => useful)) >= 0.95 * offered) return at - end
  }
  return undefined
}

/** Counts for one simulation. */
export const make = (scenario: Scenario, client: string, seed: string) => {
  const counts: Array<Counts> = []
  const calls: Array<Oracle.Call> = []
  const waits: Array<number> = []
  const waitsOfFailures: Array<number> = []
  const failures = new Map<string, number>()
  const at = (now: number): Counts => {
    const second = Math.floor(now / 1000)
    while (counts.length <= second) counts.push(newSecond())
    return counts[second] ?? newSecond()
  }
  return {
    begin: (call: Oracle.Call): void => {
      at(call.startedAt).offered++
      calls.push(call)
    },
    end: (startedAt: number, now: number, failure: string | undefined): void => {
      const second = at(now)
      if (failure === undefined) {
        second.useful++
        second.waits.push(now - startedAt)
        waits.push(now - startedAt)
      } else {
        second.failed++
        waitsOfFailures.push(now - startedAt)
        failures.set(failure, (failures.get(failure) ?? 0) + 1)
      }
    },
    attempt: (now: number, ending: Ending): void => {
      const second = at(now)
      second.attempts++
      if (ending === "throttled") second.refused++
    },
    health: (
      second: number,
      { concurrency, isOpen }: { readonly isOpen: boolean; readonly concurrency: number }
    ): void => {
      const entry = at(second * 1000)
      entry.watched++
      if (isOpen) entry.open++
      entry.concurrency += concurrency
    },
    report: (): Report => {
      const seconds = counts.map(secondOf)
      const duration = Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(scenario.duration)))
      const total = (name: "offered" | "useful" | "attempts" | "refused"): number =>
        sum(seconds.map((second) => second[name]))
      const [useful, attempts, refused] = [total("useful"), total("attempts"), total("refused")]
      const ends = (scenario.phases ?? []).map(({ to }) => Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(to))))
        .filter((end) => end < duration)
      const recovery = ends.length === 0 ? undefined : recoveryOf(seconds.slice(0, duration), Math.max(...ends))
      const latency = latencies(waits)
      const failureLatency = latencies(waitsOfFailures)
      return {
        scenario: scenario.name,
        client,
        seed,
        duration,
        seconds,
        calls: calls.length,
        useful,
        best: Oracle.best(scenario, calls),
        attempts,
        refused,
        goodput: sum(seconds.slice(0, duration).map((second) => second.useful)) / duration,
        amplification: attempts / Math.max(1, calls.length),
        peakAmplification: peakOf(seconds.slice(0, duration)),
        failures: Object.fromEntries([...failures].toSorted(([, a], [, b]) => b - a)),
        hasEnded: ends.length > 0,
        ...(latency === undefined ? undefined : { latency }),
        ...(failureLatency === undefined ? undefined : { failureLatency }),
        ...(recovery === undefined ? undefined : { recovery })
      }
    }
  }
}
