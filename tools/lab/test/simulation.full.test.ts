import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { sum } from "../oracle.ts"
import * as Scenario from "../scenarios.ts"
import * as Simulation from "../simulation.ts"

const defaults = Simulation.client("defaults", ResiliencePolicy.defaults)
const none = Simulation.client("none", ResiliencePolicy.none)
const repeating = Simulation.retrying("repeating", {
  attemptTimeout: "10 seconds",
  schedule: Schedule.upTo(Schedule.jittered(Schedule.exponential("1 second")), { times: 4 })
})

/** Little time for each scenario, with its phases. */
const cut = {
  duration: 40_000,
  phases: [{ from: 5000, to: 15_000, weather: { rate503: 0.5, rateReset: 0.2 } }],
  clients: 5
} as const

describe("Simulation", () => {
  it.live("has an end for each call, no client better than the ideal one, and the same report for the same seed", () =>
    Effect.gen(function*() {
      for (const given of Scenario.all) {
        const scenario = { ...given, ...cut }
        for (const client of [defaults, none, repeating]) {
          const report = yield* Simulation.run({ scenario, client })
          const { attempts, best, calls, seconds, useful } = report
          assert.isAbove(useful, 0, scenario.name)
          assert.isAtMost(useful, 1.01 * best + 1, scenario.name)
          assert.strictEqual(calls, sum(seconds.map(({ failed, useful }) => failed + useful)), scenario.name)
          if (client === none) assert.strictEqual(attempts, calls, scenario.name)
          if (client === repeating) assert.isAbove(attempts, calls, scenario.name)
          if (client === none) assert.deepStrictEqual(yield* Simulation.run({ scenario, client }), report)
        }
      }
    }))

  it.effect("is not driven into a longer outage by a service that queues, as a client is that only repeats", () =>
    Effect.gen(function*() {
      const scenario: Scenario.Scenario = {
        ...Scenario.queue,
        duration: 240_000,
        clients: 20,
        load: { rate: 5 },
        capacity: 6,
        phases: [{ from: "30 seconds", to: "2 minutes", capacity: 2 }]
      }
      const share = (client: Simulation.Client) =>
        Effect.map(Simulation.run({ scenario, client }), ({ best, useful }) => useful / best)
      assert.isAtLeast(yield* share(defaults), 0.85)
      assert.isAtMost(yield* share(repeating), 0.5)
    }))

  it.live("reaches nearly all of a limit that it does not know, with few refusals, however many clients share it", () =>
    Effect.gen(function*() {
      for (const clients of [4, 1, 10, 100]) {
        // A client with a request every two seconds learns for a minute.
        const from = clients === 100 ? 60 : 30
        const seconds = from + 40
        const scenario: Scenario.Scenario = {
          ...Scenario.throttle,
          duration: seconds * 1000,
          clients,
          load: { inFlight: 100 / clients, pause: 1 },
          limit: 50,
          latency: 20
        }
        const report = yield* Simulation.run({ scenario, client: defaults })
        const later = report.seconds.slice(from, seconds)
        const attempts = sum(later.map((second) => second.attempts))
        const refused = sum(later.map((second) => second.refused))
        assert.isAtLeast((attempts - refused) / later.length / 50, 0.95, `${clients} clients`)
        assert.isAtMost(refused / attempts, clients === 100 ? 0.1 : 0.05, `${clients} clients`)
      }
    }))
})
