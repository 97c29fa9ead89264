import { Documents, Languages, ResiliencePolicy, Tenant, Translation } from "@effect-lingua/core"
import { Event, Events } from "@effect-lingua/core/telemetry/Events"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Ref, References, Stream } from "effect"
import { TestClock } from "effect/testing"

const translate = Translation.use(({ translate }) => translate({ text: ["Good day!"], targetLanguage: "de" }))

const resources = Languages.use((languages) => languages.resources)

/** The attempts in the log of an effect: tenant, level, operation, and failure. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>, options?: FakeLanguageService.ServicesOptions) =>
  Effect.gen(function*() {
    const lines = yield* Ref.make<ReadonlyArray<ReadonlyArray<unknown>>>([])
    const logger = Logger.make(({ fiber, logLevel }) => {
      const { failure, operation, tenant } = fiber.getRef(References.CurrentLogAnnotations)
      Effect.runSync(Ref.update(lines, (all) => [...all, [tenant, logLevel, operation, failure]]))
    })
    const client = Events.logAttempts.pipe(
      Layer.provideMerge(FakeLanguageService.layerServices(options)),
      Layer.provide(Logger.layer([logger]))
    )
    yield* Effect.provide(effect, client)
    return yield* Ref.get(lines)
  })

describe("attempts in the log", () => {
  it.effect("have the annotations of their callers, and a failed one is a warning", () =>
    Effect.gen(function*() {
      const lines = yield* logged(
        Effect.gen(function*() {
          const first = yield* Effect.forkChild(Effect.annotateLogs(resources, { tenant: "a" }))
          yield* TestClock.adjust("1 minute")
          yield* Fiber.join(first)
          yield* Effect.annotateLogs(translate, { tenant: "b" })
          const fake = yield* FakeLanguageService
          const document = yield* fake.addDocument({ content: "a", readyAfter: "1 minute" })
          yield* ResiliencePolicy.within(Documents.use(({ download }) => download(document)), { polling: false }).pipe(
            Effect.flip
          )
        }),
        { scripts: [{ operation: "Languages.resources", fault: Fault.overloaded() }] }
      )
      assert.deepStrictEqual(lines, [
        ["a", "Warn", "Languages.resources", "Overloaded"],
        ["a", "Info", "Languages.resources", undefined],
        ["b", "Info", "Translation.translate", undefined],
        [undefined, "Info", "Documents.download", "DocumentNotReady"]
      ])
    }))

  it.effect("have the name of their client, if it has one", () =>
    Effect.gen(function*() {
      const clients: Array<unknown> = []
      const logger = Logger.make(({ fiber }) => {
        clients.push(fiber.getRef(References.CurrentLogAnnotations)["client"])
      })
      const layer = (name?: string) =>
        Events.logAttempts.pipe(
          Layer.provideMerge(FakeLanguageService.layerServices({ client: { name } })),
          Layer.provide(Logger.layer([logger]))
        )
      for (const name of ["eu", undefined]) yield* Effect.provide(resources, layer(name))
      assert.deepStrictEqual(clients, ["eu", undefined])
    }))

  it.effect("have an entry for an attempt that its caller interrupts, but none for one that waits", () =>
    Effect.gen(function*() {
      const lines = yield* logged(
        Effect.gen(function*() {
          const fake = yield* FakeLanguageService
          const sent = yield* Effect.forkChild(Effect.annotateLogs(translate, { tenant: "a" }))
          yield* fake.awaitRequest("Translation.translate")
          const waiting = yield* Effect.forkChild(Effect.annotateLogs(resources, { tenant: "b" }))
          yield* TestClock.adjust(1)
          yield* Fiber.interrupt(waiting)
          yield* Fiber.interrupt(sent)
        }),
        { scripts: [{ fault: Fault.slow("1 minute") }], client: { resilience: { concurrency: 1 } } }
      )
      assert.deepStrictEqual(lines, [["a", "Warn", "Translation.translate", "interrupted"]])
    }))

  it.effect("an interrupted attempt counts once in the budget of characters, and one that was not sent does not", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const tenant = yield* Tenant.make({ name: "one", characterBudget: 100 })
      const used = Effect.map(Tenant.state(tenant), ({ budget }) => budget?.used)
      const counted = Tenant.within(translate, tenant)
      const sent = yield* Effect.forkChild(counted)
      yield* fake.awaitRequest("Translation.translate")
      const waiting = yield* Effect.forkChild(counted)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* used, 18)
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(yield* used, 9)
      yield* Fiber.interrupt(sent)
      assert.strictEqual(yield* used, 9)
    }).pipe(
      Effect.provide(
        FakeLanguageService.layerServices({
          scripts: [{ fault: Fault.slow("1 minute") }],
          client: { resilience: { concurrency: 1 } }
        })
      )
    ))

  it.effect("the events of waits have the annotations too", () =>
    Effect.gen(function*() {
      const { stream } = yield* Events
      const seen = yield* stream.pipe(
        Stream.filter(Event.$is("Waiting")),
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      const call = yield* Effect.forkChild(Effect.annotateLogs(resources, { tenant: "a" }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(call)
      assert.deepStrictEqual((yield* Fiber.join(seen)).map(({ annotations }) => annotations), [{ tenant: "a" }])
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ scripts: [{ fault: Fault.overloaded() }] }))))
})
