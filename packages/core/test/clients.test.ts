import { Deadline, Failover, Languages, LanguageService, Translation } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer, LayerMap, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { read, success, valueOverTime, Wire } from "./support/index.ts"

const translate = Translation.use((translation) => translation.translate("Hello", { targetLanguage: "de" }))
const translated = (count: number) => ({ translations: Array.from({ length: count }, () => ({ text: "Hallo" })) })

/** A translation for each text. */
const translating: Wire.Reply = (request, sent) => {
  const { text }: { readonly text: ReadonlyArray<string> } = JSON.parse(sent.body)
  return Wire.answer(200, translated(text.length))(request, sent)
}

/** A plan of two clients. */
const planOf = (first: Wire.Reply, second: Wire.Reply) =>
  Failover.make([Wire.layer(first, { resilience: { attempts: 1 } }), Wire.layer(second)])

const keyOf = ({ headers }: Wire.Sent) => headers["authorization"]?.split(" ").at(-1)

/** Clients by name, whose keys can be replaced, with a record of what they do. */
const makeClients = Effect.gen(function*() {
  const keys = new Map([["eu", "eu-1"], ["us", "us-1"]])
  const events: Array<string> = []
  const recorded = (name: string, key: string) =>
    Layer.effectDiscard(Effect.acquireRelease(
      Effect.sync(() => events.push(`build ${name} ${key}`)),
      () => Effect.sync(() => events.push(`release ${name} ${key}`))
    ))
  const clients = yield* LayerMap.make(
    (name: string) =>
      Layer.suspend(() => {
        const key = keys.get(name) ?? ""
        return Layer.merge(
          LanguageService.layer({ name, key: Redacted.make(key), baseUrl: `https://${name}.test` }),
          recorded(name, key)
        )
      }),
    { idleTimeToLive: Duration.infinity }
  )
  return { clients, events, keys }
})

describe("several clients in one program", () => {
  it.effect("a map builds one client for each name, with the first use, and keeps it", () =>
    Effect.gen(function*() {
      const { clients, events } = yield* makeClients
      for (const name of ["eu", "us", "eu", "us"]) yield* Effect.provide(read, clients.get(name))
      assert.deepStrictEqual(events, ["build eu eu-1", "build us us-1"])
      const { sent } = yield* Wire.Wire
      assert.deepStrictEqual(
        sent.map((request) => [new URL(request.url).host, keyOf(request)]),
        [["eu.test", "eu-1"], ["us.test", "us-1"], ["eu.test", "eu-1"], ["us.test", "us-1"]]
      )
    }).pipe(Effect.provide(Wire.make(success))))

  it.effect("a call in flight ends on the client with the old key, and later calls use the new one", () =>
    Effect.gen(function*() {
      const { clients, events, keys } = yield* makeClients
      const early = yield* Effect.forkChild(Effect.provide(read, clients.get("eu")))
      yield* TestClock.adjust("1 second")
      keys.set("eu", "eu-2")
      yield* clients.invalidate("eu")
      const late = yield* Effect.forkChild(Effect.provide(read, clients.get("eu")))
      yield* TestClock.adjust("5 seconds")
      yield* Effect.all([Fiber.join(early), Fiber.join(late)])
      assert.deepStrictEqual((yield* Wire.Wire).sent.map(keyOf), ["eu-1", "eu-2"])
      assert.deepStrictEqual(events, ["build eu eu-1", "build eu eu-2", "release eu eu-1"])
    }).pipe(Effect.provide(Wire.make(Wire.late("2 seconds", success)))))

  it.effect("a plan sends what is safe to a second client, also a read without a response", () =>
    Effect.gen(function*() {
      const lost = Wire.broken("ECONNRESET")
      const down = Wire.answer(503)
      const calls = [
        ["read", lost, true],
        ["read", Wire.silent, true],
        ["metered", Wire.broken("ENOTFOUND"), true],
        ["metered", down, true],
        ["metered", lost, false],
        ["metered", Wire.silent, false]
      ] as const
      for (const [kind, reply, isServed] of calls) {
        const call = Effect.gen(function*() {
          if (kind === "read") yield* read
          else yield* translate
        })
        const plan = yield* planOf(reply, kind === "read" ? success : translating)
        const exit = yield* call.pipe(Failover.within(plan), Deadline.within("4 seconds"), Effect.exit)
        assert.strictEqual(exit._tag === "Success", isServed)
      }
    }).pipe(valueOverTime))

  it.effect.each([[0.25, 1000 + 750], [undefined, 2000 + 1000]] as const)(
    "a plan leaves each client its share of the time, and the last one the rest: %s",
    ([share, others]) =>
      Effect.gen(function*() {
        const last = Wire.layer(Wire.late("800 millis", success))
        const plan = yield* Failover.make([Wire.layer(Wire.silent), Wire.layer(Wire.silent), last], { share })
        const [took] = yield* Effect.timed(read.pipe(Failover.within(plan), Deadline.within("4 seconds")))
        assert.strictEqual(Duration.toMillis(took), others + 800)
      }).pipe(valueOverTime)
  )

  it.effect("make is a service over the client of the context, with its limits and lists of languages", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Effect.all([Translation.make, Translation.make])
      assert.notStrictEqual(one, other)
      assert.strictEqual((yield* one.translate("Hello", { targetLanguage: "de" })).text, "Hallo")
      // The service `Languages` of the layer has the lists, which the reply does not have.
      const checked = Effect.provideService(other.translate("a", { targetLanguage: "de" }), Languages.Checks, true)
      assert.strictEqual((yield* checked).text, "Hallo")
      assert.isAbove(yield* Wire.count, 2)
    }).pipe(
      Effect.provide(
        Wire.layer((request, sent) =>
          request.method === "GET" ? Wire.answer(404)(request, sent) : translating(request, sent)
        )
      )
    ))

  it.effect("a layer is one client in one graph, and another each time that it is provided", () =>
    Effect.gen(function*() {
      const options = { key: Redacted.make("a-key"), baseUrl: "https://eu.test" }
      const layer = LanguageService.layer(options)
      const once = yield* Effect.provide(Effect.all([Languages, Languages]), layer)
      const twice = yield* Effect.all([Effect.provide(Languages, layer), Effect.provide(Languages, layer)])
      assert.strictEqual(once[0], once[1])
      assert.notStrictEqual(twice[0], twice[1])
      class One extends Context.Service<One, Languages["Service"]>()("@effect-lingua/core/test/clients.test/One") {}
      class Other extends Context.Service<Other, Languages["Service"]>()(
        "@effect-lingua/core/test/clients.test/Other"
      ) {}
      const graph = Layer.merge(Layer.effect(One, Languages), Layer.effect(Other, Languages)).pipe(Layer.provide(layer))
      const [one, other] = yield* Effect.provide(Effect.all([One, Other]), graph)
      assert.strictEqual(one, other)
      const apart = Layer.merge(
        Layer.provide(Layer.effect(One, Languages), layer),
        Layer.provide(Layer.effect(Other, Languages), layer)
      )
      const [first, second] = yield* Effect.provide(Effect.all([One, Other]), apart)
      assert.strictEqual(first, second)
    }).pipe(Effect.provide(Wire.make(success))))
})
