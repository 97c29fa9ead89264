import { assert, it } from "@effect/vitest"
import { Clock, type Context, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { turn } from "../../../../test/support/virtual.ts"
import * as Timeout from "../../src/call/internal/timeout.ts"

const watched = <E2>(step: number, limit: () => Timeout.Limit<E2>) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.contextWith((context: Context.Context<R>) => Timeout.watched(self, { limit, step, context, within: context }))

it.live("a limit that has passed before its timer starts is no negative timer, of which Node.js warns", () =>
  Effect.gen(function*() {
    const warnings: Array<Error> = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on("warning", listen)
    const late = yield* Effect.never.pipe(watched(-5, () => ({ until: 0, late: () => "late" })), Effect.flip)
    // Warnings are emitted in the next round of the event loop.
    yield* turn
    process.off("warning", listen)
    assert.strictEqual(late, "late")
    assert.deepStrictEqual(warnings, [])
  }))

it.effect("a limit that comes nearer is met to the millisecond", () =>
  Effect.gen(function*() {
    let until = 1000
    const fiber = yield* Effect.forkChild(
      Effect.never.pipe(
        watched(100, () => ({ until, late: () => "late" })),
        Effect.flip,
        Effect.andThen(Clock.currentTimeMillis)
      ),
      { startImmediately: true }
    )
    yield* TestClock.adjust(500)
    until = 650
    yield* TestClock.adjust(2000)
    assert.strictEqual(yield* Fiber.join(fiber), 650)
  }))

it.live("a limit beyond the longest timer of the platform, of 24.8 days, does not end at once", () =>
  Effect.gen(function*() {
    const rounds = Effect.as(Effect.andThen(turn, turn), "whole")
    const until = 2 ** 32
    const limited = Effect.andThen(Effect.yieldNow, rounds).pipe(
      watched(until, () => ({ until: Number.POSITIVE_INFINITY, late: () => "late" }))
    )
    assert.strictEqual(yield* limited, "whole")
  }))

it.live("an effect whose end has arrived does not fail by a limit that passed while the process was stopped", () =>
  Effect.gen(function*() {
    const stopped = Effect.sync(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5))
    const arrived = Effect.andThen(stopped, Effect.as(turn, "whole"))
    const limited = arrived.pipe(watched(1, () => ({ until: 0, late: () => "late" })))
    assert.strictEqual(yield* limited, "whole")
  }))
