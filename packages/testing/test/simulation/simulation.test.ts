import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Report from "@effect-lingua/testing/simulation/Report"
import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule, Schema } from "effect"
import { sampled, scaled } from "../../../../test/support/scale.ts"

const defaults = Simulation.client("defaults", ResiliencePolicy.defaults)
const none = Simulation.client("none", ResiliencePolicy.none)
const naive = Simulation.retrying("naive", {
  attemptTimeout: "30 seconds",
  schedule: Schedule.upTo(Schedule.spaced("1 second"), { times: 4 })
})

const short: Scenario.Scenario = {
  ...Scenario.outage,
  duration: "1 minute",
  clients: 10,
  load: { rate: 10 },
  phases: [{ from: "20 seconds", to: "40 seconds", weather: { rate503: 1 } }]
}

/** Little time for each scenario, with its phases. */
const cut = {
  duration: scaled(10_000, 40_000),
  phases: [{ from: scaled(2000, 5000), to: scaled(6000, 15_000), weather: { rate503: 0.5, rateReset: 0.2 } }]
} as const

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Scenario.Scenario))

const seeded = (seed: string) => Simulation.run({ scenario: { ...short, ...cut }, client: defaults, seed })

const problem = (scenario: Scenario.Scenario) =>
  Effect.map(
    Effect.flip(Simulation.run({ scenario, client: none })),
    ({ _tag, message }) => `${_tag}: ${message}`
  )

const spoiledBy = (rate: string, operation: "Translation.translate" | "Writing.correct"): Scenario.Scenario => ({
  ...short,
  duration: "5 seconds",
  phases: [{ from: 0, to: "1 hour", weather: { [rate]: 1, operations: [operation] } }]
})

