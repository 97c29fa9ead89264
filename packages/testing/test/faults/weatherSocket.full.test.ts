// The client over real sockets: connections that break, stall and lie, and what is left of them afterwards.
import { Languages, ResiliencePolicy } from "@effect-lingua/core"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService, NodeFakeLanguageService, type Weather } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Random, Redacted, Schedule } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { eventually } from "../../../../test/support/eventually.ts"
import { scaled } from "../../../../test/support/scale.ts"
import { httpServer } from "../../../node/test/support/httpServer.ts"
import { listen, upstreamOf } from "../../../node/test/support/listen.ts"
import * as ManyCalls from "../support/manyCalls.ts"

const { millis, seconds } = Duration
const connections = 16

/** The policy with waits that a test can bear. */
const policy: ResiliencePolicy.ResiliencePolicy = {
  ...ResiliencePolicy.defaults,
  backoffBase: millis(2),
  throttleBase: millis(2),
  backoffCap: millis(20),
  attemptTimeout: millis(500),
  bodyIdleTimeout: millis(250),
  deadline: seconds(8),
  jobDeadline: seconds(8),
  pollBase: millis(5),
  pollCap: millis(20),
  concurrency: 12,
  openStreams: connections - 12
}

/** The defaults, so many times as quick: concurrency, attempts and the order of all times are theirs. */
const quicker = (times: number): ResiliencePolicy.ResiliencePolicy =>
  Object.assign(
    { ...ResiliencePolicy.defaults },
    ...Object.entries(ResiliencePolicy.defaults).map(([name, value]) =>
      Duration.isDuration(value) ? { [name]: millis(Duration.toMillis(value) / times) } : {}
    )
  )

const client = (baseUrl: string, resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  NodeLanguageService.layer({
    key: Redacted.make("fake-key"),
    baseUrl,
    journal: "memory",
    resilience: { ...policy, ...resilience },
    pool: { connections }
  })

const port = (url: string) => Number(new URL(url).port)

const resources = Languages.use((languages) => languages.resources)

/**
 * What the wire does to one request and its answer, beside what the fake can do to its answers by itself.
 *
 * - `cut`: the connection is reset and the server never sees the request.
 * - `truncate`: the answer ends within its headers.
 * - `stall`: the answer stops within its headers, and the connection stays open.
 * - `garble`: what comes is no HTTP.
 */
type Harm = "cut" | "truncate" | "stall" | "garble"

/** So many bytes are the status line and a part of the headers. */
const withinHeaders = 60

const isRequest = /^(GET|POST|PUT|PATCH|DELETE) /

/** A wire to a port of this machine that does what a fake server cannot, for as long as its scope. `next` returns the harm to the next request. */
const badWire = (port: number, next: () => Harm | undefined) =>
  listen((client) => {
    const service = upstreamOf(client, port).on("close", () => client.destroy())
    let harm: Harm | undefined
    let answered = false
    client.on("data", (data) => {
      if (isRequest.test(data.subarray(0, 8).toString("latin1"))) {
        harm = next()
        answered = false
      }
      if (harm === "cut") client.resetAndDestroy()
      else service.write(data)
    })
    service.on("data", (data) => {
      const first = !answered
      answered = true
      if (harm === undefined) client.write(data)
      else if (first && harm === "truncate") client.end(data.subarray(0, withinHeaders))
      else if (first && harm === "stall") client.write(data.subarray(0, withinHeaders))
      else if (first && harm === "garble") client.end("HTTP/9.9 what?\r\n\r\n")
    })
  })

/** What the wire does, by shares of requests. */
const harms: ReadonlyArray<readonly [harm: Harm, share: number]> = [
  ["cut", 0.06],
  ["truncate", 0.03],
  ["stall", 0.005],
  ["garble", 0.04]
]

/** What the fake does. */
const weather: Weather.Weather = {
  rate429: 0.04,
  rate503: 0.02,
  rate500: 0.02,
  rateReset: 0.1,
  rateTruncated: 0.03,
  rateStalled: 0.01,
  rateMalformed: 0.01,
  rateWrongLength: 0.01,
  afterEffect: 0.5
}

/** Calls in bad weather, by a policy and over a pool of connections, and what is left of it all. */
const stormy = (calls: number, policy: ResiliencePolicy.ResiliencePolicy, pool?: number) =>
  Effect.gen(function*() {
    const fake = yield* FakeLanguageService
    const random = yield* Random.Random
    let calm = true
    const wire = yield* badWire(port(fake.url), () => {
      if (calm) return undefined
      let chance = random.nextDoubleUnsafe()
      return harms.find(([, share]) => (chance -= share) < 0)?.[0]
    })
    const layer = NodeLanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl: wire.url,
      journal: "memory",
      resilience: policy,
      pool: pool === undefined ? {} : { connections: pool }
    })
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const delay = monitorEventLoopDelay()
        delay.enable()
        return delay
      }),
      (delay) => Effect.sync(() => delay.disable())
    )
    yield* Effect.gen(function*() {
      const run = yield* ManyCalls.make({
        calls,
        deadline: policy.deadline,
        jobDeadline: policy.jobDeadline,
        // A deadline, and what it ends, come as late as the event loop is busy.
        slack: () => 1000 + 2 * delay.max / 1e6,
        readyWithin: millis(100),
        pause: millis(5),
        lateEffects: true
      })
      yield* run.prepare
      calm = false
      yield* fake.weather(weather)
      yield* run.work
      calm = true
      yield* fake.weather({})
      // On a busy machine the last calls of the storm may have opened the circuit, for longer than a call has time.
      yield* Effect.retry(resources, {
        while: ({ _tag }) => _tag === "DeadlineExceeded",
        schedule: Schedule.spaced(50),
        times: 1000
      })
      yield* run.verify
      if (pool !== undefined) {
        // A connection that the client has closed may still be there for the server when the next one comes.
        assert.isAtMost(wire.most(), 2 * pool)
        yield* eventually("the pool has no more sockets than it may", () => wire.open() <= pool)
      }
    }).pipe(Effect.provide(layer))
    yield* eventually("no socket is left", () => wire.open() === 0)
  }).pipe(
    Effect.scoped,
    Effect.provide(NodeFakeLanguageService.layer({ seed: "sockets", readyAfter: "50 millis" })),
    Random.withSeed("a windy day")
  )

