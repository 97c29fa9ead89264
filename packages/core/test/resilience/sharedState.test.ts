import { ClientState } from "@effect-lingua/core/client/ClientState"
import { Override } from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as SharedState from "@effect-lingua/core/resilience/SharedState"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Data, Duration, Effect, Layer, Logger, Random, Schema } from "effect"
import { CircuitBreaker, RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import * as Metrics from "../support/metrics.ts"
import * as Sample from "../support/operations.ts"
import { errorOverTime, overTime, valueOverTime, within } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const read = Languages.use((languages) => languages.resources())
const download = Documents.use((documents) => documents.download(Sample.document))
const success = Wire.answer(200, [])

class Refused extends Data.TaggedError("Refused")<{}> {}

type Mode = "up" | "down" | "dying" | "interrupted" | "slow" | "hanging" | "distant"

const ratesDown = new RateLimiter.RateLimiterError({
  reason: new RateLimiter.RateLimitStoreError({ message: "no connection" })
})
const circuitsDown = new CircuitBreaker.CircuitBreakerError({
  reason: new CircuitBreaker.CircuitBreakerStoreError({ message: "no connection" })
})

/** Stores in memory that can fail, be slow or be unreachable. */
const scripted = (mode: Mode = "up") => {
  const state = {
    mode,
    /** How often the rates were lost. */
    flushes: 0,
    refusesCircuits: false,
    reachable: true,
    asked: 0,
    askedOfCircuits: 0,
    opened: 0,
    closed: 0
  }
  const ask = <A, E, R>(answer: Effect.Effect<A, E, R>, down: E): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      state.asked++
      if (down === circuitsDown) state.askedOfCircuits++
      if (state.refusesCircuits && down === circuitsDown) return Effect.fail(down)
      switch (state.mode) {
        case "up":
          return answer
        case "down":
          return Effect.fail(down)
        case "dying":
          return Effect.die(new Error("a bug of the store"))
        case "interrupted":
          return Effect.interrupt
        case "slow":
          return Effect.delay(answer, "1 second")
        case "hanging":
          return Effect.never
        case "distant":
          return Effect.delay(answer, 100).pipe(Effect.tap(Effect.sleep(100)))
      }
    })
  const layer = Layer.effectContext(Effect.gen(function*() {
    state.opened++
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        state.closed++
      })
    )
    if (!state.reachable) return yield* new Refused()
    const rates = yield* RateLimiter.RateLimiterStore
    const circuits = yield* CircuitBreaker.CircuitBreakerStore
    return Context.make(RateLimiter.RateLimiterStore, {
      fixedWindow: (options) => ask(rates.fixedWindow(options), ratesDown),
      tokenBucket: (options) =>
        ask(rates.tokenBucket({ ...options, key: `${state.flushes} ${options.key}` }), ratesDown),
      adaptiveConsume: rates.adaptiveConsume,
      adaptiveFeedback: rates.adaptiveFeedback
    }).pipe(Context.add(CircuitBreaker.CircuitBreakerStore, {
      admit: (key) => ask(circuits.admit(key), circuitsDown),
      record: (options) => ask(circuits.record(options), circuitsDown),
      state: (key) => ask(circuits.state(key), circuitsDown)
    }))
  })).pipe(Layer.provide([RateLimiter.layerStoreMemory, CircuitBreaker.layerStoreMemory()]))
  return { state, layer }
}

type Scripted = ReturnType<typeof scripted>

/** Each call takes its turn from the store, which has one in each millisecond. */
const once = { resilience: { attempts: 1, rate: { requests: 1000, window: Duration.seconds(1) } } }
const twoASecond = { resilience: { attempts: 1, rate: { requests: 2, window: Duration.seconds(1) } } }
const failing = { resilience: { attempts: 1, whenUnavailable: "fail" as const } }

/** Calls that fail one after the other, after which the circuit of their client is open for 2 s. */
const opening = Effect.forEach(Array.from({ length: 4 }), () => Effect.flip(read))

