import { Translation } from "@effect-lingua/core/texts/Translation"
import { FakeLanguageService, Fault, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { isFull } from "../../../../test/support/scale.ts"
import { turns } from "../../../../test/support/virtual.ts"

const translate = Translation.use(({ translate }) => translate("Good morning", { targetLanguage: "de" }))

describe("VirtualTime", () => {
  it.effect("gets through calls that follow each other, whose waits begin late", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const refused = {
        operation: "Translation.translate",
        fault: Fault.rateLimited({ retryAfter: "20 seconds" })
      } as const
      const program = Effect.forEach([1, 2, 3, 4, 5], () => Effect.andThen(fake.script(refused), translate))
      assert.strictEqual((yield* VirtualTime.run(program)).length, 5)
      // The clock of the test stands where the program has ended.
      assert.isAtLeast(yield* Clock.currentTimeMillis, 5 * 20_000)
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it("begins where the clock of its context stands, also that of the machine", () =>
    Effect.gen(function*() {
      const start = yield* Clock.currentTimeMillis
      const end = yield* VirtualTime.run(Effect.andThen(Effect.sleep("10 hours"), Clock.currentTimeMillis))
      assert.isAtLeast(end - start, 36_000_000)
      assert.isBelow(end - start, 37_000_000)
    }).pipe(Effect.runPromise))

  it.effect("wakes sleeps in the order of their ends, and an adjusted clock waits", () =>
    Effect.gen(function*() {
      const woken: Array<string> = []
      const sleeper = (name: string, millis: number) =>
        Effect.andThen(Effect.sleep(millis), Effect.sync(() => woken.push(name)))
      yield* VirtualTime.run(Effect.all([
        sleeper("third", 3000),
        sleeper("first", 1000),
        Effect.andThen(TestClock.adjust("2 seconds"), Effect.sync(() => woken.push("second")))
      ], { concurrency: "unbounded" }))
      assert.deepStrictEqual(woken, ["first", "second", "third"])
      const times = Array.from({ length: 60 }, (_, index) => index * 37 % 20 + 1)
      const ends: Array<string> = []
      yield* VirtualTime.run(
        Effect.forEach(times, (time, index) =>
          Effect.andThen(Effect.sleep(time), Effect.sync(() => ends.push(`${time} ${index}`))), {
          concurrency: "unbounded"
        })
      )
      // Sleeps with the same end wake in the order in which they began.
      assert.deepStrictEqual(
        ends,
        times.map((time, index) => ({ time, index })).toSorted((a, b) =>
          a.time - b.time
        )
          .map(({ index, time }) => `${time} ${index}`)
      )
    }))

  it.effect("does not advance to a sleep that was interrupted, while a program waits for a thread", () =>
    Effect.gen(function*() {
      const digest = Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(2_000_000)))
      const program = Effect.andThen(Effect.timeoutOption(Effect.sleep("1 hour"), "1 second"), digest)
      const [took] = yield* VirtualTime.run(Effect.timed(program))
      assert.strictEqual(Duration.toMillis(took), 1000)
    }))

  it.effect("lets no time pass while a program does a little in each round of the event loop", () =>
    Effect.gen(function*() {
      assert.isTrue(Option.isSome(yield* VirtualTime.run(Effect.timeoutOption(turns, "1 second"))))
    }))

  it("runs the finalizers of a program that is interrupted", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const released = yield* Deferred.make<string>()
      const program = Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.andThen(Effect.sleep("1 hour"), Deferred.succeed(released, "released")))
      )
      const fiber = yield* Effect.forkChild(VirtualTime.run(program))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Deferred.await(released), "released")
    }).pipe(Effect.runPromise))

  it("lets others go on while a program never waits, so that it can be interrupted", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(VirtualTime.run(Effect.forever(Effect.yieldNow)))
      yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    }).pipe(Effect.runPromise))

  // It takes seconds of processor time, which is how the clock knows that nothing comes.
  it.runIf(isFull)("ends a program that waits for something that never comes", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(VirtualTime.run(Effect.never))
      assert.include(Exit.isFailure(exit) ? String(exit.cause) : "", "waits for something other than time")
    }).pipe(Effect.runPromise))
})
