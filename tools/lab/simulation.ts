/** Runs clients of one kind against the simulated service, and counts. */
import * as Oracle from "./oracle.ts"
import type { Scenario } from "./scenarios.ts"
import * as Service from "./service.ts"
import * as World from "./world.ts"

/** A call of a program; `until` is the time at which its caller leaves. */
export interface Call {
  readonly operation: number
  readonly startedAt: number
  readonly until: number
  readonly end: (isUseful: boolean) => void
}

export type Loop = ReturnType<typeof World.make>

/** What a client is made of. `send` sends a request. */
export interface Parts {
  readonly world: Loop
  readonly random: () => number
  readonly send: (operation: number, respond: Service.Respond) => void
  readonly policy: Scenario["policy"]
}

/** A kind of client. `make` makes one, which ends each call once, at the latest when its caller leaves. */
export interface Kind {
  readonly name: string
  readonly make: (parts: Parts) => (call: Call) => void
}

/** `best`: useful calls of an ideal client. `later`: the share of useful calls among those that begin 20 s after the disturbance. */
export interface Report {
  readonly calls: number
  readonly useful: number
  readonly best: number
  readonly share: number
  readonly requests: number
  readonly refused: number
  readonly recovery: number | undefined
  readonly later: number
  readonly p50: number
  readonly p99: number
  readonly failedAfter: number
}

const second = 1000
const settling = 20

/** Plays the calls of a scenario, which are the same for each kind of client, and returns the calls by the second in which they begin. */
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
  const waits: Array<number> = []
  const failures: Array<number> = []
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
        ;(isUseful ? waits : failures).push(world.now() - startedAt)
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
  return { bySecond, waits, failures }
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

const quantile = (numbers: ReadonlyArray<number>, share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? 0

export const run = (scenario: Scenario, kind: Kind, seed: number): Report => {
  let [requests, refused] = [0, 0]
  const ideal = play(scenario, seed, Oracle.make(scenario), true)
  const { bySecond, failures, waits } = play(
    scenario,
    seed,
    (world, service, random) =>
      kind.make({
        world,
        random,
        policy: scenario.policy,
        send: (operation, respond) => {
          requests++
          service.arrive(operation, (answer) => {
            if ([429, 503, 529].includes(answer.status)) refused++
            respond(answer)
          })
        }
      }),
    false
  )
  const shareFrom = (start: number, end?: number): number => {
    const part = bySecond.slice(start, end)
    return sum(part.map(({ useful }) => useful)) / Math.max(1, sum(part.map(({ calls }) => calls)))
  }
  const [end, last] = [scenario.to / second, scenario.duration / second]
  let recovery: number | undefined = 0
  if (end > 0) {
    while (end + recovery + 10 <= last && shareFrom(end + recovery, end + recovery + 10) < 0.95) recovery++
    if (end + recovery + 10 > last) recovery = undefined
  }
  const best = ideal.waits.length
  return {
    calls: waits.length + failures.length,
    useful: waits.length,
    best,
    share: waits.length / Math.max(1, best),
    requests,
    refused,
    recovery,
    later: shareFrom(end === 0 ? 0 : end + settling),
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    failedAfter: quantile(failures, 0.5)
  }
}
