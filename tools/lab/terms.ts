/** The terms of a scenario at a time. */
import * as Duration from "effect/Duration"
import * as Rates from "../../packages/testing/src/faults/internal/rates.ts"
import type { ClosedLoad, Group, Operation, Scenario } from "./scenarios.ts"

export const millis = (input: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(input))

export interface Terms {
  readonly latency: number
  readonly capacity: number
  readonly limit: number
  readonly rates: ReadonlyArray<Rates.Compiled>
}

/** The conditions at a time. */
export const makeTerms = ({ capacity, latency = 100, limit, phases = [] }: Scenario): (now: number) => Terms => {
  const usual: Terms = {
    latency: millis(latency),
    capacity: capacity ?? Number.POSITIVE_INFINITY,
    limit: limit ?? Number.POSITIVE_INFINITY,
    rates: []
  }
  const parts = phases.map((phase) => ({
    from: millis(phase.from),
    to: millis(phase.to),
    terms: {
      latency: phase.latency === undefined ? usual.latency : millis(phase.latency),
      capacity: phase.capacity ?? usual.capacity,
      limit: phase.limit ?? usual.limit,
      rates: phase.weather === undefined ? usual.rates : Rates.compile(phase.weather)
    }
  })).toReversed()
  return (now) => parts.find(({ from, to }) => from <= now && now < to)?.terms ?? usual
}

/** The weathers of an operation. */
export const weathersOf = (rates: Terms["rates"], operation: Operation): Terms["rates"] =>
  rates.filter(({ operations }) => operations === undefined || operations.includes(operation))

/** The groups of clients of a scenario. */
export const groupsOf = ({ clients = 100, patience: usual = "100 seconds" }: Scenario) => {
  const groups: ReadonlyArray<Group> = typeof clients === "number" ? [{ count: clients }] : clients
  return groups.map(({ count, patience = usual, share = count }) => ({ count, share, patience: millis(patience) }))
}

/** The operations that the calls of a scenario take in turns. */
export const operationsOf = ({ operations = ["Translation.translate"] }: Scenario): ReadonlyArray<Operation> =>
  operations

/** The pause of a worker between its calls: time has to pass, also where a call takes none. */
export const pauseOf = ({ pause = 1 }: ClosedLoad): number => Math.max(1, millis(pause))
