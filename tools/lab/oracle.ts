/** The measure of a simulation: what an ideal client reaches. */
import type { Fault } from "@effect-lingua/testing/faults/Fault"
import type { ClosedLoad, Operation, Scenario } from "./scenarios.ts"
import { groupsOf, makeTerms, millis, operationsOf, pauseOf, type Terms, weathersOf } from "./terms.ts"

/** A call: when it began, and for how long its caller needs a result. */
export interface Call {
  readonly startedAt: number
  readonly patience: number
  readonly operation: Operation
}

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** Milliseconds of a step. */
const step = 100

/** The shares of requests that succeed, and that the service works on. */
const chances = ({ latency, rates }: Terms, { operation, patience }: Omit<Call, "startedAt">) => {
  const share = (fails: (fault: Fault) => boolean): number =>
    weathersOf(rates, operation).reduce(
      (product, { rates }) => product * (1 - sum(rates.filter(({ fault }) => fails(fault)).map(({ rate }) => rate))),
      1
    )
  const isLate = ({ delay }: Fault): boolean => delay !== undefined && millis(delay) + latency > patience
  return {
    useful: share((fault) => fault.delay === undefined || isLate(fault)),
    worked: share((fault) => "status" in fault || "reset" in fault)
  }
}

/** The requests that the limit admits at once after a rest. */
const bucketOf = ({ limit }: Terms): number => Math.max(1, limit)

/** The calls of workers that call again after a pause, in the same time for each operation. */
const ofWorkers = (scenario: Scenario, load: ClosedLoad): number => {
  const pause = pauseOf(load)
  const termsAt = makeTerms(scenario)
  const kinds = groupsOf(scenario).flatMap(({ count, patience }) =>
    operationsOf(scenario).map((operation, _, { length }) => ({
      operation,
      patience,
      workers: count * load.inFlight / length
    }))
  )
  // Those of the last calls end later.
  const first = termsAt(0)
  let total = (first.limit < first.capacity ? bucketOf(first) : 1) + sum(kinds.map(({ workers }) => workers))
  for (let now = 0; now < millis(scenario.duration); now += step) {
    const terms = termsAt(now)
    const loads = kinds.flatMap(({ workers, ...kind }) => {
      const { useful, worked } = chances(terms, kind)
      if (useful < 1e-6) return []
      // A request that the service does not work on fails after half of its time, and is sent again at once.
      const failures = (1 - worked) / 2 + worked - useful
      const rate = workers * 1000 / (terms.latency * (1 + failures / useful) + pause)
      return [{ rate, admits: rate / useful, works: rate * worked / useful }]
    })
    const served = Math.min(
      1,
      terms.capacity / sum(loads.map(({ works }) => works)),
      terms.limit / sum(loads.map(({ admits }) => admits))
    )
    total += served * sum(loads.map(({ rate }) => rate)) * step / 1000
  }
  return total
}

/** Waiting calls of one kind, the oldest first; those before `next` are served or too late. */
interface Waiting {
  readonly calls: Array<Call>
  next: number
}

/** The index of the oldest call that a request of the step before this time can serve in time. */
const indexInTime = (waiting: Waiting, { latency }: Terms, now: number): number => {
  const { calls } = waiting
  const inTime = ({ startedAt, patience }: Call, latency: number): boolean =>
    startedAt + patience >= Math.max(startedAt, now - step) + latency
  for (let call = calls[waiting.next]; call !== undefined && !inTime(call, 0);) call = calls[++waiting.next]
  // A call that is too late at this latency may be in time at a lower one.
  let at = waiting.next
  for (let call = calls[at]; call !== undefined && !inTime(call, latency);) call = calls[++at]
  return at
}

/**
 * The calls that an ideal client serves in time. It knows the service, sends no request that would wait there, and the most urgent first. What fails
 * by chance takes its share of the limit, and of the capacity if the service works on it.
 */
export const best = (scenario: Scenario, calls: ReadonlyArray<Call>): number => {
  if ("inFlight" in scenario.load) return ofWorkers(scenario, scenario.load)
  const termsAt = makeTerms(scenario)
  const kinds = [...Map.groupBy(calls, ({ operation, patience }) => `${operation} ${patience}`).values()]
    .map((calls): Waiting => ({ calls, next: 0 }))
  let total = 0
  let admitted = bucketOf(termsAt(0))
  let worked = 1
  const last = (calls.at(-1)?.startedAt ?? 0) + Math.max(...groupsOf(scenario).map(({ patience }) => patience))
  for (let now = 0; now <= last + step; now += step) {
    const terms = termsAt(now)
    const [admits, works] = [terms.limit * step / 1000, terms.capacity * step / 1000]
    // What is left of a step counts in the next one.
    admitted = Math.min(admitted, bucketOf(terms)) + admits
    worked = Math.min(worked, 1) + works
    while (admitted >= 1 && worked >= 1) {
      const ready = kinds.flatMap((kind) => {
        const at = indexInTime(kind, terms, now)
        const call = kind.calls[at]
        if (call === undefined || call.startedAt > now) return []
        const { useful, worked } = chances(terms, call)
        const until = call.startedAt + call.patience
        return useful < 1e-6 ? [] : [{ kind, at, until, admits: 1 / useful, works: worked / useful }]
      })
      const [urgent] = ready.toSorted((a, b) => a.until - b.until)
      if (urgent === undefined) break
      admitted -= urgent.admits
      worked -= urgent.works
      total++
      if (urgent.at === urgent.kind.next) urgent.kind.next++
      else urgent.kind.calls.splice(urgent.at, 1)
    }
  }
  return total
}
