/** The measure of a simulation: what an ideal client reaches. */
import type { Scenario } from "../Scenario.ts"
import { groupsOf, makeTerms, millis, type Operation, operationsOf, type Terms, weathersOf } from "./terms.ts"

/** A call: when it began, and for how long its caller needs a result. */
export interface Call {
  readonly startedAt: number
  readonly patience: number
  readonly operation: Operation
}

type ClosedLoad = Extract<Scenario["load"], { readonly inFlight: number }>

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** Milliseconds of a step. */
const step = 100

/** The share of requests that succeed. */
const chance = ({ latency, rates }: Terms, { operation, patience }: Omit<Call, "startedAt">): number =>
  weathersOf(rates, operation).reduce(
    (product, { rates }) =>
      product * (1 - rates.reduce((sum, { fault, rate }) => {
        const isLate = fault.delay !== undefined && millis(fault.delay) + latency > patience
        return fault.delay === undefined || isLate ? sum + rate : sum
      }, 0)),
    1
  )

/** The requests that the service takes at once after a rest. */
const bankOf = ({ capacity, limit }: Terms): number => limit < capacity ? Math.max(1, limit) : 1

/** The calls of workers that call again after a pause, in the same time for each operation. */
const ofWorkers = (scenario: Scenario, { inFlight, pause = 1 }: ClosedLoad): number => {
  const termsAt = makeTerms(scenario)
  const kinds = groupsOf(scenario).flatMap(({ count, patience }) =>
    operationsOf(scenario).map((operation, _, { length }) => ({
      operation,
      patience,
      workers: count * inFlight / length
    }))
  )
  // Those of the last calls end later.
  let total = bankOf(termsAt(0)) + sum(kinds.map(({ workers }) => workers))
  for (let now = 0; now < millis(scenario.duration); now += step) {
    const terms = termsAt(now)
    const demand = sum(kinds.map(({ workers }) => workers * 1000 / (terms.latency + millis(pause))))
    const served = Math.min(1, terms.capacity / demand, terms.limit / demand)
    total += served *
      sum(kinds.map((kind) => chance(terms, kind) * kind.workers * step / (terms.latency + millis(pause))))
  }
  return total
}

/**
 * The calls that an ideal client serves in time. It knows the service, sends no request that would wait there, and the most urgent first. What fails
 * by chance takes its share of the capacity.
 */
export const best = (scenario: Scenario, calls: ReadonlyArray<Call>): number => {
  if ("inFlight" in scenario.load) return ofWorkers(scenario, scenario.load)
  const termsAt = makeTerms(scenario)
  /** Calls of one kind, the oldest first. */
  const kinds = Map.groupBy(calls, ({ operation, patience }) => `${operation} ${patience}`)
  const waiting = [...kinds.values()].map((calls) => ({ calls, next: 0 }))
  let total = 0
  let credit = bankOf(termsAt(0))
  const last = (calls.at(-1)?.startedAt ?? 0) + Math.max(...groupsOf(scenario).map(({ patience }) => patience))
  for (let now = 0; now <= last; now += step) {
    const terms = termsAt(now)
    const work = Math.min(terms.capacity, terms.limit) * step / 1000
    credit = Math.min(credit + work, Math.max(work, bankOf(terms)))
    for (;;) {
      const ready = waiting.flatMap((kind) => {
        for (let call = kind.calls[kind.next]; call !== undefined; call = kind.calls[++kind.next]) {
          if (call.startedAt + call.patience >= now + terms.latency) break
        }
        const call = kind.calls[kind.next]
        if (call === undefined || call.startedAt > now) return []
        const share = chance(terms, call)
        return share < 1e-6 ? [] : [{ kind, cost: 1 / share, until: call.startedAt + call.patience }]
      })
      const [urgent] = ready.toSorted((a, b) => a.until - b.until)
      if (urgent === undefined || urgent.cost > credit) break
      credit -= urgent.cost
      urgent.kind.next++
      total++
    }
  }
  return total
}
