/** Time that passes at once. */
import { assert } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { turn } from "../../../../test/support/virtual.ts"

/**
 * Runs an effect while the clock goes on to where the effect waits for it. Gives the exit and the milliseconds it took.
 * The effect starts with a wait, because the clock follows only what it has woken.
 */
export const overTime = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const start = (yield* Clock.currentTimeMillis) + 1
  const fiber = yield* Effect.exit(effect).pipe(
    Effect.flatMap((exit) => Effect.map(Clock.currentTimeMillis, (end) => ({ exit, took: end - start }))),
    Effect.delay(1),
    Effect.forkChild
  )
  do {
    yield* TestClock.adjust("3 hours")
    // What comes from outside of the clock, such as a digest, may come late on a busy machine.
    yield* turn
  } while (fiber.pollUnsafe() === undefined)
  return yield* Fiber.join(fiber)
})

/** The value of an effect that waits. */
export const valueOverTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(overTime(effect), ({ exit }) => exit)

/** The error of an effect that waits. */
export const errorOverTime = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(valueOverTime(effect))

/** A clock with other members. */
export const clockWith = (clock: Clock.Clock, members: Partial<Clock.Clock>): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration),
  ...members
})

/** The time that `within` lets pass before it starts an effect, in milliseconds. */
const lead = 125

/**
 * Runs an effect, after {@link lead}, for a time in which it has to end. The clock stands at the end of that time
 * afterwards.
 */
export const within = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>, time: Duration.Input) {
  const fiber = yield* Effect.exit(effect).pipe(Effect.delay(lead), Effect.forkChild)
  yield* TestClock.adjust(Duration.sum(Duration.millis(lead), Duration.fromInputUnsafe(time)))
  const exit = fiber.pollUnsafe()
  return exit === undefined ? assert.fail("it did not end in time") : yield* yield* exit
})
