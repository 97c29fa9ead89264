import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Report from "@effect-lingua/testing/simulation/Report"
import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import * as VirtualTime from "@effect-lingua/testing/time/VirtualTime"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Schedule, Schema } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import { TestClock } from "effect/testing"
import { sampled, scaled } from "../../../../test/support/scale.ts"

const defaults = Simulation.client("defaults", ResiliencePolicy.defaults)
const none = Simulation.client("none", ResiliencePolicy.none)
const naive = Simulation.retrying("naive", {
  attemptTimeout: "30 seconds",
  schedule: Schedule.upTo(Schedule.spaced("1 second"), { times: 4 })
})

const patient = Simulation.retrying("patient", { attemptTimeout: "1 hour", schedule: Schedule.recurs(0) })

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

const share = ({ best, useful }: Report.Report): number => useful / best

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

/** The share of refused requests after one and a half minutes. */
const refusedOf = (report: Report.Report | undefined): number => {
  const late = report?.seconds.slice(90) ?? []
  const sum = (of: "attempts" | "refused") => late.reduce((sum, second) => sum + second[of], 0)
  return sum("refused") / sum("attempts")
}

const millis = (input: Duration.Input = 0) => Duration.toMillis(Duration.fromInputUnsafe(input))

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
          const { attempts, best, calls, failures, seconds, useful } = report
          assert.isAbove(calls, 0)
          assert.isAtMost(useful, 1.01 * best + 1, scenario.name)
          assert.strictEqual(calls, useful + sum(Object.values(failures)), scenario.name)
          assert.strictEqual(calls, sum(seconds.map(({ failed, useful }) => failed + useful)))
          if (client === none) assert.strictEqual(attempts, calls)
          if (client === naive) assert.isAtMost(attempts, 5 * calls)
          if (client === naive) assert.isAbove(attempts, calls)
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

  it.effect.each([["queue", 1000], ["sharing", 2000]] as const)(
    "takes %s for what exceeds the capacity, so that half of a burst of two seconds' work has its results after %d ms",
    ([waiting, expected]) =>
      Effect.gen(function*() {
        const { best, latency, useful } = yield* Simulation.run({
          client: none,
          scenario: {
            name: "burst",
            duration: "2 seconds",
            load: { rate: [{ from: 0, rate: 1000 }, { from: 20, rate: 0 }] },
            latency: 0,
            capacity: 10,
            waiting
          }
        })
        const all = useful / 10 * 1000
        assert.approximately((latency?.p50 ?? 0) / all, expected / 2000, 0.1)
        assert.strictEqual(useful, best)
      })
  )

  it.effect("refuses with the status and the hint of the scenario", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const watching: Simulation.Client = {
        name: "watching",
        make: Effect.map(HttpClient.HttpClient, (http) => ({
          call: () =>
            Effect.scoped(Effect.matchEffect(http.post("https://service.test/v2/translate"), {
              onFailure: () => Effect.fail({ _tag: "NoResponse" }),
              onSuccess: ({ headers, status }) => {
                seen.push(`${status} ${headers["retry-after"] ?? "-"}`)
                return status === 200 ? Effect.void : Effect.fail({ _tag: "Refused" })
              }
            }))
        }))
      }
      const statuses = Effect.fnUntraced(function*(fields: Partial<Scenario.Scenario>) {
        seen.length = 0
        const { refused } = yield* Simulation.run({
          client: watching,
          scenario: { name: "x", duration: "5 seconds", load: { rate: 20 }, ...fields }
        })
        return [...new Set(seen), refused > 0]
      })
      assert.deepStrictEqual(yield* statuses({ limit: 5 }), ["200 -", "429 1", true])
      const weather = { rate429: 1, retryAfter: "3 seconds" } as const
      assert.deepStrictEqual(yield* statuses({ phases: [{ from: 0, to: "1 hour", weather }] }), ["429 3", true])
      assert.deepStrictEqual(yield* statuses({ limit: 5, retryAfter: 0 }), ["200 -", "429 -", true])
      assert.deepStrictEqual(yield* statuses({ capacity: 5, longestQueue: 500 }), ["200 -", "503 -", false])
      assert.deepStrictEqual(yield* statuses({ capacity: 5, longestQueue: 500, overflow: 429 }), [
        "200 -",
        "429 -",
        true
      ])
    }))

  it.effect("has callers who need no result after a time, and works for them nevertheless", () =>
    Effect.gen(function*() {
      const scenario: Scenario.Scenario = {
        name: "patience",
        duration: "60 seconds",
        load: { rate: scaled(10, 20) },
        capacity: scaled(5, 10),
        longestQueue: "1 hour",
        clients: [{ count: 1, share: 1, patience: "5 seconds" }, { count: 9, share: 3, patience: "200 seconds" }]
      }
      for (const [client, failure, time] of [[none, "DeadlineExceeded", 5000], [patient, "Abandoned", 5001]] as const) {
        const report = yield* Simulation.run({ scenario, client })
        assert.strictEqual(report.failureLatency?.p50, time)
        // One client makes a quarter of the calls, of which those of the first ten seconds are in time.
        assert.approximately((report.failures[failure] ?? 0) / report.calls, 0.25 * 5 / 6, 0.05)
        assert.strictEqual(report.best, report.calls)
      }
    }))

  it.effect("counts by the second: percentiles by the nearest rank, means of clients, and the ten seconds with most requests", () =>
    Effect.gen(function*() {
      let calls = 0
      const counting: Simulation.Client = {
        name: "counting",
        make: Effect.map(HttpClient.HttpClient, (http) => ({
          health: Effect.succeed({ isOpen: false, concurrency: 4 }),
          // The first takes a millisecond, the second two. Those of the last ten seconds send two requests.
          call: () =>
            Effect.gen(function*() {
              const requests = (yield* Clock.currentTimeMillis) < 2000 ? 1 : 2
              yield* Effect.replicateEffect(http.post("https://service.test/v2/translate"), requests)
              yield* Effect.sleep(++calls)
            })
        }))
      }
      const report = yield* Simulation.run({
        client: counting,
        scenario: { name: "x", duration: "12 seconds", clients: 1, latency: 0, load: { inFlight: 1 } }
      })
      const rank = (percent: number) => Math.ceil(calls * percent / 100)
      assert.strictEqual(report.useful, calls)
      assert.deepStrictEqual(report.latency, { p50: rank(50), p95: rank(95), p99: rank(99) })
      assert.strictEqual(Math.max(...report.seconds.map(({ latency }) => latency?.p99 ?? 0)), calls)
      assert.strictEqual(report.peakAmplification, 2)
      assert.deepStrictEqual(
        report.seconds.slice(0, 12).map(({ concurrency, openBreakers }) => [concurrency, openBreakers]),
        Array.from({ length: 12 }, () => [4, 0])
      )
    }))

  it.effect("adds the wait of slow responses to the latency", () =>
    Effect.gen(function*() {
      const weather = { rateSlow: 1, slowBy: "2 seconds" } as const
      const scenario = { ...short, duration: "5 seconds", phases: [{ from: 0, to: "1 hour", weather }] } as const
      assert.strictEqual((yield* Simulation.run({ scenario, client: none })).latency?.p50, 2100)
    }))

  it("is reported in words and in a table", () => {
    const report: Report.Report = {
      scenario: "x",
      client: "a client",
      seed: "s",
      duration: 60,
      seconds: [],
      calls: 200,
      useful: 150,
      best: 160,
      attempts: 300,
      refused: 30,
      goodput: 2.5,
      amplification: 1.5,
      peakAmplification: 2.25,
      latency: { p50: 120, p95: 2000, p99: 12_000 },
      failureLatency: { p50: 5100, p95: 6000, p99: 6000 },
      failures: { RateLimited: 40, BadGateway: 10 },
      hasEnded: true,
      recovery: 4
    }
    assert.deepStrictEqual(Report.findings(report), [
      "With a client the service gets 1.5 requests for a call, and up to 2.3 over ten seconds.",
      "It refuses 10 % of them with 429 or 529.",
      "The calls recover 4 s after the service.",
      "75 % of 200 calls succeed, 93.8 % of what an ideal client reaches, half of them within 0.1 s and 99 % within 12 s.",
      "Most failures are RateLimited: 40. Half of the failures come within 5.1 s."
    ])
    const row = "a client|200|75 %|93.8 %|1.50|2.3|10 %|0.1 s|12 s|5.1 s|4 s"
    assert.strictEqual(Report.rows([report])[1]?.join("|"), row)
  })

  it("has scenarios as they are described", () => {
    const { brownout, burst, impatient, outage, throttle } = Scenario
    const [down, less] = [outage.phases?.[0], brownout.phases?.[0]]
    assert.deepStrictEqual([millis(down?.to) - millis(down?.from), down?.weather], [300_000, {
      rate503: 0.75,
      rateReset: 0.25
    }])
    assert.deepInclude(throttle, { clients: 10, limit: 20, load: { inFlight: 4, pause: "100 millis" } })
    assert.deepStrictEqual([millis(less?.to) - millis(less?.from), 3 * (less?.capacity ?? 0)], [
      180_000,
      brownout.capacity
    ])
    assert.deepStrictEqual(burst.load, {
      rate: [{ from: 0, rate: 15 }, { from: "90 seconds", rate: 6 * 15 }, { from: "2 minutes", rate: 15 }]
    })
    assert.deepStrictEqual(impatient.clients, [{ count: 50, patience: "15 seconds" }, { count: 50 }])
  })

  it.effect("admits the requests of a limit below one a second", () =>
    Effect.gen(function*() {
      const scenario = { ...short, duration: "20 seconds", limit: 0.5, phases: [] } as const
      const { best, useful } = yield* Simulation.run({ scenario, client: none })
      assert.approximately(useful, 10, 1)
      assert.isAtMost(useful, best)
    }))

  it.effect("lets time pass between the calls of workers, also where neither they nor the service take any", () =>
    Effect.gen(function*() {
      const scenario = {
        ...short,
        duration: "1 second",
        clients: 1,
        latency: 0,
        load: { inFlight: 1, pause: 0 }
      } as const
      const { best, calls, useful } = yield* Simulation.run({ scenario, client: none })
      assert.isAtMost(calls, 1001)
      assert.isAbove(calls, 0)
      assert.strictEqual(useful, calls)
      assert.isAtLeast(best, useful)
    }))

  it.effect.each<[what: string, given: Partial<Scenario.Scenario>]>([
    ["a capacity that is no whole number of calls in a step", { capacity: 15, load: { rate: 20 } }],
    ["a small capacity with faults", {
      capacity: 1,
      phases: [{ from: 0, to: "1 hour", weather: { rateMalformed: 0.6 } }]
    }],
    ["faults that take no capacity", {
      capacity: 5,
      phases: [{ from: 0, to: "1 hour", weather: { rate503: 0.5 } }]
    }],
    ["a latency that is too long for a time", {
      phases: [{ from: 0, to: "5 seconds", latency: "1 minute" }]
    }],
    ["callers who need their results at once", { patience: 100 }],
    ["workers whose requests fail before the service works on them", {
      patience: "1 minute",
      load: { inFlight: 2, pause: 300 },
      latency: 2000,
      phases: [{ from: 0, to: "1 hour", weather: { rate503: 0.6 } }]
    }]
  ])("no client reaches more than the ideal one: %s", ([, given]) =>
    Effect.gen(function*() {
      const zealous = Simulation.retrying("zealous", {
        attemptTimeout: "10 seconds",
        schedule: Schedule.upTo(Schedule.spaced("300 millis"), { times: 100 })
      })
      const scenario: Scenario.Scenario = {
        ...short,
        duration: scaled(7000, 10_000),
        patience: 6000,
        phases: [],
        ...given
      }
      for (const client of [none, defaults, zealous]) {
        const { best, useful } = yield* Simulation.run({ scenario, client })
        assert.isAtMost(useful, 1.01 * best + 1, client.name)
      }
    }))

  it.effect("fails one operation, and spares the others", () =>
    Effect.gen(function*() {
      const report = yield* Simulation.run({
        client: none,
        scenario: {
          ...Scenario.partial,
          duration: scaled(12_000, 30_000),
          phases: [{ from: 0, to: "1 hour", weather: { rate500: 1, operations: ["Writing.rephrase"] } }]
        }
      })
      assert.approximately(report.useful / report.calls, 0.5, 0.05)
      assert.strictEqual(report.useful, report.best)
    }))

  it.effect("is not driven into a longer outage by a service that queues, as a client is that only repeats", () =>
    Effect.gen(function*() {
      const scenario: Scenario.Scenario = {
        ...Scenario.queue,
        duration: scaled(180_000, 240_000),
        clients: scaled(10, 20),
        load: { rate: scaled(2.5, 5) },
        capacity: scaled(3, 6),
        phases: [{ from: "30 seconds", to: "2 minutes", capacity: scaled(1, 2) }]
      }
      const repeating = Simulation.retrying("repeating", {
        attemptTimeout: "10 seconds",
        schedule: Schedule.upTo(Schedule.jittered(Schedule.exponential("1 second")), { times: 4 })
      })
      assert.isAtLeast(share(yield* Simulation.run({ scenario, client: defaults })), 0.85)
      assert.isAtMost(share(yield* Simulation.run({ scenario, client: repeating })), 0.5)
    }))

  it.effect("measures by what an ideal client reaches", () =>
    Effect.gen(function*() {
      const half = { ...short, capacity: 5, patience: "1 second", phases: [] } as const
      const overloaded = yield* Simulation.run({ scenario: half, client: none })
      assert.approximately(overloaded.best, 5 * 60, 10)
      assert.match(Report.findings(overloaded).join(" "), / \d+(?:\.\d)? % of what an ideal client reaches[.,]/)
      const down = yield* Simulation.run({ scenario: { ...half, phases: short.phases ?? [] }, client: none })
      assert.approximately(down.best, 5 * 41, 10)
      const weather = { rate503: 0.5 }
      const faulty = { ...half, limit: 5, phases: [{ from: 0, to: "1 hour", weather }] } as const
      assert.approximately((yield* Simulation.run({ scenario: faulty, client: none })).best, 2.5 * 60, 10)
      const workers = yield* Simulation.run({
        scenario: { ...half, load: { inFlight: 1, pause: 900 } },
        client: defaults
      })
      assert.approximately(workers.best, 5 * 60, 15)
    }))

  it.effect("shows the outage, the breaker and the recovery", () =>
    Effect.gen(function*() {
      const scenario = { ...short, duration: scaled(65_000, 180_000) }
      const [withPolicy, without] = yield* Effect.all([
        Simulation.run({ scenario, client: defaults }),
        Simulation.run({ scenario, client: none })
      ])
      assert.strictEqual(without.recovery, 0)
      // Half of the latency of a result.
      assert.deepStrictEqual([without.latency?.p50, without.failureLatency?.p50], [100, 50])
      // What arrived just before the outage is answered in its first second.
      assert.strictEqual(sum(without.seconds.slice(21, 40).map(({ useful }) => useful)), 0)
      assert.strictEqual(sum(without.seconds.slice(0, 20).map(({ failed }) => failed)), 0)
      assert.isTrue(withPolicy.seconds.some(({ concurrency = 0 }) => concurrency > 2))
      assert.isAbove(withPolicy.peakAmplification, 1)
      assert.isTrue(withPolicy.hasEnded)
      assert.isAtMost(withPolicy.recovery ?? 60, 20)
      assert.strictEqual(Report.rows([withPolicy, without]).length, 3)
      assert.match(Report.findings(without).join(" "), /The calls have recovered when the service has/)
    }))

  it.effect("queues what exceeds the capacity, also when its client has given up", () =>
    Effect.gen(function*() {
      const scenario: Scenario.Scenario = {
        name: "overload",
        duration: "30 seconds",
        clients: 5,
        load: { rate: 20 },
        capacity: 10,
        longestQueue: "5 seconds",
        overflow: 503
      }
      const report = yield* Simulation.run({ scenario, client: none })
      assert.approximately(report.goodput, 10, 1)
      assert.approximately(report.latency?.p99 ?? 0, 5100, 200)
      assert.match(Report.findings(report)[0] ?? "", /^With none the service gets 1\.0 requests for a call,/)
      assert.match(Report.findings(report)[1] ?? "", /and 99 % within (?:4\.9|5\.\d) s\.$/)
      assert.isAbove(report.failures["ServiceUnavailable"] ?? 0, 50)
      assert.match(Report.findings({ ...report, calls: 1, useful: 1 })[1] ?? "", /^100 % of 1 calls succeed/)
    }))

  it.live("reaches nearly all of a limit that it does not know, with few refusals, however many clients share it", () =>
    Effect.gen(function*() {
      for (const clients of sampled([4, 1, 10, 100], 1)) {
        // A client with a request every two seconds learns for a minute.
        const from = clients === 100 ? 60 : scaled(20, 30)
        const seconds = from + scaled(10, 40)
        const scenario: Scenario.Scenario = {
          ...Scenario.throttle,
          duration: seconds * 1000,
          clients,
          load: { inFlight: scaled(60, 100) / clients, pause: 1 },
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

  it.effect("plays on the clock of the program, whatever it shows, over an HTTP client between clients and service", () =>
    Effect.gen(function*() {
      let requests = 0
      const connect = (service: HttpClient.HttpClient) =>
        Effect.succeed(HttpClient.mapRequest(service, (request) => {
          requests++
          return request
        }))
      const scenario = { ...short, ...cut }
      const start = Date.parse("2030-01-01")
      yield* TestClock.setTime(start)
      const live = yield* VirtualTime.run(Simulation.runLive({ scenario, client: defaults, seed: "a", connect }))
      assert.isAbove(yield* Clock.currentTimeMillis, start)
      assert.deepStrictEqual(live, yield* seeded("a"))
      assert.strictEqual(requests, live.attempts)
    }))

  it.effect("begins at zero between two milliseconds too", () =>
    Effect.gen(function*() {
      let began = -1n
      const connect = (service: HttpClient.HttpClient) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          began = now
          return service
        })
      yield* TestClock.setTime(1000.5)
      yield* VirtualTime.run(Simulation.runLive({ scenario: { ...short, ...cut }, client: none, connect }))
      assert.isBelow(Number(began), 1_000_000)
      assert.isAtLeast(Number(began), 0)
    }))

  it.effect(
    "clients that share a store learn a limit together that none sees enough of: one request in forty is refused",
    () =>
      Effect.gen(function*() {
        // A call of each in 15 s.
        const small = {
          ...Scenario.limit,
          duration: scaled(120_000, 480_000),
          clients: scaled(45, 75),
          load: { rate: scaled(3, 5) },
          limit: scaled(2.25, 3.75)
        } as const
        const [alone, together] = yield* Effect.forEach([false, true], (shared) =>
          Simulation.run({ scenario: { ...small, shared }, client: defaults }))
        assert.isAbove(refusedOf(alone), 0.1)
        assert.isBelow(refusedOf(together), 0.05)
        assert.isAbove((together?.useful ?? 0) / (together?.best ?? 1), 0.85)
      }),
    60_000
  )

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
      for (
        const [place, scenario] of [
          ["duration", { ...short, duration: 1e300 }],
          ["patience", { ...short, patience: "31 days" }],
          ["patience", { ...short, clients: [{ count: 1 }, { count: 1, patience: "31 days" }] }],
          ["clients", { ...short, clients: 1e9 }],
          ["clients", { ...short, clients: [{ count: 99_999 }, { count: 2 }] }],
          ["load.inFlight", { ...short, load: { inFlight: 1e9 } }],
          ["load.rate", { ...short, load: { rate: 1e300 } }],
          ["load.rate", { ...short, load: { rate: [{ from: 0, rate: 1 }, { from: 1, rate: 1e8 }] } }]
        ] as const
      ) assert.match(yield* problem(scenario), new RegExp(`^InvalidScenario: ${place}: must .* or less`))
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