const client = (
  stores: Scripted,
  script: Wire.Script = success,
  options: Parameters<typeof Wire.layer>[1] = once,
  use?: SharedState.Options
) => Wire.layer(script, options).pipe(Layer.provide(SharedState.layerWithFallback(stores.layer, use)))

/** A service that admits so many requests a second, and refuses the others and one in `chance`. It counts both. */
const limited = (perSecond: number, chance = Number.POSITIVE_INFINITY) => {
  const state = { perSecond, accepted: 0, refused: 0 }
  let tokens = perSecond
  let counted = 0
  const reply: Wire.Reply = (request, sent) => {
    tokens = Math.min(state.perSecond, tokens + (sent.at - counted) * state.perSecond / 1000)
    counted = sent.at
    if (tokens < 1 || (state.accepted + state.refused) % chance === chance - 1) {
      state.refused++
      return Wire.answer(429)(request, sent)
    }
    tokens--
    state.accepted++
    return success(request, sent)
  }
  return { state, reply }
}

/** The fewer calls wait for their turn at a time, the less there is to compute. */
const deadline = Duration.seconds(scaled(5, 100))

/** The requests that a service admits in a second, where it does not matter how many. */
const few = scaled(2, 4)

/** Clients that share a store and call twice as often as the service admits, each in 12.5 s: too few calls to learn a limit alone. */
const fleet = Effect.fnUntraced(function*(stores: Scripted, reply: Wire.Reply, perSecond = 4) {
  const size = 25 * perSecond
  const shared = Layer.succeedContext(yield* Layer.build(SharedState.layerWithFallback(stores.layer)))
  const client = Layer.fresh(Wire.layer(reply, { resilience: { attempts: 1, deadline } }).pipe(Layer.provide(shared)))
  // One at a time: the clock goes on without what it has woken if that is busy for a second.
  const clients = yield* Effect.forEach(Array.from({ length: size }), () => Effect.delay(Layer.build(client), 1))
  const state = clients.map((client) => Context.get(client, ClientState))
  return {
    /** So many calls of each. Returns the longest time that a call took. */
    calls: Effect.fnUntraced(function*(times: number) {
      let longest = 0
      const call = Effect.gen(function*() {
        const begun = yield* Clock.currentTimeMillis
        yield* Effect.exit(read)
        longest = Math.max(longest, (yield* Clock.currentTimeMillis) - begun)
      })
      for (let time = 0; time < times; time++) {
        for (const client of clients) {
          yield* Effect.forkChild(Effect.provideContext(call, client))
          yield* Effect.sleep(12_500 / size)
        }
      }
      return longest
    }),
    /** The rate that the client knows whose turn was last. */
    rate: Effect.map(state.at(-1)?.get() ?? Effect.die("no client"), ({ rate }) => rate)
  }
})