describe("weather over sockets", () => {
  it.live(
    "calls with cut, stalled, truncated and malformed answers: nothing twice, nothing lost in silence, all in time",
    () => stormy(scaled(100, 1000), policy, connections)
  )

  it.live(
    "calls with the default policy, its times scaled down: nothing twice, nothing lost in silence, all in time",
    () => stormy(scaled(40, 200), quicker(5))
  )

  const json = { "content-type": "application/json" }

  it.live("repeated calls leave no more sockets open than the pool allows", () =>
    Effect.gen(function*() {
      let requests = 0
      const { open, url } = yield* httpServer((_, response) => {
        // Bodies of refusals are read or given up too: one in four is larger than what is kept.
        // No rhythm, because calls that fell into step with one would meet every refusal.
        if (Math.imul(requests++, 2654435761) < 0) {
          response.writeHead(503, json).end("x".repeat(requests % 8 === 1 ? 100_000 : 200))
        } else response.writeHead(200, json).end("[]")
      })
      let most = 0
      const calls = Array.from({ length: scaled(150, 2000) })
      yield* Effect.forEach(
        calls,
        () => Effect.andThen(resources, Effect.sync(() => (most = Math.max(most, open())))),
        { concurrency: 64, discard: true }
      ).pipe(
        Effect.andThen(eventually("the pool has no more sockets than it may", () => open() <= connections)),
        Effect.provide(
          client(url, {
            attempts: 1000,
            attemptTimeout: seconds(30),
            deadline: Duration.minutes(5),
            backoffBase: millis(1),
            throttleBase: millis(1),
            backoffCap: millis(1),
            maxBodyBytes: 200_000
          })
        )
      )
      assert.isAtLeast(requests, 1.9 * calls.length)
      // A socket that the client has closed counts until the server hears of it.
      assert.isAtMost(most, 2 * connections)
      yield* eventually("no socket is left", () => open() === 0)
    }).pipe(Effect.scoped))
})