describe("Simulation", () => {
  it.effect("has the same report for the same seed, and another for another", () =>
    Effect.gen(function*() {
      const [first, second, other] = yield* Effect.all([seeded("a"), seeded("a"), seeded("b")])
      assert.deepStrictEqual(first, second)
      assert.notDeepEqual(first.seconds, other.seconds)
    }))

  it.live("has an end for each call, and an attempt for each request", () =>
    Effect.gen(function*() {
      for (const scenario of sampled(Scenario.all, 3)) {
        for (const client of [defaults, none, naive]) {
          const report = yield* Simulation.run({ scenario: { ...scenario, ...cut, clients: scaled(2, 5) }, client })
          const { attempts, calls, failures, seconds, useful } = report
          assert.isAbove(calls, 0)
          assert.strictEqual(calls, useful + sum(Object.values(failures)), scenario.name)
          assert.strictEqual(calls, sum(seconds.map(({ failed, useful }) => failed + useful)))
          if (client === none) assert.strictEqual(attempts, calls)
          if (client === naive) assert.isAtMost(attempts, 5 * calls)
          if (client !== defaults) assert.isFalse(seconds.some(({ openBreakers = 0 }) => openBreakers > 0))
          assert.isTrue(seconds.every(({ openBreakers = 0 }) => openBreakers <= 1))
        }
      }
    }))

  it.effect.each(["rateStalled", "rateTruncated", "rateMalformed", "rateWrongLength"] as const)(
    "counts no response as useful that %s spoils, and spares other operations",
    (rate) =>
      Effect.gen(function*() {
        for (const client of [none, naive]) {
          const spoiled = yield* Simulation.run({ scenario: spoiledBy(rate, "Translation.translate"), client })
          assert.strictEqual(spoiled.useful, 0)
          const spared = yield* Simulation.run({ scenario: spoiledBy(rate, "Writing.correct"), client })
          assert.strictEqual(spared.useful, spared.calls)
        }
      })
  )

  it.effect("drains a backlog at the capacity of the moment, not of the arrival", () =>
    Effect.gen(function*() {
      // Ten seconds with 10 requests too many each, and then a service that is ten times as fast.
      const { seconds } = yield* Simulation.run({
        client: none,
        scenario: {
          ...short,
          duration: "20 seconds",
          load: { rate: [{ from: 0, rate: 20 }, { from: "10 seconds", rate: 0 }] },
          capacity: 10,
          longestQueue: "1 minute",
          phases: [{ from: "10 seconds", to: "1 hour", capacity: 100 }]
        }
      })
      assert.isAtMost(sum(seconds.slice(0, 10).map(({ useful }) => useful)), 110)
      const late = sum(seconds.slice(12).map(({ useful }) => useful))
      assert.strictEqual(late, 0)
    }))

  it.effect("shows the outage, the breaker and the recovery", () =>
    Effect.gen(function*() {
      const scenario = { ...short, duration: scaled(80_000, 180_000) }
      const [withPolicy, without] = yield* Effect.all([
        Simulation.run({ scenario, client: defaults }),
        Simulation.run({ scenario, client: none })
      ])
      assert.strictEqual(without.recovery, 0)
      // What arrived just before the outage is answered in its first second.
      assert.strictEqual(sum(without.seconds.slice(21, 40).map(({ useful }) => useful)), 0)
      assert.strictEqual(sum(without.seconds.slice(0, 20).map(({ failed }) => failed)), 0)
      assert.isTrue(withPolicy.seconds.some(({ concurrency = 0 }) => concurrency > 2))
      assert.isAbove(withPolicy.peakAmplification, 1)
      assert.isTrue(withPolicy.hasEnded)
      assert.isAtMost(withPolicy.recovery ?? 60, 20)
      assert.strictEqual(Report.rows([withPolicy, without]).length, 3)
      assert.match(Report.findings(without).join(" "), /It has recovered when the service has/)
    }))

  it.effect("queues what exceeds the capacity, also when its client has given up", () =>
    Effect.gen(function*() {
      const scenario: Scenario.Scenario = {
        name: "overload",
        duration: "30 seconds",
        clients: 5,
        load: { rate: 20 },
        capacity: 10,
        longestQueue: "5 seconds"
      }
      const report = yield* Simulation.run({ scenario, client: none })
      assert.approximately(report.goodput, 10, 1)
      assert.approximately(report.latency?.p99 ?? 0, 5100, 200)
      assert.match(Report.findings(report)[0] ?? "", /and 99 % within (?:4\.9|5\.\d) s\.$/)
      assert.isAbove(report.failures["ServiceUnavailable"] ?? 0, 50)
      assert.match(Report.findings({ ...report, calls: 1, useful: 1 })[0] ?? "", /^With none, 100 % of 1 calls succeed/)
    }))

  it.live("reaches nearly all of a limit that it does not know, with few refusals, however many clients share it", () =>
    Effect.gen(function*() {
      for (const clients of sampled([4, 1, 10, 100], 1)) {
        // A client with a request every two seconds learns for a minute.
        const from = clients === 100 ? 60 : 30
        const seconds = from + scaled(20, 40)
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
        assert.isAtMost(refused / attempts, 0.05, `${clients} clients`)
      }
    }))

  it.live("ends when it is interrupted", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        Simulation.run({ scenario: { ...Scenario.outage, duration: "10 days" }, client: defaults })
      )
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    }))

  it.effect("refuses scenarios and policies that cannot be played, and says why", () =>
    Effect.gen(function*() {
      assert.include(yield* problem({ ...short, clients: 0 }), "InvalidScenario: clients")
      assert.include(yield* problem({ ...short, duration: 10 }), "duration: must be a second or more")
      assert.include(
        yield* problem({ ...short, phases: [{ from: 2000, to: 1000 }] }),
        "phases[0]: from must be before to"
      )
      const error = yield* Effect.flip(
        Simulation.run({
          scenario: short,
          client: Simulation.client("wrong", { ...ResiliencePolicy.defaults, attempts: 0 })
        })
      )
      assert.strictEqual(error._tag, "InvalidConfiguration")
      assert.include(String(yield* Effect.flip(decode(`{"name":"x","duration":"1 minute","lod":{}}`))), "load")
    }))
})
