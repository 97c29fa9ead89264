/** Runs clients of one kind against the simulated service, and counts useful calls. */
import * as Oracle from "./oracle.ts"
import type { Scenario } from "./scenarios.ts"
import * as Service from "./service.ts"
import * as World from "./world.ts"

/** A program's call; its caller gives up at `until`. */
export interface Call {
  readonly operation: number
  readonly startedAt: number
  readonly until: number
  readonly end: (isUseful: boolean) => void
}

export type Loop = ReturnType<typeof World.make>

/** The dependencies of a simulated client. `send` sends a request to the service. */
export interface Parts {
  readonly world: Loop
  readonly random: () => number
  readonly send: (operation: number, respond: Service.Respond) => void
  readonly policy: Scenario["policy"]
}

/** A kind of client. `make` creates a client, which ends each call once, at the latest when the caller gives up. */
export interface Kind {
  readonly name: string
  readonly make: (parts: Parts) => (call: Call) => void
}

/**
 * `share`: useful calls divided by the ideal client's useful calls. `recovery`: seconds from the disturbance's end until 95 % of the calls that begin
 * in the next ten seconds are useful. `later`: share of useful calls among the calls that begin at least 20 s after the disturbance's end, or among
 * all calls without a disturbance.
 */
export interface Report {
  readonly calls: number
  readonly useful: number
  readonly share: number
  readonly requestsPerCall: number
  readonly refused: number
  readonly recovery: number
  readonly later: number
}

const second = 1000
const settling = 20

/** Simulates a scenario, with the same calls for each kind of client, and counts calls and useful calls by the second in which the call begins. */
const play = (
  scenario: Scenario,
  seed: number,
  makeClient: (world: Loop, service: Service.Service, random: () => number) => (call: Call) => void,
  isShared: boolean
) => {
  const world = World.make(seed)
  const arrivals = World.randomOf(seed * 7919)
  const service = Service.make(scenario, world, World.randomOf(seed * 104_729 + 1))
  const random = World.randomOf(seed * 1_299_709 + 2)
  const bySecond = Array.from({ length: scenario.duration / second + 1 }, () => ({ calls: 0, useful: 0 }))
  let [open, sources] = [0, 0]

  const begin = (client: (call: Call) => void, patience: number, onEnd: () => void): void => {
    const startedAt = world.now()
    const count = bySecond[Math.floor(startedAt / second)]
    if (count === undefined) return
    count.calls++
    open++
    let isOpen = true
    client({
      operation: Math.floor(arrivals() * 4),
      startedAt,
      until: startedAt + patience,
      end: (isUseful) => {
        if (!isOpen) throw new Error(`${scenario.name}: a call ended twice`)
        isOpen = false
        open--
        if (isUseful) count.useful++
        onEnd()
      }
    })
  }

  const only = isShared ? makeClient(world, service, random) : undefined
  for (const { clients: count, patience, rate } of scenario.groups) {
    const clients = Array.from({ length: count }, () => only ?? makeClient(world, service, random))
    const { workers } = scenario
    if (workers !== undefined) {
      for (const client of clients) {
        const work = (): void => {
          if (world.now() >= scenario.duration) return void sources--
          begin(client, patience, () => world.at(world.now() + workers.pause, work))
        }
        for (let worker = 0; worker < workers.each; worker++) {
          sources++
          world.at(arrivals() * second, work)
        }
      }
      continue
    }
    const next = (): void => {
      const perMilli = rate * (service.termsAt(world.now()).surge ?? 1) / second
      world.at(world.now() - Math.log(1 - arrivals()) / perMilli, () => {
        if (world.now() >= scenario.duration) return void sources--
        const client = clients[Math.floor(arrivals() * count)]
        if (client !== undefined) begin(client, patience, () => undefined)
        next()
      })
    }
    sources++
    next()
  }
  world.run(() => open === 0 && sources === 0)
  if (open > 0) throw new Error(`${scenario.name}: ${open} calls did not end`)
  return bySecond
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** The ideal client's number of useful calls. */
export const ideal = (scenario: Scenario, seed: number): number =>
  sum(play(scenario, seed, Oracle.make(scenario), true).map(({ useful }) => useful))

/** Simulates a scenario. `best` is the ideal client's number of useful calls. */
export const run = (scenario: Scenario, kind: Kind, seed: number, best: number): Report => {
  let [requests, refused] = [0, 0]
  const bySecond = play(scenario, seed, (world, service, random) =>
    kind.make({
      world,
      random,
      policy: scenario.policy,
      send: (operation, respond) => {
        requests++
        service.arrive(operation, (answer) => {
          if ([429, 503].includes(answer.status)) refused++
          respond(answer)
        })
      }
    }), false)
  const shareOf = (start: number, end?: number): number => {
    const part = bySecond.slice(start, end)
    return sum(part.map(({ useful }) => useful)) / Math.max(1, sum(part.map(({ calls }) => calls)))
  }
  const [end, last] = [scenario.to / second, scenario.duration / second]
  let recovery = 0
  while (end + recovery + 10 <= last && shareOf(end + recovery, end + recovery + 10) < 0.95) recovery++
  const [calls, useful] = [sum(bySecond.map(({ calls }) => calls)), sum(bySecond.map(({ useful }) => useful))]
  return {
    calls,
    useful,
    share: useful / Math.max(1, best),
    requestsPerCall: requests / calls,
    refused: refused / Math.max(1, requests),
    recovery: end + recovery + 10 > last ? Number.POSITIVE_INFINITY : recovery,
    later: shareOf(end === 0 ? 0 : end + settling)
  }
}