/** A logger that records its lines. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${String(message)}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

const down = "Warn The store of shared limits is unavailable; limits are local"
const back = "Info The store of shared limits is available again"

const failures = Effect.map(Metrics.snapshot, (metrics) => {
  const found = metrics.find(({ name }) => name === "shared_store.failures")
  return found !== undefined && "count" in found.state ? Number(found.state.count) : 0
})

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("shared state", () => {
  it.effect.each<readonly [setting: "timeout" | "retryAfter", time: unknown]>([
    ["timeout", "soon"],
    ["retryAfter", Number.NaN],
    ["timeout", "-1 seconds"]
  ])("names an invalid time of a caller without types: %s", ([setting, time]) =>
    Effect.gen(function*() {
      const options: SharedState.Options = Object.assign({}, { [setting]: time })
      const layer = SharedState.layerWithFallback(scripted().layer, options)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting })
    }))

  it.effect("clients that share a store share its rate", () => {
    const stores = scripted()
    return Effect.gen(function*() {
      const shared = SharedState.layerWithFallback(stores.layer)
      const build = Layer.build(Layer.fresh(
        Wire.layer(success, twoASecond).pipe(Layer.provide(Layer.succeedContext(
          yield* Layer.build(shared)
        )))
      ))
      const [first, second] = [yield* build, yield* build]
      const { took } = yield* overTime(Effect.forEach(
        [first, second, first, second, first, second],
        (client) => Effect.provideContext(read, client),
        { concurrency: "unbounded" }
      ))
      assert.strictEqual(took, 2500)
    }).pipe(Effect.scoped)
  })

  it.effect("a client whose circuit opens tells the others, which pause after their next failure", () => {
    const stores = scripted()
    const log = logged()
    return Effect.gen(function*() {
      const shared = yield* Layer.build(SharedState.layerWithFallback(stores.layer))
      const build = (script: Wire.Script) =>
        Layer.build(Layer.fresh(Wire.layer(script, failing).pipe(Layer.provide(Layer.succeedContext(shared)))))
      const broken = yield* build(Wire.answer(529))
      const other = yield* build([success, Wire.answer(503), success])
      yield* Effect.gen(function*() {
        yield* Effect.provideContext(opening, broken)
        yield* Effect.provideContext(read, other)
        assert.strictEqual((yield* Effect.provideContext(Effect.flip(read), other))._tag, "ServiceUnavailable")
        const error = yield* Effect.provideContext(Effect.flip(read), other)
        assert.deepInclude<object>(error, { _tag: "CircuitOpen", retryAfter: Duration.seconds(2) })
        yield* Effect.sleep("2 seconds")
        yield* Effect.provideContext(read, other)
        yield* Effect.provideContext(Effect.flip(read), broken)
        // One that is open already is no failure of the store.
        yield* Effect.provideContext(opening, yield* build(Wire.answer(529)))
      }).pipe(valueOverTime)
      assert.deepStrictEqual(log.lines, [])
      assert.strictEqual(yield* failures, 0)
    }).pipe(Effect.scoped, Effect.provide(log.layer), Metrics.isolated)
  })

  it.effect("says nothing to a client whose failures are no sign of an outage", () => {
    const stores = scripted()
    return Effect.gen(function*() {
      yield* valueOverTime(Effect.exit(download))
      yield* Effect.exit(read)
      yield* Effect.provideService(Effect.exit(read), Override, { concurrency: Number.POSITIVE_INFINITY })
      assert.strictEqual(stores.state.askedOfCircuits, 0)
    }).pipe(
      Effect.provide(
        client(stores, [...Wire.readyAfter(5), Wire.answer(404), Wire.answer(500), Wire.answer(503)], failing)
      )
    )
  })

  it.effect("is not asked about its circuit by calls that succeed, and none waits for it", () => {
    const stores = scripted("slow")
    return Effect.gen(function*() {
      for (let call = 0; call < 10; call++) yield* read
      assert.strictEqual(stores.state.askedOfCircuits, 0)
      yield* Effect.flip(read)
      assert.strictEqual(stores.state.askedOfCircuits, 1)
    }).pipe(
      Effect.provide(client(stores, [...Array.from({ length: 10 }, () => success), Wire.answer(503)], failing))
    )
  })

  describe("a limit of rate that a fleet learns", () => {
    it.effect.each<Mode>(sampled(["up", "distant"], 1))(
      "is near that of the service, from the first minute on (%s store)",
      (mode) =>
        valueOverTime(Random.withSeed(
          Effect.gen(function*() {
            const service = limited(4)
            const { calls, rate } = yield* fleet(scripted(mode), service.reply)
            yield* calls(5)
            const { accepted, refused } = service.state
            const rounds = scaled(2, 6)
            for (let i = 0; i < rounds; i++) {
              yield* calls(1)
              const now = yield* rate
              assert.isTrue(now > 2 && now < 8, `${now} a second`)
            }
            assert.isAbove(service.state.accepted - accepted, 33 * rounds)
            assert.isBelow(service.state.refused - refused, 5 + 2 * rounds)
          }),
          "fleet"
        )).pipe(Effect.scoped)
    )

    it.effect("is exchanged once a second by five commands, and only after calls", () => {
      const stores = scripted()
      return Effect.gen(function*() {
        for (let call = 0; call < 100; call++) {
          yield* read
          yield* Effect.sleep("100 millis")
        }
        yield* Effect.sleep("1 hour")
        const { asked } = stores.state
        assert.isTrue(asked >= 50 && asked <= 60, `${asked} commands`)
      }).pipe(valueOverTime, Effect.provide(client(stores, success, {})))
    })

    it.effect("is forgotten while nobody calls", () =>
      valueOverTime(Random.withSeed(
        Effect.gen(function*() {
          const service = limited(few)
          const { calls, rate } = yield* fleet(scripted(), service.reply, few)
          yield* calls(2)
          assert.isBelow(yield* rate, 1.5 * few)
          service.state.perSecond = 1000
          yield* Effect.sleep("10 minutes")
          yield* calls(1)
          assert.strictEqual(yield* rate, Number.POSITIVE_INFINITY)
        }),
        "fleet"
      )).pipe(Effect.scoped))

    it.effect("is none where one request in thirty is refused by chance", () =>
      valueOverTime(Random.withSeed(
        Effect.gen(function*() {
          const service = limited(1000, 30)
          const { calls, rate } = yield* fleet(scripted(), service.reply, few)
          for (let i = 0; i < scaled(5, 10); i++) {
            yield* calls(1)
            assert.strictEqual(yield* rate, Number.POSITIVE_INFINITY)
          }
        }),
        "fleet"
      )).pipe(Effect.scoped))

    it.effect.each(sampled([2, 1, 10], 1))(
      "is used again a minute after %d turns in which the service refuses everything",
      (turns) =>
        valueOverTime(Random.withSeed(
          Effect.gen(function*() {
            const service = limited(few)
            const { calls } = yield* fleet(scripted(), service.reply, few)
            yield* calls(3)
            service.state.perSecond = 0
            yield* calls(turns)
            service.state.perSecond = few
            yield* calls(5)
            const { accepted } = service.state
            yield* calls(1)
            // It admits 12.5 times as many in that time.
            assert.isAbove(service.state.accepted - accepted, 8.75 * few)
          }),
          "fleet"
        )).pipe(Effect.scoped)
    )

    it.effect("is learned anew by a store that has lost it", () =>
      valueOverTime(Random.withSeed(
        Effect.gen(function*() {
          const service = limited(4)
          const stores = scripted()
          const { calls, rate } = yield* fleet(stores, service.reply)
          yield* calls(3)
          stores.state.flushes++
          yield* calls(5)
          const { accepted, refused } = service.state
          const turns = scaled(2, 5)
          yield* calls(turns)
          assert.isBelow(yield* rate, 8)
          assert.isAbove(service.state.accepted - accepted, 36 * turns)
          assert.isBelow(service.state.refused - refused, 3 * turns)
        }),
        "fleet"
      )).pipe(Effect.scoped))

    it.effect.each<Mode>(sampled(["down", "dying", "interrupted", "slow", "hanging"], 3))(
      "ends with the store, which delays no call (%s)",
      (mode) =>
        valueOverTime(Random.withSeed(
          Effect.gen(function*() {
            const service = limited(few)
            const stores = scripted()
            const { calls, rate } = yield* fleet(stores, service.reply, few)
            yield* calls(2)
            assert.isBelow(yield* rate, 1.5 * few)
            stores.state.mode = mode
            service.state.perSecond = 1000
            yield* calls(1)
            assert.strictEqual(yield* calls(1), 0)
            assert.strictEqual(yield* rate, Number.POSITIVE_INFINITY)
          }),
          "fleet"
        )).pipe(Effect.scoped)
    )
  })

  describe("a store that fails", () => {
    it.effect.each<Mode>(["down", "dying", "interrupted"])("fails no call, is logged once and counted (%s)", (mode) => {
      const stores = scripted(mode)
      const log = logged()
      return Effect.gen(function*() {
        for (let call = 0; call < 10; call++) {
          yield* read
          yield* TestClock.adjust(1)
        }
        assert.deepStrictEqual(log.lines, [down])
        assert.strictEqual(stores.state.asked, 1)
        yield* TestClock.adjust("1 second")
        yield* read
        assert.deepStrictEqual(log.lines, [down])
        assert.strictEqual(stores.state.asked, 2)
        assert.strictEqual(yield* failures, 2)
      }).pipe(Effect.provide(Layer.provideMerge(client(stores), log.layer)), Metrics.isolated)
    })

    it.effect("leaves the limits in force, locally", () => {
      const stores = scripted("down")
      return Effect.gen(function*() {
        const { took } = yield* overTime(
          Effect.forEach(Array.from({ length: 6 }), () => read, { concurrency: "unbounded" })
        )
        assert.strictEqual(took, 2500)
      }).pipe(Effect.provide(client(stores, success, twoASecond)))
    })

    it.effect("leaves the circuit breaker in force, locally", () => {
      const stores = scripted("down")
      return Effect.gen(function*() {
        yield* opening
        assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
        yield* Effect.sleep("2 seconds")
        yield* read
        yield* read
      }).pipe(
        valueOverTime,
        Effect.provide(
          client(stores, [...Array.from({ length: 4 }, () => Wire.answer(529)), success, success], failing)
        )
      )
    })

    it.effect("is tried again after `retryAfter`", () => {
      const stores = scripted("down")
      return Effect.gen(function*() {
        yield* read
        yield* TestClock.adjust(Duration.toMillis("1 minute") - 1)
        yield* read
        assert.strictEqual(stores.state.asked, 1)
        yield* TestClock.adjust(1)
        yield* read
        assert.strictEqual(stores.state.asked, 2)
      }).pipe(Effect.provide(client(stores, success, once, { retryAfter: "1 minute" })))
    })

    it.effect("is used again once it answers, and that is logged", () => {
      const stores = scripted("down")
      const log = logged()
      return Effect.gen(function*() {
        yield* read
        stores.state.mode = "up"
        yield* TestClock.adjust("1 second")
        yield* read
        const { asked } = stores.state
        yield* TestClock.adjust(1)
        yield* read
        assert.isAbove(stores.state.asked, asked)
        assert.deepStrictEqual(log.lines, [down, back])
      }).pipe(Effect.provide(Layer.provideMerge(client(stores), log.layer)))
    })

    it.effect("at some of its commands has one outage, which lasts as long as they fail", () => {
      const stores = scripted()
      stores.state.refusesCircuits = true
      const log = logged()
      return Effect.gen(function*() {
        for (let second = 0; second < 20; second++) {
          yield* errorOverTime(read)
          yield* TestClock.adjust("1 second")
        }
        assert.deepStrictEqual(log.lines, [down])
        assert.strictEqual(yield* failures, 20)
        // It answers each time, so its connection is kept.
        assert.strictEqual(stores.state.opened, 1)
        stores.state.refusesCircuits = false
        yield* errorOverTime(read)
        assert.deepStrictEqual(log.lines, [down, back])
      }).pipe(
        Effect.provide(Layer.provideMerge(client(stores, Wire.answer(503), twoASecond), log.layer)),
        Metrics.isolated
      )
    })

    it.effect("between the admission of a call and its end fails no call", () => {
      const stores = scripted()
      return Effect.gen(function*() {
        yield* within(
          Effect.all([read, Effect.delay(Effect.sync(() => (stores.state.mode = "down")), 500)], { concurrency: 2 }),
          "1 second"
        )
        yield* within(read, "1 second")
      }).pipe(Effect.provide(client(stores, Wire.late("1 second", success))))
    })
  })

  describe("a store that is slow", () => {
    it.effect("delays one call by its timeout, and further ones not at all", () => {
      const stores = scripted("slow")
      const log = logged()
      return Effect.gen(function*() {
        const first = yield* overTime(read)
        assert.strictEqual(first.took, 250)
        yield* Effect.sync(() => assert.deepStrictEqual(log.lines, [down]))
      }).pipe(Effect.provide(Layer.provideMerge(client(stores), log.layer)))
    })

    it.effect("delays no call during `retryAfter`", () => {
      const stores = scripted("slow")
      return Effect.gen(function*() {
        const took = yield* valueOverTime(Effect.gen(function*() {
          yield* read
          const start = yield* Clock.currentTimeMillis
          for (let call = 0; call < 100; call++) yield* read
          return (yield* Clock.currentTimeMillis) - start
        }))
        // The rate has a turn in each millisecond.
        assert.strictEqual(took, 100)
      }).pipe(Effect.provide(client(stores)))
    })

    it.effect("may have another timeout", () => {
      const stores = scripted("slow")
      return Effect.gen(function*() {
        const { took } = yield* overTime(read)
        assert.strictEqual(took, 20)
      }).pipe(Effect.provide(client(stores, success, once, { timeout: 20 })))
    })

    it.effect("uses time of the deadline", () => {
      const stores = scripted("slow")
      return Effect.gen(function*() {
        const { exit, took } = yield* overTime(Effect.flip(read))
        assert.strictEqual((yield* exit)._tag, "DeadlineExceeded")
        assert.isAtMost(took, 101)
      }).pipe(Effect.provide(client(stores, success, {
        resilience: { ...once.resilience, deadline: Duration.millis(100) }
      })))
    })
  })

  describe("a store that cannot be reached at the start", () => {
    it.effect("does not delay the start, is tried again in the background, and is used once it answers", () => {
      const stores = scripted()
      stores.state.reachable = false
      const log = logged()
      return Effect.gen(function*() {
        yield* read
        assert.strictEqual(stores.state.asked, 0)
        assert.strictEqual(stores.state.opened, 1)
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(stores.state.opened, 4)
        stores.state.reachable = true
        yield* TestClock.adjust("1 second")
        yield* read
        assert.isAbove(stores.state.asked, 0)
        assert.deepStrictEqual(log.lines, [down, back])
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(stores.state.opened, 5)
      }).pipe(Effect.provide(Layer.provideMerge(client(stores), log.layer)))
    })

    it.effect("releases the resources of each attempt, and the rest with the layer", () => {
      const stores = scripted()
      stores.state.reachable = false
      return Effect.gen(function*() {
        yield* Effect.gen(function*() {
          yield* TestClock.adjust("2 seconds")
          assert.strictEqual(stores.state.opened, 3)
          assert.strictEqual(stores.state.closed, 3)
          stores.state.reachable = true
          yield* TestClock.adjust("1 second")
          assert.strictEqual(stores.state.opened - stores.state.closed, 1)
        }).pipe(Effect.provide(client(stores)))
        assert.strictEqual(stores.state.opened, stores.state.closed)
      })
    })

    it.effect("and stays silent delays the start by two seconds", () =>
      Effect.gen(function*() {
        const hanging = Layer.effectContext<SharedState.Stores, never, never>(Effect.never)
        const stores = SharedState.layerWithFallback(hanging)
        const { took } = yield* overTime(
          read.pipe(Effect.provide(Wire.layer(success, once).pipe(Layer.provide(stores))))
        )
        assert.strictEqual(took, 2000)
      }))
  })

  it.effect.prop(
    "no behaviour of the store fails a call or delays it longer than the timeouts",
    [
      Schema.Array(Schema.Tuple([Schema.Literals(["up", "down", "slow"]), between(0, 1500)])).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(20)
      )
    ],
    ([story]) => {
      const stores = scripted()
      return Effect.gen(function*() {
        yield* valueOverTime(Effect.forEach(story, ([mode, pause]) =>
          Effect.gen(function*() {
            stores.state.mode = mode
            const start = yield* Clock.currentTimeMillis
            yield* read
            assert.isAtMost((yield* Clock.currentTimeMillis) - start, 500)
            yield* Effect.sleep(pause)
          })))
        assert.strictEqual(yield* Wire.count, story.length)
      }).pipe(Effect.provide(client(stores, success, {
        resilience: { ...once.resilience, rate: { requests: 1000, window: Duration.seconds(1) } }
      })))
    },
    { arbitrary: { runs: scaled(15, 60) } }
  )

  it.effect("a failing service is distinguished from a failing store", () => {
    const stores = scripted()
    return Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(read))._tag, "BadGateway")
      assert.strictEqual(yield* failures, 0)
    }).pipe(Effect.provide(client(stores, Wire.answer(502))), Metrics.isolated)
  })
})
