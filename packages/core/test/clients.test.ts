import * as Problem from "@effect-lingua/core/errors/Problem"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, ExecutionPlan, Fiber, Layer, LayerMap, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { read, success } from "./support/calls.ts"
import * as Wire from "./support/Wire.ts"

const translate = Translation.use((translation) => translation.translate("Hello", { targetLanguage: "de" }))
const translated = (count: number) => ({ translations: Array.from({ length: count }, () => ({ text: "Hallo" })) })

/** A translation for each text. */
const translating: Wire.Reply = (request, sent) => {
  const { text }: { readonly text: ReadonlyArray<string> } = JSON.parse(sent.body)
  return Wire.answer(200, translated(text.length))(request, sent)
}

/** A plan of two clients, as docs/servers.md has it. */
const planOf = (first: Wire.Reply, second: Wire.Reply) =>
  ExecutionPlan.make(
    { provide: Wire.layer(first, { resilience: { attempts: 1 } }) },
    {
      provide: Wire.layer(second),
      while: (error: Parameters<typeof Problem.again>[0]) => Problem.again(error) === "safe"
    }
  )

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

/** A plan whose first client serves one request. */
const interruptedPlan = () => {
  let served = 0
  return planOf((request, sent) => (served++ === 0 ? translating : Wire.answer(503))(request, sent), translating)
}

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
      const calls = [["read", lost, true], ["metered", down, true], ["metered", lost, false]] as const
      for (const [kind, reply, isServed] of calls) {
        const call = Effect.gen(function*() {
          if (kind === "read") yield* read
          else yield* translate
        })
        const plan = planOf(reply, kind === "read" ? success : Wire.answer(200, translated(1)))
        assert.strictEqual((yield* Effect.exit(Effect.withExecutionPlan(call, plan)))._tag === "Success", isServed)
      }
    }))

  it.effect("a plan around a stream pays for its first results twice, and one around each group of texts does not", () => {
    const texts = Array.from({ length: 120 }, (_, index) => `text ${index}`)
    const options = { targetLanguage: "de", concurrency: 1 } as const
    return Effect.gen(function*() {
      const whole = Stream.unwrap(Translation.use(({ translateAll }) => Effect.succeed(translateAll(texts, options))))
      assert.lengthOf(yield* Stream.runCollect(Stream.withExecutionPlan(whole, interruptedPlan())), 170)
      const single = interruptedPlan()
      const grouped = Stream.fromIterable(texts).pipe(
        Stream.grouped(50),
        Stream.mapEffect((group) =>
          Translation.use(({ translate }) => translate(group, { targetLanguage: "de" })).pipe(
            Effect.withExecutionPlan(single)
          )
        ),
        Stream.flattenIterable
      )
      assert.lengthOf(yield* Stream.runCollect(grouped), 120)
    })
  })

  it.effect("a layer is one client in one graph, and another each time that it is provided", () =>
    Effect.gen(function*() {
      const options = { key: Redacted.make("a-key"), baseUrl: "https://eu.test" }
      const layer = LanguageService.layer(options)
      const once = yield* Effect.provide(Effect.all([Languages, Languages]), layer)
      const twice = yield* Effect.all([Effect.provide(Languages, layer), Effect.provide(Languages, layer)])
      assert.strictEqual(once[0], once[1])
      assert.notStrictEqual(twice[0], twice[1])
      class One extends Context.Service<One, Languages["Service"]>()(
        "@effect-lingua/core/test/clients.test/One"
      ) {}
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
