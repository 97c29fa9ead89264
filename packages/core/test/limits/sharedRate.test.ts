import * as SharedRate from "@effect-lingua/core/limits/SharedRate"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Data, Duration, Effect, Layer, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { recordedLog } from "../../../../test/support/logs.ts"
import { scaled } from "../../../../test/support/scale.ts"
import { errorOverTime, Metrics, overTime, read, success, valueOverTime, Wire, within } from "../support/index.ts"

class Refused extends Data.TaggedError("Refused")<{}> {}

type Mode = "up" | "garbled" | "down" | "dying" | "interrupted" | "slow" | "hanging"

const ratesDown = new RateLimiter.RateLimiterError({
  reason: new RateLimiter.RateLimitStoreError({ message: "no connection" })
})

/** Stores in memory that can fail, be slow or be unreachable. */
const scripted = (mode: Mode = "up") => {
  const state = { mode, reachable: true, asked: 0, opened: 0, closed: 0 }
  const ask = <A, E, R>(answer: Effect.Effect<A, E, R>, down: E): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      state.asked++
      switch (state.mode) {
        case "garbled":
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
      }
    })
  const layer = Layer.effectContext(Effect.gen(function*() {
    state.opened++
    yield* Effect.addFinalizer(() => Effect.sync(() => state.closed++))
    if (!state.reachable) return yield* new Refused()
    const rates = yield* RateLimiter.RateLimiterStore
    return Context.make(RateLimiter.RateLimiterStore, {
      fixedWindow: (options) => ask(rates.fixedWindow(options), ratesDown),
      tokenBucket: (options) =>
        ask(state.mode === "garbled" ? Effect.succeed([Number.NaN, 0]) : rates.tokenBucket(options), ratesDown),
      adaptiveConsume: rates.adaptiveConsume,
      adaptiveFeedback: rates.adaptiveFeedback
    })
  })).pipe(Layer.provide(RateLimiter.layerStoreMemory))
  return { state, layer }
}

type Scripted = ReturnType<typeof scripted>

/** Each call takes its turn from the store, which has one in each millisecond. */
const once = { resilience: { attempts: 1, rate: { requests: 1000, window: Duration.seconds(1) } } }

const client = (
  stores: Scripted,
  script: Wire.Script = success,
  options: Parameters<typeof Wire.layer>[1] = once,
  use?: SharedRate.Options
) => Wire.layer(script, options).pipe(Layer.provide(SharedRate.layerWithFallback(stores.layer, use)))

const down = "Warn The store of the shared rate is unavailable; the rate is local"
const back = "Info The store of the shared rate is available again"

const failures = Effect.map(Metrics.snapshot, (metrics) => {
  const found = metrics.find(({ name }) => name === "shared_store.failures")
  return found !== undefined && "count" in found.state ? Number(found.state.count) : 0
})

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const throwing = () => {
  throw new Error("no words")
}

describe("a shared rate", () => {
  it.effect.each<readonly [setting: "processes" | "timeout" | "retryAfter", value: unknown]>([
    ["timeout", "soon"],
    ["retryAfter", Number.NaN],
    ["timeout", "-1 seconds"],
    ["processes", 0.5],
    ["processes", "4"]
  ])("names an invalid option of a caller without types: %s %s", ([setting, value]) =>
    Effect.gen(function*() {
      const options: SharedRate.Options = Object.assign({}, { [setting]: value })
      const layer = SharedRate.layerWithFallback(scripted().layer, options)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting })
    }))

  it.effect.each([["up", 4, 7, 62], ["down", 1, 60, 248], ["down", 4, 15, 62]] as const)(
    "four equal clients send its rate together, each half of its part at least; without the store each has a part: %s, %d",
    ([mode, processes, least, most]) =>
      Effect.gen(function*() {
        const store = Layer.succeedContext(yield* Layer.build(scripted(mode).layer))
        const resilience = { rate: { requests: 20, window: Duration.seconds(1) }, deadline: Duration.seconds(3) }
        const shared = Layer.provide(SharedRate.layerWithFallback(store, { processes }))
        const build = Layer.build(Layer.fresh(shared(Wire.layer(success, { resilience }))))
        const sent = Effect.flatMap(build, (client) =>
          Effect.andThen(
            Effect.replicateEffect(Effect.exit(read), 90, { concurrency: "unbounded", discard: true }),
            Wire.count
          ).pipe(Effect.provideContext(client)))
        const counts = yield* valueOverTime(Effect.all([sent, sent, sent, sent], { concurrency: 4 }))
        assert.isAtLeast(Math.min(...counts), least)
        assert.isAtMost(counts.reduce((sum, count) => sum + count, 0), most)
      }).pipe(Effect.scoped)
  )

  it.effect.each([["https://gateway.test/a/", 1000], ["https://gateway.test/b", 0]] as const)(
    "is shared by clients with the same base URL, not by those at another path: %s",
    ([other, took]) =>
      Effect.gen(function*() {
        const store = Layer.succeedContext(yield* Layer.build(scripted().layer))
        const resilience = { rate: { requests: 1, window: Duration.seconds(1) } }
        const clients = yield* Effect.forEach(["https://gateway.test/a", other], (baseUrl) =>
          Layer.build(
            Layer.provide(
              Layer.fresh(Wire.layer(success, { baseUrl, resilience })),
              SharedRate.layerWithFallback(store)
            )
          ))
        const calls = Effect.forEach(clients, (client) => Effect.provideContext(read, client))
        assert.strictEqual((yield* overTime(calls)).took, took)
      }).pipe(Effect.scoped)
  )

  describe("a store that fails", () => {
    it.effect.each<Mode>(["garbled", "down", "dying", "interrupted"])(
      "fails no call, is logged once and counted (%s)",
      (mode) => {
        const stores = scripted(mode)
        const log = recordedLog()
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
      }
    )

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
      const log = recordedLog()
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
    it.effect.each([[undefined, 250], [20, 20]] as const)("delays one call by its timeout: %s", ([timeout, took]) => {
      const log = recordedLog()
      return Effect.gen(function*() {
        assert.strictEqual((yield* overTime(read)).took, took)
        assert.deepStrictEqual(log.lines, [down])
      }).pipe(Effect.provide(Layer.provideMerge(client(scripted("slow"), success, once, { timeout }), log.layer)))
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
      const log = recordedLog()
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
        const hanging = Layer.effectContext<RateLimiter.RateLimiterStore, never, never>(Effect.never)
        const stores = SharedRate.layerWithFallback(hanging)
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

  it.effect("a description that throws fails neither the start nor a call", () => {
    const stores = scripted("down")
    const { layer, lines } = recordedLog()
    return Effect.gen(function*() {
      yield* valueOverTime(read)
      stores.state.reachable = false
      yield* valueOverTime(Effect.provide(read, Layer.fresh(client(stores, success, once, { describe: throwing }))))
      assert.deepStrictEqual(lines, [down, down])
    }).pipe(Effect.provide([client(stores, success, once, { describe: throwing }), layer]))
  })

  it.effect("a failing service is distinguished from a failing store", () => {
    const stores = scripted()
    return Effect.gen(function*() {
      assert.strictEqual((yield* errorOverTime(read))._tag, "BadGateway")
      assert.strictEqual(yield* failures, 0)
    }).pipe(Effect.provide(client(stores, Wire.answer(502))), Metrics.isolated)
  })
})
